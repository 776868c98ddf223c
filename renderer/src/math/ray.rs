//! Rays and the offset that keeps a new ray off the surface it starts on.

use glam::Vec3;

/// A half-line from `origin`; `direction` is unit length except where said otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts, world space `[m]`.
    pub origin: Vec3,
    /// Where it goes, world space.
    pub direction: Vec3,
    /// Nearest distance that counts, in units of `direction`.
    pub t_min: f32,
    /// Farthest distance that counts, in units of `direction`.
    pub t_max: f32,
    /// The moment, in `[0,1]` of the shutter interval.
    pub time: f32,
}

impl Ray {
    /// A ray without bounds at time zero.
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        Ray {
            origin,
            direction,
            t_min: 0.0,
            t_max: f32::INFINITY,
            time: 0.0,
        }
    }

    /// The point at distance `t`.
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }
}

/// Moves the point `p` of a surface with geometric normal `ng` (unit length) to the side that `direction` leaves on, by
/// just more than the rounding error of `p`, so that a ray from there misses the surface it starts on.
// Wächter & Binder 2019, "A Fast and Robust Method for Avoiding Self-Intersection", Ray Tracing Gems ch. 6.
pub fn offset_ray_origin(p: Vec3, ng: Vec3, direction: Vec3) -> Vec3 {
    const ORIGIN: f32 = 1.0 / 32.0;
    const FLOAT_SCALE: f32 = 1.0 / 65536.0;
    const INT_SCALE: f32 = 256.0;
    let n = if ng.dot(direction) < 0.0 { -ng } else { ng };
    let offset = |p: f32, n: f32| {
        let ulps = (INT_SCALE * n) as i32;
        if p.abs() < ORIGIN {
            p + FLOAT_SCALE * n
        } else {
            f32::from_bits((p.to_bits() as i32).wrapping_add(if p < 0.0 { -ulps } else { ulps }) as u32)
        }
    };
    Vec3::new(offset(p.x, n.x), offset(p.y, n.y), offset(p.z, n.z))
}

/// Moves the point `p` of a surface with geometric normal `ng` (unit length) to the side that `direction` leaves on, by
/// `error`, which bounds how far `p` may be from that surface along `ng`: tighter than [`offset_ray_origin`] near the
/// world's origin on large surfaces, and elsewhere.
// Pharr et al. 2023, "Physically Based Rendering", section 6.8.6; the bound along the normal is found with the point.
#[inline]
pub fn offset_by_error(p: Vec3, error: f32, ng: Vec3, direction: Vec3) -> Vec3 {
    let n = if ng.dot(direction) < 0.0 { -ng } else { ng };
    let moved = p + n * error;
    // Rounding the sum must not take back what was added.
    let away = |x: f32, n: f32| {
        if n > 0.0 {
            x.next_up()
        } else if n < 0.0 {
            x.next_down()
        } else {
            x
        }
    };
    Vec3::new(away(moved.x, n.x), away(moved.y, n.y), away(moved.z, n.z))
}
