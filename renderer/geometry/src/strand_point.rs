//! Points of curves and of spheres and discs in world space, with their error bounds.

use glam::{DVec3, Vec2, Vec3};

use super::curves::{CurveHit, RayFrame};
use super::object_point::ObjectPoint;
use super::placement::Transform;
use super::surface::derivatives_or_any;
use super::{
    CurveStyle, Curves, Geometry, Hit, Interaction, PointStyle, Points, Shape, ShapeId, SurfacePoint,
};
use renderer_base::math::{ROUNDING, Ray, RayEnd, in_double, sin_cos};

/// Frame of a ray in the object space of a transform, as in ray queries.
fn object_frame(to_world: &Transform, ray: &Ray) -> RayFrame {
    let object_from_world = to_world.exact_object_from_world();
    RayFrame::new(
        object_from_world.transform_point3(ray.origin.as_dvec3()),
        object_from_world.transform_vector3(ray.direction.as_dvec3()),
        ray.time,
    )
}

/// Interval about a rounded distance that contains the exact one.
fn around(t: f32) -> [f64; 2] {
    let (t, margin) = (f64::from(t), f64::from(t.abs()) * 2e-7 + 1e-30);
    [t - margin, t + margin]
}

impl Shape {
    pub(super) fn curve_interaction(
        &self,
        curves: &Curves,
        id: ShapeId,
        hit: &Hit,
        ray: &Ray,
    ) -> Interaction {
        let to_world = &*self.placement().at(ray.time);
        let frame = object_frame(to_world, ray);
        // The distance and the parameter of the hit are rounded to single precision.
        let found = curves
            .intersect(hit.primitive, &frame, around(hit.t), 0.0)
            .unwrap_or(CurveHit { t: hit.t.into(), s: hit.barycentric.x.into() });
        let geometry = curves.geometry_at(hit.primitive, &frame, &found);
        let (u, count) = curves.strand_parameter(hit.primitive, found.s);
        let object = ObjectPoint {
            p: geometry.p,
            n: geometry.n,
            uv: Vec2::new(u, geometry.offset as f32),
            dpdu: geometry.along * count,
            dpdv: geometry.across,
            radius: geometry.radius,
        };
        self.strand_point(to_world, &object).hit_by(ray, id, hit.primitive)
    }

    pub(super) fn point_interaction(
        &self,
        points: &Points,
        id: ShapeId,
        hit: &Hit,
        ray: &Ray,
    ) -> Interaction {
        let to_world = &*self.placement().at(ray.time);
        let frame = object_frame(to_world, ray);
        let t = points
            .intersect(hit.primitive, &frame, around(hit.t), 0.0)
            .unwrap_or(hit.t.into());
        let object = points.geometry_at(hit.primitive, &frame, t);
        self.strand_point(to_world, &object).hit_by(ray, id, hit.primitive)
    }

    /// The point of a primitive at `at` in the unit square, along the curve and about it, at a time.
    pub(super) fn point_of_curve(
        &self,
        curves: &Curves,
        primitive: u32,
        at: Vec2,
        time: f32,
    ) -> SurfacePoint {
        let to_world = &*self.placement().at(time);
        let (center, slope) = curves.center(primitive, at.x, time);
        let tangent = slope.truncate().normalize_or(DVec3::X);
        let (x, y) = tangent.any_orthonormal_pair();
        let (sin, cos) = sin_cos(std::f64::consts::TAU * f64::from(at.y));
        let n = x * cos + y * sin;
        let is_round = curves.set().style == CurveStyle::Round;
        let (u, count) = curves.strand_parameter(primitive, 0.0);
        let object = ObjectPoint {
            p: center.truncate() + if is_round { n * center.w } else { DVec3::ZERO },
            n,
            uv: Vec2::new(u, 0.0),
            dpdu: slope.truncate() * count,
            dpdv: n.cross(tangent) * center.w,
            radius: center.w,
        };
        self.strand_point(to_world, &object)
    }

    /// The point of a sphere or disc at the surface parameters `at` and a time.
    pub(super) fn point_of_points(
        &self,
        points: &Points,
        primitive: u32,
        at: Vec2,
        time: f32,
    ) -> SurfacePoint {
        let to_world = &*self.placement().at(time);
        let direction = super::Analytic::Sphere.at_uv(at.into());
        let normal = match points.style() {
            PointStyle::Sphere => None,
            PointStyle::Disc => Some(DVec3::Z),
            PointStyle::OrientedDisc => Some(points.normal_at(primitive, time).normalize_or(DVec3::Z)),
        };
        let vertex = points.vertex_at(primitive, time);
        let object = Points::geometry_towards(vertex, direction * f64::from(vertex.w), normal);
        self.strand_point(to_world, &object)
    }

    /// Change of the normal of a tube or sphere when the point moves by `dp`; zero on ribbons and discs.
    pub(super) fn bent_normal_change(&self, it: &Interaction, dp: Vec3) -> Vec3 {
        match &self.geometry {
            Geometry::Curves(curves) if curves.set().style == CurveStyle::Round => {
                // The derivative across has the length of the radius.
                let across = it.dpdv / it.dpdv.length_squared();
                let radius = it.dpdv.length();
                it.dpdv.normalize_or_zero() * (across.dot(dp) * radius / radius.max(f32::MIN_POSITIVE))
            }
            Geometry::Points(points) if points.style() == PointStyle::Sphere => {
                let vertex = points.vertex_at(it.primitive, it.time);
                let center = self.placement().at(it.time).point(vertex.truncate());
                dp / (it.p - center).length().max(f32::MIN_POSITIVE)
            }
            _ => Vec3::ZERO,
        }
    }

    fn strand_point(&self, to_world: &Transform, object: &ObjectPoint) -> SurfacePoint {
        let RayEnd { p, p_error, ng } = self.strand_end(to_world, (object.p, object.n), object.radius);
        let [dpdu, dpdv] = [object.dpdu, object.dpdv].map(|v| {
            let v = to_world.vector(v.as_vec3());
            v - ng * ng.dot(v)
        });
        let (dpdu, dpdv) = derivatives_or_any(dpdu, dpdv, ng);
        SurfacePoint { p, p_error, ng, n: ng, uv: object.uv, dpdu, dpdv }
    }

    /// A point of object space with its normal and radius of curvature as the end of a ray in world space.
    pub(super) fn strand_end(&self, to_world: &Transform, (p, n): (DVec3, DVec3), radius: f64) -> RayEnd {
        let p = in_double(to_world.world_from_object()).transform_point3(p).as_vec3();
        let normal = to_world.normal(n.as_vec3());
        let ng = normal.normalize_or(Vec3::Z);
        let ng = if self.flip_normals { -ng } else { ng };
        // Three roundings: of the point, of the offset point, and one to spare.
        let world = p.abs() * (3.0 / 16.0 * ROUNDING) + Vec3::splat(f32::MIN_POSITIVE);
        // Where rounding moves the point along the surface, the surface bends away from the tangent plane.
        let moved = (to_world.object_from_world().matrix3.abs() * world).length();
        let bent = 0.5 * moved * (moved / radius.max(f64::MIN_POSITIVE) as f32).min(1.0);
        let p_error = world.dot(ng.abs()) + bent / normal.length();
        RayEnd { p, p_error, ng }
    }
}
