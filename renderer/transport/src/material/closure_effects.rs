//! Closure effects known before a shader runs: emission, transparency, refraction, media.

use shading::codegen::Statistics;
use shading::hir::{ClosureId, Const};

use super::closures::{ClosureKind, TABLE, kind};
use crate::bsdf::fresnel::ior_from_f0;
use crate::bsdf::is_index_matched;

/// Effects that a shader may have at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaterialFlags {
    pub(super) emits: bool,
    pub(super) transparent: bool,
    /// True if light may pass without being scattered widely: straight through or refracted.
    pub(super) passes: bool,
    /// True if lobe weights may depend on the view direction.
    pub(super) layers: bool,
}

/// Flags of a shader instance that may create the closures of `statistics`.
pub(super) fn flags(statistics: &Statistics) -> MaterialFlags {
    let mut flags = MaterialFlags::default();
    for &id in &statistics.closures {
        flags.add(id);
        flags.transparent |= refraction(id, statistics).is_some_and(|r| r.may_be_straight(id));
    }
    flags
}

impl MaterialFlags {
    /// Adds the effects of a closure.
    fn add(&mut self, id: ClosureId) {
        let flags = self;
        match kind(id) {
            ClosureKind::Emission | ClosureKind::Background | ClosureKind::UniformEdf => {
                flags.emits = true;
            }
            ClosureKind::Transparent | ClosureKind::TransparentBsdf | ClosureKind::RayPortalBsdf => {
                (flags.transparent, flags.passes) = (true, true);
            }
            ClosureKind::Refraction
            | ClosureKind::MicrofacetU
            | ClosureKind::DielectricBsdf
            | ClosureKind::GeneralizedSchlickBsdf
            | ClosureKind::ThinTransmissionBsdf
            | ClosureKind::ThinGlass
            | ClosureKind::MicrofacetGgxRefraction
            | ClosureKind::MicrofacetBeckmannRefraction
            | ClosureKind::MicrofacetMultiGgxGlass => flags.passes = true,
            ClosureKind::Layer | ClosureKind::Coat => flags.layers = true,
            _ => {}
        }
    }

    fn of(id: ClosureId) -> MaterialFlags {
        let mut flags = MaterialFlags::default();
        flags.add(id);
        flags
    }
}

/// Selects the closures that emit or transmit straight through.
pub(super) fn light_closures(statistics: &Statistics) -> Vec<ClosureId> {
    let is_seen = |id: &&ClosureId| {
        let flags = MaterialFlags::of(**id);
        flags.emits
            || flags.transparent
            || refraction(**id, statistics).is_some_and(|r| r.may_be_straight(**id))
    };
    statistics.closures.iter().filter(is_seen).copied().collect()
}

/// Selects the closures that describe the interior medium.
pub(super) fn interior_closures(statistics: &Statistics) -> Vec<ClosureId> {
    let is_medium = |id: &&ClosureId| kind(**id).is_medium();
    statistics.closures.iter().filter(is_medium).copied().collect()
}

/// Index of refraction of a closure, as far as it is known before the shader runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refraction {
    /// Constant index of refraction of the object.
    Index(f32),
    /// Computed by the shader, or relative to the side of the ray.
    Unknown,
}

impl Refraction {
    /// Returns whether light passes without being bent.
    pub(super) fn is_straight(self) -> bool {
        matches!(self, Refraction::Index(ior) if is_index_matched(ior))
    }

    /// Returns whether light may pass the closure `id` without being bent.
    fn may_be_straight(self, id: ClosureId) -> bool {
        kind(id) == ClosureKind::DielectricBsdf && (self.is_straight() || matches!(self, Refraction::Unknown))
    }
}

/// Index of refraction of a closure of an instance; `None` if it does not refract.
pub(super) fn refraction(id: ClosureId, statistics: &Statistics) -> Option<Refraction> {
    use ClosureKind as K;
    let constants = statistics.closure_constants.get(&id);
    let constant = |name: &str| {
        let params = &TABLE[id.0 as usize].params;
        let index = params.iter().position(|(param, _)| *param == name)?;
        constants?.get(index)?.as_ref()
    };
    let is_zero = |name: &str| match constant(name) {
        Some(&Const::Triple(v)) => v == [0.0; 3],
        Some(&Const::Int(v)) => v == 0,
        _ => false,
    };
    match kind(id) {
        K::DielectricBsdf if !is_zero("transmission_tint") => Some(match constant("ior") {
            Some(&Const::Float(ior)) => Refraction::Index(ior),
            _ => Refraction::Unknown,
        }),
        K::GeneralizedSchlickBsdf if !is_zero("transmission_tint") => Some(match constant("f0") {
            Some(&Const::Triple([r, g, b])) if r == g && g == b => Refraction::Index(ior_from_f0(r)),
            _ => Refraction::Unknown,
        }),
        K::MicrofacetU if !is_zero("refract") => Some(Refraction::Unknown),
        K::Refraction
        | K::MicrofacetGgxRefraction
        | K::MicrofacetBeckmannRefraction
        | K::MicrofacetMultiGgxGlass => Some(Refraction::Unknown),
        _ => None,
    }
}
