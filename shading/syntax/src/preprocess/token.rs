//! Preprocessor tokens with their source locations.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::source::FileIndex;

/// Kinds of preprocessor tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// White space within a line.
    Space,
    /// The end of a line.
    Newline,
    /// Line splice: a backslash at the end of a line, with the line end.
    Splice,
    Comment,
    Name,
    Number,
    String,
    /// A single character in quotes.
    Char,
    Punctuation,
    /// Placemarker: an empty argument beside `##`.
    Nothing,
}

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
        Token {
            kind,
            text: text.into(),
            ..self.clone()
        }
    }
}

/// Returns whether tokens of that kind are white space or comments.
pub(super) fn is_space(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(kind, K::Space | K::Newline | K::Splice | K::Comment)
}

/// Operators of more than one character.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "...", "##", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "->", "::", "[[",
];

/// Returns the kind and end of the token at byte `at`, which must not be the end of the text.
pub(super) fn scan(text: &str, at: usize) -> (TokenKind, usize) {
    use TokenKind as K;
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    let run = |start: usize, is_part: fn(u8) -> bool| {
        start + bytes[start..].iter().take_while(|&&b| is_part(b)).count()
    };
    match rest[0] {
        b'\n' => (K::Newline, at + 1),
        b'\\' if splice(rest).is_some() => (K::Splice, at + splice(rest).unwrap_or(1)),
        b'/' if rest.get(1) == Some(&b'/') => (K::Comment, line_comment_end(bytes, at)),
        b'/' if rest.get(1) == Some(&b'*') => {
            let end = text[at + 2..].find("*/").map_or(text.len(), |n| at + n + 4);
            (K::Comment, end)
        }
        b'"' => quoted(bytes, at, b'"').map_or((K::Punctuation, at + 1), |end| (K::String, end)),
        b'\'' => quoted(bytes, at, b'\'').map_or((K::Punctuation, at + 1), |end| (K::Char, end)),
        b if b.is_ascii_alphabetic() || b == b'_' => {
            (K::Name, run(at, |b| b.is_ascii_alphanumeric() || b == b'_'))
        }
        b if b.is_ascii_digit() || (b == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit)) => {
            (K::Number, number_end(bytes, at))
        }
        b if b.is_ascii_whitespace() => (K::Space, run(at, |b| b.is_ascii_whitespace() && b != b'\n')),
        _ => {
            let operator = OPERATORS.iter().find(|op| rest.starts_with(op.as_bytes()));
            let length = match operator {
                Some(op) => op.len(),
                None => text[at..].chars().next().map_or(1, char::len_utf8),
            };
            (K::Punctuation, at + length)
        }
    }
}

/// Returns the length of a line splice (backslash and line end) at the start of `rest`.
fn splice(rest: &[u8]) -> Option<usize> {
    let spaces = rest[1..]
        .iter()
        .take_while(|&&b| matches!(b, b' ' | b'\t' | b'\r'))
        .count();
    (rest.get(1 + spaces) == Some(&b'\n')).then_some(spaces + 2)
}

/// Returns the end of a line comment; a line splice continues it on the next line.
fn line_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < bytes.len() && bytes[end] != b'\n' {
        end += splice(&bytes[end..]).filter(|_| bytes[end] == b'\\').unwrap_or(1);
    }
    end
}

/// Returns the end of a quoted text that is closed on its (logical) line.
fn quoted(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut end = at + 1;
    loop {
        match *bytes.get(end)? {
            b'\n' => return None,
            b'\\' => end += splice(&bytes[end..]).unwrap_or(2),
            b if b == quote => return Some(end + 1),
            _ => end += 1,
        }
    }
}

/// Returns the end of a preprocessing number of C.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&b) = bytes.get(end) {
        let is_sign = matches!(b, b'+' | b'-')
            && matches!(bytes[end - 1], b'e' | b'E')
            && !bytes[at..].starts_with(b"0x")
            && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || is_sign) {
            break;
        }
        end += 1;
    }
    end
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
                let end = rest[at + 1..]
                    .chars()
                    .next()
                    .map_or(rest.len(), |c| at + 1 + c.len_utf8());
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
