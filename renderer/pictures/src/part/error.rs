//! Errors of part files: unreadable, of another type, damaged.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Error of a part file.
#[derive(Debug, Error)]
pub enum PartError {
    /// The file cannot be read.
    #[error("cannot read '{}': {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: String,
    },
    /// The file is not a part.
    #[error("'{}' is not a part of a picture\n  hint: parts are what `kiln render -o FILE.part` and `--checkpoint` write", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged, or of another version of the format.
    #[error("'{}' cannot be used: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: String,
    },
}

impl PartError {
    pub(super) fn unreadable(path: &Path, reason: impl ToString) -> PartError {
        PartError::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn damaged(path: &Path, reason: impl ToString) -> PartError {
        PartError::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
