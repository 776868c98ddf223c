#![doc = include_str!("guide.md")]
#![deny(unsafe_code, missing_docs)]
#![warn(rustdoc::broken_intra_doc_links)]
// Results must have the same bits on all machines, so they must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod instance;
mod live;
mod system;

// Sources and diagnostics.
#[doc(inline)]
pub use shading_syntax::diagnostic::{Diagnostic, Diagnostics, Label, Severity};
#[doc(inline)]
pub use shading_syntax::preprocess::{Includes, Preprocessor};
#[doc(inline)]
pub use shading_syntax::source::{Source, SourceId, SourceMap, Span};

// Units and groups.
#[doc(inline)]
pub use shading_compiler::builtins::Global;
#[doc(inline)]
pub use shading_compiler::eval::color_system::ColorSystem;
#[doc(inline)]
pub use shading_compiler::graph::{
    GraphError, ParamInfo, ShaderGroupTemplate, ShaderUnitTemplate, Template, TemplateRef, Value,
};
#[doc(inline)]
pub use shading_compiler::hir::kind::{Element, Kind};
#[doc(inline)]
pub use shading_compiler::hir::{Const, Metadata};
#[doc(inline)]
pub use shading_compiler::ty::{Base, Length, Type};

// Instances.
pub use codegen::{
    CodegenError, CompileOptions, GlobalSet, MissingTexture, NamedTexture, OptLevel, Output, Statistics,
};
pub use instance::{BatchOutput, CompileStats, ShaderInstance};
pub use live::{LiveError, LiveInput, LiveInputs};
pub use runtime::{MIN_STACK, PrintOutput, Report, ReportKind, ReportPlace, RunError, ShadingContext, Sink};
#[doc(inline)]
pub use shading_compiler::derivative::DerivativeStats;
#[doc(inline)]
pub use shading_compiler::opt::{KnownAttributes, OptLevel as OptimizerLevel, OptStats, UsedClosures};
pub use system::{InstanceOptions, Library, Loaded, ShadingSystem};

// Closures.
pub use runtime::{
    ClosureNode, ClosureRef, ClosureSet, ClosureTree, ClosureTypes, Component, Components, ParamReader,
    Params,
};
#[doc(inline)]
pub use shading_compiler::hir::{
    ClosureError, ClosureId, ClosureNote, ClosureParam, ClosureRegistry, ClosureSignature,
};

// The host.
pub use runtime::globals::Triple;
pub use runtime::{
    AttributeHandle, CloudHandle, CloudSearch, CloudValues, NoHost, PointCloud, PointValueType,
    ShaderGlobals, ShaderHost, Subimage, TextureHandle, TextureInfo, TextureLookup, TextureRequest,
    TextureSample, TraceHit, TraceRay, UnreadableTexture, WrittenCloud, WrittenClouds,
};
#[doc(inline)]
pub use shading_compiler::check::{HostGlobal, HostGlobalError};
#[doc(inline)]
pub use shading_compiler::hir::{
    Axis, ColorSpace, Interpolation, RayKind, TextureMapping, TextureOptions, Wrap,
};

// Bounds of shaders.
pub mod bounds;

// Modules for the crates, tests and tools of this workspace; not part of the public interface.
#[doc(hidden)]
pub mod codegen;
#[doc(hidden)]
pub mod interp;
#[doc(hidden)]
pub mod runtime;
#[doc(hidden)]
pub use runtime::HostFunctions;
#[doc(hidden)]
pub use shading_compiler::{builtins, check, derivative, eval, graph, hir, opt, ty};
#[doc(hidden)]
pub use shading_syntax::{self as syntax, diagnostic, preprocess, source};
