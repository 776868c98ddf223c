//! Shapes: a mesh or an analytic surface with its transform; interactions, areas, area sampling, error bounds.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DMat3, DVec3, Mat3A, Vec2, Vec3, Vec3A, Vec3Swizzles};

use super::baked::{Baked, Face};
use super::barycentric::barycentric;
use super::facet::{Facet, UNDERFLOW};
use super::mesh::is_padded;
use super::surface::{
    DEFAULT_UVS, Vertex, derivatives_or_any, shading_normal, triangle_derivatives, unit_normal,
};
use super::{
    Analytic, AreaSample, Hit, Interaction, Mesh, ObjectAttributes, ShapeId, SurfacePoint, Tangents,
};
use renderer_base::math::{
    Bounds, ROUNDING, Ray, coordinate_system, determinant, in_double, in_single, inverse,
};

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
}

/// Geometry placed in the world.
///
/// `world_from_object` may mirror and shear; normals follow the surface: outward stays outward.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Geometry in object space.
    pub geometry: Geometry,
    /// Object-to-world transform; not singular. Set only by [`Shape::new`].
    pub world_from_object: Affine3A,
    /// The inverse of `world_from_object`.
    pub object_from_world: Affine3A,
    /// True if normals are flipped.
    pub flip_normals: bool,
    /// Attributes that the scene gives to the object.
    pub attributes: ObjectAttributes,
    /// The magnitude of the numbers that become `object_from_world`, see [`inverse_magnitude`].
    object_from_world_magnitude: Affine3A,
    /// True if `world_from_object` changes handedness.
    mirrored: bool,
    /// The mesh in world space, where [`Shape::bake`] has put it.
    baked: Option<Arc<Baked>>,
}

impl Shape {
    /// Places `geometry`. The transform must be invertible ([`is_invertible`](renderer_base::math::is_invertible)): nothing
    /// breaks otherwise, but there is no surface to speak of.
    pub fn new(geometry: Geometry, world_from_object: Affine3A) -> Shape {
        // Inverting in double precision keeps the two consistent to the last digit of either.
        let object_from_world = inverse(&world_from_object);
        Shape {
            geometry,
            world_from_object,
            object_from_world,
            flip_normals: false,
            attributes: ObjectAttributes::default(),
            object_from_world_magnitude: inverse_magnitude(&world_from_object),
            mirrored: determinant(&world_from_object.matrix3) < 0.0,
            baked: None,
        }
    }

    /// The inverse of `world_from_object` that rays find analytic surfaces with. Rounded to single precision, it would
    /// move what is far away from the origin, more than points of the surface are rounded.
    pub fn exact_object_from_world(&self) -> DAffine3 {
        in_double(&self.world_from_object).inverse()
    }

    /// Keeps the mesh in world space too, which makes every hit cheaper and costs 32 bytes a vertex and 16 bytes a
    /// triangle: right for a mesh that is used once, see [`bake_single_use`]. Does nothing to analytic shapes.
    pub fn bake(&mut self) {
        if let Geometry::Mesh(mesh) = &self.geometry {
            let vertices = 0..mesh.positions.len() as u32;
            let vertices = vertices.map(|index| self.world_vertex(mesh, index)).collect();
            self.baked = Some(Arc::new(Baked::whole(mesh, vertices, self.mirrored)));
        }
    }

    /// Like [`Shape::bake`], but keeps positions only: 12 bytes a vertex, or none where the mesh is already in world
    /// space. Hits are bit-identical.
    pub fn bake_positions(&mut self) {
        if let Geometry::Mesh(mesh) = &self.geometry {
            let in_place = self.world_from_object == Affine3A::IDENTITY && is_padded(&mesh.positions);
            let baked = if in_place {
                Baked::Mesh
            } else {
                Baked::positions(self.world_positions(mesh))
            };
            self.baked = Some(Arc::new(baked));
        }
    }

