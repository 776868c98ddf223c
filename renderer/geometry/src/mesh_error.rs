//! Errors in meshes.

use glam::Vec3;
use thiserror::Error;

/// Error in a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// An index points past the vertices.
    #[error("triangle {triangle} uses vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A position is NaN or infinite.
    #[error("vertex {vertex} is not finite: ({}, {}, {})", .position.x, .position.y, .position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// The position.
        position: Vec3,
    },
    /// A value of an attribute is NaN or infinite.
    #[error("{attribute} of vertex {vertex} are not finite")]
    AttributeNotFinite {
        /// The attribute's name.
        attribute: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// More than indices can count.
    #[error("the mesh has {found} {what}, but 4294967295 is the most")]
    TooLarge {
        /// Name of the elements, for the message.
        what: &'static str,
        /// Number of elements found.
        found: usize,
    },
    /// A named attribute does not suit the mesh.
    #[error(
        "attribute `{name}` has {found} numbers for {count} values of {width}, or some that are not finite"
    )]
    Attribute {
        /// Name of the attribute.
        name: String,
        /// Numbers of a value.
        width: usize,
        /// Number of numbers found.
        found: usize,
        /// Expected number of values.
        count: usize,
    },
    /// Two attributes of a domain have the same name.
    #[error("there are two attributes `{name}`")]
    AttributeTwice {
        /// The name.
        name: String,
    },
    /// The number of values of an attribute differs from the number of vertices.
    #[error("{attribute} has {found} values for {vertices} vertices")]
    AttributeLength {
        /// The attribute's name.
        attribute: &'static str,
        /// Number of values found.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
}
