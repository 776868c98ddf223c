//! Results of pilots: integrator, branches, light samples and guides.

use crate::integrator::Integrator;

/// Decision of `auto`.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// Path or photon.
    pub integrator: Integrator,
    /// Expected time to equal error of the other integrator, relative to this one; infinite if the other misses a part of the
    /// light.
    pub gain: f64,
}

/// Settings chosen by a pilot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenSettings<T> {
    pub(crate) settings: T,
    /// Number of paths that a camera ray counts as.
    pub(crate) paths_per_ray: u64,
}

impl<T> ChosenSettings<T> {
    /// Settings that need no pilot.
    pub(crate) fn given(settings: T) -> ChosenSettings<T> {
        ChosenSettings { settings, paths_per_ray: 1 }
    }

    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> ChosenSettings<U> {
        ChosenSettings {
            settings: f(self.settings),
            paths_per_ray: self.paths_per_ray,
        }
    }
}

/// Result of the pilots of a render. Only the counts of photon maps may still be open: [`with_counts`](super::with_counts)
/// chooses them once there are maps.
pub(crate) struct PilotResult {
    /// Decision of `auto`.
    pub(crate) decision: Option<Decision>,
    /// Integrator as settings and files name it, never `auto`.
    pub(crate) integrator: Integrator,
    /// Integrator with numbers of branches and light samples, and guides.
    pub(crate) chosen: ChosenSettings<Integrator>,
    /// Root mean square of the light that `path` cannot find, relative to the picture, if it is visible and `path` was
    /// requested.
    pub(crate) missing_light: Option<f64>,
}
