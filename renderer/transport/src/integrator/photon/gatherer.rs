//! The state of a camera path that ends in photon maps: the walk, and the light that it still has to find.

use crate::integrator::walk::Walk;

/// A camera path and what it still has to find.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrator) struct Gatherer {
    pub(super) walk: Walk,
    /// Length of the path through transparent surfaces since it was scattered [m].
    pub(super) passed: f32,
    /// Length of the path since the camera, or since the gather point [m].
    pub(super) length: f32,
    pub(super) aim: Aim,
    /// Whether the caustic map has already supplied the caustics, so that the path leaves them out.
    pub(super) leaves_caustics: bool,
    /// Number of continuations at the first vertex that scatters (splitting), and of light samples there.
    pub(super) splits: u32,
    pub(super) light_samples: u32,
}

impl Gatherer {
    pub(super) fn new(walk: Walk, aim: Aim) -> Gatherer {
        Gatherer {
            walk,
            passed: 0.0,
            length: 0.0,
            aim,
            leaves_caustics: false,
            splits: 1,
            light_samples: 1,
        }
    }
}

/// The contributions that a path still has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// All light; the path has met narrow lobes only.
    All,
    /// Light that neither light samples nor the caustic map have found, after a rough lobe.
    Rest,
    /// The same after a diffuse lobe: may end in the irradiance cache.
    Gather,
    /// All light; may end in the irradiance cache.
    Incoming,
    /// Emission of the next hit only, the BSDF-sampling half of a light sample's MIS pair.
    Emission,
}

impl Aim {
    pub(super) fn is_gathering(self) -> bool {
        matches!(self, Aim::Gather | Aim::Incoming)
    }
}
