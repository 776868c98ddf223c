//! Equiangular sampling of light along a ray segment in media: most paths cross thin fog without scattering, and lights
//! illuminate a small part of it.
//!
//! The samples are weighted against those at scattering distances by the balance heuristic, for each light separately:
//! the selection of the light does not depend on the distance.
// Kulla & Fajardo 2012, "Importance Sampling Techniques for Path Tracing in Participating Media"; Veach 1997, section
// 9.2.

use std::borrow::Cow;

use super::state::PathState;
use crate::interior::beer_lambert;
use crate::material::ShadingContext;
use crate::medium::{Coefficients, Equiangular};
use crate::scene::{DistanceSampling, RaySegment, Scene};
use renderer_base::color::Rgb;
use renderer_base::sampler::Rng;

/// Optical depth up to which light is sampled.
const MAX_OPTICAL_DEPTH: f32 = 6.0;

/// Samples per optical depth of a segment after the first vertex, at most one: short segments contribute little to a
/// pixel.
const SAMPLES_PER_OPTICAL_DEPTH: f32 = 4.0;

/// Distribution of light samples on a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EquiangularSampling {
    extinction: Rgb,
    /// Distribution of scattering distances.
    distances: DistanceSampling,
    equiangular: Equiangular,
    /// Interval of the segment with the distribution `equiangular` [m].
    from: f32,
    to: f32,
    /// Mean number of samples.
    samples: f32,
}

impl EquiangularSampling {
    /// Distribution for the next segment of a path; `None` where it does not pay.
    pub(crate) fn new(
        scene: &Scene,
        path: &PathState,
        segment: &RaySegment<'_>,
        rng: &mut Rng,
        shading: &mut ShadingContext,
    ) -> Option<EquiangularSampling> {
        if !scene.has_lights_in_media() {
            return None;
        }
        let u = [rng.next_1d(), rng.next_1d()];
        let receiver = scene.receiver_class_in(&path.interior);
        let (medium, light) = match scene.homogeneous(&path.interior) {
            Some(medium) => {
                let length = sampled_length(&medium, segment.length)?;
                (medium, scene.select_light_for_segment(receiver, segment.ray, length, u)?)
            }
            None => {
                // The coefficients next to the light represent those of the segment.
                let light = scene.select_light_for_segment(receiver, segment.ray, segment.length, u)?;
                let medium = scene.coefficients(&path.interior, segment, light.nearest, shading);
                (Cow::Owned(medium), light)
            }
        };
        let length = sampled_length(&medium, segment.length)?;
        if light.distance >= length {
            return None;
        }
        let (from, to, equiangular) = light.distances(segment.ray, length)?;
        Some(EquiangularSampling {
            extinction: medium.extinction(),
            distances: DistanceSampling::new(&medium, path.throughput),
            equiangular,
            from,
            to,
            samples: match path.depth == 1 {
                true => 1.0,
                false => (SAMPLES_PER_OPTICAL_DEPTH * medium.extinction().average() * length).min(1.0),
            },
        })
    }

    /// MIS weight of a light sample at a scattering distance.
    pub(crate) fn weight(&self, t: f32) -> f32 {
        if !(self.from..self.to).contains(&t) {
            return 1.0;
        }
        let pdf = self.distances.pdf(beer_lambert(self.extinction, t));
        pdf / (pdf + self.samples * self.equiangular.density(t - self.from))
    }

    /// Samples a distance [m]; returns it with the sum of the densities of both techniques [1/m]. `None` if no sample
    /// is taken.
    pub(crate) fn sample(&self, u: f32) -> Option<(f32, f32)> {
        if u >= self.samples {
            return None;
        }
        let t = self.from + self.equiangular.sample(u / self.samples);
        let transmittance = beer_lambert(self.extinction, t);
        let pdf = self.distances.pdf(transmittance) + self.samples * self.equiangular.density(t - self.from);
        (t < self.to && pdf > 0.0).then_some((t, pdf))
    }
}

/// Length of the part of a segment on which light is sampled [m]; `None` if the medium does not scatter.
fn sampled_length(medium: &Coefficients, length: f32) -> Option<f32> {
    let length = length.min(MAX_OPTICAL_DEPTH / medium.extinction().average());
    (!medium.scattering().is_black() && length > 0.0 && length.is_finite()).then_some(length)
}
