//! Lines of the formatted text.

use crate::frame::Indent;
use crate::piece::Piece;
use crate::role::BlockKind;

/// A line, as a range of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Index of the first piece.
    pub(crate) first: usize,
    /// Index after the last piece.
    pub(crate) end: usize,
    /// True if an empty line precedes the line.
    pub(crate) blank: bool,
    pub(crate) indent: Indent,
    /// Comment or string of an earlier line whose column replaces the indentation.
    pub(crate) anchor: Option<AlignmentAnchor>,
    /// True if a statement, a parameter or a key begins the line.
    pub(crate) is_item: bool,
    /// True if the line begins in brackets other than those of a block.
    pub(crate) in_bracket: bool,
    /// Enclosing block.
    pub(crate) scope: BlockKind,
}

/// Comment at the end of a line, or string, that aligns the comments or strings on the following lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlignmentAnchor {
    /// Index of the comment or string.
    pub(crate) piece: usize,
    /// Minimum distance of the comment or string from the indentation [columns].
    pub(crate) min_distance: usize,
}

/// Change of the source's line ends before a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// Keeps the line end of the source.
    Keep,
    /// Adds a line end because the line is too long.
    Break,
    /// Removes the line end, because the previous line was broken.
    Join,
}

/// Returns, for each piece, the index of the next piece of code.
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

/// Returns, for each piece, the number of line ends before the piece.
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
