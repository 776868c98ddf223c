//! Shapes: geometry with a placement; world-space copies of meshes; bounds and areas.

use std::sync::Arc;

use glam::{Affine3A, DVec3, Vec3};

use super::mesh::is_padded;
use super::placement::{Placement, SHUTTER_OPEN, Transform};
use super::points;
use super::surface::Vertex;
use super::vertex_motion::VertexMotion;
use super::world_vertices::{WorldVertices, vertex, world_vertex};
use super::{Analytic, Curves, Mesh, MeshAttribute, ObjectAttributes, Points};
use renderer_base::math::{Bounds, cross, in_double};

/// Geometry of a shape in object space.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// The unit sphere about the origin.
    Sphere,
    /// The unit disk in the xy plane, normal +z.
    Disk,
    /// The unit cylinder about z, z in `[0,1]`, without caps, normal outward.
    Cylinder,
    /// The cone about z from the unit circle at z = 0 to a circle of this radius, in `[0,1)`, at z = 1; without caps, normal
    /// outward.
    Cone(f32),
    /// Tubes or ribbons along splines.
    Curves(Arc<Curves>),
    /// Spheres or discs.
    Points(Arc<Points>),
}

impl Geometry {
    /// The triangle mesh; `None` for other surfaces.
    #[inline]
    pub fn mesh(&self) -> Option<&Arc<Mesh>> {
        match self {
            Geometry::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// The curves; `None` for other surfaces.
    #[inline]
    pub fn curves(&self) -> Option<&Arc<Curves>> {
        match self {
            Geometry::Curves(curves) => Some(curves),
            _ => None,
        }
    }

    /// The points; `None` for other surfaces.
    #[inline]
    pub fn points(&self) -> Option<&Arc<Points>> {
        match self {
            Geometry::Points(points) => Some(points),
            _ => None,
        }
    }

    /// The analytic surface; `None` for other surfaces.
    #[inline]
    pub fn analytic(&self) -> Option<Analytic> {
        match self {
            Geometry::Mesh(_) | Geometry::Curves(_) | Geometry::Points(_) => None,
            Geometry::Sphere => Some(Analytic::Sphere),
            Geometry::Disk => Some(Analytic::Disk),
            Geometry::Cylinder => Some(Analytic::Cylinder),
            Geometry::Cone(top) => Some(Analytic::Cone(*top)),
        }
    }

    /// Returns whether both are the same data, not equal copies of it.
    fn is_same(&self, other: &Geometry) -> bool {
        match (self, other) {
            (Geometry::Mesh(own), Geometry::Mesh(other)) => Arc::ptr_eq(own, other),
            (Geometry::Curves(own), Geometry::Curves(other)) => Arc::ptr_eq(own, other),
            (Geometry::Points(own), Geometry::Points(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.analytic().is_some() && own.analytic() == other.analytic(),
        }
    }

    /// Returns whether the vertices of curves or points move while the shutter is open.
    #[inline]
    pub fn is_deforming(&self) -> bool {
        match self {
            Geometry::Curves(curves) => curves.motion().is_some(),
            Geometry::Points(points) => points.motion().is_some(),
            _ => false,
        }
    }

    /// Object-space bounding box over the shutter interval `[m]`.
    pub fn bounds(&self) -> Bounds {
        let (low, high) = match self {
            Geometry::Mesh(mesh) => return mesh.bounds(),
            Geometry::Curves(curves) => return curves.bounds(),
            Geometry::Points(points) => return points.bounds(),
            Geometry::Sphere => (-1.0, 1.0),
            Geometry::Disk => (0.0, 0.0),
            Geometry::Cylinder | Geometry::Cone(_) => (0.0, 1.0),
        };
        Bounds {
            min: Vec3::new(-1.0, -1.0, low),
            max: Vec3::new(1.0, 1.0, high),
        }
    }
}

/// Geometry placed in the world. Queries are in world space.
///
/// The placement may mirror and shear; normals follow the surface: outward stays outward.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Geometry in object space.
    pub geometry: Geometry,
    /// True if normals are flipped.
    pub flip_normals: bool,
    /// True if the shape may differ between the frames of a sequence.
    pub animated: bool,
    /// Attributes that the scene gives to the object.
    pub attributes: ObjectAttributes,
    placement: Placement,
    /// Motion of the vertices of the mesh relative to its object space, if they move.
    vertex_motion: Option<Arc<VertexMotion>>,
    /// World-space copy of the mesh, made by [`Shape::add_world_mesh`].
    world_vertices: Option<Arc<WorldVertices>>,
}

impl Shape {
    /// Places `geometry`, by a matrix or a [`Placement`].
    pub fn new(geometry: Geometry, placement: impl Into<Placement>) -> Shape {
        Shape {
            geometry,
            flip_normals: false,
            animated: false,
            attributes: ObjectAttributes::default(),
            placement: placement.into(),
            vertex_motion: None,
            world_vertices: None,
        }
    }

    /// Transform from object space to world space over the shutter interval.
    #[inline]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns whether the surface moves while the shutter is open.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.placement.is_moving() || self.vertex_motion.is_some() || self.geometry.is_deforming()
    }

    /// The shape with vertices that move; the mesh has them as they are when the shutter opens.
    #[must_use]
    pub fn with_vertex_motion(self, vertex_motion: Option<Arc<VertexMotion>>) -> Shape {
        Shape { vertex_motion, ..self }
    }

    /// Motion of the vertices of the mesh, if they move.
    #[inline]
    pub fn vertex_motion(&self) -> Option<&Arc<VertexMotion>> {
        self.vertex_motion.as_ref()
    }

    /// Object-space position of a vertex at a time of the shutter interval.
    #[inline(always)]
    pub(super) fn object_position(&self, mesh: &Mesh, index: u32, time: f32) -> Vec3 {
        match &self.vertex_motion {
            None => mesh.positions[index as usize],
            Some(motion) => motion.position(index as usize, time),
        }
    }

    /// A vertex with its position in object space and its normal in world space, at a time of the shutter interval.
    #[inline(always)]
    pub(super) fn object_vertex(&self, mesh: &Mesh, index: u32, to_world: &Transform, time: f32) -> Vertex {
        let vertex = vertex(mesh, index, to_world);
        match &self.vertex_motion {
            None => vertex,
            Some(motion) => Vertex {
                p: motion.position(index as usize, time),
                n: to_world.normal(motion.normal(index as usize, time)).normalize_or_zero(),
                ..vertex
            },
        }
    }

    /// Stores a world-space copy of the mesh, which makes hits cheaper and costs 32 bytes per vertex and 16 bytes per
    /// triangle: for meshes with one constant placement, see [`add_world_meshes`](super::add_world_meshes). Does nothing to
    /// analytic and moving shapes, and if there is a copy.
    pub fn add_world_mesh(&mut self) {
        if let Geometry::Mesh(mesh) = &self.geometry
            && !self.is_moving()
            && self.world_vertices.is_none()
        {
            let to_world = self.placement.open();
            let vertices = 0..mesh.positions.len() as u32;
            let vertices = vertices.map(|index| world_vertex(mesh, index, to_world)).collect();
            self.world_vertices = Some(Arc::new(WorldVertices::full(mesh, vertices, to_world.is_mirrored())));
        }
    }

    /// Like [`Shape::add_world_mesh`], but stores positions only: 12 bytes per vertex, or none if the mesh is already in world
    /// space. Hits are bit-identical.
    pub fn add_world_positions(&mut self) {
        if let Geometry::Mesh(mesh) = &self.geometry
            && !self.is_moving()
            && self.world_vertices.is_none()
        {
            let is_identity = *self.placement.open().world_from_object() == Affine3A::IDENTITY;
            let world_vertices = if is_identity && is_padded(&mesh.positions) {
                WorldVertices::InPlace
            } else {
                WorldVertices::positions(self.world_positions(mesh))
            };
            self.world_vertices = Some(Arc::new(world_vertices));
        }
    }

    /// World-space copy of the mesh, if there is one.
    #[inline]
    pub(super) fn world_vertices(&self) -> Option<&Arc<WorldVertices>> {
        self.world_vertices.as_ref()
    }

    /// Returns whether rays hit the same surface at the same points, as the shapes hold the same data.
    pub fn is_placed_as(&self, other: &Shape) -> bool {
        let is_same_motion = match (&self.vertex_motion, &other.vertex_motion) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        is_same_motion
            && self.geometry.is_same(&other.geometry)
            && self.flip_normals == other.flip_normals
            && self.placement.keys().eq(other.placement.keys())
    }

    /// Memory of the shape without its mesh [bytes].
    pub fn memory(&self) -> usize {
        size_of::<Shape>()
            + self.world_vertices.as_ref().map_or(0, |world_vertices| world_vertices.memory())
            + self.vertex_motion.as_ref().map_or(0, |motion| motion.memory())
    }

    /// The triangle mesh, in object space; `None` for other surfaces.
    #[inline]
    pub fn mesh(&self) -> Option<&Arc<Mesh>> {
        self.geometry.mesh()
    }

    /// The curves, in object space; `None` for other surfaces.
    #[inline]
    pub fn curves(&self) -> Option<&Arc<Curves>> {
        self.geometry.curves()
    }

    /// The points, in object space; `None` for other surfaces.
    #[inline]
    pub fn points(&self) -> Option<&Arc<Points>> {
        self.geometry.points()
    }

    /// Named attributes of the geometry.
    pub fn geometry_attributes(&self) -> &[MeshAttribute] {
        match &self.geometry {
            Geometry::Mesh(mesh) => &mesh.attributes,
            Geometry::Curves(curves) => &curves.set().attributes,
            Geometry::Points(points) => points.attributes(),
            Geometry::Sphere | Geometry::Disk | Geometry::Cylinder | Geometry::Cone(_) => &[],
        }
    }

    /// The analytic surface, in object space; `None` for other surfaces.
    #[inline]
    pub fn analytic(&self) -> Option<Analytic> {
        self.geometry.analytic()
    }

    /// Number of primitives: triangles, pieces of curves, points, or 1.
    pub fn primitive_count(&self) -> u32 {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.triangles.len() as u32,
            Geometry::Curves(curves) => curves.primitive_count(),
            Geometry::Points(points) => points.primitive_count(),
            Geometry::Sphere | Geometry::Disk | Geometry::Cylinder | Geometry::Cone(_) => 1,
        }
    }

    /// World-space bounding box over the shutter interval `[m]`.
    pub fn bounds(&self) -> Bounds {
        self.placement.bounds(|to_world| self.bounds_under(to_world))
    }

    /// World-space bounding box at each key of the placement `[m]`.
    pub(crate) fn key_bounds(&self) -> Vec<Bounds> {
        if !self.is_moving() {
            return vec![self.bounds()];
        }
        let keys = self.placement.keys().iter();
        keys.map(|&key| self.bounds_under(Placement::from(key).open())).collect()
    }

    fn bounds_under(&self, to_world: &Transform) -> Bounds {
        let matrix = to_world.world_from_object().matrix3;
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec3::from);
        let origin = to_world.origin();
        // The extent of a transformed unit circle, or sphere, along an axis is the length of that row of the matrix.
        let round = |center: Vec3, extent_squared: Vec3| {
            let extent = extent_squared.map(f32::sqrt);
            Bounds { min: center - extent, max: center + extent }
        };
        match &self.geometry {
            Geometry::Mesh(mesh) => match &self.vertex_motion {
                None => Bounds::of_points(mesh.positions.iter().map(|&p| to_world.point(p))),
                Some(motion) => to_world.bounds(&motion.bounds()),
            },
            Geometry::Sphere => round(origin, x * x + y * y + z * z),
            Geometry::Disk => round(origin, x * x + y * y),
            Geometry::Cylinder => round(origin, x * x + y * y).union(round(origin + z, x * x + y * y)),
            Geometry::Cone(top) => {
                let square = x * x + y * y;
                round(origin, square).union(round(origin + z, square * (top * top)))
            }
            Geometry::Curves(_) | Geometry::Points(_) => to_world.bounds(&self.geometry.bounds()),
        }
    }

