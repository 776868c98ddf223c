//! Errors of importers.

use std::io;
use std::path::PathBuf;

use shading::Diagnostic;
use thiserror::Error;

use renderer_base::files::FormatError;
use renderer_geometry::MeshError;

/// Error of an import.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file has another format, is truncated or is malformed.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The glTF document is invalid, or uses an unsupported feature.
    #[error("{}: {reason}", .path.display())]
    Document {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error.
        reason: String,
        /// Advice to the user.
        hint: &'static str,
    },
    /// A line of the text is not valid.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Description of the error.
        reason: String,
        /// Advice to the user.
        hint: &'static str,
    },
    /// The file does not describe a valid mesh.
    #[error("{}{}: {source}", .path.display(), part.as_ref().map(|part| format!(", {part}")).unwrap_or_default())]
    Mesh {
        /// Path of the file.
        path: PathBuf,
        /// Part of the file, if it has several parts.
        part: Option<String>,
        /// Error in the mesh.
        source: MeshError,
    },
}

impl ImportError {
    /// Converts the error to a diagnostic without a source location.
    pub fn diagnostic(&self) -> Diagnostic {
        self.hinted(Diagnostic::error(self.to_string()))
    }

    /// Adds advice to a diagnostic about this error, if there is any.
    pub fn hinted(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self {
            ImportError::Document { hint, .. } | ImportError::Line { hint, .. } => diagnostic.hint(*hint),
            _ => diagnostic,
        }
    }
}
