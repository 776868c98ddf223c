//! Per-thread state of the integrators: shading context, shaded surfaces, stacks of path branches, k-NN heap, counters.

use super::path_state::PathState;
use super::photon::{Gatherer, Nearest};
use super::stats::Stats;
use crate::material::{ShadingContext, ShadingResult};
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_scene::MAX_SPLIT;

/// Per-thread state for tracing rays.
/// The contexts of all threads are adjacent in a `Vec` and are written at every bounce. The alignment keeps two of them
/// from sharing a cache line, or a pair of lines that is prefetched together.
#[derive(Debug)]
#[repr(align(128))]
pub struct Context {
    /// Scratch memory for shader execution.
    pub shading: ShadingContext,
    /// Shading result at the current path vertex; stored here because it is large.
    pub surface: ShadingResult,
    /// Shading result for paths of the integrator `photon`; moved out while lookups borrow the rest of the context.
    pub(super) gather_surface: Option<Box<ShadingResult>>,
    /// Stack of untraced branches of the current path (integrator `path`).
    pub(super) branches: Vec<(PathState, Sampler)>,
    /// Stack of untraced branches of the current path (integrator `photon`).
    pub(super) gatherers: Vec<(Gatherer, Sampler)>,
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
            gather_surface: None,
            branches: Vec::with_capacity(MAX_SPLIT as usize),
            gatherers: Vec::with_capacity(MAX_SPLIT as usize),
            stats: Stats::default(),
            nearest: Nearest::new(),
        }
    }
}
