//! Radiance sinks: receivers of the contributions and vertices that integrators report.

use super::contribution::Contribution;
use super::lobe_shares::LobeShares;
use crate::bsdf::{Bsdf, BsdfSample};
use crate::material::{HitRay, Material, ShadingContext, ShadingResult};
use glam::Vec3;
use renderer_base::color::Rgb;
use renderer_geometry::{Footprint, Interaction};

/// A vertex that a path has reached.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// Interaction.
    pub it: &'a Interaction,
    /// Shading result.
    pub surface: &'a ShadingResult,
    /// Throughput of the path before the vertex.
    pub throughput: Rgb,
    /// Material.
    pub material: &'a Material,
    /// Incident ray, for shaders.
    pub ray: HitRay,
    /// Footprint of the ray.
    pub footprint: &'a Footprint,
}

/// Progress of a path with several light samples or branches; contributions belong to the current one.
#[derive(Clone, Copy, Debug)]
pub enum BranchEvent {
    /// The next of several light samples at the vertex where the path may split.
    NextLightSample,
    /// A branch begins at the current vertex, up to [`BranchEvent::EndFork`].
    Fork,
    /// Back to the vertex.
    EndFork {
        /// True if the branch is traced later.
        continues: bool,
    },
    /// The next branch is traced.
    NextBranch,
}

/// Sink for the contributions of a path, and for its vertices.
///
/// Radiance already includes the throughput and the MIS weight of the path. `shares` computes the contribution of each
/// lobe, up to a common factor.
pub trait RadianceSink {
    /// True if the sink requests the shares of lobes.
    const WANTS_LOBES: bool = false;

    /// Adds radiance that arrives along the path.
    fn add(&mut self, label: Contribution, radiance: Rgb);

    /// Adds radiance that the surface `it` scatters towards the path.
    #[inline(always)]
    fn add_scattered(
        &mut self,
        label: Contribution,
        radiance: Rgb,
        it: &Interaction,
        shares: impl FnOnce(&mut LobeShares),
    ) {
        let _ = (it, shares);
        self.add(label, radiance);
    }

    /// Returns whether unoccluded light samples are requested.
    #[inline(always)]
    fn wants_unoccluded(&self) -> bool {
        false
    }

    /// Adds the radiance of a light sample without occlusion, and the occluded part of it.
    #[inline(always)]
    fn add_unoccluded(
        &mut self,
        label: Contribution,
        radiance: [Rgb; 2],
        it: &Interaction,
        shares: impl FnOnce(&mut LobeShares),
    ) {
        let _ = (label, radiance, it, shares);
    }

    /// Returns whether the null interfaces along shadow rays are counted.
    #[inline(always)]
    fn wants_crossings(&self) -> bool {
        false
    }

    /// Reports the number of null interfaces that the light of the next contribution crosses.
    #[inline(always)]
    fn cross(&mut self, _surfaces: u32) {}

    /// The path reaches a vertex.
    #[inline(always)]
    fn reach(&mut self, _: Reached<'_>, _: &mut ShadingContext) {}

    /// The path leaves the scene.
    #[inline(always)]
    fn escape(&mut self, _throughput: Rgb) {}

    /// The surface `it` scatters the path.
    #[inline(always)]
    fn scatter(&mut self, it: &Interaction, is_specular: bool, shares: impl FnOnce(&mut LobeShares)) {
        let _ = (it, is_specular, shares);
    }

    /// A sampled direction of the BSDF at `it` continues the path; `shares` computes the shares of the lobes unless a
    /// delta lobe scatters.
    #[inline(always)]
    fn scatter_by(
        &mut self,
        it: &Interaction,
        bsdf: &Bsdf,
        sample: &BsdfSample,
        shares: impl FnOnce(&mut LobeShares),
    ) {
        if sample.is_subsurface() {
            // Reported at the exit of the random walk.
        } else if sample.is_null_interface() {
            self.pass_straight(it);
        } else if sample.is_specular() {
            let class = bsdf.class_of(sample.index, sample.lobe.side);
            self.scatter(it, true, |lobes| lobes.add(class, Rgb::WHITE));
        } else {
            self.scatter(it, false, shares);
        }
    }

    /// Adds radiance that a medium scatters or emits towards the path.
    #[inline(always)]
    fn add_in_medium(&mut self, label: Contribution, radiance: Rgb) {
        self.add(label, radiance);
    }

    /// Adds radiance that a medium scatters towards the path, from photons of lights with this tag.
    #[inline(always)]
    fn add_tagged_in_medium(&mut self, label: Contribution, tag: u8, radiance: Rgb) {
        let _ = tag;
        self.add_in_medium(label, radiance);
    }

    /// A medium scatters the path, which arrives in the unit vector `direction` with this throughput.
    #[inline(always)]
    fn scatter_in_medium(&mut self, throughput: Rgb, direction: Vec3) {
        let _ = (throughput, direction);
    }

    /// The path crosses the surface `it` straight through.
    #[inline(always)]
    fn pass_straight(&mut self, _: &Interaction) {}

    /// The path splits.
    #[inline(always)]
    fn branch(&mut self, _: BranchEvent) {}
}

/// Sums all contributions and ignores the labels.
impl RadianceSink for Rgb {
    #[inline(always)]
    fn add(&mut self, _: Contribution, radiance: Rgb) {
        *self += radiance;
    }
}
