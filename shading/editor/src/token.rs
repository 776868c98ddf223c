//! Tokens of a text, for the context of a cursor in an item that may not parse.

use std::ops::Range;

use shading_syntax::token::{self, TokenKind as Scanned};

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string with its quotes; a string without an end extends to the end of the line.
    Text,
    /// A comment.
    Comment,
    /// A preprocessor directive.
    Directive,
    /// A sign.
    Sign,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind.
    pub kind: TokenKind,
    /// Bytes.
    pub range: Range<usize>,
}

/// Splits a text into tokens, comments included. Each sign is one character, so that brackets can be matched.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut list = vec![];
    let mut end = 0;
    for token in token::tokens(text) {
        let range = token.range;
        if range.start < end {
            continue;
        }
        let kind = match token.kind {
            Scanned::Space | Scanned::Newline | Scanned::Splice | Scanned::Nothing => continue,
            Scanned::Comment => TokenKind::Comment,
            Scanned::Directive => TokenKind::Directive,
            Scanned::Name => TokenKind::Word,
            Scanned::Number => TokenKind::Number,
            Scanned::String => TokenKind::Text,
            Scanned::Char => TokenKind::Sign,
            Scanned::Punctuation if text[range.clone()].starts_with('"') => {
                end = range.start + line(&text[range.start..]);
                list.push(Token { kind: TokenKind::Text, range: range.start..end });
                continue;
            }
            Scanned::Punctuation => {
                list.extend(signs(text, range));
                continue;
            }
        };
        list.push(Token { kind, range });
    }
    list
}

/// Returns the characters of an operator, without a byte order mark.
fn signs(text: &str, range: Range<usize>) -> impl Iterator<Item = Token> {
    let characters = text[range.clone()].char_indices();
    let characters = characters.filter(|&(_, c)| c != '\u{feff}');
    characters.map(move |(at, c)| Token {
        kind: TokenKind::Sign,
        range: range.start + at..range.start + at + c.len_utf8(),
    })
}

/// Returns whether a character may be part of a name.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn line(rest: &str) -> usize {
    rest.find(['\n', '\r']).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_tokens() {
        let text = "#define A \\\n 1\nfloat x1=.5e-3f; \"a\\\"b\" /* é */ \"open\n// end\n0xfe-1 a.b 1..2 €";
        let found: Vec<&str> = tokens(text).iter().map(|token| &text[token.range.clone()]).collect();
        let expected = [
            "#define A \\\n 1",
            "float",
            "x1",
            "=",
            ".5e-3f",
            ";",
            "\"a\\\"b\"",
            "/* é */",
            "\"open",
            "// end",
            "0xfe",
            "-",
            "1",
            "a",
            ".",
            "b",
            "1..2",
            "€",
        ];
        assert_eq!(found, expected);
    }
}
