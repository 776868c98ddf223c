//! Densities of distances along a way through a medium that do not depend on where the medium scatters a path: for light
//! samples on the way.

use glam::Vec3;

use renderer_base::math::{atan, exp, exp_m1, ln, sin_cos, sqr};

/// Density of a distance along a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistanceDensity {
    /// In proportion to what a lamp of no size lights.
    // Kulla & Fajardo 2012, "Importance Sampling Techniques for Path Tracing in Participating Media", section 4.
    Equiangular {
        /// Distance at which the way is nearest to the lamp [m].
        nearest: f32,
        /// Distance between both there [m].
        apart: f32,
        /// Angle at the lamp between there and the beginning of the way [rad].
        begin: f32,
        /// Angle at the lamp between there and the end of the way [rad].
        end: f32,
    },
    /// In proportion to the transmittance.
    Transmittance {
        /// Extinction coefficient [1/m].
        extinction: f32,
        /// Length of the way [m].
        length: f32,
    },
}

impl DistanceDensity {
    /// For a lamp at `center`, within a sphere of that radius; the way begins at `origin` and leads along the unit vector
    /// `direction`.
    pub fn equiangular(
        origin: Vec3,
        direction: Vec3,
        length: f32,
        center: Vec3,
        radius: f32,
    ) -> DistanceDensity {
        /// Share of the radius within which light grows no more.
        const FLAT: f32 = 0.5;
        let to_center = center - origin;
        let nearest = to_center.dot(direction);
        let apart = (to_center - nearest * direction).length();
        let apart = apart.max(FLAT * radius).max(1e-6 * length);
        DistanceDensity::Equiangular {
            nearest,
            apart,
            begin: atan(-nearest / apart),
            end: atan((length - nearest) / apart),
        }
    }

    /// Samples a distance [m].
    pub fn sample(&self, u: f32) -> f32 {
        match *self {
            DistanceDensity::Equiangular {
                nearest,
                apart,
                begin,
                end,
            } => {
                let (sin, cos) = sin_cos(begin + u * (end - begin));
                (nearest + apart * (sin / cos)).max(0.0)
            }
            DistanceDensity::Transmittance { extinction, length } => {
                let t = -ln(1.0 + u * exp_m1(-extinction * length)) / extinction;
                t.min(length)
            }
        }
    }

    /// Density of a distance [1/m].
    pub fn density(&self, t: f32) -> f32 {
        match *self {
            DistanceDensity::Equiangular {
                nearest,
                apart,
                begin,
                end,
            } => apart / ((end - begin) * (sqr(apart) + sqr(t - nearest))),
            DistanceDensity::Transmittance { extinction, length } => {
                extinction * exp(-extinction * t) / -exp_m1(-extinction * length)
            }
        }
    }
}
