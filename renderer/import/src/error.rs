//! Errors of importers.

use std::io;
use std::path::PathBuf;

use shading::Diagnostic;
use thiserror::Error;

use renderer_base::files::FormatError;
use renderer_geometry::MeshError;

/// Why a file was not imported.
#[derive(Debug, Error)]
pub enum ImportError {
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
    /// Something in a glTF document makes no sense, or is not read.
    #[error("{}: {reason}", .path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// What the file describes is no mesh.
    #[error("{}{}: {source}", .path.display(), part.as_ref().map(|part| format!(", {part}")).unwrap_or_default())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Which part of it, where it has parts.
        part: Option<String>,
        /// What is wrong.
        source: MeshError,
    },
}

impl ImportError {
    /// The error as a message that has no place in a text.
    pub fn diagnostic(&self) -> Diagnostic {
        self.hinted(Diagnostic::error(self.to_string()))
    }

    /// Adds what to do about the error, where that is known, to a message about it.
    pub fn hinted(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self {
            ImportError::Document { hint, .. } => diagnostic.hint(*hint),
            _ => diagnostic,
        }
    }
}
