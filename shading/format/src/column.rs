//! Columns of pieces in formatted lines.

use crate::line::Line;
use crate::piece::Piece;
use crate::role::Roles;
use crate::space::gap;

/// Returns the white space between each piece and the previous one on its line [columns], before alignment.
pub(crate) fn gaps(pieces: &[Piece<'_>], roles: &Roles, lines: &[Line]) -> Vec<usize> {
    let mut gaps = vec![0; pieces.len()];
    for line in lines {
        for at in line.first + 1..line.end {
            let before = (&pieces[at - 1], roles.list[at - 1]);
            gaps[at] = gap(before, (&pieces[at], roles.list[at]));
        }
    }
    gaps
}

pub(crate) fn columns(pieces: &[Piece<'_>], lines: &[Line], gaps: &[usize]) -> Vec<usize> {
    let mut columns = vec![0; pieces.len()];
    for line in lines {
        let mut column = indentation(line, &columns);
        for at in line.first..line.end {
            column += gaps[at];
            columns[at] = column;
            column = end(column, pieces[at].text);
        }
    }
    columns
}

/// Returns the indentation of a line [columns].
pub(crate) fn indentation(line: &Line, columns: &[usize]) -> usize {
    let own = line.indent.columns + line.indent.under.map_or(0, |at| columns[at]);
    let anchor = line.anchor.filter(|anchor| columns[anchor.piece] >= own + anchor.min_distance);
    anchor.map_or(own, |anchor| columns[anchor.piece])
}

/// Returns the column after a text that begins at `column`.
pub(crate) fn end(column: usize, text: &str) -> usize {
    match text.rfind('\n') {
        Some(at) => text[at + 1..].chars().count(),
        None if text.is_ascii() => column + text.len(),
        None => column + text.chars().count(),
    }
}
