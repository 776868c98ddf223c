//! Sinks: what integrators tell of a path's light, and of what the path meets on its way.

use super::contribution::Contribution;
use super::lobe_shares::LobeShares;
use crate::material::{HitRay, Material, ShadingContext, ShadingResult};
use glam::Vec3;
use renderer_base::color::Rgb;
use renderer_geometry::{Footprint, Interaction};

/// A vertex that a path has reached.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// The surface.
    pub it: &'a Interaction,
    /// How it scatters.
    pub surface: &'a ShadingResult,
    /// Throughput of the path before it.
    pub throughput: Rgb,
    /// Its material.
    pub material: &'a Material,
    /// The ray that hit it.
    pub ray: HitRay,
    /// The ray's footprint.
    pub footprint: &'a Footprint,
}

/// Sink for the contributions of a path (radiance), and for what it meets on its way.
pub trait RadianceSink {
    /// True if the sink asks which lobe scattered what.
    const TELLS_LOBES: bool = false;

    /// Adds radiance that arrives along the path, already multiplied by the path's throughput and MIS weight.
    fn add(&mut self, label: Contribution, radiance: Rgb);

    /// Adds radiance that the surface `it` scatters towards the path; `shares` tells what each lobe scatters of it, up to
    /// a common factor.
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

    /// Returns whether light that does not arrive is asked for.
    #[inline(always)]
    fn wants_blocked(&self) -> bool {
        false
    }

    /// Adds radiance that the surface `it` would scatter if nothing were before the light, and what is blocked of it;
    /// `shares` as for [`RadianceSink::add_scattered`].
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

    /// Returns whether crossings of shadow rays straight through surfaces are asked for.
    #[inline(always)]
    fn wants_crossings(&self) -> bool {
        false
    }

    /// The light of the next contribution has crossed that many surfaces.
    #[inline(always)]
    fn cross(&mut self, _surfaces: u32) {}

    /// The path has reached a vertex.
    #[inline(always)]
    fn reach(&mut self, _: Reached<'_>, _: &mut ShadingContext) {}

    /// The path leaves the scene.
    #[inline(always)]
    fn escape(&mut self, _throughput: Rgb) {}

    /// The path goes on from `it`, scattered by one of the lobes whose shares are told, up to a common factor.
    #[inline(always)]
    fn scatter(&mut self, it: &Interaction, is_specular: bool, shares: impl FnOnce(&mut LobeShares)) {
        let _ = (it, is_specular, shares);
    }

    /// Adds radiance that a medium scatters or emits towards the path.
    #[inline(always)]
    fn add_in_medium(&mut self, label: Contribution, radiance: Rgb) {
        self.add(label, radiance);
    }

    /// Adds radiance that a medium scatters towards the path, from photons of lights with that tag.
    #[inline(always)]
    fn add_tagged_in_medium(&mut self, label: Contribution, tag: u8, radiance: Rgb) {
        let _ = tag;
        self.add_in_medium(label, radiance);
    }

    /// The path, which came `along` a unit vector, goes on, scattered by a medium, with this throughput.
    #[inline(always)]
    fn scatter_in_medium(&mut self, throughput: Rgb, along: Vec3) {
        let _ = (throughput, along);
    }

    /// The path goes on straight through the surface `it`.
    #[inline(always)]
    fn pass_straight(&mut self, _: &Interaction) {}

    /// A branch of the path begins at the present vertex; what follows belongs to it, up to [`RadianceSink::end_fork`].
    #[inline(always)]
    fn fork(&mut self) {}

    /// Goes back to the vertex; the branch will be followed later, or not at all.
    #[inline(always)]
    fn end_fork(&mut self, _continues: bool) {}

    /// Starts the next of several light samples at the vertex where a path may split; later contributions belong to it.
    #[inline(always)]
    fn next_light_sample(&mut self) {}

    /// Starts the next branch of a split path; later contributions belong to it.
    #[inline(always)]
    fn next_branch(&mut self) {}
}

/// Sums all contributions and ignores the labels.
impl RadianceSink for Rgb {
    #[inline(always)]
    fn add(&mut self, _: Contribution, radiance: Rgb) {
        *self += radiance;
    }
}
