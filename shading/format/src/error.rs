//! Errors of the formatter.

use std::error::Error;
use std::fmt;

use shading_syntax::diagnostic::Diagnostics;

/// Error of the formatter.
#[derive(Clone, Debug)]
pub enum FormatError {
    /// The text has syntax errors.
    Syntax(Diagnostics),
    /// The formatted text has other tokens: a bug of the formatter.
    Changed,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Syntax(diagnostics) => diagnostics.fmt(f),
            FormatError::Changed => f.write_str(
                "formatting would change more than white space, so the text stays as it is; this is an error of Kiln",
            ),
        }
    }
}

impl Error for FormatError {}
