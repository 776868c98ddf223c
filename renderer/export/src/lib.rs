//! glTF export: imported files with baked light, and scenes.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod accessors;
mod compact;
mod document;
mod error;
mod lightmap;
mod material;
mod placement;
mod scene;
mod second_set;
mod text;
mod unlit;
mod uses;
mod vertices;

pub use document::{Document, ViewKind};
pub use error::ExportError;
pub use lightmap::{AddedLightmap, BakedPart, LightmapImages, add_lightmap};
pub use material::{AlphaMode, Material, MaterialTextures};
pub use scene::{SceneShape, SceneWriter};
pub use second_set::{LitNode, LitNodes, NodeRectangles, use_second_set};
pub use unlit::make_unlit;
