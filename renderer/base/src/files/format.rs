//! Errors in the contents of files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::OverBudget;

/// Error in the contents of a file.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The file is of another kind.
    #[error("{} is not {expected}", .path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// The expected kind of file, for the message.
        expected: &'static str,
    },
    /// The file ends too early.
    #[error("{} is cut short: it ends in the {element} elements, at {found} of {expected}", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Name of the elements in which the file ends.
        element: String,
        /// Number of elements that the header declares.
        expected: usize,
        /// Number of elements found.
        found: usize,
    },
    /// The content costs more than a file of this size may.
    #[error("{}: {excess}", .path.display())]
    OverBudget {
        /// The file.
        path: PathBuf,
        /// The content, its cost and the bound.
        excess: OverBudget,
    },
    /// A part of the file is not valid.
    #[error("{}: {}", place(path, *line), brief(reason))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1, in texts and in headers.
        line: Option<usize>,
        /// The mistake, and the expected syntax.
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

/// A text without its middle, if it is long: files can have words of megabytes.
fn brief(text: &str) -> Cow<'_, str> {
    /// Characters that are kept at the beginning and at the end.
    const ENDS: usize = 300;
    let begin = text.char_indices().nth(ENDS).map(|(at, _)| at);
    let end = text.char_indices().rev().nth(ENDS).map(|(at, _)| at);
    match (begin, end) {
        (Some(begin), Some(end)) if begin < end => {
            Cow::Owned(format!("{} … {}", &text[..begin], &text[end..]))
        }
        _ => Cow::Borrowed(text),
    }
}
