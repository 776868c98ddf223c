//! Errors of denoising.

use std::path::PathBuf;

/// Error of denoising.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DenoiseError {
    /// The library was not found in any searched folder.
    #[error("Open Image Denoise is not installed: type `kiln denoise --fetch`, which brings it")]
    Missing,
    /// The folder named by the user contains no library.
    #[error("OIDN_DIR is {}, but there is no {name} in it or in its lib or bin", .folder.display())]
    NamedFolder {
        /// The folder.
        folder: PathBuf,
        /// Name of the library's file.
        name: &'static str,
    },
    /// The library in the user's cache must not be loaded.
    #[error("{} is not used: {reason}; `kiln denoise --fetch` brings Open Image Denoise again", .path.display())]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The library does not open, or is too old.
    #[error("{} is no usable Open Image Denoise: {reason}", .path.display())]
    Unusable {
        /// The library.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The library reports an error.
    #[error("Open Image Denoise fails: {0}")]
    Library(String),
    /// An image has another size than the first, or fewer than three channels.
    #[error("the {0} image does not fit the picture in size or has fewer than three channels")]
    Image(&'static str),
}
