//! Code sinking: moves a computation into the only branch that uses its result.
//!
//! A statement moves, with its nested blocks, if it has no side effect, its destinations are read after it only within
//! one branch of a later `If` of the same block, and neither these nor its operands are assigned in between. In a loop,
//! where a value may be read in the next iteration, only operations move whose destination is assigned nowhere else and
//! not read before. Blocks are walked backwards, so that operands used only by a moved statement can move with it.

use cranelift_entity::SecondaryMap;

use super::dead::can_be_left;
use crate::hir::walk;
use crate::hir::{Block, Code, LocalId, Op, Stmt};

/// Number of rounds: a statement sunk into a branch can be sunk further into a nested one.
const ROUNDS: usize = 3;

/// Sinks computations into branches.
pub(super) fn run(code: &mut Code, outputs: &[LocalId]) {
    let mut body = std::mem::take(&mut code.body);
    for _ in 0..ROUNDS {
        let mut pass = Sink { accesses: SecondaryMap::new(), order: 0, loops: 0, moved: 0 };
        for &output in outputs {
            // An output is read at the end.
            pass.accesses[output].reads = vec![u32::MAX];
        }
        let places = pass.number(&body);
        pass.block(&mut body, places);
        if pass.moved == 0 {
            break;
        }
    }
    code.body = body;
}

/// Positions at which a variable is read and assigned, in order.
#[derive(Clone, Default)]
struct Accesses {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

/// Positions of a statement and its nested statements, `first..end`; likewise for each of its blocks.
struct StmtPosition {
    first: u32,
    end: u32,
    blocks: Vec<Vec<StmtPosition>>,
    ends: Vec<u32>,
}

struct Sink {
    accesses: SecondaryMap<LocalId, Accesses>,
    order: u32,
    /// Number of loops around the current block.
    loops: usize,
    moved: usize,
}

impl Sink {
    /// Numbers all statements and records the variables they mention.
    fn number(&mut self, block: &[Stmt]) -> Vec<StmtPosition> {
        let mut places = Vec::with_capacity(block.len());
        for stmt in block {
            let first = self.order;
            self.order += 1;
            for local in walk::reads(stmt) {
                insert(&mut self.accesses[local].reads, first);
            }
            for &local in walk::writes(stmt) {
                self.accesses[local].writes.push(first);
            }
            let mut place = StmtPosition { first, end: first + 1, blocks: vec![], ends: vec![] };
            for inner in walk::blocks(stmt) {
                place.blocks.push(self.number(inner));
                place.ends.push(self.order);
            }
            place.end = self.order;
            places.push(place);
        }
        places
    }

    fn block(&mut self, block: &mut Block, places: Vec<StmtPosition>) {
        let mut stmts: Vec<Option<(Stmt, StmtPosition)>> =
            std::mem::take(block).into_iter().zip(places).map(Some).collect();
        // Branches of this block, last first, with their positions.
        let mut branches: Vec<Branch> = vec![];
        for i in (0..stmts.len()).rev() {
            let Some((stmt, place)) = &stmts[i] else { continue };
            let target = self.target(stmt, place, &branches);
            if let (Stmt::If { .. }, None) = (stmt, target) {
                let begins = [place.first + 1, place.ends[0]];
                for (arm, begin) in begins.into_iter().enumerate().rev() {
                    branches.push(Branch {
                        at: i,
                        arm,
                        head: place.first,
                        range: (begin, place.ends[arm]),
                        sunk: vec![],
                    });
                }
                continue;
            }
            let Some(branch) = target else { continue };
            if let Some(moved) = stmts[i].take() {
                self.note_move(&moved.0, &moved.1, branches[branch].range.0);
                branches[branch].sunk.push(moved);
            }
        }
        for Branch { at, arm, sunk, .. } in branches {
            if let Some((stmt, place)) = &mut stmts[at]
                && !sunk.is_empty()
            {
                let (moved, moved_places): (Vec<_>, Vec<_>) = sunk.into_iter().rev().unzip();
                if let Some(inner) = walk::blocks_mut(stmt).into_iter().nth(arm) {
                    inner.splice(..0, moved);
                }
                place.blocks[arm].splice(..0, moved_places);
            }
        }
        for (mut stmt, mut place) in stmts.into_iter().flatten() {
            self.loops += usize::from(matches!(stmt, Stmt::Loop { .. }));
            let loops = self.loops;
            for (inner, places) in walk::blocks_mut(&mut stmt).into_iter().zip(place.blocks.drain(..)) {
                self.block(inner, places);
            }
            self.loops = loops - usize::from(matches!(stmt, Stmt::Loop { .. }));
            block.push(stmt);
        }
    }

