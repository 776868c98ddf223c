//! The choice of pilots: integrator, branches, guides, and what they tell of it.

use crate::integrator::Integrator;

/// Result of the pilot.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// Path or photon.
    pub integrator: Integrator,
    /// Expected time to equal error of the other integrator, relative to this one; infinite where the other cannot find all
    /// of the light.
    pub gain: f64,
}

/// An integrator for which pilots have chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen<T> {
    /// The settings that the pilots chose.
    pub(crate) choice: T,
    /// Number of paths that a camera ray counts as.
    pub(crate) paths_per_ray: u64,
}

impl<T> Chosen<T> {
    /// A choice that the settings already determine.
    pub(crate) fn given(choice: T) -> Chosen<T> {
        Chosen {
            choice,
            paths_per_ray: 1,
        }
    }

    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Chosen<U> {
        Chosen {
            choice: f(self.choice),
            paths_per_ray: self.paths_per_ray,
        }
    }
}

/// An integrator of which nothing is left open but the counts of photon maps, which [`with_counts`](super::with_counts) chooses once there are
/// maps.
pub(crate) struct Choice {
    /// The decision of `auto`.
    pub(crate) decision: Option<Decision>,
    /// The integrator as settings and files name it, never `auto`.
    pub(crate) integrator: Integrator,
    /// The integrator with numbers of branches and light samples, and guides.
    pub(crate) settled: Chosen<Integrator>,
    /// Root mean square of the light that `path` cannot find, relative to the picture, where that is seen and `path` was
    /// given.
    pub(crate) unfound: Option<f64>,
}
