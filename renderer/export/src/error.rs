//! Errors of exports.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Error of an export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The JSON of a document is invalid for other programs.
    #[error(
        "the text of the model is not read alike by all programs: it has a key twice, or numbers without end"
    )]
    Text,
    /// The input file cannot be used.
    #[error("{0}")]
    Source(String),
    /// An image of the model cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Image {
        /// Path.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file would be greater than 4 GiB.
    #[error("the model needs {bytes} bytes, and a glTF file has at most 4 GiB")]
    TooLarge {
        /// Bytes of the file.
        bytes: usize,
    },
}
