//! Errors of point cloud files.

use std::io;
use std::path::PathBuf;

use renderer_base::files::FormatError;
use renderer_image::ImageError;

/// Why a point cloud was not read, or not written.
#[derive(Debug, thiserror::Error)]
pub enum CloudError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is of another kind, is cut short, or makes no sense.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file cannot keep an attribute, so that it would be read back as it is.
    #[error("cannot write {}: an attribute cannot be named {name:?} there", .path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name of the attribute.
        name: String,
    },
    /// The file is of a kind that has no strings.
    #[error(
        "cannot write {}: its attribute {name:?} is a string, which PLY files cannot keep; .geo files can",
        .path.display()
    )]
    Text {
        /// The file.
        path: PathBuf,
        /// The name of the attribute.
        name: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ImageError),
}
