//! Errors in the contents of files.

use std::path::{Path, PathBuf};

/// What is wrong with the contents of a file.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
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
        /// The line, from 1, in texts and in headers.
        line: Option<usize>,
        /// What is wrong, and what was expected.
        reason: String,
    },
}

/// The file, and the line where there is one.
fn place(path: &Path, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}
