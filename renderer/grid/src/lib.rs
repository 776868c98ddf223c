//! Grids of volumes: sparse voxels with a transform, from files of OpenVDB (`.vdb`), NanoVDB (`.nvdb`) and Mitsuba
//! (`.vol`).
//!
//! ```no_run
//! use std::path::Path;
//!
//! use glam::Vec3;
//! use renderer_base::files::DiskFiles;
//! use renderer_grid::{GridChoice, GridFile, GridLookup};
//!
//! let file = GridFile::read(&DiskFiles, Path::new("smoke.vdb"))?;
//! let density = file.load(&GridChoice::Name("density".to_owned()))?;
//! let here = density.sample(&GridLookup::at(Vec3::new(0.0, 1.5, 0.0)));
//! println!("{} voxels, {} here", density.activity().voxels, here.value[0]);
//! # Ok::<(), renderer_grid::GridError>(())
//! ```
//!
//! - A [`Grid`] is immutable. Lookups neither lock nor allocate; see [`Grid::sample`] and [`Grid::value`].
//! - Values are at integer points of index space and are interpolated linearly.
//! - [`Grid::max_in`] bounds all lookups in a box, as delta tracking needs it.
//! - Voxels that are not finite get the value of the background.
//! - No content of a file causes a panic, or an allocation out of proportion to the size of the file.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod activity;
mod blosc;
mod bounded;
mod bytes;
mod element;
mod error;
mod file;
mod grid;
mod lookup;
mod mask;
mod nanovdb;
mod sample;
mod store;
mod tree;
mod vdb;
mod vol;

pub use activity::Activity;
pub use element::Element;
pub use error::{GridChoice, GridError, GridFault};
pub use file::{GridEntry, GridFile, GridFormat, is_grid_file};
pub use grid::{Grid, GridClass, IndexBounds};
pub use lookup::{GridLookup, GridSample, GridWrap};
pub use store::{GridId, GridLoader, GridStore};
pub use vol::VolBox;