    /// The mesh in world space, where it is kept.
    pub(super) fn baked(&self) -> Option<&Arc<Baked>> {
        self.baked.as_ref()
    }

    /// Returns whether the transform changes handedness.
    pub(super) fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Bytes of memory that it holds besides its mesh, itself included.
    pub fn memory(&self) -> usize {
        size_of::<Shape>() + self.baked.as_ref().map_or(0, |baked| baked.memory())
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

    /// Number of primitives: that of the mesh's triangles, or 1.
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
        analytic.transformed_area(&in_double(&self.world_from_object).matrix3) as f32
    }

    /// The factor by which the transform enlarges areas whose world-space unit normal is `n`.
    fn area_stretch(&self, n: Vec3) -> f32 {
        let matrix = self.world_from_object.matrix3;
        determinant(&matrix).abs() / (matrix.transpose() * n).length()
    }

    /// The point at `barycentric` of a mesh's triangle (the weights of its second and third vertex), or at surface
    /// parameters `barycentric` of an analytic shape.
    #[inline]
    pub fn surface_point(&self, primitive: u32, barycentric: Vec2) -> SurfacePoint {
        match &self.geometry {
            Geometry::Mesh(mesh) => self.mesh_point(mesh, primitive, &barycentric, Tangents::ByUv),
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

    /// Returns the interaction at `hit`, the hit of `ray` on this shape; `id` is the shape's. The ray's direction has unit
    /// length.
    #[inline]
    pub fn interaction(&self, id: ShapeId, hit: &Hit, ray: &Ray, tangents: Tangents) -> Interaction {
        // Each into its interaction by itself: a point that any of them may have written would go through memory.
        match &self.geometry {
            Geometry::Mesh(mesh) => {
                let (origin, direction) = self.traced_line(ray);
                let meeting = Meeting {
                    origin,
                    direction,
                    otherwise: hit.barycentric,
                };
                self.mesh_point(mesh, hit.primitive, &meeting, tangents)
                    .met_by(ray, id, hit.primitive)
            }
            Geometry::Sphere => self.analytic_interaction(Analytic::Sphere, id, hit, ray),
            Geometry::Disk => self.analytic_interaction(Analytic::Disk, id, hit, ray),
            Geometry::Cylinder => self.analytic_interaction(Analytic::Cylinder, id, hit, ray),
        }
    }

    /// Returns the change of the shading normal when the point moves by `dp` along the surface.
    pub fn normal_change(&self, it: &Interaction, dp: Vec3) -> Vec3 {
        // The normal before it is made unit length, and its change.
        let (normal, change) = match &self.geometry {
            Geometry::Mesh(mesh) => {
                let [a, b, c] = self.world_triangle(mesh, it.primitive);
                let (edge1, edge2) = (b.p - a.p, c.p - a.p);
                let normal = edge1.cross(edge2);
                let scale = normal.length_squared().recip();
                let weights =
                    |v: Vec3| Vec2::new(v.cross(edge2).dot(normal), edge1.cross(v).dot(normal)) * scale;
                let (at, moved) = (weights(it.p - a.p), weights(dp));
                let (slope1, slope2) = (b.n - a.n, c.n - a.n);
                (
                    a.n + slope1 * at.x + slope2 * at.y,
                    slope1 * moved.x + slope2 * moved.y,
                )
            }
            Geometry::Disk => return Vec3::ZERO,
            Geometry::Sphere | Geometry::Cylinder => {
                let p = self.object_from_world.transform_point3(it.p);
                let dp = self.object_from_world.transform_vector3(dp);
                let is_sphere = matches!(self.geometry, Geometry::Sphere);
                let across = |v: Vec3| if is_sphere { v } else { v.with_z(0.0) };
                (
                    self.world_from_object_normal() * across(p),
                    self.world_from_object_normal() * across(dp),
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

    // ---- Triangles.

    /// The line of a ray in the space in which the mesh's triangles are traced.
    #[inline(always)]
    fn traced_line(&self, ray: &Ray) -> (Vec3, Vec3) {
        match self.baked {
            Some(_) => (ray.origin, ray.direction),
            None => (
                self.object_from_world.transform_point3(ray.origin),
                self.object_from_world.transform_vector3(ray.direction),
            ),
        }
    }

    /// The point of a triangle, at a place in it.
    #[inline(always)]
    fn mesh_point(
        &self,
        mesh: &Mesh,
        primitive: u32,
        place: &impl Place,
        tangents: Tangents,
    ) -> SurfacePoint {
        let indices = mesh.triangles[primitive as usize];
        let weights;
        let loaded;
        // Vertices in world space are looked at where they are: copies cost more than the rest.
        let (vertices, p, face) = match self.baked.as_deref() {
            Some(Baked::Whole { vertices, faces }) => {
                let vertices = indices.map(|index| &vertices[index as usize]);
                let [a, b, c] = [vertices[0].p, vertices[1].p, vertices[2].p];
                weights = place.weights([a, b, c]);
                let p = a * weights.x + b * weights.y + c * weights.z;
                (vertices, p, faces[primitive as usize])
            }
            Some(baked @ (Baked::Positions(_) | Baked::Mesh)) => {
                loaded = self.baked_triangle(mesh, baked, indices);
                let facet = Facet::new(loaded.each_ref().map(|vertex| vertex.p));
                let face = Face::new(&facet, self.mirrored);
                weights = place.weights(facet.p);
                (loaded.each_ref(), facet.at(weights), face)
            }
            None => {
                loaded = indices.map(|index| self.vertex(mesh, index));
                let facet = Facet::new(loaded.each_ref().map(|vertex| vertex.p));
                weights = place.weights(facet.p);
                let (p, face) = self.placed(&facet, weights);
                (loaded.each_ref(), p, face)
            }
        };
        let [a, b, c] = vertices;
        let ng = if self.flip_normals { -face.ng } else { face.ng };
        let n = if mesh.normals.is_empty() {
            ng
        } else {
            shading_normal([a.n, b.n, c.n], weights, ng)
        };
        let uvs = if mesh.uvs.is_empty() {
            DEFAULT_UVS
        } else {
            vertices.map(|vertex| vertex.uv)
        };
        let (dpdu, dpdv) = match tangents {
            Tangents::Any => coordinate_system(ng),
            Tangents::ByUv => {
                let [edge1, edge2] = [b.p - a.p, c.p - a.p].map(|edge| match self.baked {
                    Some(_) => edge,
                    None => self.world_from_object.transform_vector3(edge),
                });
                triangle_derivatives(uvs, edge1, edge2, ng)
            }
        };
        SurfacePoint {
            p,
            p_error: face.p_error,
            ng,
            n,
            uv: uvs[0] * weights.x + uvs[1] * weights.y + uvs[2] * weights.z,
            dpdu,
            dpdv,
        }
    }

    /// The point at `weights` of a triangle of object space, and its face, in world space.
    #[inline]
    fn placed(&self, facet: &Facet, weights: Vec3) -> (Vec3, Face) {
        let extent = self.transformed_extent(facet.extent);
        let normal = self.world_from_object_normal() * facet.normal;
        let (ng, scale) = unit_normal(normal);
        let error = facet.error(extent.object) + extent.world.dot(normal.abs());
        let p = self.world_from_object.transform_point3(facet.at(weights));
        let p_error = error * scale;
        (p, Face { ng, p_error })
    }

    #[inline]
    fn world_triangle(&self, mesh: &Mesh, primitive: u32) -> [Vertex; 3] {
        let indices = mesh.triangles[primitive as usize];
        match self.baked.as_deref() {
            Some(Baked::Whole { vertices, .. }) => indices.map(|index| vertices[index as usize]),
            Some(baked @ (Baked::Positions(_) | Baked::Mesh)) => self.baked_triangle(mesh, baked, indices),
            None => indices.map(|index| self.world_vertex(mesh, index)),
        }
    }

    /// The vertices of a triangle whose positions are in `baked`.
    #[inline]
    fn baked_triangle(&self, mesh: &Mesh, baked: &Baked, indices: [u32; 3]) -> [Vertex; 3] {
        let positions = baked.triangle(mesh, indices);
        std::array::from_fn(|corner| Vertex {
            p: positions[corner],
            ..self.vertex(mesh, indices[corner])
        })
    }

    /// The vertex with its position in object space and its normal in world space.
    #[inline]
    fn vertex(&self, mesh: &Mesh, index: u32) -> Vertex {
        let index = index as usize;
        Vertex {
            p: mesh.positions[index],
            n: mesh
                .normals
                .get(index)
                .map_or(Vec3::ZERO, |&n| self.world_normal(n)),
            uv: mesh.uvs.get(index).copied().unwrap_or_default(),
        }
    }

    #[inline]
    fn world_vertex(&self, mesh: &Mesh, index: u32) -> Vertex {
        let vertex = self.vertex(mesh, index);
        Vertex {
            p: self.world_from_object.transform_point3(vertex.p),
            ..vertex
        }
    }

    /// The mesh's vertices in world space, exactly as hits see them.
    pub(crate) fn world_positions<'a>(&'a self, mesh: &'a Mesh) -> impl ExactSizeIterator<Item = Vec3> + 'a {
        mesh.positions
            .iter()
            .map(|&p| self.world_from_object.transform_point3(p))
    }

    /// The inverse transpose of `world_from_object`'s linear part.
    #[inline]
    fn world_from_object_normal(&self) -> Mat3A {
        self.object_from_world.matrix3.transpose()
    }

    /// Unit length, so that the vertices of a stretched mesh keep equal weights.
    #[inline]
    fn world_normal(&self, n: Vec3) -> Vec3 {
        (self.world_from_object_normal() * n).normalize_or_zero()
    }

    /// Bounds the rounding error of points within `extent` of the origin of object space when transformed to world space
    /// and, as part of a ray, back.
    #[inline]
    fn transformed_extent(&self, extent: Vec3) -> TransformedExtent {
        let world = self.world_from_object.matrix3.abs() * Vec3A::from(extent)
            + self.world_from_object.translation.abs();
        let back = &self.object_from_world_magnitude;
        TransformedExtent {
            object: extent + Vec3::from(back.matrix3 * world + back.translation),
            // Five roundings: four of the transform, one of the point that is moved off the surface.
            world: Vec3::from(world) * (5.0 / 16.0 * ROUNDING),
        }
    }

    // ---- Analytic surfaces.

    /// The point of a ray in object space. Rounding to `f32` before would move it off small and distant shapes.
    #[inline]
    fn object_point(&self, ray: &Ray, t: f32) -> DVec3 {
        let world = ray.origin.as_dvec3() + ray.direction.as_dvec3() * f64::from(t);
        // A matrix that is rounded to single precision moves the point along the surface, where it is put again, by no
        // more than points are rounded. A rounded translation would move it by as much as the place is far away.
        let center = self.world_from_object.translation.as_dvec3();
        in_double(&self.object_from_world).matrix3 * (world - center)
    }

    fn analytic_interaction(&self, analytic: Analytic, id: ShapeId, hit: &Hit, ray: &Ray) -> Interaction {
        self.analytic_point(analytic, self.object_point(ray, hit.t))
            .met_by(ray, id, hit.primitive)
    }

    fn analytic_point(&self, analytic: Analytic, object: DVec3) -> SurfacePoint {
        let local = analytic.local_point(object);
        let p = in_double(&self.world_from_object)
            .transform_point3(local.p)
            .as_vec3();
        let normal = self.world_from_object_normal() * local.n.as_vec3();
        let ng = normal.normalize_or_zero();
        let ng = if self.flip_normals { -ng } else { ng };
        let [dpdu, dpdv] =
            [local.dpdu, local.dpdv].map(|v| self.world_from_object.transform_vector3(v.as_vec3()));
        let (dpdu, dpdv) = derivatives_or_any(dpdu, dpdv, ng);
        // Three roundings: of the point, of the point that is moved off the surface, and one to spare. All else is
        // computed in double precision, with errors in proportion to the numbers that become the point in object space.
        let world = p.abs() * (3.0 / 16.0 * ROUNDING);
        let back = (
            self.object_from_world.matrix3.abs(),
            self.object_from_world.translation.abs(),
        );
        let object = (back.0 * p.abs() + Vec3::from(back.1) + 1.0) * UNDERFLOW;
        // Off the plane of the disk, or off the plane that touches the unit sphere or cylinder and in it.
        let object_error =
            object.dot(local.n.as_vec3().abs()) + 0.5 * (object + back.0 * world).length_squared();
        let p_error = object_error / normal.length() + world.dot(ng.abs());
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

/// A place in a triangle.
trait Place {
    /// The weights of the vertices there, of the triangle as it is traced.
    fn weights(&self, triangle: [Vec3; 3]) -> Vec3;
}

/// The weights of the second and third vertex.
impl Place for Vec2 {
    #[inline(always)]
    fn weights(&self, _: [Vec3; 3]) -> Vec3 {
        Vec3::new(1.0 - self.x - self.y, self.x, self.y)
    }
}

/// Intersection of a line with the triangle, in the space in which the triangle is traced; `otherwise` if the line lies
/// in the triangle's plane.
struct Meeting {
    origin: Vec3,
    direction: Vec3,
    otherwise: Vec2,
}

impl Place for Meeting {
    #[inline(always)]
    fn weights(&self, triangle: [Vec3; 3]) -> Vec3 {
        let found = barycentric(triangle, self.origin, self.direction);
        found.unwrap_or(self.otherwise).weights(triangle)
    }
}

/// Bounds on the rounding error of transformed points.
struct TransformedExtent {
    /// Magnitude of the intermediate values in object space, by axis.
    object: Vec3,
    /// Bound on the error of the points in world space, by axis.
    world: Vec3,
}

/// The magnitude of the numbers that become the inverse of a transform in single precision, so that [`ROUNDING`] times
/// what it makes of a point's magnitude bounds the error of the point in object space. Embree computes the inverse as
/// adjoint over determinant.
fn inverse_magnitude(world_from_object: &Affine3A) -> Affine3A {
    let transform = in_double(world_from_object);
    let inverse = transform.inverse();
    let (linear, translation) = (inverse.matrix3.abs(), inverse.translation.abs());
    // Cross product and determinant with a plus for each minus.
    let [x, y, z] = [
        transform.matrix3.x_axis.abs(),
        transform.matrix3.y_axis.abs(),
        transform.matrix3.z_axis.abs(),
    ];
    let cross = |a: DVec3, b: DVec3| a.yzx() * b.zxy() + a.zxy() * b.yzx();
    let adjoint = DMat3::from_cols(cross(y, z), cross(z, x), cross(x, y)).transpose();
    let per_determinant = transform.matrix3.determinant().abs().recip();
    let determinant = x.dot(cross(y, z)) * per_determinant;
    // Roundings: two in the adjoint, four in the determinant, two in the division, three as a point is transformed.
    let share = 1.0 / 16.0;
    let linear = adjoint * (2.0 * per_determinant * share) + linear * ((5.0 + 4.0 * determinant) * share);
    let translation = linear * transform.translation.abs() + translation * (3.0 * share);
    in_single(&DAffine3 {
        matrix3: linear,
        translation,
    })
}
