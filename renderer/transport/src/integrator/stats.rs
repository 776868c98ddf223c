//! Counts of rays, shader runs and unusual events of the integrators.

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
