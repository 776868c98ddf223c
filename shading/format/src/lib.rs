//! The formatter of Kiln's shading language and scene files: one style, that of the shaders and scenes that ship.
//!
//! ```
//! let text = "shader rings(float count=4){result = count*2 ;}\n";
//! let formatted = shading_format::format("rings.ksl", text).unwrap();
//! assert_eq!(formatted, "shader rings(float count = 4) { result = count * 2; }\n");
//! ```
//!
//! 1. [`piece`]: the tokens of a text, each with the white space before it.
//! 2. [`role`]: the role of each token, by the brackets around it and the tokens before it. No syntax tree is needed, so
//!    texts with macros and `#if` can be formatted.
//! 3. [`layout`]: line ends and indentation. [`wrap`] breaks long lines of code.
//! 4. [`space`] and [`align`]: white space within lines.
//! 5. The tokens of the result are compared with those of the text; if they differ, the formatter returns an error.

#![deny(unsafe_code, missing_docs)]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod align;
mod branch;
mod column;
mod edit;
mod emit;
mod error;
mod frame;
mod layout;
mod line;
mod piece;
mod role;
mod source;
mod space;
mod wrap;

use std::borrow::Cow;

pub use edit::{Edit, LineChange, changes, edits};
pub use error::FormatError;
use line::Wrap;
use piece::{Piece, PieceKind, pieces};

/// Maximum number of rounds in which long lines are broken and their last parts joined with the next line. In the same
/// number of further rounds, lines are only broken.
const MAX_ROUNDS: usize = 12;

/// Maximum number of passes over a text whose brackets do not match.
const MAX_PASSES: usize = 8;

/// Minimum length of a text that is parsed and formatted by two threads, in bytes.
const MIN_PARALLEL_BYTES: usize = 1 << 16;

/// Formats a text; `name` is the name of its file in messages.
///
/// # Errors
///
/// If the text has syntax errors. A text with preprocessor directives is not parsed; it must have complete comments, and
/// complete strings and matched brackets unless it has conditions (`#if`).
pub fn format(name: &str, text: &str) -> Result<String, FormatError> {
    let (mark, rest) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let is_crlf = rest.contains("\r\n");
    // A lone carriage return ends a line for the compiler, too.
    let lines = if rest.contains('\r') {
        Cow::Owned(rest.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(rest)
    };
    let pieces = pieces(&lines);
    let (checked, mut formatted) =
        join(lines.len(), || source::check(name, &lines, &pieces), || format_pieces(&pieces));
    checked?;
    // If brackets do not match, a new line break can change which tokens form a statement.
    for _ in 0..MAX_PASSES {
        if role::roles(&pieces).unmatched.is_empty() {
            break;
        }
        let again = format_pieces(&piece::pieces(&formatted));
        if again == formatted {
            break;
        }
        formatted = again;
    }
    if !same_tokens(&pieces, &formatted) {
        return Err(FormatError::Changed);
    }
    if is_crlf {
        formatted = formatted.replace('\n', "\r\n");
    }
    Ok(format!("{mark}{formatted}"))
}

/// Runs two functions, in parallel if the text is long.
fn join<A: Send, B>(length: usize, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B) -> (A, B) {
    if length < MIN_PARALLEL_BYTES {
        return (a(), b());
    }
    std::thread::scope(|scope| {
        let a = scope.spawn(a);
        let b = b();
        match a.join() {
            Ok(a) => (a, b),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn format_pieces(pieces: &[Piece<'_>]) -> String {
    let roles = role::roles(pieces);
    let mut wraps = vec![Wrap::Keep; pieces.len()];
    let mut rounds = 0;
    loop {
        let lines = layout::lines(pieces, &roles, &wraps);
        let mut gaps = column::gaps(pieces, &roles, &lines);
        align::align(pieces, &roles, &lines, &mut gaps);
        let columns = column::columns(pieces, &lines, &gaps);
        let mut is_done = true;
        for (index, line) in lines.iter().enumerate() {
            let breaks = wrap::breaks(pieces, &roles, line, &columns);
            for &at in &breaks.before {
                wraps[at] = Wrap::Break;
                is_done = false;
            }
            let next = lines.get(index + 1).filter(|_| rounds < MAX_ROUNDS);
            if let Some(next) = next.filter(|next| breaks.joins(pieces, line, next, &columns)) {
                wraps[next.first] = Wrap::Join;
            }
        }
        rounds += 1;
        if is_done || rounds > 2 * MAX_ROUNDS {
            return emit::emit(pieces, &lines, &gaps);
        }
    }
}

/// Returns whether the pieces of a text equal `a`, except for white space in comments.
fn same_tokens(a: &[Piece<'_>], text: &str) -> bool {
    let same = |(a, b): (&Piece<'_>, &Piece<'_>)| {
        a.kind == b.kind
            && match a.kind {
                PieceKind::LineComment => a.text.trim_end() == b.text.trim_end(),
                PieceKind::BlockComment => {
                    let lines = [a.text, b.text].map(|text| text.split('\n').map(str::trim));
                    let [a, b] = lines;
                    a.eq(b)
                }
                _ => a.text == b.text,
            }
    };
    let b = pieces(text);
    a.len() == b.len() && a.iter().zip(&b).all(same)
}
