//! Output of commands: results on standard output, messages on standard error.

use std::io::{self, Write};
use std::sync::OnceLock;

use shading::Diagnostics;

use super::Failure;

/// First write error on standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes a result to standard output. [`all_told`] reports write errors at the end.
pub(super) fn tell(text: &str) {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    if let Err(error) = written {
        // Only the first failure is kept.
        let _ = LOST.set(error);
    }
}

/// Returns an error if a result could not be written to standard output: a full disk must not pass for success. A
/// closed pipe is not an error, because its reader does not want more.
pub(super) fn all_told() -> Result<(), Failure> {
    LOST.get().map_or(Ok(()), lost)
}

/// Converts the result of another write to standard output in the same way as [`all_told`].
pub(super) fn whole(printed: io::Result<()>) -> Result<(), Failure> {
    printed.or_else(|error| lost(&error))
}

fn lost(error: &io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(());
    }
    let message = format!("error: cannot write to standard output: {error}");
    Err(Failure::User(message))
}

/// Writes a line to standard error, if anybody listens.
pub(super) fn remark(text: &dyn std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// `1 file`, `2 files`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Prints messages to standard error.
pub(super) fn print(diagnostics: &Diagnostics) {
    if !diagnostics.list.is_empty() {
        remark(diagnostics);
    }
}
