//! Orthonormal frames and functions of local directions (the normal is z).

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::elementary::{acos, atan2, sin_cos};
use super::{safe_sqrt, sqr};

/// An orthonormal, right-handed frame: `s × t = n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// First tangent, unit length, world space.
    pub s: Vec3,
    /// Second tangent, unit length, world space.
    pub t: Vec3,
    /// Normal, unit length, world space.
    pub n: Vec3,
}

impl Frame {
    /// An arbitrary frame about the unit vector `n`.
    pub fn from_normal(n: Vec3) -> Frame {
        let (s, t) = coordinate_system(n);
        Frame { s, t, n }
    }

    /// The frame about the unit vector `n` whose `s` is the direction of `tangent` made orthogonal to `n`; any frame
    /// about `n` where `tangent` is zero, parallel to `n` or not finite.
    pub fn from_normal_tangent(n: Vec3, tangent: Vec3) -> Frame {
        let s = tangent - n * n.dot(tangent);
        let length_squared = s.length_squared();
        if length_squared > 1e-12 * tangent.length_squared() && length_squared.is_finite() {
            let s = s / length_squared.sqrt();
            Frame { s, t: n.cross(s), n }
        } else {
            Frame::from_normal(n)
        }
    }

    /// World to local.
    pub fn to_local(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.s), v.dot(self.t), v.dot(self.n))
    }

    /// Local to world.
    pub fn to_world(&self, v: Vec3) -> Vec3 {
        self.s * v.x + self.t * v.y + self.n * v.z
    }

    /// Unit vector at the cosine `cos` to the normal, in world space; `turn` in `[0,1)` is its azimuth over 2π.
    pub fn at_cosine(&self, cos: f32, turn: f32) -> Vec3 {
        let sin = safe_sqrt(1.0 - sqr(cos));
        let (sin_phi, cos_phi) = sin_cos(TAU * turn);
        self.to_world(Vec3::new(sin * cos_phi, sin * sin_phi, cos))
    }
}

/// Two unit vectors that make a right-handed frame with the unit vector `n`.
// Duff et al. 2017, "Building an Orthonormal Basis, Revisited", listing 3.
pub fn coordinate_system(n: Vec3) -> (Vec3, Vec3) {
    let sign = 1f32.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (
        Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vec3::new(b, sign + n.y * n.y * a, -n.y),
    )
}

/// Cosine between a local direction and the normal.
pub fn cos_theta(w: Vec3) -> f32 {
    w.z
}

/// Absolute cosine between a local direction and the normal.
pub fn abs_cos_theta(w: Vec3) -> f32 {
    w.z.abs()
}

/// Returns whether two local directions are on the same side of the surface.
pub fn same_hemisphere(a: Vec3, b: Vec3) -> bool {
    a.z * b.z > 0.0
}

/// The polar angles (θ from +y, φ from −z towards +x) of a unit world direction as `(φ/2π, θ/π)` in `[0,1]²`: the
/// lookup of a latitude-longitude map whose centre column is +z.
pub fn lat_long_uv(d: Vec3) -> Vec2 {
    let phi = atan2(d.x, -d.z);
    let u = phi * (0.5 * crate::math::INV_PI);
    Vec2::new(
        if u < 0.0 { u + 1.0 } else { u },
        acos(d.y.clamp(-1.0, 1.0)) * crate::math::INV_PI,
    )
}
