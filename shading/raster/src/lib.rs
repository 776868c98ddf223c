//! Kiln's shading language for rasterisers: WGSL and GLSL ES of units and groups.
//!
//! [`raster`] takes a linked unit (see `shading::ShadingSystem::linked`) and a [`Pass`], and returns a [`Raster`]: a module
//! in WGSL, the same in GLSL ES 3.00, and the lists of what a host has to bind. The module has no entry points, but
//!
//! - `fn surface(g: Globals) -> Surface` for a closure: a fixed set of lobes, whose weights are final;
//! - `fn evaluate(g: Globals) -> Outputs` for other outputs.
//!
//! Invariants:
//! - naga has validated every text that is returned;
//! - numbers are those of the interpreter to about 1e-4, if the shader does not magnify differences of rounding;
//! - loops end: they share 65,536 iterations, after which they are left.
//!
//! [`write`](mod@write) translates HIR to WGSL; the functions that it calls are in `library/*.wgsl`; closures become sums of
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
