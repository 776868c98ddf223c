//! The closures that Kiln knows: one table with the name, the parameters and the meaning of each.
//!
//! - Names and order of parameters are those of OSL's and MaterialX's headers and of TSL's renderers, so that existing
//!   shaders compile. Overloads of a name are further lines.
//! - A normal of length zero stands for the surface's shading normal, a tangent of length zero for its `dPdu`.
//! - Roughness is the α of GGX, whatever distribution is named.
//! - OSL's `eta` is relative to the side of the normal that is passed, and `N` faces the viewer: shaders write
//!   `backfacing() ? 1 / ior : ior`. MaterialX's `ior` is that of the inside of the object, whatever side is seen.
//! - What has no lobe of its own yet takes the nearest: Burley's diffuse and subsurface scattering are Lambert's, Phong
//!   and Ward are GGX of the same width, Beckmann is GGX of the same α, thin films and tags are ignored.

use std::sync::LazyLock;

use glam::Vec3;
use shading::hir::{ClosureId, Const};
use shading::ty::Type;
use shading::{ClosureParam, ClosureRef, ClosureRegistry, ClosureSignature, Params};

use crate::bsdf::{Conductor, Dielectric, Ggx, Lambert, Lobe, OrenNayar, Schlick, Translucent, Transparent};
use crate::color::Rgb;

/// What a component of a closure tree means.
pub(super) enum Meaning<'a> {
    /// No light: it absorbs, or only marks.
    Nothing,
    /// Emits this radiance.
    Emission(Rgb),
    /// Scatters.
    Scattering(Scattering),
    /// The top, and the base by what the top leaves of the light.
    Layer {
        top: Option<ClosureRef<'a>>,
        base: Option<ClosureRef<'a>>,
    },
    /// A clear coat over a base.
    Coat {
        base: Option<ClosureRef<'a>>,
        coat: Coat,
    },
}

/// A lobe as a shader asks for it.
pub(super) struct Scattering {
    pub(super) weight: Rgb,
    pub(super) normal: Vec3,
    pub(super) tangent: Vec3,
    /// Whether the lobe's inside is that of the object, whatever side `normal` is on.
    pub(super) solid: bool,
    pub(super) lobe: Lobe,
}

/// A dielectric layer that reflects at its top and tints what goes through.
pub(super) struct Coat {
    pub(super) normal: Vec3,
    pub(super) ior: f32,
    pub(super) ggx: Ggx,
    /// What is left of perpendicular light after it has gone in and out.
    pub(super) tint: Rgb,
}

/// A line of the table.
struct Entry {
    name: &'static str,
    params: &'static [(&'static str, Type)],
    /// Parameters that may be left out, with their values.
    optional: &'static [(&'static str, Type, Value)],
    meaning: for<'a> fn(Reader<'a>) -> Meaning<'a>,
}

/// The value of a parameter that is left out.
#[derive(Clone, Copy)]
enum Value {
    Int(i32),
    Float(f32),
    Triple(f32),
    Text,
}

impl Value {
    fn constant(self) -> Const {
        match self {
            Value::Int(v) => Const::Int(v),
            Value::Float(v) => Const::Float(v),
            Value::Triple(v) => Const::Triple([v; 3]),
            Value::Text => Const::String("".into()),
        }
    }
}

use Type as T;

/// Tags a component for render passes; not used yet.
const LABEL: (&str, Type, Value) = ("label", T::STRING, Value::Text);
const THIN_FILM: [(&str, Type, Value); 2] =
    [("thinfilm_thickness", T::FLOAT, Value::Float(0.0)), ("thinfilm_ior", T::FLOAT, Value::Float(1.33))];
const N: (&str, Type) = ("N", T::NORMAL);

macro_rules! entry {
    ($name:literal [$($param:expr),*] [$($optional:expr),*] $meaning:expr) => {
        Entry { name: $name, params: &[$($param),*], optional: &[$($optional),*], meaning: $meaning }
    };
}

