//! Pieces of a text: its tokens without white space, each with the white space that precedes it in the source.

use shading_syntax::token::{Token, TokenKind, tokens};

/// Width of a tab in the source, where columns are compared.
const TAB: usize = 4;

/// Kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character.
    Text,
    /// An operator, a bracket, or any other character.
    Sign,
    /// A comment to the end of its line.
    LineComment,
    /// A comment with an end of its own.
    BlockComment,
    /// A line of the preprocessor with those that continue it.
    Directive,
}

/// A token with its surroundings in the source.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) kind: PieceKind,
    pub(crate) text: &'a str,
    /// Byte in the source.
    pub(crate) start: usize,
    /// Line ends between the piece before it and this one.
    pub(crate) newlines: usize,
    /// Columns of white space before it on its line.
    pub(crate) gap: usize,
    /// Column in the source, from 0.
    pub(crate) column: usize,
}

impl Piece<'_> {
    pub(crate) fn is_comment(&self) -> bool {
        matches!(self.kind, PieceKind::LineComment | PieceKind::BlockComment)
    }

    pub(crate) fn is_word(&self) -> bool {
        self.kind == PieceKind::Word
    }

    /// Returns whether the line ends behind it, whatever follows.
    pub(crate) fn ends_line(&self) -> bool {
        matches!(self.kind, PieceKind::LineComment | PieceKind::Directive)
    }

    /// Returns whether it is no comment and no line of the preprocessor.
    pub(crate) fn is_code(&self) -> bool {
        !self.is_comment() && self.kind != PieceKind::Directive
    }
}

/// Splits a text into pieces. A mark of the byte order at its start is white space.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut list: Vec<Piece<'_>> = vec![];
    let (mut newlines, mut gap, mut column) = (0, 0, 0);
    for token in tokens(text) {
        let slice = &text[token.range.clone()];
        let is_mark = slice == "\u{feff}" && token.range.start == 0;
        let kind = match token.kind {
            TokenKind::Newline => {
                newlines += 1;
                (gap, column) = (0, 0);
                continue;
            }
            TokenKind::Space | TokenKind::Splice => {
                let end = advance(column, slice);
                gap += end.saturating_sub(column).max(1);
                column = end;
                continue;
            }
            TokenKind::Nothing => continue,
            _ if is_mark => continue,
            TokenKind::Comment if slice.starts_with("//") => PieceKind::LineComment,
            TokenKind::Comment => PieceKind::BlockComment,
            TokenKind::Directive => PieceKind::Directive,
            TokenKind::Name => PieceKind::Word,
            TokenKind::Number => PieceKind::Number,
            TokenKind::String | TokenKind::Char => PieceKind::Text,
            TokenKind::Punctuation => PieceKind::Sign,
        };
        list.push(Piece {
            kind,
            text: slice,
            start: token.range.start,
            newlines,
            gap,
            column,
        });
        column = advance(column, slice);
        (newlines, gap) = (0, 0);
        join(text, &mut list);
    }
    list
}

/// Joins the signs of metadata that the scanner splits: `]]`, `<<<` and `>>>`.
fn join<'a>(text: &'a str, list: &mut Vec<Piece<'a>>) {
    let [.., first, second] = list.as_slice() else {
        return;
    };
    let is_joined = match (first.text, second.text) {
        ("<<", "<") | (">>", ">") => true,
        ("]", "]") => open_bracket(list),
        _ => false,
    };
    let [.., first, second] = list.as_mut_slice() else {
        return;
    };
    if is_joined && second.newlines == 0 && second.gap == 0 {
        first.text = &text[first.start..second.start + second.text.len()];
        list.pop();
    }
}

/// Returns whether the last two pieces, which are brackets, close metadata and not two indices.
fn open_bracket(list: &[Piece<'_>]) -> bool {
    let mut depth = 0_usize;
    // Metadata is short; what is longer is none, and would take long in a text of brackets alone.
    for piece in list.iter().rev().skip(2).take(1 << 12) {
        match piece.text {
            "]" => depth += 1,
            "[" if depth == 0 => return false,
            "[" => depth -= 1,
            "[[" => return depth == 0,
            _ => {}
        }
    }
    false
}

/// The column behind a text.
fn advance(column: usize, text: &str) -> usize {
    match text.rfind('\n') {
        Some(at) => width(0, &text[at + 1..]),
        None => width(column, text),
    }
}

fn width(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        '\r' => column,
        _ => column + 1,
    })
}

/// Returns whether two texts without white space between them are not the same two tokens.
pub(crate) fn fuse(before: &str, after: &str) -> bool {
    let never = |text: &str| matches!(text, "(" | ")" | "," | ";" | "{" | "}" | "]");
    if never(before) || never(after) {
        return false;
    }
    let text = format!("{before}{after}");
    let first = tokens(&text).first().map(|token: &Token| token.range.end);
    first != Some(before.len())
}
