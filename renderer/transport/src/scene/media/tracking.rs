//! Heterogeneous media: delta tracking of scattering distances and ratio tracking of transmittance.
//!
//! Tentative collisions have the density of the majorant; each is real or null. If the extinction exceeds its majorant,
//! the weight of null collisions is negative: estimates stay unbiased, with more variance.
// Kutz et al. 2017, "Spectral and Decomposition Tracking for Rendering Heterogeneous Volumes", section 5.

use super::segment::{MediumSample, RaySegment};
use crate::interior::InteriorList;
use crate::material::{Medium, ShadingContext};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::ln;
use renderer_base::sampler::Rng;

impl Scene {
    /// Ratio tracking: an unbiased estimate of the transmittance of a segment.
    // Novák et al. 2014, "Residual Ratio Tracking for Estimating Attenuation in Participating Media".
    #[inline(never)]
    pub(crate) fn ratio_tracking(
        &self,
        interior: &InteriorList,
        segment: &RaySegment<'_>,
        rng: &mut Rng,
        shading: &mut ShadingContext,
    ) -> Rgb {
        /// Transmittance below which Russian roulette begins, for short paths and for longer ones.
        const RR_TRANSMITTANCE: f32 = 0.05;
        const LATER_RR_TRANSMITTANCE: f32 = 0.25;
        let threshold = match segment.depth > 2 {
            true => LATER_RR_TRANSMITTANCE,
            false => RR_TRANSMITTANCE,
        };
        let mut transmittance = Rgb::WHITE;
        let mut collisions = TentativeCollisions::new(self, interior, segment);
        while let Some((t, majorant)) = collisions.next(rng) {
            let extinction = self.coefficients(interior, segment, t, shading).extinction();
            transmittance *= Rgb::WHITE - extinction * (1.0 / majorant);
            let largest = transmittance.map(f32::abs).max_component();
            if largest < threshold {
                if rng.next_1d() >= largest / threshold {
                    return Rgb::BLACK;
                }
                transmittance *= threshold / largest;
            }
        }
        transmittance
    }

    /// Delta tracking: samples a scattering distance; multiplies `throughput` by the weight and adds emission to
    /// `radiance`.
    #[inline(never)]
    pub(crate) fn delta_tracking(
        &self,
        interior: &InteriorList,
        segment: &RaySegment<'_>,
        (throughput, radiance): (&mut Rgb, &mut Rgb),
        rng: &mut Rng,
        shading: &mut ShadingContext,
    ) -> MediumSample {
        let mut collisions = TentativeCollisions::new(self, interior, segment);
        while let Some((t, majorant)) = collisions.next(rng) {
            let medium = self.coefficients(interior, segment, t, shading);
            *radiance += *throughput * medium.emission * (1.0 / majorant);
            let scattered = *throughput * medium.scattering() * (1.0 / majorant);
            let null = *throughput * (Rgb::WHITE - medium.extinction() * (1.0 / majorant));
            let weights = [scattered, null].map(|weight| weight.map(f32::abs).average());
            let total = weights[0] + weights[1];
            if total <= 0.0 {
                *throughput = Rgb::BLACK;
                return MediumSample::Transmitted;
            }
            if rng.next_1d() * total < weights[0] {
                *throughput = scattered * (total / weights[0]);
                return MediumSample::Scattered { t, medium };
            }
            *throughput = null * (total / weights[1]);
        }
        MediumSample::Transmitted
    }
}

/// Tentative collisions on a segment, with the density of the majorant.
struct TentativeCollisions<'a> {
    scene: &'a Scene,
    interior: &'a InteriorList,
    segment: &'a RaySegment<'a>,
    t: f32,
    /// End of the part of the segment for which `majorant` holds [m].
    end: f32,
    /// Majorant of the extinction [1/m].
    majorant: f32,
}

impl<'a> TentativeCollisions<'a> {
    fn new(scene: &'a Scene, interior: &'a InteriorList, segment: &'a RaySegment<'a>) -> Self {
        TentativeCollisions { scene, interior, segment, t: 0.0, end: 0.0, majorant: 0.0 }
    }

    /// Distance of the next collision [m] and the majorant there [1/m]; `None` at the end of the segment.
    fn next(&mut self, rng: &mut Rng) -> Option<(f32, f32)> {
        let mut optical = -ln((1.0 - rng.next_1d()).max(f32::MIN_POSITIVE));
        loop {
            let depth = (self.end - self.t) * self.majorant;
            if optical < depth {
                self.t += optical / self.majorant;
                return Some((self.t, self.majorant));
            }
            optical -= depth.max(0.0);
            self.t = self.end;
            if self.t >= self.segment.length {
                return None;
            }
            self.advance();
        }
    }

    /// Moves to the next part of the segment, with a constant majorant.
    fn advance(&mut self) {
        (self.end, self.majorant) = (self.segment.length, 0.0);
        for (id, _) in self.interior.media(&self.scene.bodies) {
            let (end, majorant) = match self.scene.bodies.medium(id) {
                Medium::Clear => continue,
                Medium::Homogeneous(medium) => (f32::INFINITY, medium.extinction().max_component()),
                Medium::Varying(_) => match &self.scene.majorants[id.0 as usize] {
                    Some(majorant) => majorant.bound_from(self.segment.ray, self.t),
                    None => continue,
                },
            };
            self.end = self.end.min(end);
            self.majorant += majorant;
        }
        // Rounding must not stop the progress.
        self.end = self.end.max(self.t.next_up());
    }
}
