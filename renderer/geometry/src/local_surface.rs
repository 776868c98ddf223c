//! Implicit surfaces in double precision: plane of a triangle, or quadric, in coordinates relative to a point of the world.
//!
//! Distances along a line keep their relative precision however far the point is from the origin of the world.

use glam::{DMat3, DVec3, DVec4, Vec3};

use super::analytic::slope;
use super::{Analytic, Geometry, Shape, Transform};
use renderer_base::math::in_double;

/// One primitive of a shape as the zero set of f(x) = c + g·x + |M x|² − (k·x)², x relative to a point of the world \[m\].
#[derive(Clone, Copy, Debug)]
pub struct LocalSurface {
    constant: f64,
    gradient: DVec3,
    /// Linear map of the quadratic term; zero for planes.
    quadratic: DMat3,
    /// Linear map of the subtracted square, of cones; zero for other surfaces.
    taper: DVec3,
    /// 1 if f grows along the geometric normal, else -1.
    side: f64,
    extent: Extent,
    magnitude: f64,
}

/// Part of the zero set that belongs to the primitive.
#[derive(Clone, Copy, Debug)]
enum Extent {
    /// Whole zero set.
    Whole,
    /// Triangle: a vertex, and the duals of two edges, which give the weights of the other vertices.
    Triangle { vertex: DVec3, duals: [DVec3; 2] },
    /// Unit disk of object space.
    Disk { origin: DVec3, object_from_local: DMat3 },
    /// Unit interval of object space along z, of cylinders and cones.
    Cylinder { origin: DVec3, object_from_local: DMat3 },
}

/// Point where a line crosses the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Distance along the line, in units of its direction.
    pub t: f64,
    /// Cosine of the direction, if that has unit length, to the unit geometric normal.
    pub cos: f64,
}

impl Shape {
    /// A primitive at a time of the shutter interval, in coordinates relative to `point`, world space.
    pub fn local_surface(&self, primitive: u32, point: DVec3, time: f32) -> LocalSurface {
        let to_world = &*self.placement().at(time);
        let flip = if self.flip_normals { -1.0 } else { 1.0 };
        match &self.geometry {
            Geometry::Mesh(_) => {
                let mirror = if to_world.is_mirrored() { -1.0 } else { 1.0 };
                let vertices = self.traced_triangle(to_world, primitive, time);
                LocalSurface::triangle(vertices, point, flip * mirror)
            }
            Geometry::Sphere => LocalSurface::quadric(to_world, Analytic::Sphere, point, flip),
            Geometry::Disk => LocalSurface::quadric(to_world, Analytic::Disk, point, flip),
            Geometry::Cylinder => LocalSurface::quadric(to_world, Analytic::Cylinder, point, flip),
            Geometry::Cone(top) => LocalSurface::quadric(to_world, Analytic::Cone(*top), point, flip),
            Geometry::Curves(_) | Geometry::Points(_) => self.local_sphere(to_world, primitive, point, time),
        }
    }

    /// The sphere of a point, or that about the nearest end or middle of a piece of a curve.
    fn local_sphere(&self, to_world: &Transform, primitive: u32, point: DVec3, time: f32) -> LocalSurface {
        let object_from_world = to_world.exact_object_from_world();
        let origin = object_from_world.transform_point3(point);
        let sphere = match &self.geometry {
            Geometry::Curves(curves) => {
                let centers = [0.0, 0.5, 1.0].map(|part| curves.center(primitive, part, time).0);
                let distance = |sphere: &DVec4| (sphere.truncate().distance(origin) - sphere.w).abs();
                let nearest = centers.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.unwrap_or(centers[0])
            }
            Geometry::Points(points) => points.vertex_at(primitive, time).into(),
            _ => DVec4::W,
        };
        let radius = sphere.w.max(f64::MIN_POSITIVE);
        let from_center = (origin - sphere.truncate()) / radius;
        let quadratic = object_from_world.matrix3 * radius.recip();
        LocalSurface {
            constant: from_center.length_squared() - 1.0,
            gradient: quadratic.transpose() * from_center * 2.0,
            quadratic,
            taper: DVec3::ZERO,
            side: if self.flip_normals { -1.0 } else { 1.0 },
            extent: Extent::Whole,
            magnitude: point.abs().max_element() + radius,
        }
    }

    /// World-space vertices of a triangle, as in ray queries.
    fn traced_triangle(&self, to_world: &Transform, primitive: u32, time: f32) -> [DVec3; 3] {
        match &self.geometry {
            Geometry::Mesh(mesh) if self.world_vertices().is_none() => {
                let world_from_object = in_double(to_world.world_from_object());
                let indices = mesh.triangles[primitive as usize];
                indices.map(|index| {
                    world_from_object.transform_point3(self.object_position(mesh, index, time).as_dvec3())
                })
            }
            _ => self.triangle(primitive).map(Vec3::as_dvec3),
        }
    }
}

