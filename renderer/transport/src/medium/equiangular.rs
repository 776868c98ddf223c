//! Equiangular sampling of distances along a way through a medium, in proportion to what a lamp of no size lights.
// Kulla & Fajardo 2012, "Importance Sampling Techniques for Path Tracing in Participating Media", section 4.

use glam::Vec3;

use renderer_base::math::{atan2, sin_cos, sqr};

/// Density of a distance along a way beside a lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equiangular {
    /// Distance at which the way is nearest to the lamp [m].
    nearest: f32,
    /// Distance between both there [m].
    apart: f32,
    /// Angle of the way as seen from the lamp [rad].
    angle: f32,
}

impl Equiangular {
    /// For a lamp at `center`, within a sphere of that radius; the way begins at `origin` and leads along the unit vector
    /// `direction`.
    pub fn new(origin: Vec3, direction: Vec3, length: f32, center: Vec3, radius: f32) -> Equiangular {
        /// Share of the radius within which light grows no more.
        const FLAT: f32 = 0.5;
        let to_center = center - origin;
        let nearest = to_center.dot(direction);
        let apart = (to_center - nearest * direction).length();
        let apart = apart.max(FLAT * radius).max(1e-6 * length);
        Equiangular {
            nearest,
            apart,
            // As a difference of two angles, it would vanish where the lamp is far ahead or behind.
            angle: atan2(apart * length, sqr(apart) + nearest * (nearest - length)),
        }
    }

    /// Samples a distance [m].
    pub fn sample(&self, u: f32) -> f32 {
        let (sin, cos) = sin_cos(u * self.angle);
        let t = (sqr(self.apart) + sqr(self.nearest)) * sin / (self.apart * cos + self.nearest * sin);
        t.max(0.0)
    }

    /// Density of a distance [1/m].
    pub fn density(&self, t: f32) -> f32 {
        self.apart / (self.angle * (sqr(self.apart) + sqr(t - self.nearest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_sampled_with_their_densities() {
        let lamp = |nearest: f32, apart: f32, length: f32| {
            let center = Vec3::new(apart, 0.0, nearest);
            Equiangular::new(Vec3::ZERO, Vec3::Z, length, center, 0.0)
        };
        for (of, length) in [
            (lamp(1.0, 0.5, 3.0), 3.0f32),
            (lamp(-2.0, 0.1, 3.0), 3.0),
            (lamp(50.0, 1.0, 3.0), 3.0),
            (lamp(-50.0, 0.001, 3.0), 3.0),
            (lamp(2.0, 0.01, 40.0), 40.0),
        ] {
            // The share of samples up to a distance is the integral of the density up to there.
            let steps = 200_000;
            for share in [0.1f32, 0.5, 0.9, 1.0] {
                let end = of.sample(share);
                assert!((0.0..=length * 1.001).contains(&end), "{end}: {of:?}");
                let step = end / steps as f32;
                let sum: f64 = (0..steps)
                    .map(|i| f64::from(of.density((i as f32 + 0.5) * step)) * f64::from(step))
                    .sum();
                assert!(
                    (sum - f64::from(share)).abs() < 2e-3,
                    "{sum}, not {share}: {of:?}"
                );
            }
        }
    }
}
