//! Geometry: meshes, analytic shapes, surface points, ray hits and ray differentials.
//!
//! - [`Mesh`]: indexed triangles, valid by construction; [`Analytic`]: sphere, disk, cylinder in closed form.
//! - [`Shape`]: either of them placed in the world.
//! - [`SurfacePoint`]: a point of a shape with its normals and derivatives; [`Interaction`]: one that a ray found.

mod analytic;
mod attribute;
mod baked;
mod facet;
mod footprint;
mod hit;
mod interaction;
mod mesh;
mod primitives;
mod shape;
mod surface;

pub use analytic::Analytic;
pub use attribute::{AttributeDomain, MeshAttribute};
pub use footprint::{Bend, Footprint, PointDifferential, RayDifferential};
pub use hit::{Hit, ShapeId};
pub use interaction::Interaction;
pub use mesh::{Mesh, MeshError};
pub(crate) use shape::mesh_uses;
pub use shape::{Geometry, Shape, bake_single_use};
pub use surface::{AreaSample, SurfacePoint, Tangents};
