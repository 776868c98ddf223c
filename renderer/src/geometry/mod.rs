//! Geometry: meshes, analytic shapes, surface points, ray hits and ray differentials.
//!
//! - [`Mesh`]: indexed triangles, valid by construction; [`Analytic`]: sphere, disk, cylinder in closed form.
//! - [`Shape`]: either of them placed in the world.
//! - [`SurfacePoint`]: a point of a shape with its normals and derivatives; [`Interaction`]: one that a ray found.

mod analytic;
mod attribute;
mod baked;
mod barycentric;
mod facet;
mod footprint;
mod hit;
mod interaction;
mod mesh;
mod polygon;
mod primitives;
mod shape;
mod sharing;
mod surface;
mod traced;

pub use analytic::Analytic;
pub use attribute::{AttributeDomain, MeshAttribute};
pub use footprint::{Bend, Footprint, PointDifferential, RayDifferential};
pub use hit::{Hit, ShapeId};
pub use interaction::Interaction;
pub(crate) use mesh::MANY_VERTICES;
pub use mesh::{Mesh, MeshError};
pub(crate) use polygon::cut_polygon;
pub use shape::{Geometry, Shape};
pub use sharing::bake_single_use;
pub(crate) use sharing::{MANY_TRIANGLES, MeshUses, triangle_count};
pub use surface::{AreaSample, SurfacePoint, Tangents};
pub use traced::{PositionArray, TracedTriangles};
