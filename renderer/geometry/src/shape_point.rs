//! Points of shapes: at surface parameters, sampled by area, and at ray hits.

use glam::{Vec2, Vec3};

use super::placement::SHUTTER_OPEN;
use super::triangle_point::{LineCrossing, PlacedTriangles};
use super::{Analytic, AreaSample, Geometry, Hit, Interaction, Shape, ShapeId, SurfacePoint, Tangents};
use renderer_base::math::Ray;

impl Shape {
    /// The point of a triangle at `barycentric` (weights of its second and third vertex), or of another shape at the
    /// parameters `barycentric`.
    #[inline]
    pub fn surface_point(&self, primitive: u32, barycentric: Vec2) -> SurfacePoint {
        self.surface_point_at(primitive, barycentric, SHUTTER_OPEN)
    }

    /// The point as [`Shape::surface_point`] returns it, at a time of the shutter interval.
    #[inline]
    pub fn surface_point_at(&self, primitive: u32, barycentric: Vec2, time: f32) -> SurfacePoint {
        let to_world = &*self.placement().at(time);
        let at_uv =
            |analytic: Analytic| self.analytic_point(to_world, analytic, analytic.at_uv(barycentric.into()));
        match &self.geometry {
            Geometry::Mesh(mesh) => PlacedTriangles::new(self, mesh, to_world, time).point(
                primitive,
                &barycentric,
                Tangents::ByUv,
            ),
            Geometry::Sphere => at_uv(Analytic::Sphere),
            Geometry::Disk => at_uv(Analytic::Disk),
            Geometry::Cylinder => at_uv(Analytic::Cylinder),
            Geometry::Cone(top) => at_uv(Analytic::Cone(*top)),
            Geometry::Curves(curves) => self.point_of_curve(curves, primitive, barycentric, time),
            Geometry::Points(points) => self.point_of_points(points, primitive, barycentric, time),
        }
    }

    /// The point of an analytic shape that is nearest to `object`, a point of its object space; `None` on meshes.
    pub fn analytic_near(&self, object: Vec3) -> Option<SurfacePoint> {
        self.analytic_near_at(object, SHUTTER_OPEN)
    }

    /// The point as [`Shape::analytic_near`] returns it, at a time of the shutter interval.
    pub fn analytic_near_at(&self, object: Vec3, time: f32) -> Option<SurfacePoint> {
        let to_world = &*self.placement().at(time);
        Some(self.analytic_point(to_world, self.analytic()?, object.as_dvec3()))
    }

    /// Samples a point of a primitive, uniform by area (by object-space area on analytic shapes), from `u` in `[0,1)²`.
    pub fn sample_area(&self, primitive: u32, u: Vec2) -> AreaSample {
        self.sample_area_at(primitive, u, SHUTTER_OPEN)
    }

    /// Samples as [`Shape::sample_area`] does, at a time of the shutter interval.
    pub fn sample_area_at(&self, primitive: u32, u: Vec2, time: f32) -> AreaSample {
        let point = match self.analytic() {
            Some(analytic) => {
                let to_world = &*self.placement().at(time);
                self.analytic_point(to_world, analytic, analytic.sample(u.as_dvec2()))
            }
            None => {
                let root = u.x.sqrt();
                self.surface_point_at(primitive, Vec2::new(1.0 - root, u.y * root), time)
            }
        };
        AreaSample { point, pdf: self.pdf_area_at(primitive, point.ng, time) }
    }

    /// Density `[1/m²]` of [`Shape::sample_area`] on a primitive, at a point with the geometric normal `ng`.
    pub fn pdf_area(&self, primitive: u32, ng: Vec3) -> f32 {
        self.pdf_area_at(primitive, ng, SHUTTER_OPEN)
    }

