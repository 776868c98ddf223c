//! Shapes: geometry placed in the world.

use std::sync::Arc;

use glam::{Affine3A, DVec3, Mat3A, Vec2, Vec3, Vec3A};
use rustc_hash::FxHashMap;

use super::surface::{DEFAULT_UVS, Vertex, derivatives_or_any, triangle_point};
use super::{Analytic, AreaSample, Hit, Interaction, Mesh, SurfacePoint, Tangents};
use crate::math::{Bounds, ROUNDING, Ray, in_double, in_single};

/// Index of a shape in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// What a shape is made of, in object space.
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
}

/// Geometry placed in the world.
///
/// `world_from_object` may mirror and shear; normals follow the surface: outward stays outward.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is made of.
    pub geometry: Geometry,
    /// Where it is; not singular. Fixed by [`Shape::new`].
    pub world_from_object: Affine3A,
    /// The inverse of `world_from_object`.
    pub object_from_world: Affine3A,
    /// Whether normals are turned to the other side.
    pub flip_normals: bool,
    /// The inverse transpose of `world_from_object`'s linear part.
    world_from_object_normal: Mat3A,
    /// Whether `world_from_object` turns right-handed into left-handed.
    mirrored: bool,
    /// The mesh's vertices in world space, where [`Shape::bake`] has put them.
    world_vertices: Option<Arc<[Vertex]>>,
}

impl Shape {
    /// Places `geometry`. The transform must be invertible ([`is_invertible`](crate::math::is_invertible)): nothing
    /// breaks otherwise, but there is no surface to speak of.
    pub fn new(geometry: Geometry, world_from_object: Affine3A) -> Shape {
        // Inverting in double precision keeps the two consistent to the last digit of either.
        let object_from_world = in_single(&in_double(&world_from_object).inverse());
        Shape {
            geometry,
            world_from_object,
            object_from_world,
            flip_normals: false,
            world_from_object_normal: object_from_world.matrix3.transpose(),
            mirrored: world_from_object.matrix3.determinant() < 0.0,
            world_vertices: None,
        }
    }

    /// Keeps the mesh's vertices in world space too, which makes every hit cheaper and costs 32 bytes a vertex: right
    /// for a mesh that is used once, see [`bake_single_use`]. Does nothing to analytic shapes.
    pub fn bake(&mut self) {
        if let Geometry::Mesh(mesh) = &self.geometry {
            let vertices = 0..mesh.positions.len() as u32;
            self.world_vertices = Some(vertices.map(|index| self.world_vertex(mesh, index)).collect());
        }
    }

    /// The analytic surface that it is made of, unless that is a mesh.
    pub fn analytic(&self) -> Option<Analytic> {
        match self.geometry {
            Geometry::Mesh(_) => None,
            Geometry::Sphere => Some(Analytic::Sphere),
            Geometry::Disk => Some(Analytic::Disk),
            Geometry::Cylinder => Some(Analytic::Cylinder),
        }
    }

