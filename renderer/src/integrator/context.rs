//! What one thread needs to trace rays, and what it has done.

use super::photon::Nearest;
use crate::material::{ShadingContext, Surface};
use crate::scene::Scene;

/// What one thread needs to trace rays.
///
/// Threads' contexts lie side by side in a list and are written at every bounce: no two may share a cache line, nor a
/// pair of lines that is fetched as one.
#[derive(Debug)]
#[repr(align(128))]
pub struct Context {
    /// For shaders.
    pub shading: ShadingContext,
    /// What the path is on: kept here because it is large.
    pub surface: Surface,
    /// What other vertices of a path are on, where there are several at once.
    #[expect(clippy::vec_box, reason = "they are taken out and put back, and are large")]
    pub(super) surfaces: Vec<Box<Surface>>,
    /// What was done so far.
    pub stats: Stats,
    /// For lookups of photons.
    pub(crate) nearest: Nearest,
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rays from the camera.
    pub camera_rays: u64,
    /// Rays towards lights.
    pub shadow_rays: u64,
    /// Rays that were scattered, or passed through something transparent.
    pub indirect_rays: u64,
    /// Rays that look for indirect light which photon maps know.
    pub gather_rays: u64,
    /// Rays of photons.
    pub photon_rays: u64,
    /// Photons that ended because what they would have carried is not finite.
    pub non_finite_photons: u64,
    /// Runs of shaders at hits.
    pub shading_runs: u64,
    /// Hits with more lobes than a `Bsdf` holds, some of which were chosen at random to stand for the rest.
    pub crowded_points: u64,
}

impl Context {
    /// A context for a scene.
    pub fn new(scene: &Scene) -> Context {
        Context {
            shading: ShadingContext::new(scene.host().clone()),
            surface: Surface::new(),
            surfaces: vec![],
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
