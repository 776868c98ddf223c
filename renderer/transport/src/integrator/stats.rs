//! Counters of rays, shader runs and exceptional events of the integrators, and times of their stages.

use super::stopwatch::Stopwatch;

/// Counters of rays, shader runs and exceptional events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Camera rays.
    pub camera_rays: u64,
    /// Shadow rays.
    pub shadow_rays: u64,
    /// Rays continued after scattering, or through a transparent surface.
    pub indirect_rays: u64,
    /// Final gather rays of the integrator `photon`.
    pub gather_rays: u64,
    /// Photon rays.
    pub photon_rays: u64,
    /// Photons dropped because their power was not finite.
    pub non_finite_photons: u64,
    /// Shader runs at hits.
    pub shading_runs: u64,
    /// Hits with more lobes than a `Bsdf` holds; a random, reweighted subset replaces them.
    pub lobe_overflows: u64,
    /// Times of the stages of some paths.
    pub watch: Stopwatch,
}

impl Stats {
    /// Adds the counters of another thread.
    pub fn merge(&mut self, other: &Stats) {
        self.camera_rays += other.camera_rays;
        self.shadow_rays += other.shadow_rays;
        self.indirect_rays += other.indirect_rays;
        self.gather_rays += other.gather_rays;
        self.photon_rays += other.photon_rays;
        self.non_finite_photons += other.non_finite_photons;
        self.shading_runs += other.shading_runs;
        self.lobe_overflows += other.lobe_overflows;
        self.watch.merge(&other.watch);
    }

    /// Total number of rays.
    pub fn rays(&self) -> u64 {
        self.camera_rays + self.shadow_rays + self.indirect_rays + self.gather_rays + self.photon_rays
    }
}
