//! Light samples on a way through a medium, wherever the medium scatters the path: most paths pass thin fog, and lamps
//! light little of it.
//!
//! They are weighted against those where the path is scattered (Veach 1997, section 9.2), for each choice of a lamp: which
//! lamp is chosen does not depend on what else is sampled. At the point on the way, the light sample is one as at any other
//! vertex.

use crate::body::beer_lambert;
use crate::medium::{Coefficients, DistanceDensity};
use crate::scene::{DistanceSampling, MediumWay, Noise, Scene};
use renderer_base::color::Rgb;

/// Optical depth up to which light is sampled.
const REACH: f32 = 6.0;

/// Optical depth below which a way is sampled whatever lights it.
const THIN: f32 = 1.0;

/// Light samples per way after the first vertex.
const LATER: f32 = 0.5;

/// A light sample on a way through a medium that is the same everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayLight {
    extinction: Rgb,
    scattered: DistanceSampling,
    chosen: DistanceDensity,
    /// End of the part in which distances are chosen [m].
    reach: f32,
    /// Mean number of samples.
    share: f32,
}

impl WayLight {
    /// Decides how light is sampled on a way of a path; `is_first` before its first vertex. `None` if it does not pay.
    pub(super) fn new(
        scene: &Scene,
        medium: &Coefficients,
        way: &MediumWay<'_>,
        throughput: Rgb,
        (is_first, is_inside): (bool, bool),
        noise: &mut Noise,
    ) -> Option<WayLight> {
        let extinction = medium.extinction();
        let mean = extinction.average();
        let reach = way.length.min(REACH / mean);
        if medium.scattering().is_black() || !(reach > 0.0 && reach.is_finite()) {
            return None;
        }
        let (u, from) = (noise.next(), reach * noise.next());
        let ray = way.ray;
        let is_thin = !is_inside && mean * way.length < THIN;
        let lamp = scene.pivot(ray.at(from), f64::from(u)).and_then(|lamp| {
            let to_lamp = lamp.center - ray.origin;
            let nearest = to_lamp.dot(ray.direction).clamp(0.0, reach);
            let is_near = ray.at(nearest).distance(lamp.center) < reach;
            (is_thin || is_near).then(|| {
                DistanceDensity::equiangular(ray.origin, ray.direction, reach, lamp.center, lamp.radius)
            })
        });
        let even = DistanceDensity::Transmittance {
            extinction: mean,
            length: reach,
        };
        Some(WayLight {
            extinction,
            scattered: DistanceSampling::new(medium, throughput),
            chosen: lamp.or(is_thin.then_some(even))?,
            reach,
            share: if is_first { 1.0 } else { LATER },
        })
    }

    /// Weight of a light sample where the medium scatters the path.
    pub(super) fn weight(&self, t: f32) -> f32 {
        if t >= self.reach {
            return 1.0;
        }
        let density = self.scattered.density(beer_lambert(self.extinction, t));
        density / (density + self.share * self.chosen.density(t))
    }

    /// Samples a distance [m], with the weight of what the medium scatters there per scattering coefficient; `None` if no
    /// light is sampled.
    pub(super) fn sample(&self, u: f32, noise: &mut Noise) -> Option<(f32, Rgb)> {
        if self.share < 1.0 && noise.next() >= self.share {
            return None;
        }
        let t = self.chosen.sample(u);
        let left = beer_lambert(self.extinction, t);
        let density = self.scattered.density(left) + self.share * self.chosen.density(t);
        (t < self.reach && density > 0.0).then(|| (t, left * (1.0 / density)))
    }
}
