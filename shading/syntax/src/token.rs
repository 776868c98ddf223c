//! Tokens of a source text as written, white space and comments included, for the preprocessor, editors and the formatter.

use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// White space within a line.
    Space,
    /// The end of a line.
    Newline,
    /// Line splice: a backslash at the end of a line, with the line end.
    Splice,
    /// A comment; a block comment without an end reaches to the end of the text.
    Comment,
    /// A preprocessor directive with its continuation lines, without the line end. Only [`tokens`] returns it.
    Directive,
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// A string, with its quotes.
    String,
    /// A single character in quotes.
    Char,
    /// An operator, a bracket, or any other character.
    Punctuation,
    /// Placemarker: an empty argument next to `##`. Only the preprocessor creates it.
    Nothing,
}

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind.
    pub kind: TokenKind,
    /// Bytes.
    pub range: Range<usize>,
}

/// Names of the language's types.
pub const TYPES: [&str; 13] = [
    "int",
    "bool",
    "float",
    "double",
    "color",
    "point",
    "vector",
    "normal",
    "matrix",
    "string",
    "void",
    "texture2d",
    "closure",
];

/// Keywords of units, structures and groups. They begin an item at the start of a line if a name follows.
pub const ITEM_WORDS: [&str; 7] =
    ["shader", "surface", "displacement", "volume", "background", "struct", "group"];

/// Splits a text into tokens; each byte belongs to one token.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut list = vec![];
    let (mut at, mut at_line_start) = (0, true);
    while at < text.len() {
        let (mut kind, mut end) = scan(text, at);
        if at_line_start && kind == TokenKind::Punctuation && &text[at..end] == "#" {
            (kind, end) = (TokenKind::Directive, directive_end(text, end));
        }
        at_line_start = kind == TokenKind::Newline || at_line_start && is_space(kind);
        list.push(Token { kind, range: at..end });
        at = end;
    }
    list
}

/// Returns the end of a preprocessor line without the white space before its line end.
fn directive_end(text: &str, mut at: usize) -> usize {
    let mut end = at;
    while at < text.len() {
        let (kind, next) = scan(text, at);
        match kind {
            TokenKind::Newline => break,
            TokenKind::Space => {}
            _ => end = next,
        }
        at = next;
    }
    end
}

/// Returns whether tokens of that kind are white space or comments.
pub(crate) fn is_space(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(kind, K::Space | K::Newline | K::Splice | K::Comment)
}

/// Operators of more than one character.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "...", "##", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "->", "::", "[[",
];

/// Returns the kind and end of the token at byte `at`, which must not be the end of the text. Lines of the preprocessor
/// are not recognised.
pub fn scan(text: &str, at: usize) -> (TokenKind, usize) {
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
pub(crate) fn splice(rest: &[u8]) -> Option<usize> {
    let spaces = rest[1..].iter().take_while(|&&b| matches!(b, b' ' | b'\t' | b'\r')).count();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_in_a_token() {
        let text = "#define A /* 1\n2 */ \\\n 3 \nfloat x1=.5e-3f; \"a\\\"b\" /* é */ \"open\n// end\n0xfe-1 a.b \r\n # if €\r";
        let list = tokens(text);
        let mut at = 0;
        for token in &list {
            assert_eq!(token.range.start, at);
            at = token.range.end;
        }
        assert_eq!(at, text.len());
        let directives: Vec<&str> = list
            .iter()
            .filter(|token| token.kind == TokenKind::Directive)
            .map(|token| &text[token.range.clone()])
            .collect();
        assert_eq!(directives, ["#define A /* 1\n2 */ \\\n 3", "# if €"]);
    }
}
