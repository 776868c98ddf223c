//! Per-thread state of the integrators: shading context, surfaces, branches, photon lookup heap, and counts.

use super::photon::Nearest;
use super::stats::Stats;
use super::walk::Walk;
use crate::material::{ShadingContext, Surface};
use crate::sampler::Sampler;
use crate::scene::Scene;
use crate::scene::desc::MAX_SPLIT;

/// Per-thread state for tracing rays.
///
/// Threads' contexts lie side by side in a list and are written at every bounce: no two may share a cache line, nor a
/// pair of lines that is fetched as one.
#[derive(Debug)]
#[repr(align(128))]
pub struct Context {
    /// Memory for running shaders.
    pub shading: ShadingContext,
    /// The shaded surface at the path's vertex; kept here because it is large.
    pub surface: Surface,
    /// Spare surfaces for paths that split, where several vertices are in use at once.
    #[expect(clippy::vec_box, reason = "they are taken out and put back, and are large")]
    pub(super) surfaces: Vec<Box<Surface>>,
    /// Branches of the path that are still to be traced.
    pub(super) branches: Vec<(Walk, Sampler)>,
    /// Counts so far.
    pub stats: Stats,
    /// Heap for nearest-neighbour lookups in photon maps.
    pub(crate) nearest: Nearest,
}

impl Context {
    /// A context for a scene.
    pub fn new(scene: &Scene) -> Context {
        Context {
            shading: ShadingContext::new(scene.host().clone()),
            surface: Surface::new(),
            surfaces: vec![],
            branches: Vec::with_capacity(MAX_SPLIT as usize),
            stats: Stats::default(),
            nearest: Nearest::new(),
        }
    }
}