    /// World-space bounding box of a primitive over the shutter interval `[m]`; of the whole surface on analytic shapes.
    pub fn primitive_bounds(&self, primitive: u32) -> Bounds {
        let over_time = |keys: usize, at: &dyn Fn(usize, &Affine3A) -> Bounds| {
            let under = |to_world: &Transform| {
                let all = (0..keys).map(|key| at(key, to_world.world_from_object()));
                all.fold(Bounds::EMPTY, Bounds::union)
            };
            self.placement.bounds(under)
        };
        match &self.geometry {
            Geometry::Mesh(mesh) if self.is_moving() => {
                let indices = mesh.triangles[primitive as usize];
                let keys = match &self.vertex_motion {
                    None => std::slice::from_ref(&mesh.positions),
                    Some(motion) => motion.positions(),
                };
                let corners = || keys.iter().flat_map(|key| indices.map(|index| key[index as usize]));
                self.placement
                    .bounds(|to_world| Bounds::of_points(corners().map(|p| to_world.point(p))))
            }
            Geometry::Mesh(_) => Bounds::of_points(self.triangle(primitive)),
            Geometry::Curves(curves) => {
                let keys = curves.keys();
                over_time(keys.len(), &|key, matrix| {
                    curves.primitive_bounds(primitive, &keys[key], matrix)
                })
            }
            Geometry::Points(points) => {
                let keys = points.keys();
                over_time(keys.len(), &|key, matrix| {
                    points::bounds_of(keys[key][primitive as usize], matrix)
                })
            }
            Geometry::Sphere | Geometry::Disk | Geometry::Cylinder | Geometry::Cone(_) => self.bounds(),
        }
    }

