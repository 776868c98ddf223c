//! Edits that turn a text into its formatted text.

use std::ops::Range;

use crate::piece::{Piece, pieces};

/// An edit: white space, or a comment that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Replaced bytes of the text.
    pub range: Range<usize>,
    /// New text.
    pub text: String,
}

/// Returns the edits that turn the text `old` into `new`, which has the same tokens. Edits do not include unchanged text.
pub fn edits(old: &str, new: &str) -> Vec<Edit> {
    let (before, after) = (pieces(old), pieces(new));
    // The scanner of tokens does not treat a lone carriage return as a line end.
    if before.len() != after.len() || old.replace("\r\n", "").contains('\r') {
        return vec![Edit { range: 0..old.len(), text: new.to_owned() }];
    }
    let mut list = vec![];
    let (mut old_end, mut new_end) = (0, 0);
    let mut compare = |old_range: Range<usize>, new_range: Range<usize>| {
        if old[old_range.clone()] != new[new_range.clone()] {
            list.push(Edit { range: old_range, text: new[new_range].to_owned() });
        }
    };
    for (a, b) in before.iter().zip(&after) {
        compare(old_end..a.start, new_end..b.start);
        let end = |piece: &Piece<'_>| piece.start + piece.text.len();
        compare(a.start..end(a), b.start..end(b));
        (old_end, new_end) = (end(a), end(b));
    }
    compare(old_end..old.len(), new_end..new.len());
    list
}

/// A changed line of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineChange<'a> {
    /// A removed line, with its number from 1.
    Old(usize, &'a str),
    /// An added line.
    New(&'a str),
}

/// Returns the lines that differ between a text and its formatted text.
pub fn changes<'a>(old: &'a str, new: &'a str) -> Vec<LineChange<'a>> {
    let (old, new) = (rows(old), rows(new));
    let mut list = vec![];
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => (i, j) = (i + 1, j + 1),
            // Lines of both texts are in the order of their tokens.
            (Some(a), b) if b.is_none_or(|b| a.0 <= b.0) => {
                list.push(LineChange::Old(i + 1, a.1));
                i += 1;
            }
            (_, Some(b)) => {
                list.push(LineChange::New(b.1));
                j += 1;
            }
            (_, None) => break,
        }
    }
    list
}

/// Lines of a text, each with the number of tokens that begin before the line.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let pieces = pieces(text);
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        while pieces.get(at).is_some_and(|piece| piece.start < start) {
            at += 1;
        }
        (at, line.trim_end_matches(['\n', '\r']))
    });
    lines.collect()
}
