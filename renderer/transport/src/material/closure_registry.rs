//! Closure registry for shading systems, with notes on closures that are approximated.

use std::sync::LazyLock;

use shading::{ClosureNote, ClosureParam, ClosureRegistry, ClosureSignature};

use super::closures::{ClosureKind, TABLE};

static REGISTRY: LazyLock<ClosureRegistry> = LazyLock::new(|| {
    let mut registry = ClosureRegistry::default();
    for entry in TABLE {
        let required = entry.params.iter().map(|&(name, ty)| ClosureParam::new(name, ty));
        let optional = entry
            .optional
            .iter()
            .map(|&(name, ty, value)| ClosureParam::optional(name, ty, value.constant()));
        let id = registry
            .register(ClosureSignature { name: entry.name, params: required.chain(optional).collect() });
        let id = id.expect("the table has closures of numbers and strings, each once");
        if let Some(note) = note(entry.kind) {
            registry.note(id, note);
        }
    }
    registry
});

/// Note for shaders that create an approximated closure; `None` for fully supported closures.
fn note(kind: ClosureKind) -> Option<ClosureNote> {
    use ClosureKind as K;
    let (text, unless_zero) = match kind {
        K::DiffuseRamp => ("Lambert's reflection in the mean of the colours stands in", None),
        K::PhongRamp => ("`phong` in the mean of the colours stands in", None),
        K::DiffuseToon | K::AmbientOcclusion => ("Lambert's reflection stands in", None),
        K::Bssrdf => ("its blur, sharpness and roughness have no effect", None),
        K::GlossyToon => ("GGX of about the same width stands in", None),
        K::AshikhmanShirley => ("GGX of the same width on Lambert's reflection stands in", None),
        K::AshikhminShirley | K::HairReflection => ("GGX of the same width stands in", None),
        K::AshikhminVelvet => ("Burley's sheen stands in", None),
        K::HairTransmission => ("translucence stands in", None),
        K::HairHuang => ("hair of Chiang's model stands in", None),
        K::ThinSubsurface => ("Lambert's reflection and translucence stand in", None),
        K::ThinGlass => ("what passes is not tinted", None),
        K::RayPortalBsdf => ("light passes where it is", None),
        K::FournierForand => ("Henyey-Greenstein's phase function of about the same width stands in", None),
        K::Debug | K::ParameterTest => ("no output shows it, and it does nothing", None),
        K::AnisotropicVdf
        | K::MediumVdf
        | K::Absorption
        | K::Draine
        | K::Rayleigh
        | K::HenyeyGreenstein
        | K::Emission
        | K::Background
        | K::UniformEdf
        | K::Holdout
        | K::Diffuse
        | K::OrenNayar
        | K::Translucent
        | K::Transparent
        | K::Reflection
        | K::Refraction
        | K::MicrofacetU
        | K::Phong
        | K::Ward
        | K::OrenNayarDiffuseBsdf
        | K::BurleyDiffuseBsdf
        | K::TranslucentBsdf
        | K::TransparentBsdf
        | K::Subsurface
        | K::SubsurfaceBssrdf
        | K::SheenBsdf
        | K::DielectricBsdf
        | K::ConductorBsdf
        | K::GeneralizedSchlickBsdf
        | K::CoatedDiffuseBsdf
        | K::BurleySheenBsdf
        | K::ClearcoatBsdf
        | K::ThinTransmissionBsdf
        | K::Layer
        | K::Lambert
        | K::Mirror
        | K::LambertTransmission
        | K::CyclesSheen
        | K::MicrofacetGgx
        | K::MicrofacetBeckmann
        | K::MicrofacetGgxRefraction
        | K::MicrofacetMultiGgx
        | K::MicrofacetMultiGgxAniso
        | K::MicrofacetMultiGgxGlass
        | K::CoatTsl
        | K::MicrofacetF82Tint
        | K::PrincipledDiffuse
        | K::PrincipledSheen
        | K::PrincipledClearcoat
        | K::PrincipledHair
        | K::HairChiang
        | K::MicrofacetBeckmannRefraction
        | K::ChiangHairBsdf
        | K::Coat
        | K::SoftTerminator
        | K::Labelled => return None,
    };
    Some(ClosureNote { text, unless_zero })
}

/// Registry of the supported closures, for a `ShadingSystem`.
pub fn closure_registry() -> ClosureRegistry {
    REGISTRY.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_follows_the_table() {
        let registry = closure_registry();
        assert_eq!(registry.iter().count(), TABLE.len());
        for ((id, signature), entry) in registry.iter().zip(TABLE) {
            assert_eq!(signature.name, entry.name);
            assert_eq!(signature.params.len(), entry.params.len() + entry.optional.len(), "{id:?}");
        }
    }
}
