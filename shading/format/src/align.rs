//! Alignment of adjacent lines: columns that the source aligns stay aligned.
//!
//! White space of at least two columns requests alignment. If at least two lines of a block have a piece in the same source
//! column, this column is kept, or moved to the right so that the longest line fits. Other lines of the block join the
//! column if they can. A line that alone requests alignment gets one space.

use rustc_hash::FxHashMap;

use crate::column::{columns, end};
use crate::line::Line;
use crate::piece::Piece;
use crate::role::{BlockKind, Role, Roles};

/// Maximum number of aligned keys per line.
const MAX_KEYS: usize = 12;

/// Kinds of cells, in the order of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellKind {
    /// The declared name.
    Name,
    /// The token after the name in a scene declaration.
    Sign,
    /// The colon before a kind.
    Colon,
    /// The assignment sign.
    Assign,
    /// A brace.
    Brace,
    /// A further key of a block on one line, with its number.
    Key(usize),
    Metadata,
    Comment,
}

/// A piece that can be aligned.
#[derive(Clone, Copy, Debug)]
struct Cell {
    kind: CellKind,
    line: usize,
    piece: usize,
}

/// Widens `gaps` so that columns are aligned.
pub(crate) fn align(pieces: &[Piece<'_>], roles: &Roles, lines: &[Line], gaps: &mut [usize]) {
    let mut cells: Vec<Cell> = vec![];
    for (index, line) in lines.iter().enumerate() {
        find_cells(pieces, roles, line, index, &mut cells);
    }
    let columns = columns(pieces, lines, gaps);
    let indents: Vec<usize> = lines.iter().map(|line| columns[line.first]).collect();
    // Columns depend on those to their left.
    cells.sort_by_key(|cell| (cell.kind, cell.line));
    let mut aligner = Aligner {
        pieces,
        lines,
        offsets: offsets(pieces, lines, gaps),
        shifts: vec![(0, 0); lines.len()],
        gaps,
    };
    for cells in cells.chunk_by(|a, b| a.kind == b.kind) {
        for block in blocks(pieces, lines, &indents, cells) {
            aligner.block(block);
        }
    }
}

/// Returns the offsets of the pieces from the starts of their lines [columns], before alignment.
fn offsets(pieces: &[Piece<'_>], lines: &[Line], gaps: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0; pieces.len()];
    for line in lines {
        let mut column = 0;
        for at in line.first..line.end {
            column += gaps[at];
            offsets[at] = column;
            column = end(column, pieces[at].text);
        }
    }
    offsets
}

fn find_cells(pieces: &[Piece<'_>], roles: &Roles, line: &Line, index: usize, cells: &mut Vec<Cell>) {
    let role = |at: usize| roles.list[at];
    let mut push = |kind, piece| {
        cells.push(Cell { kind, line: index, piece });
    };
    if line.is_item {
        let words = (line.first..line.end).take_while(|&at| role(at) == Role::Word).count();
        if words > 1 {
            push(CellKind::Name, line.first + words - 1);
        }
    }
    let mut depth = 0_usize;
    let mut keys = 0;
    let (mut assign, mut colon, mut brace) = (None, None, None);
    let mut metadata = None;
    for at in line.first + 1..line.end {
        match role(at) {
            Role::Assign if depth == 0 && assign.or(brace).is_none() => assign = Some(at),
            Role::Colon if depth == 0 && assign.or(colon).or(brace).is_none() => colon = Some(at),
            Role::BlockOpen(BlockKind::Scene) if depth == 0 => {
                brace.get_or_insert(at);
                continue;
            }
            Role::MetaOpen if metadata.is_none() => metadata = Some(at),
            _ => {}
        }
        match role(at) {
            Role::ParenOpen | Role::IndexOpen | Role::ListOpen | Role::MetaOpen | Role::BlockOpen(_) => {
                depth += 1;
            }
            Role::ParenClose | Role::CastClose | Role::IndexClose | Role::ListClose | Role::MetaClose => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        let is_key = line.scope == BlockKind::Scene || brace.is_some();
        if is_key && depth == 0 && role(at - 1) == Role::Semi && role(at) == Role::Word && keys < MAX_KEYS {
            keys += 1;
            push(CellKind::Key(keys), at);
        }
    }
    if line.is_item {
        let found = [(CellKind::Colon, colon), (CellKind::Assign, assign), (CellKind::Brace, brace)];
        let sign = found.iter().filter_map(|(_, at)| *at).min();
        let sign = sign.filter(|_| line.scope == BlockKind::File && !line.in_bracket);
        for (kind, at) in found {
            let kind = if at == sign { CellKind::Sign } else { kind };
            at.into_iter().for_each(|at| push(kind, at));
        }
    }
    metadata.into_iter().for_each(|at| push(CellKind::Metadata, at));
    if line.end > line.first + 1 && pieces[line.end - 1].is_comment() {
        push(CellKind::Comment, line.end - 1);
    }
}

/// Divides the cells of one kind into blocks that are aligned separately.
fn blocks<'c>(pieces: &[Piece<'_>], lines: &[Line], indents: &[usize], cells: &'c [Cell]) -> Vec<&'c [Cell]> {
    let continues = |a: &Cell, b: &Cell| {
        indents[a.line] == indents[b.line]
            && lines[a.line].scope == lines[b.line].scope
            && !lines[b.line].blank
            && (a.line + 1..b.line).all(|index| {
                let line = &lines[index];
                let is_comment = pieces[line.first].is_comment();
                let is_directive = !is_comment && !pieces[line.first].is_code();
                let is_peer = line.is_item && indents[index] == indents[a.line];
                let is_optional = matches!(a.kind, CellKind::Metadata | CellKind::Comment)
                    || a.kind == CellKind::Name && line.scope == BlockKind::File && !line.in_bracket;
                let lacks = is_peer && !is_comment && !is_optional;
                !line.blank && !is_directive && !lacks
            })
    };
    cells.chunk_by(continues).collect()
}

struct Aligner<'a> {
    pieces: &'a [Piece<'a>],
    lines: &'a [Line],
    offsets: Vec<usize>,
    /// For each line, the columns that alignment has added so far, and the last piece that was moved.
    shifts: Vec<(usize, usize)>,
    gaps: &'a mut [usize],
}

#[derive(Default)]
struct Column {
    rows: usize,
    is_wanted: bool,
    /// Smallest column that fits all rows.
    target: usize,
}

impl Aligner<'_> {
    fn block(&mut self, cells: &[Cell]) {
        let mut columns: FxHashMap<usize, Column> = FxHashMap::default();
        for cell in cells {
            let Some(at) = self.source_column(cell) else {
                continue;
            };
            let natural = self.natural(cell);
            let column = columns.entry(at).or_default();
            column.rows += 1;
            column.is_wanted |= self.pieces[cell.piece].gap > 1;
            column.target = column.target.max(natural).max(at);
        }
        columns.retain(|_, column| column.rows > 1 && column.is_wanted);
        let own = |aligner: &Self, cell: &Cell| {
            let at = aligner.source_column(cell)?;
            columns.get(&at).map(|column| column.target)
        };
        let mut nearest = cells.iter().find_map(|cell| own(self, cell));
        for cell in cells {
            let target = match own(self, cell) {
                Some(target) => {
                    nearest = Some(target);
                    Some(target)
                }
                None => nearest.filter(|_| self.pieces[cell.piece].gap > 1),
            };
            let natural = self.natural(cell);
            let (shift, last) = &mut self.shifts[cell.line];
            if let Some(target) = target
                && target > natural
                && cell.piece > *last
            {
                self.gaps[cell.piece] += target - natural;
                *shift += target - natural;
                *last = cell.piece;
            }
        }
    }

    /// Returns the offset of a cell from the start of its line, with the alignment so far.
    fn natural(&self, cell: &Cell) -> usize {
        self.offsets[cell.piece] + self.shifts[cell.line].0
    }

    /// Returns the offset of a cell from the start of its line in the source, if the cell is on that line there.
    fn source_column(&self, cell: &Cell) -> Option<usize> {
        let first = self.lines[cell.line].first;
        let is_first = first == 0 || self.pieces[first].newlines > 0;
        let same_line = self.pieces[first + 1..=cell.piece].iter().all(|piece| piece.newlines == 0);
        let column = self.pieces[cell.piece].column.checked_sub(self.pieces[first].column);
        column.filter(|_| is_first && same_line)
    }
}