impl LocalSurface {
    fn quadric(to_world: &Transform, analytic: Analytic, point: DVec3, side: f64) -> LocalSurface {
        let object_from_world = to_world.exact_object_from_world();
        let object_from_local = object_from_world.matrix3;
        let origin = object_from_world.transform_point3(point);
        let place = in_double(to_world.world_from_object());
        let extent = place.matrix3.x_axis.abs() + place.matrix3.y_axis.abs() + place.matrix3.z_axis.abs();
        let magnitude = (place.translation.abs() + extent).max_element();
        let round = |axes: DVec3, extent: Extent| {
            let quadratic = DMat3::from_diagonal(axes) * object_from_local;
            LocalSurface {
                constant: (origin * axes).length_squared() - 1.0,
                gradient: quadratic.transpose() * (origin * axes) * 2.0,
                quadratic,
                taper: DVec3::ZERO,
                side,
                extent,
                magnitude,
            }
        };
        match analytic {
            Analytic::Sphere => round(DVec3::ONE, Extent::Whole),
            Analytic::Cylinder => {
                let extent = Extent::Cylinder { origin, object_from_local };
                round(DVec3::new(1.0, 1.0, 0.0), extent)
            }
            Analytic::Cone(top) => {
                let extent = Extent::Cylinder { origin, object_from_local };
                let wall = round(DVec3::new(1.0, 1.0, 0.0), extent);
                let k = slope(top);
                let radius = 1.0 - k * origin.z;
                let taper = object_from_local.transpose() * DVec3::Z * k;
                LocalSurface {
                    constant: wall.constant + 1.0 - radius * radius,
                    gradient: wall.gradient + taper * (2.0 * radius),
                    taper,
                    ..wall
                }
            }
            Analytic::Disk => LocalSurface {
                constant: origin.z,
                gradient: object_from_local.transpose() * DVec3::Z,
                quadratic: DMat3::ZERO,
                taper: DVec3::ZERO,
                side,
                extent: Extent::Disk { origin, object_from_local },
                magnitude,
            },
        }
    }

