//! Per-thread state of the integrators: shading context, shaded surfaces, stacks of branches, k-NN heap, counters.

use super::path::splitting::BranchStack;
use super::path::state::PathState;
use super::photon::{GatherPath, Nearest};
use super::stats::Stats;
use crate::material::{ShadingContext, ShadingResult};
use crate::scene::Scene;

/// Per-thread state for tracing rays.
///
/// The contexts of all threads are adjacent in a `Vec` and are written at every bounce. The alignment keeps two of them
/// from sharing a cache line, or a pair of lines that is prefetched together.
#[derive(Debug)]
#[repr(align(128))]
pub struct Context {
    /// Scratch memory for shader execution.
    pub shading: ShadingContext,
    /// Shading result at the current path vertex; stored here because it is large.
    pub surface: ShadingResult,
    /// Stack of untraced branches of the current path (integrator `path`).
    pub(super) branches: BranchStack<PathState>,
    /// Stack of untraced branches of the current path (integrator `photon`).
    pub(super) gather_paths: BranchStack<GatherPath>,
    /// Counters since creation.
    pub stats: Stats,
    /// Heap for nearest-neighbour lookups in photon maps.
    pub nearest: Nearest,
}

impl Context {
    /// Creates a context for a scene.
    pub fn new(scene: &Scene) -> Context {
        Context {
            shading: ShadingContext::new(scene.host().clone()),
            surface: ShadingResult::new(),
            branches: BranchStack::new(),
            gather_paths: BranchStack::new(),
            stats: Stats::default(),
            nearest: Nearest::new(),
        }
    }
}
