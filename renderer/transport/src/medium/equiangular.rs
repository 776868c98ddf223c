//! Equiangular sampling of distances on a ray segment, in proportion to the irradiance from a point light.
// Kulla & Fajardo 2012, "Importance Sampling Techniques for Path Tracing in Participating Media", section 4.

use glam::Vec3;

use renderer_base::math::{atan2, sin_cos, sqr};

/// Distribution of distances on a ray segment for one light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equiangular {
    /// Distance on the ray at which the light is nearest [m].
    nearest: f32,
    /// Distance of the light from the ray there [m].
    distance: f32,
    /// Angle that the segment subtends at the light [rad].
    angle: f32,
}

impl Equiangular {
    /// Distribution for a light at `center` with a bounding sphere of this radius, and a segment from `origin` along
    /// the unit vector `direction`.
    pub fn new(origin: Vec3, direction: Vec3, length: f32, center: Vec3, radius: f32) -> Equiangular {
        /// Fraction of the radius within which the irradiance is treated as constant.
        const CONSTANT_WITHIN: f32 = 0.5;
        let to_center = center - origin;
        let nearest = to_center.dot(direction);
        let distance = (to_center - nearest * direction).length();
        let distance = distance.max(CONSTANT_WITHIN * radius).max(1e-6 * length);
        Equiangular {
            nearest,
            distance,
            // A difference of two angles would vanish if the light is far ahead or behind.
            angle: atan2(distance * length, sqr(distance) + nearest * (nearest - length)),
        }
    }

    /// Samples a distance [m].
    pub fn sample(&self, u: f32) -> f32 {
        let (sin, cos) = sin_cos(u * self.angle);
        let t = (sqr(self.distance) + sqr(self.nearest)) * sin / (self.distance * cos + self.nearest * sin);
        t.max(0.0)
    }

    /// Density of a distance [1/m].
    pub fn density(&self, t: f32) -> f32 {
        self.distance / (self.angle * (sqr(self.distance) + sqr(t - self.nearest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_sampled_with_their_densities() {
        let light = |nearest: f32, distance: f32, length: f32| {
            let center = Vec3::new(distance, 0.0, nearest);
            Equiangular::new(Vec3::ZERO, Vec3::Z, length, center, 0.0)
        };
        for (equiangular, length) in [
            (light(1.0, 0.5, 3.0), 3.0f32),
            (light(-2.0, 0.1, 3.0), 3.0),
            (light(50.0, 1.0, 3.0), 3.0),
            (light(-50.0, 0.001, 3.0), 3.0),
            (light(2.0, 0.01, 40.0), 40.0),
        ] {
            // The share of samples up to a distance is the integral of the density up to there.
            let steps = 200_000;
            for share in [0.1f32, 0.5, 0.9, 1.0] {
                let end = equiangular.sample(share);
                assert!((0.0..=length * 1.001).contains(&end), "{end}: {equiangular:?}");
                let step = end / steps as f32;
                let sum: f64 = (0..steps)
                    .map(|i| f64::from(equiangular.density((i as f32 + 0.5) * step)) * f64::from(step))
                    .sum();
                assert!((sum - f64::from(share)).abs() < 2e-3, "{sum}, not {share}: {equiangular:?}");
            }
        }
    }
}
