//! Per-thread state of the integrators: shading context, surfaces, branches, photon lookup heap, and counts.

use super::photon::{Gatherer, Nearest};
use super::stats::Stats;
use super::walk::Walk;
use crate::material::{ShadingContext, Surface};
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_scene::MAX_SPLIT;

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
    /// The same where paths end in photon maps, taken out while lookups change the rest.
    pub(super) gathered: Option<Box<Surface>>,
    /// Branches of the path that are still to be traced.
    pub(super) branches: Vec<(Walk, Sampler)>,
    /// The same where they end in photon maps.
    pub(super) gatherers: Vec<(Gatherer, Sampler)>,
    /// Counts so far.
    pub stats: Stats,
    /// Heap for nearest-neighbour lookups in photon maps.
    pub nearest: Nearest,
}

impl Context {
    /// A context for a scene.
    pub fn new(scene: &Scene) -> Context {
        Context {
            shading: ShadingContext::new(scene.host().clone()),
            surface: Surface::new(),
            gathered: None,
            branches: Vec::with_capacity(MAX_SPLIT as usize),
            gatherers: Vec::with_capacity(MAX_SPLIT as usize),
            stats: Stats::default(),
            nearest: Nearest::new(),
        }
    }
}
