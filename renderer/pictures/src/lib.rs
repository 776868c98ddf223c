//! Picture files: parts with exact film sums, layers, denoising, images, summaries.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod brightness;
pub mod denoising;
pub mod layer_view;
pub mod layers;
pub mod part;
pub mod part_replacement;
pub mod pictures;
pub mod summary;
pub mod tiles;