    /// Density of [`Shape::sample_area_at`] `[1/m²]`.
    pub fn pdf_area_at(&self, primitive: u32, ng: Vec3, time: f32) -> f32 {
        let area = match self.analytic() {
            Some(analytic) => analytic.area() as f32 * self.placement().at(time).area_stretch(ng),
            None => {
                let [a, b, c] = self.triangle_at(primitive, time);
                0.5 * (b - a).cross(c - a).length()
            }
        };
        if area > 0.0 { 1.0 / area } else { 0.0 }
    }

    /// Returns the interaction at `hit` of `ray` on this shape; `id` is the shape's. The direction of the ray has unit
    /// length.
    #[inline]
    pub fn interaction(&self, id: ShapeId, hit: &Hit, ray: &Ray, tangents: Tangents) -> Interaction {
        // Each arm builds its interaction: a point that several arms may have written would be stored to memory.
        match &self.geometry {
            Geometry::Mesh(mesh) => {
                let to_world = &*self.placement().at(ray.time);
                let triangles = PlacedTriangles::new(self, mesh, to_world, ray.time);
                let (origin, direction) = triangles.traced_line(ray);
                let crossing = LineCrossing { origin, direction, otherwise: hit.barycentric };
                triangles
                    .point(hit.primitive, &crossing, tangents)
                    .hit_by(ray, id, hit.primitive)
            }
            Geometry::Sphere => self.analytic_interaction(Analytic::Sphere, id, hit, ray),
            Geometry::Disk => self.analytic_interaction(Analytic::Disk, id, hit, ray),
            Geometry::Cylinder => self.analytic_interaction(Analytic::Cylinder, id, hit, ray),
            Geometry::Cone(top) => self.analytic_interaction(Analytic::Cone(*top), id, hit, ray),
            Geometry::Curves(curves) => self.curve_interaction(curves, id, hit, ray),
            Geometry::Points(points) => self.point_interaction(points, id, hit, ray),
        }
    }

    /// Returns the change of the shading normal when the point moves by `dp` along the surface.
    pub fn normal_change(&self, it: &Interaction, dp: Vec3) -> Vec3 {
        let to_world = &*self.placement().at(it.time);
        // The normal before it is made unit length, and its change.
        let (normal, change) = match &self.geometry {
            Geometry::Mesh(mesh) => {
                let [a, b, c] = self.world_triangle(mesh, it.primitive, it.time);
                let (edge1, edge2) = (b.p - a.p, c.p - a.p);
                let normal = edge1.cross(edge2);
                let scale = normal.length_squared().recip();
                let weights =
                    |v: Vec3| Vec2::new(v.cross(edge2).dot(normal), edge1.cross(v).dot(normal)) * scale;
                let (at, moved) = (weights(it.p - a.p), weights(dp));
                let (slope1, slope2) = (b.n - a.n, c.n - a.n);
                (a.n + slope1 * at.x + slope2 * at.y, slope1 * moved.x + slope2 * moved.y)
            }
            Geometry::Disk => return Vec3::ZERO,
            Geometry::Curves(_) | Geometry::Points(_) => return self.bent_normal_change(it, dp),
            Geometry::Cone(top) => {
                // Half the gradient of x² + y² − (1 − k z)².
                let k = 1.0 - top;
                let (p, dp) = (to_world.inverse_point(it.p), to_world.inverse_vector(dp));
                (
                    to_world.normal(p.with_z(k * (1.0 - k * p.z))),
                    to_world.normal(dp.with_z(-k * k * dp.z)),
                )
            }
            Geometry::Sphere | Geometry::Cylinder => {
                let is_sphere = matches!(self.geometry, Geometry::Sphere);
                let across = |v: Vec3| if is_sphere { v } else { v.with_z(0.0) };
                (
                    to_world.normal(across(to_world.inverse_point(it.p))),
                    to_world.normal(across(to_world.inverse_vector(dp))),
                )
            }
        };
        let length = normal.length();
        if !(length > 0.0 && change.is_finite()) {
            return Vec3::ZERO;
        }
        let n = normal / length;
        let side = if n.dot(it.n) < 0.0 { -1.0 } else { 1.0 };
        (change - n * n.dot(change)) * (side / length)
    }
}