    /// World-space plane of a flat primitive when the shutter opens: a point `[m]`, and the unit normal by the order of the
    /// vertices, zero for a triangle without area. `None` for curved surfaces.
    pub fn primitive_plane(&self, primitive: u32) -> Option<(Vec3, Vec3)> {
        match &self.geometry {
            Geometry::Mesh(_) => {
                let [a, b, c] = self.triangle(primitive);
                Some((a, (b - a).cross(c - a).normalize_or_zero()))
            }
            Geometry::Disk => {
                let to_world = self.placement.open();
                let matrix = &to_world.world_from_object().matrix3;
                let normal = cross(matrix.x_axis, matrix.y_axis).normalize_or_zero();
                Some((to_world.origin(), normal.into()))
            }
            Geometry::Sphere
            | Geometry::Cylinder
            | Geometry::Cone(_)
            | Geometry::Curves(_)
            | Geometry::Points(_) => None,
        }
    }

    /// Returns whether the surface may intersect a world-space box `[m]`. Conservative: `true` does not prove an
    /// intersection.
    pub fn may_intersect(&self, bounds: &Bounds) -> bool {
        match &self.geometry {
            Geometry::Sphere if self.is_moving() => true,
            Geometry::Sphere => {
                let to_world = self.placement.open();
                let is_inside = |corner| to_world.inverse_point(corner).length() < 1.0;
                !bounds.corners().into_iter().all(is_inside)
            }
            Geometry::Disk | Geometry::Cylinder | Geometry::Cone(_) => true,
            Geometry::Mesh(_) | Geometry::Curves(_) | Geometry::Points(_) => {
                (0..self.primitive_count()).any(|primitive| self.primitive_bounds(primitive).overlaps(bounds))
            }
        }
    }

