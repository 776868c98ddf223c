//! State of a camera path that ends in photon maps: path state, and remaining contributions.

use crate::integrator::path::state::PathState;

/// State of a camera path of the integrator `photon`.
#[derive(Clone, Debug)]
pub(crate) struct GatherPath {
    pub(super) path: PathState,
    /// Distance through null interfaces since the last scattering vertex [m].
    pub(super) passed: f32,
    /// Path length since the camera or the gather point [m].
    pub(super) length: f32,
    pub(super) remaining: Remaining,
    /// True if the caustic map has already supplied the caustics; the path then skips them.
    pub(super) skips_caustics: bool,
    /// Number of branches at the first scattering vertex (splitting), and of light samples there.
    pub(super) splits: u32,
    pub(super) light_samples: u32,
}

impl GatherPath {
    pub(super) fn new(path: PathState, remaining: Remaining) -> GatherPath {
        GatherPath {
            path,
            passed: 0.0,
            length: 0.0,
            remaining,
            skips_caustics: false,
            splits: 1,
            light_samples: 1,
        }
    }

    /// Continues after a medium vertex, as after a diffuse lobe. `covered` is true if a lookup supplied the caustics at
    /// the vertex.
    pub(super) fn leave_medium(&mut self, remaining: Remaining, covered: bool) {
        self.remaining = remaining;
        (self.passed, self.skips_caustics) = (0.0, covered);
    }
}

/// Contributions that a path does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remaining {
    /// The complete radiance; only narrow lobes have scattered the path.
    All,
    /// Light that neither light samples nor the caustic map cover, after a rough lobe.
    Rest,
    /// Light that neither light samples nor the caustic map cover, after a diffuse lobe; the path may end in the
    /// irradiance cache.
    Gather,
    /// The complete radiance; the path may end in the irradiance cache.
    Incoming,
    /// Emission of the next hit only: the BSDF-sampling half of the MIS pair of a light sample.
    Emission,
}

impl Remaining {
    pub(super) fn is_gathering(self) -> bool {
        matches!(self, Remaining::Gather | Remaining::Incoming)
    }
}
