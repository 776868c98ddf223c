//! Pieces of a text: its tokens, each with the white space before it.

use shading_syntax::token::{Token, TokenKind, tokens};

/// Columns of a tab stop in the source.
const TAB: usize = 4;

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
    /// A preprocessor directive with its continuation lines.
    Directive,
}

/// A token with its surroundings in the source.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) kind: PieceKind,
    pub(crate) text: &'a str,
    /// Byte in the source.
    pub(crate) start: usize,
    /// Line ends between the previous piece and this one.
    pub(crate) newlines: usize,
    /// White space before the piece on its line [columns].
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

    /// Returns whether a line end must follow the piece.
    pub(crate) fn ends_line(&self) -> bool {
        matches!(self.kind, PieceKind::LineComment | PieceKind::Directive)
    }

    /// Returns whether the piece is neither a comment nor a preprocessor directive.
    pub(crate) fn is_code(&self) -> bool {
        !self.is_comment() && self.kind != PieceKind::Directive
    }
}

/// Splits a text into pieces. A byte order mark at the start is white space.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut list: Vec<Piece<'_>> = vec![];
    let mut joiner = Joiner::default();
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
        joiner.follow(text, &mut list);
    }
    list
}

/// Joins the tokens of metadata that the scanner splits: `]]`, `<<<` and `>>>`.
#[derive(Default)]
struct Joiner {
    /// Open `[` and `[[`; true for `[[`.
    open: Vec<bool>,
    /// True if the last piece is `]` and may be the first half of `]]`.
    is_half: bool,
}

impl Joiner {
    fn follow<'a>(&mut self, text: &'a str, list: &mut Vec<Piece<'a>>) {
        let is_half = std::mem::take(&mut self.is_half);
        match list.last().map_or("", |piece| piece.text) {
            "[" => self.open.push(false),
            "[[" => self.open.push(true),
            "]" if is_half && join(text, list) => _ = self.open.pop(),
            "]" => match self.open.last() {
                Some(true) => self.is_half = true,
                Some(false) => _ = self.open.pop(),
                None => {}
            },
            "<" if before(list) == "<<" => _ = join(text, list),
            ">" if before(list) == ">>" => _ = join(text, list),
            _ => {}
        }
    }
}

/// Returns the text of the last piece but one.
fn before<'a>(list: &[Piece<'a>]) -> &'a str {
    list.iter().nth_back(1).map_or("", |piece| piece.text)
}

/// Joins the last two pieces if no white space is between them; returns whether it did.
fn join<'a>(text: &'a str, list: &mut Vec<Piece<'a>>) -> bool {
    let [.., first, second] = list.as_mut_slice() else {
        return false;
    };
    let is_adjacent = second.newlines == 0 && second.gap == 0;
    if is_adjacent {
        first.text = &text[first.start..second.start + second.text.len()];
        list.pop();
    }
    is_adjacent
}

/// Returns the column after a text.
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

/// Returns whether two texts without white space between them would be scanned as other tokens.
pub(crate) fn fuse(before: &str, after: &str) -> bool {
    let never = |text: &str| matches!(text, "(" | ")" | "," | ";" | "{" | "}" | "]");
    if never(before) || never(after) {
        return false;
    }
    if before.ends_with('.') && after.starts_with('.') {
        return true;
    }
    let text = format!("{before}{after}");
    let first = tokens(&text).first().map(|token: &Token| token.range.end);
    first != Some(before.len())
}
