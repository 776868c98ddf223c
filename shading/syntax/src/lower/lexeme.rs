//! Lexemes around an offset of a text that could not be parsed.

use std::ops::Range;

pub(super) fn is_type(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "bool"
            | "float"
            | "double"
            | "color"
            | "point"
            | "vector"
            | "normal"
            | "matrix"
            | "string"
            | "const"
    )
}

/// Returns whether a word belongs to the language.
pub(super) fn is_reserved(word: &str) -> bool {
    is_type(word)
        || matches!(
            word,
            "and"
                | "break"
                | "closure"
                | "continue"
                | "do"
                | "else"
                | "false"
                | "for"
                | "if"
                | "not"
                | "or"
                | "output"
                | "return"
                | "struct"
                | "texture2d"
                | "true"
                | "void"
                | "while"
        )
}

/// Returns the first byte at or after `at` that is neither white space nor comment.
pub(super) fn skip_space(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let comment = if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or(trimmed.len(), |n| n + 2)
        } else {
            return at;
        };
        at += comment;
    }
}

/// Returns the token at `at`.
pub(super) fn token(text: &str, at: usize, end: usize) -> Range<usize> {
    let rest = &text[at.min(end)..end];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = match rest.chars().next() {
        None => 0,
        Some('"') => rest[1..].find('"').map_or(rest.len(), |n| n + 2),
        Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        Some(c) => ["->", "::", "==", "&&", "||", "++", "--", "<<", ">>", "<=", ">="]
            .iter()
            .find(|pair| rest.starts_with(**pair))
            .map_or(c.len_utf8(), |pair| pair.len()),
    };
    at..at + length
}

/// Returns the tokens from the beginning of a text up to `at`.
pub(super) fn tokens(text: &str, at: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = skip_space(text, 0);
    std::iter::from_fn(move || {
        let range = (next < at).then(|| token(text, next, at))?;
        next = skip_space(text, range.end);
        (!range.is_empty()).then_some(range)
    })
}

/// Returns the last token that ends before `at`.
pub(super) fn previous_token(text: &str, at: usize) -> Option<Range<usize>> {
    tokens(text, at).last()
}

/// Returns whether only white space is before an offset on its line.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    text[..at].chars().rev().take_while(|c| c.is_whitespace()).any(|c| c == '\n')
}

pub(super) fn shorten(token: &str) -> String {
    match token.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}
