//! Inputs for preparing an integrator: seed, pass number, photon map file, deadline, progress callback.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Inputs for preparing a pass.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of the pass. The result of the preparation depends on scene, settings, seed and this number only.
    pub index: u64,
    /// Number of points that will be shaded (pixels of the film, or texels); default sizes of the photon maps follow
    /// from it.
    pub points: u64,
    /// Depth of the vertices that gather rays reach first: 2 from a camera, 1 where rays begin as gather rays.
    pub gather_depth: u32,
    /// File of the photon maps: read if it exists, else written.
    pub file: Option<&'a Path>,
    /// When set, the preparation ends early and uses the photons it has.
    pub stop: &'a AtomicBool,
    /// Deadline: the preparation stops at it and uses the photons it has.
    pub until: Option<Instant>,
    /// Progress callback (photons shot, photons in total); called from any thread.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Never set.
static GO_ON: AtomicBool = AtomicBool::new(false);

impl Pass<'_> {
    /// The first pass, for that many points, without a file, watched by no one.
    pub fn first(seed: u64, points: u64) -> Pass<'static> {
        Pass {
            seed,
            index: 0,
            points,
            gather_depth: 2,
            file: None,
            stop: &GO_ON,
            until: None,
            progress: &|_, _| {},
        }
    }
}
