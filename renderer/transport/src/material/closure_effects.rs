//! What closures may do, known before a shader runs: emit, let light pass, refract it, fill what is inside.

use shading::codegen::Statistics;
use shading::hir::{ClosureId, Const};

use super::closures::{ClosureKind, TABLE, kind};
use super::material_flags::MaterialFlags;
use crate::bsdf::fresnel::ior_from_f0;
use crate::bsdf::is_index_matched;

/// Flags of a shader instance that may create the closures of `statistics`.
pub(super) fn flags(statistics: &Statistics) -> MaterialFlags {
    let mut flags = MaterialFlags::default();
    for &id in &statistics.closures {
        flags.add(id);
        flags.transparent |= refraction(id, statistics).is_some_and(|of| of.may_be_straight(id));
    }
    flags
}

impl MaterialFlags {
    /// Adds what a closure may do.
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
            kind if kind.fills() => flags.fills = true,
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
            || refraction(**id, statistics).is_some_and(|of| of.may_be_straight(**id))
    };
    statistics.closures.iter().filter(is_seen).copied().collect()
}

/// Selects the closures of what is inside.
pub(super) fn interior_closures(statistics: &Statistics) -> Vec<ClosureId> {
    let fills = |id: &&ClosureId| kind(**id).fills();
    statistics.closures.iter().filter(fills).copied().collect()
}

/// What is known of a closure that refracts light.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refraction {
    /// By this index of refraction of the object.
    Index(f32),
    /// By an index that is computed where light meets the surface, or that is relative to the side that it comes from.
    Unknown,
}

impl Refraction {
    /// Returns whether light goes straight on.
    pub(super) fn is_straight(self) -> bool {
        matches!(self, Refraction::Index(ior) if is_index_matched(ior))
    }

    /// Returns whether light may go straight on through the closure `id`, without being bent.
    fn may_be_straight(self, id: ClosureId) -> bool {
        kind(id) == ClosureKind::DielectricBsdf && (self.is_straight() || matches!(self, Refraction::Unknown))
    }
}

/// What is known of the refraction by a closure of an instance; `None` if it refracts nothing.
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