    /// World-space vertices of a triangle when the shutter opens, counter-clockwise from the front unless the transform
    /// mirrors.
    ///
    /// # Panics
    /// If the shape is not a mesh, or the mesh has no such triangle.
    pub fn triangle(&self, primitive: u32) -> [Vec3; 3] {
        self.triangle_at(primitive, SHUTTER_OPEN)
    }

    /// World-space vertices of a triangle at a time of the shutter interval, as [`Shape::triangle`].
    ///
    /// # Panics
    /// As [`Shape::triangle`].
    pub fn triangle_at(&self, primitive: u32, time: f32) -> [Vec3; 3] {
        let mesh = self.mesh().expect("only meshes have triangles");
        self.world_triangle(mesh, primitive, time).map(|vertex| vertex.p)
    }

    /// World-space area of a triangle when the shutter opens `[m²]`; of the whole surface on analytic shapes,
    /// zero on curves and points.
    pub fn triangle_area(&self, primitive: u32) -> f32 {
        if self.mesh().is_none() {
            return self.area();
        }
        let [a, b, c] = self.triangle(primitive);
        0.5 * (b - a).cross(c - a).length()
    }

    /// World-space area of the surface when the shutter opens `[m²]`; zero for curves and points: see
    /// [`Shape::strand_areas`].
    pub fn area(&self) -> f32 {
        let Some(analytic) = self.analytic() else {
            let triangles = 0..self.mesh().map_or(0, |mesh| mesh.triangles.len() as u32);
            return triangles.map(|primitive| f64::from(self.triangle_area(primitive))).sum::<f64>() as f32;
        };
        let to_world = self.placement.open().world_from_object();
        analytic.transformed_area(&in_double(to_world).matrix3) as f32
    }

