//! Output of commands: results on standard output, messages on standard error.

use std::io::Write;

use shading::Diagnostics;

/// Writes a result to standard output. Who closes that does not want to see more, and is not told so.
pub(super) fn tell(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to standard error, if anybody listens.
pub(super) fn remark(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints messages to standard error.
pub(super) fn print(diagnostics: &Diagnostics) {
    if !diagnostics.list.is_empty() {
        remark(diagnostics);
    }
}
