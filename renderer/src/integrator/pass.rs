//! A pass: what is known when its integrator is prepared.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What is known when a pass is prepared.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// The number that all random numbers follow from.
    pub seed: u64,
    /// Which pass it is. What is prepared follows from scene, settings, seed and this alone.
    pub index: u64,
    /// Points that will be looked from: pixels of the film, or texels. Defaults follow from it.
    pub points: u64,
    /// Where photon maps are kept from one run to the next: read when it exists, else written.
    pub file: Option<&'a Path>,
    /// Ends the preparation early, with what there is by then.
    pub stop: &'a AtomicBool,
    /// The same at a moment.
    pub until: Option<Instant>,
    /// Is told how many photons of how many have been shot, from any thread.
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
            file: None,
            stop: &GO_ON,
            until: None,
            progress: &|_, _| {},
        }
    }
}
