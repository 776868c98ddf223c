//! Preprocessor tokens with their source locations.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::source::FileIndex;
use crate::token::{TokenKind, is_space, splice};

/// A token. Tokens of a file carry their text only if they belong to a macro use or name a macro.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: Arc<str>,
    /// File in which it was written.
    pub(super) file: FileIndex,
    pub(super) range: Range<u32>,
    /// True if white space precedes it.
    pub(super) spaced: bool,
    /// Hide set: macros that the token came from, which are not expanded in it again.
    pub(super) hidden: Arc<[Arc<str>]>,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        &*self.text == text && self.kind != TokenKind::String
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind == TokenKind::Name
    }

    /// Returns whether the token is white space or a comment.
    pub(super) fn is_space(&self) -> bool {
        is_space(self.kind)
    }

    /// Returns another token at the same location.
    pub(super) fn with_text(&self, kind: TokenKind, text: &str) -> Token {
        Token { kind, text: text.into(), ..self.clone() }
    }
}

/// Returns a text with line splices removed.
pub(super) fn unspliced(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        joined.push_str(&rest[..at]);
        match splice(&rest.as_bytes()[at..]) {
            Some(length) => rest = &rest[at + length..],
            None => {
                // The character after the backslash is part of the escape.
                let end = rest[at + 1..].chars().next().map_or(rest.len(), |c| at + 1 + c.len_utf8());
                joined.push_str(&rest[at..end]);
                rest = &rest[end..];
            }
        }
    }
    joined.push_str(rest);
    Cow::Owned(joined)
}

/// Returns whether two texts need white space between them to remain separate tokens.
pub(super) fn need_space(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let is_operator = |c: char| "+-*/%<>=!&|^#:.[".contains(c);
    is_word(before) && is_word(after) || is_operator(before) && is_operator(after)
}
