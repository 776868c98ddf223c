//! World-space copies of meshes for hits: vertices, and normals and error bounds of triangles.

use glam::Vec3;

use super::facet::Facet;
use super::mesh::Mesh;
use super::surface::{Vertex, unit_normal};

/// Vertices and triangles in world space.
#[derive(Debug)]
pub(super) struct Baked {
    pub(super) vertices: Box<[Vertex]>,
    /// By triangle; none where the mesh is large.
    faces: Box<[Face]>,
}

/// What is the same all over a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Unit normal, on the side that shows the vertices counter-clockwise before a mirroring transform.
    pub(super) ng: Vec3,
    /// Bound on the distance between computed points and the triangle as rays find it `[m]`.
    pub(super) p_error: f32,
}

/// The most triangles whose faces are kept. Those of more do not stay in a processor's cache, and computing is as fast.
const MOST_FACES: usize = 1 << 20;

impl Baked {
    /// The mesh with these vertices in world space; `mirrored` tells whether they got there by a mirroring transform.
    pub(super) fn new(mesh: &Mesh, vertices: Box<[Vertex]>, mirrored: bool) -> Baked {
        let kept = if mesh.triangles.len() > MOST_FACES {
            &[]
        } else {
            &*mesh.triangles
        };
        let face = |indices: &[u32; 3]| {
            Face::new(
                &Facet::new(indices.map(|index| vertices[index as usize].p)),
                mirrored,
            )
        };
        Baked {
            faces: kept.iter().map(face).collect(),
            vertices,
        }
    }

    /// The vertices of a triangle.
    #[inline(always)]
    pub(super) fn triangle(&self, indices: [u32; 3]) -> [&Vertex; 3] {
        indices.map(|index| &self.vertices[index as usize])
    }

    /// The face of a triangle, whose vertices are these.
    #[inline(always)]
    pub(super) fn face(&self, triangle: u32, [a, b, c]: [&Vertex; 3], mirrored: bool) -> Face {
        match self.faces.get(triangle as usize) {
            Some(face) => *face,
            None => Face::new(&Facet::new([a.p, b.p, c.p]), mirrored),
        }
    }
}

impl Face {
    #[inline]
    fn new(facet: &Facet, mirrored: bool) -> Face {
        // A mirror image shows its vertices in the other order.
        let normal = if mirrored { -facet.normal } else { facet.normal };
        let (ng, scale) = unit_normal(normal);
        Face {
            ng,
            p_error: facet.error(facet.extent) * scale,
        }
    }
}