    /// How many primitives it has: the mesh's triangles, or 1.
    pub fn primitive_count(&self) -> u32 {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.triangles.len() as u32,
            Geometry::Sphere | Geometry::Disk | Geometry::Cylinder => 1,
        }
    }

    /// The smallest world-space box that holds it.
    pub fn bounds(&self) -> Bounds {
        let matrix = self.world_from_object.matrix3;
        let translation = Vec3::from(self.world_from_object.translation);
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec3::from);
        // The extent of a transformed unit circle, or sphere, along an axis is the length of that row of the matrix.
        let round = |center: Vec3, extent_squared: Vec3| {
            let extent = extent_squared.map(f32::sqrt);
            Bounds {
                min: center - extent,
                max: center + extent,
            }
        };
        match &self.geometry {
            Geometry::Mesh(mesh) => Bounds::of_points(self.world_positions(mesh)),
            Geometry::Sphere => round(translation, x * x + y * y + z * z),
            Geometry::Disk => round(translation, x * x + y * y),
            Geometry::Cylinder => {
                round(translation, x * x + y * y).union(round(translation + z, x * x + y * y))
            }
        }
    }

    /// The vertices of a mesh's triangle in world space, counter-clockwise from the front unless the transform mirrors.
    ///
    /// # Panics
    /// If the shape is no mesh, or the mesh has no such triangle.
    pub fn triangle(&self, primitive: u32) -> [Vec3; 3] {
        let Geometry::Mesh(mesh) = &self.geometry else {
            panic!("an analytic shape has no triangles")
        };
        self.world_triangle(mesh, primitive).map(|vertex| vertex.p)
    }

    /// World-space area of a mesh's triangle `[m²]`; of the whole surface on analytic shapes.
    pub fn triangle_area(&self, primitive: u32) -> f32 {
        if self.analytic().is_some() {
            return self.area();
        }
        let [a, b, c] = self.triangle(primitive);
        0.5 * (b - a).cross(c - a).length()
    }

    /// World-space area of the whole surface `[m²]`.
    pub fn area(&self) -> f32 {
        let Some(analytic) = self.analytic() else {
            let triangles = 0..self.primitive_count();
            return triangles
                .map(|primitive| f64::from(self.triangle_area(primitive)))
                .sum::<f64>() as f32;
        };
        // Equal areas of object space, each with the factor that the transform stretches it by there.
        const STEPS: u32 = 64;
        let step = |i: u32| (f64::from(i) + 0.5) / f64::from(STEPS);
        let cells = (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| glam::DVec2::new(step(i), step(j))));
        let stretch: f64 = cells
            .map(|u| {
                let n = analytic.local_point(analytic.sample(u)).n.as_vec3();
                f64::from(self.area_stretch((self.world_from_object_normal * n).normalize()))
            })
            .sum();
        (analytic.area() * stretch / f64::from(STEPS * STEPS)) as f32
    }

    /// The factor by which the transform enlarges areas whose world-space unit normal is `n`.
    fn area_stretch(&self, n: Vec3) -> f32 {
        let matrix = self.world_from_object.matrix3;
        matrix.determinant().abs() / (matrix.transpose() * n).length()
    }

    /// The point at `barycentric` of a mesh's triangle (the weights of its second and third vertex), or at surface
    /// parameters `barycentric` of an analytic shape.
    #[inline]
    pub fn surface_point(&self, primitive: u32, barycentric: Vec2) -> SurfacePoint {
        match &self.geometry {
            Geometry::Mesh(mesh) => self.mesh_point(mesh, primitive, barycentric, Tangents::ByUv),
            Geometry::Sphere => {
                self.analytic_point(Analytic::Sphere, Analytic::Sphere.at_uv(barycentric.into()))
            }
            Geometry::Disk => self.analytic_point(Analytic::Disk, Analytic::Disk.at_uv(barycentric.into())),
            Geometry::Cylinder => {
                self.analytic_point(Analytic::Cylinder, Analytic::Cylinder.at_uv(barycentric.into()))
            }
        }
    }

    /// The point of an analytic shape that is nearest to `object`, a point of its object space; `None` on meshes.
    pub fn analytic_near(&self, object: Vec3) -> Option<SurfacePoint> {
        let analytic = self.analytic()?;
        Some(self.analytic_point(analytic, object.as_dvec3()))
    }

    /// A point of one primitive, uniform by area (uniform by object-space area on analytic shapes), from `u` in
    /// `[0,1)²`.
    pub fn sample_area(&self, primitive: u32, u: Vec2) -> AreaSample {
        let point = match self.analytic() {
            Some(analytic) => self.analytic_point(analytic, analytic.sample(u.as_dvec2())),
            None => {
                let root = u.x.sqrt();
                self.surface_point(primitive, Vec2::new(1.0 - root, u.y * root))
            }
        };
        AreaSample {
            point,
            pdf: self.pdf_area(primitive, point.ng),
        }
    }

    /// The density `[1/m²]` with which [`Shape::sample_area`] chooses, on that primitive, a point whose geometric normal
    /// is `ng`.
    pub fn pdf_area(&self, primitive: u32, ng: Vec3) -> f32 {
        let area = match self.analytic() {
            Some(analytic) => analytic.area() as f32 * self.area_stretch(ng),
            None => self.triangle_area(primitive),
        };
        if area > 0.0 { 1.0 / area } else { 0.0 }
    }

    /// What `ray` found: `hit` is its hit on this shape, whose id is `id`. The ray's direction is unit length.
    #[inline]
    pub fn interaction(&self, id: ShapeId, hit: &Hit, ray: &Ray, tangents: Tangents) -> Interaction {
        let point = match &self.geometry {
            Geometry::Mesh(mesh) => self.mesh_point(mesh, hit.primitive, hit.barycentric, tangents),
            Geometry::Sphere => self.analytic_point(Analytic::Sphere, self.object_point(ray, hit.t)),
            Geometry::Disk => self.analytic_point(Analytic::Disk, self.object_point(ray, hit.t)),
            Geometry::Cylinder => self.analytic_point(Analytic::Cylinder, self.object_point(ray, hit.t)),
        };
        Interaction {
            p: point.p,
            p_error: point.p_error,
            wo: -ray.direction,
            ng: point.ng,
            n: point.n,
            uv: point.uv,
            dpdu: point.dpdu,
            dpdv: point.dpdv,
            t: hit.t,
            time: ray.time,
            shape: id,
            primitive: hit.primitive,
        }
    }

    // ---- Triangles.

    #[inline(always)]
    fn mesh_point(&self, mesh: &Mesh, primitive: u32, barycentric: Vec2, tangents: Tangents) -> SurfacePoint {
        let indices = mesh.triangles[primitive as usize];
        let placed;
        // Vertices in world space are looked at where they are: copies cost more than the rest.
        let (vertices, extent) = match &self.world_vertices {
            Some(vertices) => {
                let vertices = indices.map(|index| &vertices[index as usize]);
                (vertices, extent_of(vertices))
            }
            None => {
                placed = indices.map(|index| self.world_vertex(mesh, index));
                let vertices = placed.each_ref();
                (vertices, self.transform_extent(extent_of(vertices)))
            }
        };
        let uvs = if mesh.uvs.is_empty() {
            DEFAULT_UVS
        } else {
            vertices.map(|vertex| vertex.uv)
        };
        let flip = self.mirrored != self.flip_normals;
        triangle_point(vertices, uvs, barycentric, extent, flip, tangents)
    }

    #[inline]
    fn world_triangle(&self, mesh: &Mesh, primitive: u32) -> [Vertex; 3] {
        let indices = mesh.triangles[primitive as usize];
        match &self.world_vertices {
            Some(vertices) => indices.map(|index| vertices[index as usize]),
            None => indices.map(|index| self.world_vertex(mesh, index)),
        }
    }

    #[inline]
    fn world_vertex(&self, mesh: &Mesh, index: u32) -> Vertex {
        let index = index as usize;
        Vertex {
            p: self.world_from_object.transform_point3(mesh.positions[index]),
            n: mesh
                .normals
                .get(index)
                .map_or(Vec3::ZERO, |&n| self.world_normal(n)),
            uv: mesh.uvs.get(index).copied().unwrap_or_default(),
        }
    }

    /// The mesh's vertices in world space, exactly as hits see them.
    pub(crate) fn world_positions<'a>(&'a self, mesh: &'a Mesh) -> impl ExactSizeIterator<Item = Vec3> + 'a {
        mesh.positions
            .iter()
            .map(|&p| self.world_from_object.transform_point3(p))
    }

    /// Unit length, so that the vertices of a stretched mesh keep equal weights.
    #[inline]
    fn world_normal(&self, n: Vec3) -> Vec3 {
        (self.world_from_object_normal * n).normalize_or_zero()
    }

    /// The magnitude of the numbers that a point within `extent` of the world's origin, by axis, goes through on its
    /// way into object space and back.
    #[inline]
    fn transform_extent(&self, extent: Vec3) -> Vec3 {
        let through = |transform: &Affine3A, extent: Vec3A| {
            let matrix = transform.matrix3.abs();
            matrix * extent + transform.translation.abs()
        };
        let object = through(&self.object_from_world, extent.into());
        through(&self.world_from_object, object).into()
    }

    // ---- Analytic surfaces.

    /// The point of a ray in object space. Rounding to `f32` before would move it off small and distant shapes.
    #[inline]
    fn object_point(&self, ray: &Ray, t: f32) -> DVec3 {
        let world = ray.origin.as_dvec3() + ray.direction.as_dvec3() * f64::from(t);
        in_double(&self.object_from_world).transform_point3(world)
    }

    fn analytic_point(&self, analytic: Analytic, object: DVec3) -> SurfacePoint {
        let local = analytic.local_point(object);
        let p = self.world_from_object.transform_point3(local.p.as_vec3());
        let ng = self.world_normal(local.n.as_vec3());
        let ng = if self.flip_normals { -ng } else { ng };
        let [dpdu, dpdv] =
            [local.dpdu, local.dpdv].map(|v| self.world_from_object.transform_vector3(v.as_vec3()));
        let (dpdu, dpdv) = derivatives_or_any(dpdu, dpdv, ng);
        let p_error = ROUNDING * self.transform_extent(p.abs()).dot(ng.abs());
        SurfacePoint {
            p,
            p_error,
            ng,
            n: ng,
            uv: local.uv,
            dpdu,
            dpdv,
        }
    }
}

/// The greatest magnitude of the vertices' coordinates, by axis.
#[inline]
fn extent_of(vertices: [&Vertex; 3]) -> Vec3 {
    let [a, b, c] = vertices.map(|vertex| vertex.p.abs());
    a.max(b).max(c)
}

/// Bakes ([`Shape::bake`]) each shape whose mesh no other shape uses.
pub fn bake_single_use(shapes: &mut [Shape]) {
    let uses = mesh_uses(shapes);
    for shape in shapes {
        if let Geometry::Mesh(mesh) = &shape.geometry
            && uses[&Arc::as_ptr(mesh)] == 1
        {
            shape.bake();
        }
    }
}

/// How many shapes use each mesh.
pub(crate) fn mesh_uses(shapes: &[Shape]) -> FxHashMap<*const Mesh, usize> {
    let mut uses = FxHashMap::default();
    for shape in shapes {
        if let Geometry::Mesh(mesh) = &shape.geometry {
            *uses.entry(Arc::as_ptr(mesh)).or_default() += 1;
        }
    }
    uses
}