    fn triangle(vertices: [DVec3; 3], point: DVec3, side: f64) -> LocalSurface {
        let [a, b, c] = vertices.map(|p| p - point);
        let (edge1, edge2) = (b - a, c - a);
        let normal = edge1.cross(edge2);
        let scale = normal.length_squared().recip();
        LocalSurface {
            constant: -normal.dot(a),
            gradient: normal,
            quadratic: DMat3::ZERO,
            taper: DVec3::ZERO,
            side,
            extent: Extent::Triangle {
                vertex: a,
                duals: [edge2.cross(normal) * scale, normal.cross(edge1) * scale],
            },
            magnitude: vertices.into_iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element())),
        }
    }

    /// The point of the zero set nearest to the origin of the local coordinates, to first order.
    pub fn foot(&self) -> DVec3 {
        let foot = self.gradient * (-self.constant / self.gradient.length_squared());
        if foot.is_finite() { foot } else { DVec3::ZERO }
    }

    /// Moves the surface so that it passes through the origin of the local coordinates exactly.
    #[must_use]
    pub fn through_origin(self) -> LocalSurface {
        LocalSurface { constant: 0.0, ..self }
    }

    /// Bound on the magnitude of the coordinates of the primitive in world space [m].
    pub fn magnitude(&self) -> f64 {
        self.magnitude
    }

    /// Unit geometric normal at a point of the zero set.
    pub fn normal(&self, x: DVec3) -> DVec3 {
        (self.slope(x) * self.side).normalize_or(DVec3::Z)
    }

    /// Returns where the line from `x` along `direction` first crosses the primitive at more than `near` and at most `far`.
    #[inline]
    pub fn crossing_within(&self, x: DVec3, direction: DVec3, near: f64, far: f64) -> Option<Crossing> {
        let roots = self.roots(x, direction).into_iter().flatten();
        let mut within = roots.filter(|&t| t > near && t <= far && t.is_finite());
        let t = within.find(|&t| self.contains(x + direction * t))?;
        Some(self.crossing(x, direction, t))
    }

    /// Returns whether the line from `x` along `direction` crosses the primitive.
    pub fn is_crossed(&self, x: DVec3, direction: DVec3) -> bool {
        let (near, far) = (f64::NEG_INFINITY, f64::INFINITY);
        self.crossing_within(x, direction, near, far).is_some()
    }

    /// Returns the crossing of the line with the zero set that is closest to the distance `t`, inside of the primitive or
    /// not.
    pub fn crossing_near(&self, x: DVec3, direction: DVec3, t: f64) -> Crossing {
        let roots = self.roots(x, direction).into_iter().flatten();
        let distance = |root: &f64| (root - t).abs();
        let nearest = roots
            .filter(|root| root.is_finite())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        self.crossing(x, direction, nearest.unwrap_or(t))
    }

    fn crossing(&self, x: DVec3, direction: DVec3, t: f64) -> Crossing {
        Crossing { t, cos: self.normal(x + direction * t).dot(direction) }
    }

    fn slope(&self, x: DVec3) -> DVec3 {
        let square = self.quadratic.transpose() * (self.quadratic * x) - self.taper * self.taper.dot(x);
        self.gradient + square * 2.0
    }

    /// Distances at which the line meets the zero set.
    fn roots(&self, x: DVec3, direction: DVec3) -> [Option<f64>; 2] {
        let (mx, md) = (self.quadratic * x, self.quadratic * direction);
        let (tx, td) = (self.taper.dot(x), self.taper.dot(direction));
        let a = md.length_squared() - td * td;
        let b = self.gradient.dot(direction) + 2.0 * (mx.dot(md) - tx * td);
        let c = self.constant + self.gradient.dot(x) + (mx.length_squared() - tx * tx);
        if a == 0.0 {
            return [Some(-c / b), None];
        }
        let discriminant = b * b - 4.0 * a * c;
        if discriminant.is_nan() || discriminant < 0.0 {
            return [None, None];
        }
        // Without cancellation: Press et al. 2007, "Numerical Recipes", section 5.6.
        let q = -0.5 * (b + discriminant.sqrt().copysign(b));
        let (first, second) = (q / a, if q == 0.0 { 0.0 } else { c / q });
        [Some(first.min(second)), Some(first.max(second))]
    }

    /// Returns whether a point of the zero set is so close to an edge of a triangle that rays may hit the adjacent
    /// triangle.
    pub fn is_near_edge(&self, x: DVec3) -> bool {
        /// Least weight of a vertex away from edges.
        const MIN_WEIGHT: f64 = 1e-4;
        let Extent::Triangle { vertex, duals } = self.extent else {
            return false;
        };
        let [u, v] = duals.map(|dual| dual.dot(x - vertex));
        u.min(v).min(1.0 - u - v) < MIN_WEIGHT
    }

    /// Returns whether a point of the zero set belongs to the primitive.
    fn contains(&self, x: DVec3) -> bool {
        match self.extent {
            Extent::Whole => true,
            Extent::Triangle { vertex, duals } => {
                let [u, v] = duals.map(|dual| dual.dot(x - vertex));
                u >= 0.0 && v >= 0.0 && u + v <= 1.0
            }
            Extent::Disk { origin, object_from_local } => {
                (origin + object_from_local * x).length_squared() <= 1.0
            }
            Extent::Cylinder { origin, object_from_local } => {
                (0.0..=1.0).contains(&(origin + object_from_local * x).z)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Affine3A;

    use super::*;
    use crate::{Mesh, SHUTTER_OPEN};

    const PLACE: DVec3 = DVec3::new(8000.0, -3000.0, 5000.0);

    fn placed(geometry: Geometry) -> Shape {
        let place = Affine3A::from_translation(PLACE.as_vec3()) * Affine3A::from_scale(Vec3::splat(0.5));
        Shape::new(geometry, place)
    }

    #[test]
    fn distances_far_from_the_origin_are_exact() {
        let direction = DVec3::new(0.6, 0.0, 0.8);
        let ball = placed(Geometry::Sphere)
            .local_surface(0, PLACE + DVec3::Z * 0.5, SHUTTER_OPEN)
            .through_origin();
        for depth in [1e-3, 1e-9, 1e-15] {
            let within = |near: f64, far: f64| {
                let found = ball.crossing_within(DVec3::Z * -depth, direction, near, far);
                found.expect("the line crosses the sphere")
            };
            let (enters, leaves) = (within(f64::NEG_INFINITY, 0.0), within(0.0, 1.0));
            assert!(enters.t < 0.0 && enters.cos < 0.0);
            let expected = depth / 0.8;
            assert!((leaves.t / expected - 1.0).abs() < 2.0 * depth + 1e-6, "{leaves:?}");
            assert!((leaves.cos - 0.8).abs() < 2.0 * depth + 1e-6);
        }

        let mesh = placed(Geometry::Mesh(Arc::new(Mesh::cube())));
        let top = (0..mesh.primitive_count())
            .map(|primitive| mesh.local_surface(primitive, PLACE + DVec3::new(0.1, 0.2, 0.5), SHUTTER_OPEN))
            .find_map(|of| of.crossing_within(DVec3::Z * -1e-6, direction, -1e-3, 1e-3));
        let found = top.expect("the line leaves by the top");
        assert!((found.t - 1.25e-6).abs() < 1e-9 && found.cos > 0.0, "{found:?}");
    }

    #[test]
    fn primitives_end_at_their_edges() {
        let disk = placed(Geometry::Disk).local_surface(0, PLACE, SHUTTER_OPEN);
        let at = |x: f64| disk.crossing_within(DVec3::new(x, 0.0, -1.0), DVec3::Z, 0.0, 2.0);
        assert!(at(0.49).is_some_and(|found| (found.t - 1.0).abs() < 1e-12 && found.cos == 1.0));
        assert!(at(0.51).is_none());
        let wall = placed(Geometry::Cylinder).local_surface(0, PLACE, SHUTTER_OPEN);
        let at = |z: f64| wall.is_crossed(DVec3::new(0.0, 0.0, z), DVec3::X);
        assert!(at(0.25) && !at(-0.01));
    }
}
