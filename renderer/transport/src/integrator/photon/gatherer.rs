//! State of a camera path that ends in photon maps: path state, and the contributions that it still has to collect.

use crate::integrator::path_state::PathState;

/// State of a camera path of the integrator `photon`.
#[derive(Clone, Debug)]
pub(in crate::integrator) struct Gatherer {
    pub(super) path: PathState,
    /// Distance through transparent surfaces since the last scattering vertex [m].
    pub(super) passed: f32,
    /// Path length since the camera or the gather point [m].
    pub(super) length: f32,
    pub(super) state: GatherState,
    /// True if the caustic map has already supplied the caustics; the path then skips them.
    pub(super) skips_caustics: bool,
    /// Number of branches at the first scattering vertex (splitting), and of light samples there.
    pub(super) splits: u32,
    pub(super) light_samples: u32,
}

impl Gatherer {
    pub(super) fn new(path: PathState, state: GatherState) -> Gatherer {
        Gatherer {
            path,
            passed: 0.0,
            length: 0.0,
            state,
            skips_caustics: false,
            splits: 1,
            light_samples: 1,
        }
    }

    /// Goes on in `state` after a medium has scattered the path, as after a diffuse lobe; `covered` says that lookups have
    /// found the caustics there.
    pub(super) fn leave_medium(&mut self, state: GatherState, covered: bool) {
        self.state = state;
        (self.passed, self.skips_caustics) = (0.0, covered);
    }
}

/// Contributions that a path still has to collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GatherState {
    /// All light; only narrow lobes have scattered the path.
    All,
    /// Light that neither light samples nor the caustic map cover, after a rough lobe.
    Rest,
    /// Light that neither light samples nor the caustic map cover, after a diffuse lobe; may end in the irradiance
    /// cache.
    Gather,
    /// All light; may end in the irradiance cache.
    Incoming,
    /// Emission of the next hit only: the BSDF-sampling half of the MIS pair of a light sample.
    Emission,
}

impl GatherState {
    pub(super) fn is_gathering(self) -> bool {
        matches!(self, GatherState::Gather | GatherState::Incoming)
    }
}
