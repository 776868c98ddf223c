//! Errors of point cloud files.

use std::io;
use std::path::PathBuf;

use crate::ply::PlyError;

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
    /// The PLY file makes no sense.
    #[error(transparent)]
    Ply(#[from] PlyError),
    /// The file is of another kind, or makes no sense.
    #[error("{}: {reason}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
