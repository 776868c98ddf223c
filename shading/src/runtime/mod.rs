//! Runtime of compiled code: shader globals, closure trees, arena, host interface, error reports.

pub(crate) mod arena;
pub mod closure;
pub mod closure_set;
pub mod closure_text;
pub mod cloud;
pub mod context;
pub mod globals;
pub mod host;
pub(crate) mod last_trace;
pub mod listing;
pub(crate) mod messages;
pub(crate) mod number_table;
pub mod print_output;
pub mod report;
pub(crate) mod shims;
pub(crate) mod stack;
pub(crate) mod text;
pub mod trace;
pub mod written_cloud;

pub use closure::{ClosureNode, ClosureRef, ClosureTree, Component, Components, Params};
pub use closure_set::{ClosureSet, ClosureTypes, ParamReader};
pub use cloud::{CloudHandle, CloudSearch, CloudValues, PointCloud};
pub use context::ShadingContext;
pub use globals::ShaderGlobals;
pub use host::{
    AttributeHandle, NoHost, ShaderHost, Subimage, TextureHandle, TextureInfo, TextureLookup, TextureRequest,
    TextureSample, UnreadableTexture,
};
pub use print_output::{PrintOutput, Sink};
pub use report::{Report, ReportKind, ReportPlace};
pub use shading_compiler::hir::RayKind;
pub use shading_compiler::opt::KnownAttributes;
pub use shims::HostFunctions;
pub use stack::{MIN_STACK, RunError};
pub use trace::{TraceHit, TraceRay};
pub use written_cloud::{PointValueType, WrittenCloud, WrittenClouds};
