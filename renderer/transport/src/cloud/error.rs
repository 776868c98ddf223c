//! Errors of point cloud files.

use std::io;
use std::path::PathBuf;

use renderer_base::files::FormatError;
use renderer_image::ImageError;

/// Error of reading or writing a point cloud.
#[derive(Debug, thiserror::Error)]
pub enum CloudError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file has another format, is truncated, or is inconsistent.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The format cannot represent the attribute's name, so that the name would change when read back.
    #[error("cannot write {}: an attribute cannot be named {name:?} there", .path.display())]
    Name {
        /// Path of the file.
        path: PathBuf,
        /// Name of the attribute.
        name: String,
    },
    /// The format does not support strings.
    #[error(
        "cannot write {}: its attribute {name:?} is a string, which PLY files cannot keep; .geo files can",
        .path.display()
    )]
    Text {
        /// Path of the file.
        path: PathBuf,
        /// Name of the attribute.
        name: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ImageError),
}
