//! Errors of point cloud files.

use std::io;
use std::path::PathBuf;

use crate::files::FormatError;

/// Why a point cloud was not read.
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
}
