//! Surface interaction: point, normals, derivatives and error bound at a ray's hit; spawns new rays.

use glam::{Vec2, Vec3};

use super::{SHUTTER_OPEN, ShapeId, SurfacePoint};
use renderer_base::math::{Ray, RayEnd};

/// Surface point at the hit of a ray. All vectors in world space.
#[derive(Clone, Copy, Debug)]
pub struct Interaction {
    /// The point `[m]`.
    pub p: Vec3,
    /// Bound on the distance along `ng` between `p` and the surface that rays hit, including the rounding of an offset
    /// of this length `[m]`.
    pub p_error: f32,
    /// Unit vector opposite to the direction of the ray.
    pub wo: Vec3,
    /// Unit geometric normal: the side that counter-clockwise triangles show, outward on closed shapes. Not flipped
    /// towards `wo`.
    pub ng: Vec3,
    /// Unit shading normal, in the hemisphere of `ng`.
    pub n: Vec3,
    /// Surface parameters.
    pub uv: Vec2,
    /// Derivative of the point by `uv.x`; perpendicular to `ng`, never zero.
    pub dpdu: Vec3,
    /// Derivative of the point by `uv.y`; perpendicular to `ng`, never zero.
    pub dpdv: Vec3,
    /// Distance from the ray's origin `[m]`.
    pub t: f32,
    /// Time in the shutter interval, in `[0,1]`.
    pub time: f32,
    /// The shape.
    pub shape: ShapeId,
    /// Index of the triangle in the shape's mesh; 0 on analytic shapes.
    pub primitive: u32,
}

impl Interaction {
    /// The point as the end of a ray.
    #[inline]
    pub fn ray_end(&self) -> RayEnd {
        RayEnd { p: self.p, p_error: self.p_error, ng: self.ng }
    }

    /// The ray from this point along the unit vector `direction`, at the same time.
    #[inline]
    pub fn spawn_ray(&self, direction: Vec3) -> Ray {
        Ray {
            time: self.time,
            ..Ray::new(self.ray_end().ray_origin(direction), direction)
        }
    }

    /// The ray to `target`, at the same time: see [`RayEnd::ray_to`].
    #[inline]
    pub fn ray_to(&self, target: &RayEnd) -> Ray {
        Ray { time: self.time, ..self.ray_end().ray_to(target) }
    }

    /// Returns the continuation of `ray` beyond this point, its hit, up to the end of `ray`.
    pub fn rest_of(&self, ray: &Ray) -> Ray {
        if ray.t_max.is_finite() {
            self.ray_to(&RayEnd::in_space(ray.at(ray.t_max)))
        } else {
            self.spawn_ray(ray.direction)
        }
    }
}

impl SurfacePoint {
    /// The point as the hit of `ray` on a primitive.
    #[inline(always)]
    pub(super) fn hit_by(&self, ray: &Ray, shape: ShapeId, primitive: u32) -> Interaction {
        Interaction {
            // The distance of the hit depends on the processor: see `barycentric`.
            t: (self.p - ray.origin).dot(ray.direction),
            time: ray.time,
            ..self.seen_from(-ray.direction, shape, primitive)
        }
    }

    /// The point viewed along `-wo` (unit vector), without a ray: distance and time are zero.
    #[inline(always)]
    pub fn seen_from(&self, wo: Vec3, shape: ShapeId, primitive: u32) -> Interaction {
        Interaction {
            p: self.p,
            p_error: self.p_error,
            wo,
            ng: self.ng,
            n: self.n,
            uv: self.uv,
            dpdu: self.dpdu,
            dpdv: self.dpdv,
            t: 0.0,
            time: SHUTTER_OPEN,
            shape,
            primitive,
        }
    }

    /// The point as the end of a ray.
    #[inline]
    pub fn ray_end(&self) -> RayEnd {
        RayEnd { p: self.p, p_error: self.p_error, ng: self.ng }
    }
}
