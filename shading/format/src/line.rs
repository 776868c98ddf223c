//! Lines of the formatted text.

use crate::frame::Indent;
use crate::piece::Piece;
use crate::role::BlockKind;

/// A line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Its first piece.
    pub(crate) first: usize,
    /// The piece behind its last.
    pub(crate) end: usize,
    /// True if an empty line precedes it.
    pub(crate) blank: bool,
    pub(crate) indent: Indent,
    /// The comment or string that it begins below, instead of at its indentation.
    pub(crate) above: Option<Above>,
    /// True if a statement, a parameter or a key begins with it.
    pub(crate) is_item: bool,
    /// True if it begins in brackets other than those of a block.
    pub(crate) in_bracket: bool,
    /// What it is part of.
    pub(crate) scope: BlockKind,
}

/// A comment at the end of a line, or a string, with which those on the lines below it are aligned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above {
    /// The comment or string.
    pub(crate) piece: usize,
    /// Columns that it is at least to the right of the indentation.
    pub(crate) least: usize,
}

/// A change of the lines of the source at a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// None.
    Keep,
    /// A line begins with it, as the line before would be too long.
    Break,
    /// It goes on with the line before, of which a part is a line of its own.
    Join,
}

/// For each piece the index of the next one that is code.
pub(crate) fn next_code(pieces: &[Piece<'_>]) -> Vec<usize> {
    let mut next = pieces.len();
    let mut list = vec![next; pieces.len()];
    for at in (0..pieces.len()).rev() {
        list[at] = next;
        if pieces[at].is_code() {
            next = at;
        }
    }
    list
}

/// For each piece the number of line ends before it.
pub(crate) fn heights(pieces: &[Piece<'_>]) -> Vec<usize> {
    let mut height = 0;
    pieces
        .iter()
        .map(|piece| {
            height += piece.newlines;
            let at = height;
            height += piece.text.matches('\n').count();
            at
        })
        .collect()
}
