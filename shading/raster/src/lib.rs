//! Kiln's shading language for rasterisers: WGSL and GLSL ES of units and groups.
//!
//! [`raster`] translates a linked unit (see `shading::ShadingSystem::linked`) for a [`Pass`]. The result, [`Raster`],
//! contains a module in WGSL, the same module in GLSL ES 3.00, and lists of the inputs that a host must bind. The module has
//! no entry points, but
//!
//! - `fn surface(g: Globals) -> Surface` for a closure: a fixed set of lobes with final weights;
//! - `fn evaluate(g: Globals) -> Outputs` for other outputs.
//!
//! Invariants:
//! - naga has validated every returned text;
//! - numbers equal those of the interpreter to about 1e-4, unless the shader magnifies rounding errors;
//! - loops terminate: the loops of a run share 65,536 iterations.
//!
//! [`write`](mod@write) translates HIR to WGSL. It calls functions of `library/*.wgsl`, and translates closures to sums of
//! lobes by `closure_table.txt`.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod closure_table;
mod error;
mod glsl;
mod inputs;
mod library;
mod lobes;
mod names;
mod part;
mod prepare;
mod program;
mod write;

pub use inputs::{GlobalMember, MemberSource, TextureBinding, Uniform};
pub use part::Pass;
pub use program::{OutputMember, Raster, RasterOptions, raster};
pub use shading_compiler::graph::UNIFORM_OBJECT;
