//! Texts that can be formatted: those that parse, and those with complete strings, comments and brackets that the
//! preprocessor makes into what parses.

use shading_syntax::diagnostic::{Diagnostic, Diagnostics, Label};
use shading_syntax::parse;
use shading_syntax::source::Source;

use crate::error::FormatError;
use crate::piece::{Piece, PieceKind, pieces};
use crate::role::roles;

/// Finds the errors that keep a text from being formatted.
pub(crate) fn check(name: &str, text: &str) -> Result<(), FormatError> {
    let pieces = pieces(text);
    let is_preprocessed = pieces.iter().any(|piece| {
        piece.kind == PieceKind::Directive
            || piece.text == "import"
            || piece.kind != PieceKind::BlockComment && piece.text.contains('\n')
    }) || text.contains("\\\n");
    let diagnostics = if is_preprocessed {
        incomplete(name, text, &pieces)
    } else {
        parse(Source::new(name, text)).1
    };
    if diagnostics.has_errors() {
        return Err(FormatError::Syntax(diagnostics));
    }
    Ok(())
}

/// Strings and comments without an end, and brackets without their other one, if no condition explains them.
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
        let is_open = piece.text.len() < 4 || !piece.text.ends_with("*/");
        match piece.kind {
            PieceKind::BlockComment if is_open => {
                report(piece, "comment without an end".to_owned());
                return diagnostics;
            }
            PieceKind::Sign if piece.text == "\"" => open.push(piece),
            PieceKind::Directive => has_conditions |= piece.text[1..].trim_start().starts_with("if"),
            _ => {}
        }
    }
    // What a condition leaves out need not be complete.
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
