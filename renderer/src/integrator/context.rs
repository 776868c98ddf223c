//! Per-thread state of the integrators: shading context, surfaces, photon lookup heap, and counts of rays and shader
//! runs.

use super::photon::Nearest;
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

/// Counts of rays, shader runs and unusual events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rays from the camera.
    pub camera_rays: u64,
    /// Rays towards lights.
    pub shadow_rays: u64,
    /// Rays continued by scattering or through a transparent surface.
    pub indirect_rays: u64,
    /// Final gather rays of the integrator `photon`.
    pub gather_rays: u64,
    /// Rays of photons.
    pub photon_rays: u64,
    /// Photons dropped because their power was not finite.
    pub non_finite_photons: u64,
    /// Runs of shaders at hits.
    pub shading_runs: u64,
    /// Hits with more lobes than a `Bsdf` holds; a random subset of them, reweighted, stands for all.
    pub crowded_points: u64,
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

impl Stats {
    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &Stats) {
        self.camera_rays += other.camera_rays;
        self.shadow_rays += other.shadow_rays;
        self.indirect_rays += other.indirect_rays;
        self.gather_rays += other.gather_rays;
        self.photon_rays += other.photon_rays;
        self.non_finite_photons += other.non_finite_photons;
        self.shading_runs += other.shading_runs;
        self.crowded_points += other.crowded_points;
    }

    /// All rays.
    pub fn rays(&self) -> u64 {
        self.camera_rays + self.shadow_rays + self.indirect_rays + self.gather_rays + self.photon_rays
    }
}
