//! Kiln's shading language: a compiler from shader source to machine code that returns closure trees.
//!
//! ```
//! use std::sync::Arc;
//! use shading::{ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShadingSystem, Source};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
//! system.load(Source::new(
//!     "rings.ksl",
//!     "shader rings(float count = 4, output float result = 0) { result = mod(count * hypot(u, v), 1); }
//!      group target(output float result) { rings r(count = 8); result = r.result; }",
//! ))?;
//! let target = system.template("target").ok_or("no target")?;
//! let instance = system.instantiate(target, &InstanceOptions::default())?;
//!
//! let mut context = system.context(); // one for each thread
//! let globals = ShaderGlobals { u: 0.5, ..ShaderGlobals::default() };
//! instance.run(&globals, &mut context);
//! let mut result = [1.0];
//! instance.output_numbers(0, &context, &mut result);
//! assert_eq!(result, [0.0]); // 8 · 0.5 is whole
//! # Ok(())
//! # }
//! ```
//!
//! Compilation of a shader, one module for each step:
//!
//! 0. [`preprocess`] includes files and expands macros.
//! 1. [`syntax`] parses source text into a syntax tree.
//! 2. [`check`] resolves names and types and lowers each unit to [`hir`]: typed three-address code in structured
//!    control flow. All errors of a file are reported together, as [`Diagnostics`].
//! 3. [`graph`] composes units into groups (a group is itself a unit) and links a group into one function of HIR.
//! 4. [`derivative`] adds derivatives where they are used, and [`opt`] optimises.
//! 5. [`codegen`] compiles it with Cranelift; [`interp`] interprets the same HIR as the reference in tests.
//! 6. [`ShaderInstance::run`] computes a closure tree from [`ShaderGlobals`].
//!
//! [`ShadingSystem`] is the entry point and drives all steps. The crate does not depend on rays, BSDFs or a file
//! system: source text comes from the caller, included files through [`Includes`], textures and matrices through
//! [`ShaderHost`], and closures are those that the embedder registers.
//!
//! The crate's `README.md` lists its rules.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits everywhere, so they must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod codegen;
pub mod instance;
pub mod interp;
mod live;
pub mod runtime;
pub mod system;

pub use shading_compiler::{builtins, check, derivative, eval, graph, hir, opt, ty};
pub use shading_syntax::{self as syntax, diagnostic, preprocess, source};

pub use check::{HostGlobal, HostGlobalError};
pub use codegen::{CompileOptions, OptLevel};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use eval::color_system::ColorSystem;
pub use graph::{GraphError, ShaderGroupTemplate, ShaderUnitTemplate, Template, Value};
pub use hir::{ClosureError, ClosureId, ClosureNote, ClosureParam, ClosureRegistry, ClosureSignature, Const};
pub use instance::{BatchOutput, ShaderInstance};
pub use live::{LiveError, LiveInput, LiveInputs};
pub use preprocess::{Includes, Preprocessor};
pub use runtime::{
    AttributeHandle, ClosureNode, ClosureRef, ClosureSet, ClosureTree, ClosureTypes, CloudHandle,
    CloudSearch, CloudValues, Component, Components, HostFunctions, KnownAttributes, MIN_STACK, NoHost,
    ParamReader, Params, PointCloud, PointValueType, Printed, RayKind, Report, ReportKind, RunError,
    ShaderGlobals, ShaderHost, ShadingContext, Sink, Subimage, TextureHandle, TextureInfo, TextureLookup,
    TextureRequest, TextureSample, TraceHit, TraceRay, UnreadableTexture, WrittenCloud, WrittenClouds,
};
pub use source::{Source, SourceId, SourceMap, Span};
pub use system::{InstanceOptions, Library, Loaded, ShadingSystem};
pub use ty::{Base, Type};