    /// World-space vector area `[m²]`: the integral of the geometric normal over the surface. Zero on closed shapes, and on
    /// cylinders.
    pub fn vector_area(&self) -> Vec3 {
        let to_world = self.placement.open();
        let sign = match self.flip_normals != to_world.is_mirrored() {
            true => -1.0,
            false => 1.0,
        };
        match &self.geometry {
            Geometry::Sphere | Geometry::Cylinder | Geometry::Curves(_) | Geometry::Points(_) => Vec3::ZERO,
            Geometry::Disk | Geometry::Cone(_) => {
                // The wall of a cone has the vector area of the disk that it covers.
                let top = if let Geometry::Cone(top) = self.geometry { top } else { 0.0 };
                let matrix = &to_world.world_from_object().matrix3;
                let disk =
                    std::f32::consts::PI * Vec3::from(matrix.x_axis).cross(matrix.y_axis.into()) * sign;
                disk * (1.0 - top * top)
            }
            Geometry::Mesh(mesh) => {
                let at = |index: u32| to_world.point(mesh.positions[index as usize]);
                let triangles = mesh.triangles.iter().map(|triangle| triangle.map(at));
                let sum = triangles.fold(DVec3::ZERO, |sum, [a, b, c]| {
                    sum + 0.5 * (b - a).as_dvec3().cross((c - a).as_dvec3())
                });
                sum.as_vec3() * sign
            }
        }
    }

    /// World-space vertices of a triangle.
    #[inline]
    pub(super) fn world_triangle(&self, mesh: &Mesh, primitive: u32, time: f32) -> [Vertex; 3] {
        let to_world = &*self.placement.at(time);
        let indices = mesh.triangles[primitive as usize];
        match self.world_vertices.as_deref() {
            Some(WorldVertices::Full { vertices, .. }) => indices.map(|index| vertices[index as usize]),
            Some(world_vertices @ (WorldVertices::Positions(_) | WorldVertices::InPlace)) => {
                world_vertices.vertices(mesh, indices, to_world)
            }
            None => indices.map(|index| {
                let vertex = self.object_vertex(mesh, index, to_world, time);
                Vertex { p: to_world.point(vertex.p), ..vertex }
            }),
        }
    }

    /// World-space positions of the mesh, with the same bits as in hits.
    pub(crate) fn world_positions<'a>(&'a self, mesh: &'a Mesh) -> impl ExactSizeIterator<Item = Vec3> + 'a {
        let to_world = self.placement.open();
        mesh.positions.iter().map(|&p| to_world.point(p))
    }
}