static TABLE: &[Entry] = &[
    // Emission and nothing.
    entry!("emission" [] [LABEL] |_| Meaning::Emission(Rgb::WHITE)),
    entry!("background" [] [LABEL] |_| Meaning::Emission(Rgb::WHITE)),
    entry!("uniform_edf" [("emittance", T::COLOR)] [LABEL] |mut p| Meaning::Emission(p.color())),
    entry!("holdout" [] [LABEL] |_| Meaning::Nothing),
    entry!("debug" [("tag", T::STRING)] [LABEL] |_| Meaning::Nothing),
    // OSL.
    entry!("diffuse" [N] [LABEL] |mut p| p.lobe(|_| Lobe::Lambert(Lambert))),
    entry!("oren_nayar" [N, ("sigma", T::FLOAT)] [LABEL] |mut p| p.lobe(|p| Lobe::OrenNayar(OrenNayar::new(p.float())))),
    entry!("translucent" [N] [LABEL] |mut p| p.lobe(|_| Lobe::Translucent(Translucent))),
    entry!("transparent" [] [LABEL] |_| transparent()),
    entry!("reflection" [N, ("eta", T::FLOAT)] [LABEL] |mut p| {
        p.lobe(|p| reflector(p.float(), Ggx::SMOOTH))
    }),
    entry!("reflection" [N] [LABEL] |mut p| p.lobe(|_| reflector(0.0, Ggx::SMOOTH))),
    entry!("refraction" [N, ("eta", T::FLOAT)] [LABEL] |mut p| {
        p.lobe(|p| Lobe::Dielectric(Dielectric::transmission_only(p.float(), Ggx::SMOOTH)))
    }),
    entry!("microfacet" [("distribution", T::STRING), N, ("U", T::VECTOR), ("xalpha", T::FLOAT),
        ("yalpha", T::FLOAT), ("eta", T::FLOAT), ("refract", T::INT)] [LABEL] |mut p| {
        let distribution = p.text();
        let (normal, tangent) = (p.triple(), p.triple());
        let (ax, ay) = (p.float(), p.float());
        microfacet(distribution, normal, tangent, Ggx::new(ax, ay), p.float(), p.int())
    }),
    entry!("microfacet" [("distribution", T::STRING), N, ("alpha", T::FLOAT), ("eta", T::FLOAT),
        ("refract", T::INT)] [LABEL] |mut p| {
        let (distribution, normal) = (p.text(), p.triple());
        let ggx = Ggx::isotropic(p.float());
        microfacet(distribution, normal, Vec3::ZERO, ggx, p.float(), p.int())
    }),
    entry!("phong" [N, ("exponent", T::FLOAT)] [LABEL] |mut p| {
        p.lobe(|p| Lobe::Schlick(Schlick::mirror(ggx_of_exponent(p.float()))))
    }),
    entry!("ward" [N, ("T", T::VECTOR), ("ax", T::FLOAT), ("ay", T::FLOAT)] [LABEL] |mut p| {
        let (normal, tangent) = (p.triple(), p.triple());
        let ggx = Ggx::new(p.float(), p.float());
        scatter(Rgb::WHITE, normal, tangent, false, Lobe::Schlick(Schlick::mirror(ggx)))
    }),
    entry!("subsurface" [("eta", T::FLOAT), ("g", T::FLOAT), ("mfp", T::COLOR), ("albedo", T::COLOR)] [LABEL] |mut p| {
        p.skip(20);
        scatter(p.color(), Vec3::ZERO, Vec3::ZERO, false, Lobe::Lambert(Lambert))
    }),
    // MaterialX.
    entry!("oren_nayar_diffuse_bsdf" [N, ("albedo", T::COLOR), ("roughness", T::FLOAT)]
        [LABEL, ("energy_compensation", T::INT, Value::Int(0))] |mut p| {
        p.colored_lobe(|p| Lobe::OrenNayar(OrenNayar::new(p.float())))
    }),
    entry!("burley_diffuse_bsdf" [N, ("albedo", T::COLOR), ("roughness", T::FLOAT)] [LABEL] |mut p| {
        p.colored_lobe(|_| Lobe::Lambert(Lambert))
    }),
    entry!("translucent_bsdf" [N, ("albedo", T::COLOR)] [LABEL] |mut p| {
        p.colored_lobe(|_| Lobe::Translucent(Translucent))
    }),
    entry!("transparent_bsdf" [] [LABEL] |_| transparent()),
    entry!("subsurface_bssrdf" [N, ("albedo", T::COLOR), ("radius", T::COLOR), ("anisotropy", T::FLOAT)] [LABEL] |mut p| {
        p.colored_lobe(|_| Lobe::Lambert(Lambert))
    }),
    entry!("dielectric_bsdf" [N, ("U", T::VECTOR), ("reflection_tint", T::COLOR), ("transmission_tint", T::COLOR),
        ("roughness_x", T::FLOAT), ("roughness_y", T::FLOAT), ("ior", T::FLOAT), ("distribution", T::STRING)]
        [LABEL, THIN_FILM[0], THIN_FILM[1]] |mut p| {
        let (normal, tangent) = (p.triple(), p.triple());
        let (reflection, transmission) = (p.color(), p.color());
        let ggx = Ggx::new(p.float(), p.float());
        let ior = p.float();
        if (ior - 1.0).abs() < INDEX_MATCHED {
            return scatter(transmission, normal, tangent, true, Lobe::Transparent(Transparent));
        }
        let lobe = Dielectric::new(ior, ggx).tinted(reflection, transmission);
        scatter(Rgb::WHITE, normal, tangent, true, Lobe::Dielectric(lobe))
    }),
    entry!("conductor_bsdf" [N, ("U", T::VECTOR), ("roughness_x", T::FLOAT), ("roughness_y", T::FLOAT),
        ("ior", T::COLOR), ("extinction", T::COLOR), ("distribution", T::STRING)]
        [LABEL, THIN_FILM[0], THIN_FILM[1]] |mut p| {
        let (normal, tangent) = (p.triple(), p.triple());
        let ggx = Ggx::new(p.float(), p.float());
        let (eta, k) = (p.color(), p.color());
        scatter(Rgb::WHITE, normal, tangent, true, Lobe::Conductor(Conductor { eta, k, ggx }))
    }),
    entry!("generalized_schlick_bsdf" [N, ("U", T::VECTOR), ("reflection_tint", T::COLOR), ("transmission_tint", T::COLOR),
        ("roughness_x", T::FLOAT), ("roughness_y", T::FLOAT), ("f0", T::COLOR), ("f90", T::COLOR), ("exponent", T::FLOAT),
        ("distribution", T::STRING)]
        [LABEL, THIN_FILM[0], THIN_FILM[1]] |mut p| {
        let (normal, tangent) = (p.triple(), p.triple());
        let (reflection, transmission) = (p.color(), p.color());
        let ggx = Ggx::new(p.float(), p.float());
        let (f0, f90) = (p.color(), p.color());
        let lobe = Schlick { f0, f90, exponent: p.float(), ggx, reflection, transmission };
        scatter(Rgb::WHITE, normal, tangent, true, Lobe::Schlick(lobe))
    }),
    entry!("layer" [("top", T::CLOSURE), ("base", T::CLOSURE)] [] |mut p| {
        Meaning::Layer { top: p.closure(), base: p.closure() }
    }),
    // TSL and Kiln.
    entry!("lambert" [] [("base_color", T::COLOR, Value::Triple(1.0)), ("normal", T::NORMAL, Value::Triple(0.0))] |mut p| {
        let weight = p.color();
        scatter(weight, p.triple(), Vec3::ZERO, false, Lobe::Lambert(Lambert))
    }),
    entry!("mirror" [] [("base_color", T::COLOR, Value::Triple(1.0)), ("normal", T::NORMAL, Value::Triple(0.0))] |mut p| {
        let weight = p.color();
        scatter(weight, p.triple(), Vec3::ZERO, false, Lobe::Schlick(Schlick::mirror(Ggx::SMOOTH)))
    }),
    entry!("coat" [("base", T::CLOSURE)] [("N", T::NORMAL, Value::Triple(0.0)), ("roughness", T::FLOAT, Value::Float(0.0)),
        ("ior", T::FLOAT, Value::Float(1.5)), ("tint", T::COLOR, Value::Triple(1.0))] |mut p| {
        let base = p.closure();
        let normal = p.triple();
        let ggx = Ggx::isotropic(p.float());
        Meaning::Coat { base, coat: Coat { normal, ggx, ior: p.float(), tint: p.color() } }
    }),
];

