//! Inputs for preparing an integrator: seed, pass index, photon map file, deadline, progress callback.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Inputs for preparing a pass of an integrator.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Index of the pass. The prepared state depends on scene, settings, seed and this index only.
    pub index: u64,
    /// Number of points to shade (pixels of the film, or texels); determines the default sizes of the photon maps.
    pub points: u64,
    /// Upper bound of the default sizes [photons], for time limits.
    pub max_photons: u64,
    /// Depth of the vertices that gather rays reach first: 2 for camera paths, 1 for paths that begin as gather rays.
    pub gather_depth: u32,
    /// Tag of each light, stored in photons to separate light groups; empty without groups.
    pub light_tags: &'a [u8],
    /// File of the photon maps: read if it exists, else written.
    pub file: Option<&'a Path>,
    /// Cancellation flag: when set, the preparation ends early, and its result is not used.
    pub stop: &'a AtomicBool,
    /// Deadline, at which the preparation ends early and uses the photons stored so far.
    pub until: Option<Instant>,
    /// Progress callback (photons done, photons in total); called from any thread.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Cancellation flag of passes that cannot be cancelled; never set.
static NEVER_STOPPED: AtomicBool = AtomicBool::new(false);

impl Pass<'_> {
    /// Returns the first pass for a number of points: no file, no deadline, no progress callback.
    pub fn first(seed: u64, points: u64) -> Pass<'static> {
        Pass {
            seed,
            index: 0,
            points,
            max_photons: u64::MAX,
            gather_depth: 2,
            light_tags: &[],
            file: None,
            stop: &NEVER_STOPPED,
            until: None,
            progress: &|_, _| {},
        }
    }

    /// Returns whether the preparation has been cancelled: its result is not used.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
