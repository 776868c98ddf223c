//! World-space meshes: vertices, and normals and error bounds of triangles, for hits.

use glam::Vec3;

use super::facet::Facet;
use super::mesh::{Mesh, padded};
use super::placement::Transform;
use super::surface::{Vertex, unit_normal};

/// World-space copy of a mesh.
#[derive(Debug)]
pub(super) enum WorldVertices {
    /// Complete hit data, for small scenes: 32 bytes per vertex and 16 per triangle.
    Full {
        /// The vertices.
        vertices: Box<[Vertex]>,
        /// Normal and error bound of each triangle.
        faces: Box<[Face]>,
    },
    /// [`padded`] positions, 12 bytes per vertex, from which hits compute the rest: more data would exceed the caches.
    Positions(Vec<Vec3>),
    /// The mesh itself, whose transform is the identity and whose positions are padded.
    InPlace,
}

/// Data that are constant over a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Unit normal of the front, where vertices are counter-clockwise before a mirroring transform.
    pub(super) ng: Vec3,
    /// Bound on the distance between computed points and the triangle that rays hit `[m]`.
    pub(super) p_error: f32,
}

impl WorldVertices {
    /// The mesh with world-space vertices; `mirrored` is true if their transform changes handedness.
    pub(super) fn full(mesh: &Mesh, vertices: Box<[Vertex]>, mirrored: bool) -> WorldVertices {
        let face = |indices: &[u32; 3]| {
            Face::new(&Facet::new(indices.map(|index| vertices[index as usize].p)), mirrored)
        };
        WorldVertices::Full { faces: mesh.triangles.iter().map(face).collect(), vertices }
    }

    /// The mesh with world-space positions.
    pub(super) fn positions(positions: impl ExactSizeIterator<Item = Vec3>) -> WorldVertices {
        WorldVertices::Positions(padded(positions))
    }

    /// World-space vertices of a triangle of `mesh`.
    #[inline(always)]
    pub(super) fn vertices(&self, mesh: &Mesh, indices: [u32; 3], to_world: &Transform) -> [Vertex; 3] {
        let positions = match self {
            WorldVertices::Full { vertices, .. } => indices.map(|index| vertices[index as usize].p),
            WorldVertices::Positions(positions) => indices.map(|index| positions[index as usize]),
            WorldVertices::InPlace => indices.map(|index| mesh.positions[index as usize]),
        };
        std::array::from_fn(|corner| Vertex {
            p: positions[corner],
            ..vertex(mesh, indices[corner], to_world)
        })
    }

    /// Memory in use [bytes].
    pub(super) fn memory(&self) -> usize {
        match self {
            WorldVertices::Full { vertices, faces } => size_of_val(&**vertices) + size_of_val(&**faces),
            WorldVertices::Positions(positions) => size_of_val(&**positions),
            WorldVertices::InPlace => 0,
        }
    }
}

impl Face {
    #[inline]
    pub(super) fn new(facet: &Facet, mirrored: bool) -> Face {
        // A mirroring transform reverses the order of the vertices.
        let normal = if mirrored { -facet.normal } else { facet.normal };
        let (ng, scale) = unit_normal(normal);
        Face { ng, p_error: facet.error(facet.extent) * scale }
    }
}

/// A vertex with its position in object space and its normal in world space. The normal has unit length, so that the
/// vertices of a stretched mesh keep equal weights.
#[inline]
pub(super) fn vertex(mesh: &Mesh, index: u32, to_world: &Transform) -> Vertex {
    let index = index as usize;
    Vertex {
        p: mesh.positions[index],
        n: mesh
            .normals
            .get(index)
            .map_or(Vec3::ZERO, |&n| to_world.normal(n).normalize_or_zero()),
        uv: mesh.uvs.get(index).copied().unwrap_or_default(),
    }
}

/// A vertex in world space.
#[inline]
pub(super) fn world_vertex(mesh: &Mesh, index: u32, to_world: &Transform) -> Vertex {
    let vertex = vertex(mesh, index, to_world);
    Vertex { p: to_world.point(vertex.p), ..vertex }
}
