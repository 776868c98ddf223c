//! Denoising of rendered pictures and lightmaps by Open Image Denoise 2.
//!
//! ```no_run
//! use renderer_denoise::{Denoiser, Quality};
//! use renderer_image::Image;
//!
//! # fn main() -> Result<(), renderer_denoise::DenoiseError> {
//! # let (color, albedo, normal) = (Image::new(8, 8, 3), Image::new(8, 8, 3), Image::new(8, 8, 3));
//! let denoiser = Denoiser::open(0)?; // a thread for each core
//! let denoised = denoiser.denoise(&color, Some(&albedo), Some(&normal), Quality::High)?;
//! # Ok(())
//! # }
//! ```
//!
//! - The library is loaded at run time: from `OIDN_DIR`, from the user's cache, which [`fetch`](fetch()) fills, or from the system.
//! - Only the CPU device is used. The result does not depend on the number of threads.
//! - Images are linear and have at least three channels; the first three are used.

#![deny(unsafe_code, missing_docs)]
#![warn(rustdoc::broken_intra_doc_links)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod denoiser;
mod error;
mod fetch;
mod ffi;
mod library;
mod pip;
mod sum;
mod wheel;

pub use denoiser::{Denoiser, Features, Quality};
pub use error::DenoiseError;
pub use fetch::{FetchError, fetch};
pub use sum::fit_sum;
