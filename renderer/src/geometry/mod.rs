//! Shapes as data and what a ray finds on them.

mod interaction;
mod mesh;
mod shape;

pub use interaction::Interaction;
pub use mesh::{Mesh, MeshError};
pub use shape::{Geometry, Shape, ShapeId};
