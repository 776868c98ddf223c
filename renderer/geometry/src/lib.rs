//! Geometry: meshes, analytic shapes, surface points, ray hits and ray differentials.
//!
//! - [`Mesh`]: indexed triangles, valid by construction; [`Analytic`]: sphere, disk, cylinder in closed form.
//! - [`Shape`]: either of them placed in the world.
//! - [`SurfacePoint`]: a point of a shape with its normals and derivatives; [`Interaction`]: one that a ray found.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod accel;
mod analytic;
mod analytic_point;
mod area;
mod attribute;
mod attribute_source;
mod barycentric;
pub mod camera;
mod closed;
mod curves;
mod disjoint_sets;
mod faces;
mod facet;
mod footprint;
mod hit;
mod interaction;
mod islands;
mod local_surface;
mod mesh;
mod mesh_error;
mod object_attribute;
mod object_point;
mod placement;
pub mod ply;
mod points;
mod polygon;
mod primitives;
mod rectangle;
mod shape;
mod shape_point;
mod sharing;
mod strand_motion;
mod strand_point;
mod strand_sample;
mod surface;
mod tangent_space;
mod traced;
mod triangle_point;
mod vertex_motion;
mod vertex_normals;
mod weld;
mod world_vertices;

pub use analytic::Analytic;
pub use attribute::{AttributeDomain, MeshAttribute};
pub use attribute_source::AttributeSource;
pub use closed::{ShapeGroup, closed_groups};
pub use curves::{CurveBasis, CurvePlace, CurveSet, CurveStyle, Curves, CurvesError};
pub use disjoint_sets::DisjointSets;
pub use faces::Faces;
pub use footprint::{Footprint, PointDifferential, RayDifferential, SpecularEvent};
pub use hit::{Hit, ShapeId};
pub use interaction::Interaction;
pub use local_surface::{Crossing, LocalSurface};
pub use mesh::{MANY_VERTICES, Mesh};
pub use mesh_error::MeshError;
pub use object_attribute::{ObjectAttributes, ObjectValue};
pub use placement::{MAX_PLACEMENT_KEYS, Placement, PlacementAt, SHUTTER_OPEN, Transform};
pub use points::{PointStyle, Points};
pub use polygon::cut_polygon;
pub use rectangle::Rectangle;
pub use shape::{Geometry, Shape};
pub use sharing::add_world_meshes;
pub(crate) use sharing::{MAX_FAST_TRIANGLES, MeshUses, triangle_count};
pub use strand_motion::StrandMotion;
pub use strand_sample::{StrandSample, StrandViewer};
pub use surface::{AreaSample, SurfacePoint, Tangents};
pub use tangent_space::{CornerTangent, corner_tangents};
pub use traced::{PositionArray, TracedTriangles};
pub use vertex_motion::VertexMotion;
pub use weld::weld;
