//! Output of formatted lines.

use crate::column::{columns, indentation};
use crate::line::Line;
use crate::piece::{Piece, PieceKind};

/// Returns the text of the lines, with `
/// ` as line ends.
pub(crate) fn emit(pieces: &[Piece<'_>], lines: &[Line], gaps: &[usize]) -> String {
    let columns = columns(pieces, lines, gaps);
    let mut text = String::new();
    for line in lines {
        if line.blank {
            text.push('\n');
        }
        spaces(&mut text, indentation(line, &columns));
        for at in line.first..line.end {
            spaces(&mut text, gaps[at]);
            push_piece(&mut text, &pieces[at], columns[at]);
        }
        text.push('\n');
    }
    // After a backslash, a line end would continue the line.
    if pieces.last().is_some_and(|piece| piece.text.ends_with('\\')) {
        text.pop();
    }
    text
}

fn spaces(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n(' ', count));
}

fn push_piece(text: &mut String, piece: &Piece<'_>, column: usize) {
    match piece.kind {
        PieceKind::LineComment if !piece.text.contains('\n') => text.push_str(piece.text.trim_end()),
        PieceKind::BlockComment if piece.text.contains('\n') => push_comment(text, piece, column),
        _ => text.push_str(piece.text),
    }
}

/// Writes a comment of several lines. The lines move with the first one unless their indentation is too small.
fn push_comment(text: &mut String, piece: &Piece<'_>, column: usize) {
    let mut lines = piece.text.split('\n');
    text.push_str(lines.next().unwrap_or_default().trim_end());
    let rest: Vec<&str> = lines.map(str::trim_end).collect();
    let written = |line: &str| line.len() - line.trim_start().len();
    let is_plain = rest
        .iter()
        .all(|line| line.bytes().take(written(line)).all(|byte| byte == b' '));
    let room = rest
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| written(line))
        .min()
        .unwrap_or(0);
    let fits = is_plain && room + column >= piece.column;
    for line in rest {
        text.push('\n');
        if line.is_empty() || !fits {
            text.push_str(line);
            continue;
        }
        spaces(text, written(line) + column - piece.column);
        text.push_str(line.trim_start());
    }
}