/// Indices of refraction this close to one bend no light.
const INDEX_MATCHED: f32 = 1e-3;

static REGISTRY: LazyLock<ClosureRegistry> = LazyLock::new(|| {
    let mut registry = ClosureRegistry::default();
    for entry in TABLE {
        let required = entry.params.iter().map(|&(name, ty)| ClosureParam::new(name, ty));
        let optional =
            entry.optional.iter().map(|&(name, ty, value)| ClosureParam::optional(name, ty, value.constant()));
        registry.register(ClosureSignature { name: entry.name, params: required.chain(optional).collect() });
    }
    registry
});

/// The closures that Kiln knows, for a `ShadingSystem`.
pub fn closure_registry() -> ClosureRegistry {
    REGISTRY.clone()
}

/// What the component `id` of [`closure_registry`] means.
#[inline]
pub(super) fn meaning<'a>(id: ClosureId, params: Params<'a>) -> Meaning<'a> {
    (TABLE[id.0 as usize].meaning)(Reader { params, offset: 0 })
}

/// What an instance that can make these closures may do.
pub(super) fn abilities(ids: impl IntoIterator<Item = ClosureId>) -> super::Abilities {
    let mut abilities = super::Abilities::default();
    for id in ids {
        match TABLE[id.0 as usize].name {
            "emission" | "background" | "uniform_edf" => abilities.emits = true,
            "transparent" | "transparent_bsdf" | "dielectric_bsdf" => abilities.transparent = true,
            "holdout" | "debug" => {}
            _ => abilities.scatters = true,
        }
        abilities.scatters |= TABLE[id.0 as usize].name == "dielectric_bsdf";
    }
    abilities
}

