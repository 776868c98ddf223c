//! Output of commands: results on standard output, messages on standard error. Both hold text from files, names for
//! example: characters that steer a terminal are escaped here, and nothing is printed elsewhere.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use shading::Diagnostics;

use super::Failure;

/// First write error on standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Number of texts that were printed.
static PRINTED: AtomicU64 = AtomicU64::new(0);

/// Writes a result to standard output. [`check_output`] reports write errors at the end.
pub fn print_result(text: &str) {
    PRINTED.fetch_add(1, Ordering::Relaxed);
    let mut output = io::stdout().lock();
    let text = escaped(text);
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    if let Err(error) = written {
        // Only the first failure is kept.
        let _ = LOST.set(error);
    }
}

/// Returns an error if a result could not be written to standard output: a full disk must not pass for success. A
/// closed pipe is not an error, because its reader does not want more.
pub fn check_output() -> Result<(), Failure> {
    LOST.get().map_or(Ok(()), lost)
}

/// Converts the result of another write to standard output to an error, as [`check_output`] does.
pub fn whole(printed: io::Result<()>) -> Result<(), Failure> {
    printed.or_else(|error| lost(&error))
}

fn lost(error: &io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(());
    }
    let message = format!("error: cannot write to standard output: {error}");
    Err(Failure::User(message))
}

/// Writes a line to standard error; write errors are ignored.
pub fn remark(text: &dyn std::fmt::Display) {
    PRINTED.fetch_add(1, Ordering::Relaxed);
    let text = text.to_string();
    let _ = writeln!(io::stderr().lock(), "{}", escaped(&text));
}

/// Number of texts printed so far. A picture is drawn over only if it was printed last.
pub fn printed() -> u64 {
    PRINTED.load(Ordering::Relaxed)
}

/// Writes a picture of Kiln's own, with the codes that place and colour it, to the terminal.
pub fn draw(picture: &str) {
    let mut output = io::stderr().lock();
    // Nobody misses a picture whose terminal has gone.
    let _ = output.write_all(picture.as_bytes()).and_then(|()| output.flush());
}

/// The text with characters that steer a terminal as JSON escapes them (`\u001b`): controls other than line feeds and
/// tabs, and marks that reorder text.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// `1 file`, `2 files`.
pub fn plural(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Prints messages to standard error.
pub fn print(diagnostics: &Diagnostics) {
    if !diagnostics.list.is_empty() {
        remark(diagnostics);
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let plain = "naïve → 1\t2\n";
        assert_eq!(escaped(plain), plain);
        assert_eq!(
            escaped("\u{1b}]0;a\u{7} \u{9b}31m \r\u{202e}b"),
            "\\u001b]0;a\\u0007 \\u009b31m \\u000d\\u202eb"
        );
    }
}
