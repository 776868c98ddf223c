//! Points of analytic shapes in world space, with their error bounds.

use glam::{DVec3, Vec3};

use super::facet::UNDERFLOW;
use super::placement::Transform;
use super::surface::derivatives_or_any;
use super::{Analytic, Hit, Interaction, Shape, ShapeId, SurfacePoint};
use renderer_base::math::{ROUNDING, Ray, in_double};

impl Shape {
    pub(super) fn analytic_interaction(
        &self,
        analytic: Analytic,
        id: ShapeId,
        hit: &Hit,
        ray: &Ray,
    ) -> Interaction {
        let to_world = &*self.placement().at(ray.time);
        self.analytic_point(to_world, analytic, object_point(to_world, ray, hit.t))
            .hit_by(ray, id, hit.primitive)
    }

    /// The point of the surface that is nearest to `object`, a point of object space.
    pub(super) fn analytic_point(
        &self,
        to_world: &Transform,
        analytic: Analytic,
        object: DVec3,
    ) -> SurfacePoint {
        let local = analytic.local_point(object);
        let p = in_double(to_world.world_from_object()).transform_point3(local.p).as_vec3();
        let normal = to_world.normal(local.n.as_vec3());
        let ng = normal.normalize_or_zero();
        let ng = if self.flip_normals { -ng } else { ng };
        let [dpdu, dpdv] = [local.dpdu, local.dpdv].map(|v| to_world.vector(v.as_vec3()));
        let (dpdu, dpdv) = derivatives_or_any(dpdu, dpdv, ng);
        // Three roundings: of the point, of the offset point, and one to spare. The rest is computed in double precision,
        // with errors in proportion to the operands of the point in object space.
        let world = p.abs() * (3.0 / 16.0 * ROUNDING);
        let object_from_world = to_world.object_from_world();
        let back = (object_from_world.matrix3.abs(), object_from_world.translation.abs());
        let object = (back.0 * p.abs() + Vec3::from(back.1) + 1.0) * UNDERFLOW;
        // Error along the normal of the disk, or of the tangent plane of a curved surface, and within this plane.
        let across = object + back.0 * world;
        let sagitta = match analytic {
            Analytic::Cone(_) => {
                let radius = local.p.truncate().length() as f32;
                (0.5 * across.length_squared() / radius).min(across.length())
            }
            Analytic::Sphere | Analytic::Disk | Analytic::Cylinder => 0.5 * across.length_squared(),
        };
        let object_error = object.dot(local.n.as_vec3().abs()) + sagitta;
        let p_error = object_error / normal.length() + world.dot(ng.abs());
        SurfacePoint { p, p_error, ng, n: ng, uv: local.uv, dpdu, dpdv }
    }
}

/// The point of a ray in object space. Rounding to `f32` before would move it off small and distant shapes.
#[inline]
fn object_point(to_world: &Transform, ray: &Ray, t: f32) -> DVec3 {
    let world = ray.origin.as_dvec3() + ray.direction.as_dvec3() * f64::from(t);
    // A matrix in single precision moves the point along the surface by no more than the rounding of points, and the
    // point is projected to the surface. A rounded translation would move the point by an error in proportion to the
    // distance of the shape from the origin.
    let center = to_world.world_from_object().translation.as_dvec3();
    in_double(to_world.object_from_world()).matrix3 * (world - center)
}
