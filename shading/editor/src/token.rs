//! Tokens of a text, whatever is wrong with it: what is around the cursor is found by them while an item is typed.

use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string, with its quotes; one without an end reaches to the end of the line.
    Text,
    /// A comment.
    Comment,
    /// A line of the preprocessor.
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

/// Splits a text into tokens, comments included.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut list = vec![];
    let mut at = 0;
    let mut line_start = true;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() || c == '\u{feff}' {
            line_start |= c == '\n' || c == '\r';
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = token(&text[at..], c, line_start);
        list.push(Token {
            kind,
            range: at..at + length,
        });
        at += length;
        line_start = false;
    }
    list
}

fn token(rest: &str, first: char, line_start: bool) -> (TokenKind, usize) {
    match first {
        '#' if line_start => (TokenKind::Directive, directive(rest)),
        '/' if rest.starts_with("//") => (TokenKind::Comment, line(rest)),
        '/' if rest.starts_with("/*") => {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            (TokenKind::Comment, end)
        }
        '"' => (TokenKind::Text, string(rest)),
        c if is_word(c) && !c.is_ascii_digit() => (TokenKind::Word, run(rest, is_word)),
        c if c.is_ascii_digit() || c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            (TokenKind::Number, number(rest))
        }
        c => (TokenKind::Sign, c.len_utf8()),
    }
}

/// Returns whether a character is part of names.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn run(rest: &str, is_part: impl Fn(char) -> bool) -> usize {
    rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())
}

fn line(rest: &str) -> usize {
    rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// Length of a line with those that continue it after a backslash.
fn directive(rest: &str) -> usize {
    let mut end = line(rest);
    while rest[..end].ends_with('\\') && end < rest.len() {
        let next = end + if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        end = next + line(&rest[next..]);
    }
    end
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

fn number(rest: &str) -> usize {
    let mut before = ' ';
    let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    let is_part = |c: char| {
        let is_sign = (c == '-' || c == '+') && !is_hex && (before == 'e' || before == 'E');
        before = c;
        is_word(c) || c == '.' || is_sign
    };
    let mut is_part = is_part;
    rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_tokens() {
        let text = "#define A \\\n 1\nfloat x1=.5e-3f; \"a\\\"b\" /* é */ \"open\n// end\n0xfe-1 a.b 1..2 €";
        let found: Vec<&str> = tokens(text)
            .iter()
            .map(|token| &text[token.range.clone()])
            .collect();
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
