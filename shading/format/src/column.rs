//! Columns of the pieces of formatted lines.

use crate::line::Line;
use crate::piece::Piece;
use crate::role::Roles;
use crate::space::gap;

/// Columns between each piece and the one before it on its line, without alignment.
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

/// The column of each piece.
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

/// Columns before the first piece of a line, by the columns of the lines before it.
pub(crate) fn indentation(line: &Line, columns: &[usize]) -> usize {
    let own = line.indent.columns + line.indent.under.map_or(0, |at| columns[at]);
    let above = line
        .above
        .filter(|above| columns[above.piece] >= own + above.least);
    above.map_or(own, |above| columns[above.piece])
}

/// The column behind a text that begins at a column.
pub(crate) fn end(column: usize, text: &str) -> usize {
    match text.rfind('\n') {
        Some(at) => text[at + 1..].chars().count(),
        None if text.is_ascii() => column + text.len(),
        None => column + text.chars().count(),
    }
}
