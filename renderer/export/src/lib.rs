//! Models as files of glTF: what an importer has read is written again as it was, with what was baked for it.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod document;
mod error;
mod lightmap;
mod placement;
mod text;
mod uses;
mod vertices;

pub use document::{Document, ViewKind};
pub use error::ExportError;
pub use lightmap::{BakedPart, LightmapImage, add_lightmap};
