//! Errors of importers.

use std::io;
use std::path::{Path, PathBuf};

use shading::Diagnostic;
use thiserror::Error;

use crate::geometry::MeshError;
use crate::ply::PlyError;

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
    /// The file is of another kind.
    #[error("{} is not {expected}", .path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        expected: &'static str,
    },
    /// The file ends too early.
    #[error("{} is cut short: it ends in the {element} elements, at {found} of {expected}", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What it ends among.
        element: String,
        /// How many the file promises.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// Something in the file makes no sense.
    #[error("{}: {reason}", place(path, *line))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1, in files that have lines.
        line: Option<usize>,
        /// What is wrong, and what was expected.
        reason: String,
    },
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
    pub(crate) fn hinted(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self {
            ImportError::Document { hint, .. } => diagnostic.hint(*hint),
            _ => diagnostic,
        }
    }
}

impl From<PlyError> for ImportError {
    fn from(error: PlyError) -> ImportError {
        match error {
            PlyError::Kind { path, expected } => ImportError::Kind { path, expected },
            PlyError::Truncated {
                path,
                element,
                expected,
                found,
            } => ImportError::Truncated {
                path,
                element,
                expected,
                found,
            },
            PlyError::Syntax { path, line, reason } => ImportError::Syntax { path, line, reason },
        }
    }
}

/// The file, and the line where there is one.
fn place(path: &Path, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}
