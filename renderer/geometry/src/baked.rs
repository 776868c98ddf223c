//! World-space copies of meshes for hits: vertices, and normals and error bounds of triangles.

use glam::Vec3;

use super::facet::Facet;
use super::mesh::{Mesh, padded};
use super::surface::{Vertex, unit_normal};

/// The vertices of a mesh in world space.
#[derive(Debug)]
pub(super) enum Baked {
    /// All data of hits precomputed, for scenes of few triangles: 32 bytes per vertex and 16 per triangle.
    Whole {
        /// The vertices.
        vertices: Box<[Vertex]>,
        /// By triangle.
        faces: Box<[Face]>,
    },
    /// The positions, [`padded`], which hits make the rest from; 12 bytes a vertex. What is more does not stay in a
    /// processor's cache.
    Positions(Vec<Vec3>),
    /// The mesh is in world space as it is, and its positions are padded.
    Mesh,
}

/// Data that are constant over a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Unit normal, on the side that shows the vertices counter-clockwise before a mirroring transform.
    pub(super) ng: Vec3,
    /// Bound on the distance between computed points and the triangle as rays find it `[m]`.
    pub(super) p_error: f32,
}

impl Baked {
    /// The mesh with these vertices in world space; `mirrored` tells whether they got there by a mirroring transform.
    pub(super) fn whole(mesh: &Mesh, vertices: Box<[Vertex]>, mirrored: bool) -> Baked {
        let face = |indices: &[u32; 3]| {
            Face::new(
                &Facet::new(indices.map(|index| vertices[index as usize].p)),
                mirrored,
            )
        };
        Baked::Whole {
            faces: mesh.triangles.iter().map(face).collect(),
            vertices,
        }
    }

    /// The mesh with these positions in world space.
    pub(super) fn positions(positions: impl ExactSizeIterator<Item = Vec3>) -> Baked {
        Baked::Positions(padded(positions))
    }

    /// The positions of a triangle of `mesh`, whose vertices are these.
    #[inline(always)]
    pub(super) fn triangle(&self, mesh: &Mesh, indices: [u32; 3]) -> [Vec3; 3] {
        match self {
            Baked::Whole { vertices, .. } => indices.map(|index| vertices[index as usize].p),
            Baked::Positions(positions) => indices.map(|index| positions[index as usize]),
            Baked::Mesh => indices.map(|index| mesh.positions[index as usize]),
        }
    }

    /// Bytes of memory that it holds.
    pub(super) fn memory(&self) -> usize {
        match self {
            Baked::Whole { vertices, faces } => size_of_val(&**vertices) + size_of_val(&**faces),
            Baked::Positions(positions) => size_of_val(&**positions),
            Baked::Mesh => 0,
        }
    }
}

impl Face {
    #[inline]
    pub(super) fn new(facet: &Facet, mirrored: bool) -> Face {
        // A mirror image shows its vertices in the other order.
        let normal = if mirrored { -facet.normal } else { facet.normal };
        let (ng, scale) = unit_normal(normal);
        Face {
            ng,
            p_error: facet.error(facet.extent) * scale,
        }
    }
}