    /// Returns the only branch that reads the result of a statement, if the statement may be moved there.
    fn target(&self, stmt: &Stmt, place: &StmtPosition, branches: &[Branch]) -> Option<usize> {
        if branches.is_empty() || !self.is_movable(stmt) {
            return None;
        }
        let stmt = std::slice::from_ref(stmt);
        // Branches are disjoint and in descending order, so the first read after the statement determines the branch.
        let mut first = u32::MAX;
        walk::statements(stmt, &mut |stmt| {
            for &local in walk::writes(stmt) {
                let reads = &self.accesses[local].reads;
                let after = reads.partition_point(|&r| r < place.end);
                first = first.min(reads.get(after).copied().unwrap_or(u32::MAX));
            }
        });
        let index = branches.partition_point(|b| b.range.0 > first);
        let branch = branches.get(index)?;
        let (begin, end) = branch.range;
        let unchanged = |local: LocalId| {
            let writes = &self.accesses[local].writes;
            let after = writes.partition_point(|&w| w < place.end);
            writes.get(after).is_none_or(|&w| w > branch.head)
        };
        let mut fits = first >= begin && first < end;
        walk::statements(stmt, &mut |stmt| {
            fits &= walk::reads(stmt).all(unchanged);
            for &local in walk::writes(stmt) {
                let last = self.accesses[local].reads.last();
                fits &= unchanged(local) && last.is_none_or(|&r| r < end);
            }
        });
        fits.then_some(index)
    }

    fn is_movable(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Op { dst: Some(dst), op, .. } if self.loops > 0 => {
                let Accesses { reads, writes } = &self.accesses[*dst];
                let before = reads.first().is_none_or(|r| writes.first() >= Some(r));
                writes.len() == 1 && !before && *op != Op::ArraySet && !walk::is_effect(*op)
            }
            Stmt::Op { op, .. } => !walk::is_effect(*op),
            Stmt::If { .. } | Stmt::Scope { .. } if self.loops == 0 => is_contained(stmt),
            _ => false,
        }
    }

    /// Records the accesses of a statement at its new position, the start of a branch.
    fn note_move(&mut self, stmt: &Stmt, place: &StmtPosition, to: u32) {
        self.moved += 1;
        let move_in = |list: &mut Vec<u32>| {
            let from = list.partition_point(|&at| at < place.first);
            let until = list.partition_point(|&at| at < place.end);
            if from < until {
                list.drain(from..until);
                insert(list, to);
            }
        };
        walk::statements(std::slice::from_ref(stmt), &mut |stmt| {
            for local in walk::reads(stmt) {
                move_in(&mut self.accesses[local].reads);
            }
            for &local in walk::writes(stmt) {
                move_in(&mut self.accesses[local].writes);
            }
        });
    }
}

/// Returns whether a statement has no side effect, no call, no jump out of it, and no loop without an exit.
fn is_contained(stmt: &Stmt) -> bool {
    let mut contained = true;
    let (mut inner, mut left) = (vec![], vec![]);
    walk::statements(std::slice::from_ref(stmt), &mut |stmt| match stmt {
        Stmt::Op { op, .. } => contained &= !walk::is_effect(*op),
        Stmt::Call { .. } => contained = false,
        Stmt::Loop { body, .. } => contained &= can_be_left(body),
        Stmt::Scope { scope, .. } => inner.push(*scope),
        Stmt::Leave(scope) => left.push(*scope),
        Stmt::If { .. } => {}
    });
    contained && left.iter().all(|l| inner.contains(l))
}

/// One side of an `If` of the block.
struct Branch {
    /// Index of the `If` in the block, and which of its branches it is.
    at: usize,
    arm: usize,
    /// Position at which its condition is read.
    head: u32,
    /// Positions of its statements.
    range: (u32, u32),
    /// Statements sunk into it, last first.
    sunk: Vec<(Stmt, StmtPosition)>,
}

fn insert(list: &mut Vec<u32>, value: u32) {
    if let Err(at) = list.binary_search(&value) {
        list.insert(at, value);
    }
}