/// Reads a component's parameters one after another, as [`ClosureSignature::layout`] places them.
struct Reader<'a> {
    params: Params<'a>,
    offset: usize,
}

impl<'a> Reader<'a> {
    #[inline(always)]
    fn skip(&mut self, bytes: usize) -> usize {
        self.offset += bytes;
        self.offset - bytes
    }

    #[inline(always)]
    fn pointer(&mut self) -> usize {
        self.offset = self.offset.next_multiple_of(8);
        self.skip(8)
    }

    #[inline(always)]
    fn int(&mut self) -> i32 {
        let offset = self.skip(4);
        self.params.int(offset)
    }

    #[inline(always)]
    fn float(&mut self) -> f32 {
        let offset = self.skip(4);
        self.params.float(offset)
    }

    #[inline(always)]
    fn triple(&mut self) -> Vec3 {
        let offset = self.skip(12);
        Vec3::from_array(self.params.triple(offset))
    }

    #[inline(always)]
    fn color(&mut self) -> Rgb {
        let offset = self.skip(12);
        Rgb::from(self.params.triple(offset))
    }

    fn text(&mut self) -> &'a str {
        let offset = self.pointer();
        self.params.string(offset)
    }

    fn closure(&mut self) -> Option<ClosureRef<'a>> {
        let offset = self.pointer();
        self.params.closure(offset)
    }

    /// A lobe whose parameters begin with a normal.
    #[inline(always)]
    fn lobe(&mut self, lobe: impl FnOnce(&mut Self) -> Lobe) -> Meaning<'a> {
        let normal = self.triple();
        scatter(Rgb::WHITE, normal, Vec3::ZERO, false, lobe(self))
    }

    /// A lobe whose parameters begin with a normal and a colour.
    #[inline(always)]
    fn colored_lobe(&mut self, lobe: impl FnOnce(&mut Self) -> Lobe) -> Meaning<'a> {
        let (normal, weight) = (self.triple(), self.color());
        scatter(weight, normal, Vec3::ZERO, false, lobe(self))
    }
}

#[inline(always)]
fn scatter<'a>(weight: Rgb, normal: Vec3, tangent: Vec3, solid: bool, lobe: Lobe) -> Meaning<'a> {
    Meaning::Scattering(Scattering { weight, normal, tangent, solid, lobe })
}

fn transparent<'a>() -> Meaning<'a> {
    scatter(Rgb::WHITE, Vec3::ZERO, Vec3::ZERO, false, Lobe::Transparent(Transparent))
}

/// OSL's reflections: `eta` zero means that everything is reflected.
fn reflector(eta: f32, ggx: Ggx) -> Lobe {
    if eta == 0.0 {
        Lobe::Schlick(Schlick::mirror(ggx))
    } else {
        Lobe::Dielectric(Dielectric::reflection_only(eta, ggx))
    }
}

/// OSL's microfacets: `refract` 0 reflects, 1 refracts, 2 does both.
fn microfacet<'a>(
    distribution: &str,
    normal: Vec3,
    tangent: Vec3,
    ggx: Ggx,
    eta: f32,
    refract: i32,
) -> Meaning<'a> {
    let ggx = if distribution == "sharp" { Ggx::SMOOTH } else { ggx };
    let lobe = match refract {
        0 => reflector(eta, ggx),
        1 => Lobe::Dielectric(Dielectric::transmission_only(eta, ggx)),
        _ => Lobe::Dielectric(Dielectric::new(eta, ggx)),
    };
    scatter(Rgb::WHITE, normal, tangent, false, lobe)
}

/// The GGX roughness about as wide as a cosine lobe.
// Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", section 5.2.
fn ggx_of_exponent(exponent: f32) -> Ggx {
    Ggx::isotropic((2.0 / (exponent.max(0.0) + 2.0)).sqrt())
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
