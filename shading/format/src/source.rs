//! Check of texts before they are formatted: syntax, or complete strings, comments and brackets if a text has directives.

use std::borrow::Cow;

use shading_syntax::diagnostic::{Diagnostic, Diagnostics, Label};
use shading_syntax::source::Source;
use shading_syntax::token::tokens;
use shading_syntax::{parse, parses};

use crate::error::FormatError;
use crate::piece::{Piece, PieceKind};
use crate::role::roles;

/// Returns the errors that prevent formatting.
pub(crate) fn check(name: &str, text: &str, pieces: &[Piece<'_>]) -> Result<(), FormatError> {
    let is_preprocessed = pieces.iter().any(|piece| piece.kind == PieceKind::Directive);
    let text = &*without_splices(text);
    if !is_preprocessed && parses(text) {
        return Ok(());
    }
    // Imported files can define macros, so the text alone may not parse.
    let has_macros = is_preprocessed || pieces.iter().any(|piece| piece.text == "import");
    let diagnostics = if has_macros {
        incomplete(name, text, pieces)
    } else {
        parse(Source::new(name, text)).1
    };
    if diagnostics.has_errors() {
        return Err(FormatError::Syntax(diagnostics));
    }
    Ok(())
}

/// Replaces line continuations (backslash and line end) by spaces, because the parser does not accept them.
fn without_splices(text: &str) -> Cow<'_, str> {
    let splice = |(at, _): (usize, &str)| {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let spaces = text.as_bytes()[at + 1..].iter().take_while(|byte| is_space(byte)).count();
        let end = at + 1 + spaces;
        text[end..].starts_with('\n').then_some(at..end + 1)
    };
    let mut list = text.match_indices('\\').filter_map(splice).peekable();
    if list.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut new, mut end) = (String::with_capacity(text.len()), 0);
    for range in list {
        new.push_str(&text[end..range.start]);
        new.extend(std::iter::repeat_n(' ', range.len()));
        end = range.end;
    }
    new.push_str(&text[end..]);
    Cow::Owned(new)
}

/// Returns whether a comment, or a comment in a preprocessor directive, has no end.
fn has_open_comment(text: &str) -> bool {
    let text = text.trim_start_matches('#');
    tokens(text).into_iter().any(|token| {
        let text = &text[token.range];
        text.starts_with("/*") && (text.len() < 4 || !text.ends_with("*/"))
    })
}

/// Reports strings and comments without an end, and unmatched brackets. Brackets and strings are not checked in a text with
/// conditions, since their branches need not be complete.
fn incomplete(name: &str, text: &str, pieces: &[Piece<'_>]) -> Diagnostics {
    let source = Source::new(name, text);
    let mut diagnostics = Diagnostics::default();
    let mut report = |piece: &Piece<'_>, message: String| {
        let mut diagnostic = Diagnostic::error(message);
        diagnostic.labels.push(Label {
            source: source.clone(),
            range: piece.start..piece.start + piece.text.len().min(2),
            text: String::new(),
        });
        diagnostics.push(diagnostic);
    };
    let (mut open, mut has_conditions) = (vec![], false);
    for piece in pieces {
        match piece.kind {
            PieceKind::BlockComment | PieceKind::Directive if has_open_comment(piece.text) => {
                report(piece, "comment without an end".to_owned());
                return diagnostics;
            }
            PieceKind::Sign if piece.text == "\"" => open.push(piece),
            PieceKind::Directive => has_conditions |= piece.text[1..].trim_start().starts_with("if"),
            _ => {}
        }
    }
    if !has_conditions {
        open.into_iter()
            .for_each(|piece| report(piece, "string without an end".to_owned()));
        for at in roles(pieces).unmatched {
            let piece = &pieces[at];
            report(piece, format!("`{}` without its other bracket", piece.text));
        }
    }
    diagnostics
}
