//! Triangle meshes.

use glam::{Vec2, Vec3};
use thiserror::Error;

/// Indexed triangles with optional per-vertex attributes. A `Mesh` is valid by construction: see [`Mesh::new`].
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertex positions, object space.
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Unit vertex normals; empty or as many as positions.
    pub normals: Vec<Vec3>,
    /// Vertex texture coordinates; empty or as many as positions.
    pub uvs: Vec<Vec2>,
    /// Second set of texture coordinates (lightmaps); empty or as many as positions.
    pub uvs2: Vec<Vec2>,
    /// Vertex colours, linear, RGBA; empty or as many as positions.
    pub colors: Vec<[f32; 4]>,
}

/// Why a mesh is not valid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// An index points past the vertices.
    #[error("triangle {triangle} uses vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// Its index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A position is NaN or infinite.
    #[error("vertex {vertex} is not finite: ({}, {}, {})", .position.x, .position.y, .position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// An attribute has another number of values than there are vertices.
    #[error("{attribute} has {found} values for {vertices} vertices")]
    AttributeLength {
        /// The attribute's name.
        attribute: &'static str,
        /// How many values it has.
        found: usize,
        /// How many vertices there are.
        vertices: usize,
    },
}
