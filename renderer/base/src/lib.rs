//! Base of the renderer: mathematics, colour, spectra, the sky, random numbers and sampling, memory limits,
//! and access to files.
//!
//! - [`math`]: vectors are `glam`'s; rays, bounds, frames, elementary functions with the same bits on every system.
//! - [`color`]: linear Rec.709; [`spectrum`]: spectra and their colours; [`sky`]: clear skies and the sun.
//! - [`sampler`]: numbers of a sample by (pixel, index, dimension); [`sampling`]: warps and tables, each with its density.
//! - [`memory`]: free memory and the refusal of work that does not fit; [`files`]: the view of the file system that a
//!   scene is read through; [`cache`]: the user's cache folder, and folders that code may be loaded from;
//!   [`system_libraries`]: paths of shared libraries.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod cache;
pub mod color;
pub mod files;
pub mod inline_list;
pub mod math;
pub mod memory;
pub mod sampler;
pub mod sampling;
pub mod sky;
pub mod spectrum;
pub mod system_libraries;
