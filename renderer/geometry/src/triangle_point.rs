//! Points of triangles in world space, with normals, derivatives and error bounds.

use glam::{Vec2, Vec3};

use super::barycentric::barycentric;
use super::facet::Facet;
use super::placement::Transform;
use super::surface::{DEFAULT_UVS, shading_normal, triangle_derivatives, unit_normal};
use super::world_vertices::{Face, WorldVertices};
use super::{Mesh, Shape, SurfacePoint, Tangents};
use renderer_base::math::{Ray, coordinate_system};

/// Triangles of a shape at a time.
#[derive(Clone, Copy)]
pub(super) struct PlacedTriangles<'a> {
    shape: &'a Shape,
    mesh: &'a Mesh,
    to_world: &'a Transform,
    time: f32,
}

impl<'a> PlacedTriangles<'a> {
    /// The triangles of `mesh`, which is the geometry of `shape`.
    #[inline(always)]
    pub(super) fn new(
        shape: &'a Shape,
        mesh: &'a Mesh,
        to_world: &'a Transform,
        time: f32,
    ) -> PlacedTriangles<'a> {
        PlacedTriangles { shape, mesh, to_world, time }
    }

    /// Origin and direction of a ray in the space in which the triangles are traced.
    #[inline(always)]
    pub(super) fn traced_line(self, ray: &Ray) -> (Vec3, Vec3) {
        match self.shape.world_vertices() {
            Some(_) => (ray.origin, ray.direction),
            None => (
                self.to_world.inverse_point(ray.origin),
                self.to_world.inverse_vector(ray.direction),
            ),
        }
    }

    /// The point at a location of a triangle.
    #[inline(always)]
    pub(super) fn point(self, primitive: u32, location: &impl Location, tangents: Tangents) -> SurfacePoint {
        let PlacedTriangles { shape, mesh, to_world, time } = self;
        let indices = mesh.triangles[primitive as usize];
        let weights;
        let loaded;
        let world_vertices = shape.world_vertices().map(|world_vertices| &**world_vertices);
        // World-space vertices are referenced: copies cost more than the rest.
        let (vertices, p, face) = match world_vertices {
            Some(WorldVertices::Full { vertices, faces }) => {
                let vertices = indices.map(|index| &vertices[index as usize]);
                let [a, b, c] = [vertices[0].p, vertices[1].p, vertices[2].p];
                weights = location.weights([a, b, c]);
                let p = a * weights.x + b * weights.y + c * weights.z;
                (vertices, p, faces[primitive as usize])
            }
            Some(world_vertices @ (WorldVertices::Positions(_) | WorldVertices::InPlace)) => {
                loaded = world_vertices.vertices(mesh, indices, to_world);
                let facet = Facet::new(loaded.each_ref().map(|vertex| vertex.p));
                let face = Face::new(&facet, to_world.is_mirrored());
                weights = location.weights(facet.p);
                (loaded.each_ref(), facet.at(weights), face)
            }
            None => {
                loaded = indices.map(|index| shape.object_vertex(mesh, index, to_world, time));
                let mut facet = Facet::new(loaded.each_ref().map(|vertex| vertex.p));
                if shape.vertex_motion().is_some() {
                    // Embree and this crate round interpolated vertices differently.
                    facet.extent *= 2.0;
                }
                weights = location.weights(facet.p);
                let (p, face) = placed(to_world, &facet, weights);
                (loaded.each_ref(), p, face)
            }
        };
        let [a, b, c] = vertices;
        let ng = if shape.flip_normals { -face.ng } else { face.ng };
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
                let [edge1, edge2] = [b.p - a.p, c.p - a.p].map(|edge| match world_vertices {
                    Some(_) => edge,
                    None => to_world.vector(edge),
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
}

/// The world-space point at `weights` of an object-space triangle, and its world-space face.
#[inline]
fn placed(to_world: &Transform, facet: &Facet, weights: Vec3) -> (Vec3, Face) {
    let extent = to_world.transformed_extent(facet.extent);
    let normal = to_world.normal(facet.normal);
    let (ng, scale) = unit_normal(normal);
    let error = facet.error(extent.object) + extent.world.dot(normal.abs());
    let p = to_world.point(facet.at(weights));
    let p_error = error * scale;
    (p, Face { ng, p_error })
}

/// Location in a triangle.
pub(super) trait Location {
    /// Weights of the vertices of `triangle`, in the space in which rays are traced.
    fn weights(&self, triangle: [Vec3; 3]) -> Vec3;
}

/// The weights of the second and third vertex.
impl Location for Vec2 {
    #[inline(always)]
    fn weights(&self, _: [Vec3; 3]) -> Vec3 {
        Vec3::new(1.0 - self.x - self.y, self.x, self.y)
    }
}

/// Intersection of a line with the triangle, in the space in which the triangle is traced; `otherwise` if the line is in
/// the plane of the triangle.
pub(super) struct LineCrossing {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
    pub(super) otherwise: Vec2,
}

impl Location for LineCrossing {
    #[inline(always)]
    fn weights(&self, triangle: [Vec3; 3]) -> Vec3 {
        let found = barycentric(triangle, self.origin, self.direction);
        found.unwrap_or(self.otherwise).weights(triangle)
    }
}
