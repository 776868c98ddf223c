//! Syntax errors, with their messages.

use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SyntaxError {
    /// The text exceeds the maximum size of a source.
    TooLong,
    /// Brackets are nested too deeply.
    TooDeep(usize),
    /// An expression or a chain of `else if` is too long.
    TooComplex,
    /// A closing bracket without an opening one.
    NothingToClose(char),
    /// An opening bracket without a closing one.
    NotClosed(char),
    /// A string without a closing quote on its line.
    StringNotClosed,
    /// `/*` without `*/`.
    CommentNotClosed,
    /// A misplaced or unknown preprocessor line.
    Directive(String),
    /// An unexpected token.
    Expected {
        /// Description of the expected syntax; literals are quoted.
        expected: String,
        /// Token that it should follow, if this is more helpful than the token found.
        after: Option<String>,
        /// Token found.
        found: Option<String>,
        /// Hint.
        hint: Option<String>,
    },
    /// A number that no type can represent.
    BadNumber(String),
    /// A float literal that overflows to infinity.
    Infinite(String),
    /// Unknown escape sequence: `\q`.
    UnknownEscape(String),
    /// A form such as `f(a = 1)` in a context that does not allow it.
    Misplaced { what: &'static str, hint: &'static str },
}

impl SyntaxError {
    pub(super) fn diagnostic(self, sources: &SourceMap, span: Span) -> Diagnostic {
        let error = |message: &str| Diagnostic::error(message).at(sources, span, "");
        match self {
            SyntaxError::TooLong => Diagnostic::error("this text is too long for a source"),
            SyntaxError::TooDeep(limit) => error("brackets nest too deeply")
                .hint(format!("at most {limit} may be open at once; name a part of it")),
            SyntaxError::TooComplex => {
                error("this is nested too deeply").hint("split it into several statements")
            }
            SyntaxError::NothingToClose(bracket) => {
                error(&format!("there is no bracket to close with `{bracket}`"))
            }
            SyntaxError::NotClosed(bracket) => error(&format!("this `{bracket}` is never closed")),
            SyntaxError::StringNotClosed => {
                error("this string has no end").hint("a string ends with `\"` on the line where it begins")
            }
            SyntaxError::CommentNotClosed => error("this comment has no end").hint("it ends with `*/`"),
            SyntaxError::Directive(word) => error(&format!("`#{word}` is not allowed here"))
                .hint("shader sources (.ksl, .osl, .tsl) are preprocessed, scenes are not"),
            SyntaxError::Expected { expected, after, found, hint } => {
                let mut message = format!("expected {expected}");
                if let Some(after) = after {
                    message += &format!(" after {after}");
                }
                if let Some(found) = found {
                    message += &format!(", found {found}");
                }
                let diagnostic = error(&message);
                match hint {
                    Some(hint) => diagnostic.hint(hint),
                    None => diagnostic,
                }
            }
            SyntaxError::BadNumber(text) => {
                error(&format!("`{text}` is not a number that can be represented"))
            }
            SyntaxError::Infinite(text) => {
                Diagnostic::warning(format!("`{text}` is too large for a float: it is infinite"))
                    .at(sources, span, "")
            }
            SyntaxError::UnknownEscape(escape) => Diagnostic::warning(format!("unknown escape `{escape}`"))
                .at(sources, span, "")
                .hint("known are \\n \\t \\r \\\\ \\\" \\a \\b \\f \\v and octal \\123"),
            SyntaxError::Misplaced { what, hint } => error(what).hint(hint),
        }
    }
}
