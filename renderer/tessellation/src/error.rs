//! Errors of tessellation.

use renderer_base::memory::OutOfMemory;
use thiserror::Error;

/// A surface that cannot be tessellated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TessellationError {
    /// The creases, corners or holes do not fit to the mesh.
    #[error("there is no {what} {index}: the mesh has {count}, counted from 0")]
    OutOfRange {
        /// Point or polygon.
        what: &'static str,
        /// The index.
        index: u32,
        /// Number of those that exist.
        count: usize,
    },
    /// A crease between points that no edge joins.
    #[error("no edge joins the points {0} and {1}")]
    NoEdge(u32, u32),
    /// Every polygon is degenerate or a hole.
    #[error("no polygon is left: each is a hole or repeats points")]
    Empty,
    /// The topology is not supported.
    #[error("the mesh cannot be subdivided: {0}")]
    Topology(String),
    /// More triangles than indices.
    #[error("{triangles:.2e} triangles are more than a mesh can have, {:.2e}", u32::MAX / 2)]
    TooMany {
        /// Number of triangles.
        triangles: f64,
    },
    /// More triangles than memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A point of the surface is not finite.
    #[error("{0}")]
    Mesh(String),
}
