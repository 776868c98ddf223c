//! Code sinking: moves a computation into the only branch that uses its result.
//!
//! A statement moves, with all that it contains, when it has no effect, what it assigns is read after it only within one
//! branch of a later `If` of the same block, and neither that nor what it reads is assigned between. In a loop, where a
//! value may come back in the next turn, only operations move whose result is assigned nowhere else and not read before.
//! Blocks are walked from their ends, so that what serves only a moved statement moves after it.

use cranelift_entity::SecondaryMap;

use super::dead::can_be_left;
use crate::hir::walk;
use crate::hir::{Block, Code, LocalId, Op, Stmt};

/// What has moved into a branch can move on into a branch of that: so often.
const ROUNDS: usize = 3;

/// Sinks work into branches.
pub(super) fn run(code: &mut Code, outputs: &[LocalId]) {
    let mut body = std::mem::take(&mut code.body);
    for _ in 0..ROUNDS {
        let mut pass = Sink {
            mentions: SecondaryMap::new(),
            order: 0,
            loops: 0,
            moved: 0,
        };
        for &output in outputs {
            // An output is read at the end.
            pass.mentions[output].reads = vec![u32::MAX];
        }
        let places = pass.number(&body);
        pass.block(&mut body, places);
        if pass.moved == 0 {
            break;
        }
    }
    code.body = body;
}

/// When a variable is read and assigned, in order.
#[derive(Clone, Default)]
struct Mentions {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

/// When a statement comes, and those within it: `first..end`, for each of its blocks too.
struct StmtPosition {
    first: u32,
    end: u32,
    blocks: Vec<Vec<StmtPosition>>,
    ends: Vec<u32>,
}

struct Sink {
    mentions: SecondaryMap<LocalId, Mentions>,
    order: u32,
    /// Loops around the block at hand.
    loops: usize,
    moved: usize,
}

impl Sink {
    /// Numbers all statements and notes what they mention.
    fn number(&mut self, block: &[Stmt]) -> Vec<StmtPosition> {
        let mut places = Vec::with_capacity(block.len());
        for stmt in block {
            let first = self.order;
            self.order += 1;
            for local in walk::reads(stmt) {
                insert(&mut self.mentions[local].reads, first);
            }
            for &local in walk::writes(stmt) {
                self.mentions[local].writes.push(first);
            }
            let mut place = StmtPosition {
                first,
                end: first + 1,
                blocks: vec![],
                ends: vec![],
            };
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
        // The branches of this block, last first: when they begin and end, whose they are.
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
            for (inner, places) in walk::blocks_mut(&mut stmt)
                .into_iter()
                .zip(place.blocks.drain(..))
            {
                self.block(inner, places);
            }
            self.loops = loops - usize::from(matches!(stmt, Stmt::Loop { .. }));
            block.push(stmt);
        }
    }

    /// The branch that alone reads what a statement computes, if it may move there.
    fn target(&self, stmt: &Stmt, place: &StmtPosition, branches: &[Branch]) -> Option<usize> {
        if branches.is_empty() || !self.is_movable(stmt) {
            return None;
        }
        let stmt = std::slice::from_ref(stmt);
        // Branches do not overlap and lie in descending order: the first read after the statement tells which it is.
        let mut first = u32::MAX;
        walk::statements(stmt, &mut |stmt| {
            for &local in walk::writes(stmt) {
                let reads = &self.mentions[local].reads;
                let after = reads.partition_point(|&r| r < place.end);
                first = first.min(reads.get(after).copied().unwrap_or(u32::MAX));
            }
        });
        let index = branches.partition_point(|b| b.range.0 > first);
        let branch = branches.get(index)?;
        let (begin, end) = branch.range;
        let unchanged = |local: LocalId| {
            let writes = &self.mentions[local].writes;
            let after = writes.partition_point(|&w| w < place.end);
            writes.get(after).is_none_or(|&w| w > branch.head)
        };
        let mut fits = first >= begin && first < end;
        walk::statements(stmt, &mut |stmt| {
            fits &= walk::reads(stmt).all(unchanged);
            for &local in walk::writes(stmt) {
                let last = self.mentions[local].reads.last();
                fits &= unchanged(local) && last.is_none_or(|&r| r < end);
            }
        });
        fits.then_some(index)
    }

    fn is_movable(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Op {
                dst: Some(dst), op, ..
            } if self.loops > 0 => {
                let Mentions { reads, writes } = &self.mentions[*dst];
                let before = reads.first().is_none_or(|r| writes.first() >= Some(r));
                writes.len() == 1 && !before && *op != Op::ArraySet && !walk::is_effect(*op)
            }
            Stmt::Op { op, .. } => !walk::is_effect(*op),
            Stmt::If { .. } | Stmt::Scope { .. } if self.loops == 0 => is_contained(stmt),
            _ => false,
        }
    }

    /// Notes that all that a statement mentions is now mentioned at the beginning of a branch.
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
                move_in(&mut self.mentions[local].reads);
            }
            for &local in walk::writes(stmt) {
                move_in(&mut self.mentions[local].writes);
            }
        });
    }
}

/// Whether a statement has no effect, no call, no jump out of it, and no loop that cannot be left.
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
    /// Where in the block the `If` is, and which side.
    at: usize,
    arm: usize,
    /// When its condition is read.
    head: u32,
    /// When its statements come.
    range: (u32, u32),
    /// What was moved here, last first.
    sunk: Vec<(Stmt, StmtPosition)>,
}

fn insert(list: &mut Vec<u32>, value: u32) {
    if let Err(at) = list.binary_search(&value) {
        list.insert(at, value);
    }
}
