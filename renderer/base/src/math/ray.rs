//! Rays, and robust ray origins that avoid self-intersection by error bounds.

use glam::Vec3;

/// Relative rounding error of a point and of ray distances to it, in units of the magnitude of the operands: sixteen
/// roundings, about seven of them by interpolation (Pharr et al. 2023, "Physically Based Rendering", eq. 6.29), the
/// rest by the intersection.
pub const ROUNDING: f32 = 16.0 * f32::EPSILON / 2.0;

/// A half-line from `origin`; `direction` is unit length except where said otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Origin, world space `[m]`.
    pub origin: Vec3,
    /// Direction, world space.
    pub direction: Vec3,
    /// Minimum distance of hits, in units of `direction`.
    pub t_min: f32,
    /// Maximum distance of hits, in units of `direction`.
    pub t_max: f32,
    /// Time in the shutter interval, in `[0,1]`.
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

    /// The ray with its origin moved to `t_min`.
    #[must_use]
    #[inline]
    pub fn advanced_to_t_min(&self) -> Ray {
        Ray {
            origin: self.at(self.t_min),
            t_min: 0.0,
            t_max: self.t_max - self.t_min,
            ..*self
        }
    }

    /// The point at distance `t`.
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Distance along the ray from the plane through `p` that the origin was moved off to the origin.
    #[inline]
    pub fn gap_from(&self, p: Vec3) -> f32 {
        gap(self.origin - p, self.direction)
    }

    /// Distance along the ray from its end to the plane through `p` that the end was moved off.
    #[inline]
    pub fn gap_to(&self, p: Vec3) -> f32 {
        gap(p - self.at(self.t_max), self.direction)
    }

    /// The ray with an origin that is `gap` farther back.
    #[must_use]
    #[inline]
    pub fn extended_back(&self, gap: f32) -> Ray {
        Ray {
            origin: self.origin - self.direction * gap,
            t_max: self.t_max + gap,
            ..*self
        }
    }
}

/// Distance in `direction` between planes that are perpendicular to `offset`, which leads from one to the other.
#[inline]
fn gap(offset: Vec3, direction: Vec3) -> f32 {
    /// Minimum cosine, which bounds the distance along grazing rays.
    const MIN_COS: f32 = 1.0 / 64.0;
    let length = offset.length();
    let cos = offset.dot(direction) / length;
    if length > 0.0 { length / cos.max(MIN_COS) } else { 0.0 }
}

/// An end of a ray: a point of a surface, or of empty space.
#[derive(Clone, Copy, Debug)]
pub struct RayEnd {
    /// The point, world space `[m]`.
    pub p: Vec3,
    /// Bound on the distance along `ng` between the point and the surface as rays find it `[m]`.
    pub p_error: f32,
    /// Unit geometric normal of the surface, either side; zero in empty space.
    pub ng: Vec3,
}

impl RayEnd {
    /// A point that is on no surface.
    pub fn in_space(p: Vec3) -> RayEnd {
        RayEnd { p, p_error: 0.0, ng: Vec3::ZERO }
    }

    /// Origin of a ray in `direction` that does not intersect the surface it leaves: offset from the surface by the
    /// error bound, on the side that `direction` points to.
    // Pharr et al. 2023, "Physically Based Rendering", section 6.8.6; the bound along the normal is found with the point.
    #[inline]
    pub fn ray_origin(&self, direction: Vec3) -> Vec3 {
        self.moved(self.p_error, direction)
    }

    #[inline]
    fn moved(&self, distance: f32, direction: Vec3) -> Vec3 {
        self.p + self.ng * distance.copysign(self.ng.dot(direction))
    }

    /// Returns the ray from this point to `target`, at time zero. The ray misses both surfaces; its direction differs
    /// from that between the two points by at most the error bounds. If the bounds of the points overlap, the ray has
    /// zero length.
    #[inline(always)]
    pub fn ray_to(&self, target: &RayEnd) -> Ray {
        let to_target = target.p - self.p;
        let origin = self.ray_origin(to_target);
        // The error of the hit distance is proportional to the distance, by axis.
        let error = target.p_error + ROUNDING * to_target.abs().dot(target.ng.abs());
        let end = target.moved(error, -to_target);
        let way = end - origin;
        let length = way.length();
        if way.dot(to_target) > 0.0 {
            Ray { t_max: length, ..Ray::new(origin, way / length) }
        } else {
            Ray {
                t_max: 0.0,
                ..Ray::new(origin, to_target.normalize_or(Vec3::Z))
            }
        }
    }
}
