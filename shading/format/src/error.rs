//! Why a text has no formatted text.

use std::error::Error;
use std::fmt;

use shading_syntax::diagnostic::Diagnostics;

/// Why a text is not formatted.
#[derive(Clone, Debug)]
pub enum FormatError {
    /// It has errors of syntax.
    Syntax(Diagnostics),
    /// The formatter would have changed more than white space, which is an error of its own.
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
