//! Moves work into the only branch that needs it: what a branch alone reads is computed when that branch is taken. Units
//! of a group that one side of a choice pulls become lazy by this.
//!
//! A statement moves when it is pure, its result is assigned nowhere else and read only within one branch of a later `If`
//! of the same block, and none of its operands is assigned between. Blocks are walked from their ends, so that what
//! serves only a moved statement moves after it.

use cranelift_entity::SecondaryMap;

use super::walk;
use crate::hir::{Block, Code, LocalId, Op, Operand, Stmt};

/// Sinks work into branches.
pub(super) fn run(code: &mut Code, outputs: &[LocalId]) {
    let mut body = std::mem::take(&mut code.body);
    let mut pass = Sink {
        mentions: SecondaryMap::new(),
        order: 0,
    };
    for &output in outputs {
        // An output is read at the end.
        pass.mentions[output].reads = vec![u32::MAX];
    }
    let places = pass.number(&body);
    pass.block(&mut body, places);
    code.body = body;
}

/// When a variable is read and assigned, in order.
#[derive(Clone, Default)]
struct Mentions {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

/// When a statement comes, and those within it: `first..end`, for each of its blocks too.
struct Place {
    first: u32,
    blocks: Vec<Vec<Place>>,
    ends: Vec<u32>,
}

struct Sink {
    mentions: SecondaryMap<LocalId, Mentions>,
    order: u32,
}

impl Sink {
    /// Numbers all statements and notes what they mention.
    fn number(&mut self, block: &[Stmt]) -> Vec<Place> {
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
            let mut place = Place {
                first,
                blocks: vec![],
                ends: vec![],
            };
            for inner in walk::blocks(stmt) {
                place.blocks.push(self.number(inner));
                place.ends.push(self.order);
            }
            places.push(place);
        }
        places
    }

    fn block(&mut self, block: &mut Block, places: Vec<Place>) {
        let mut stmts: Vec<Option<(Stmt, Place)>> =
            std::mem::take(block).into_iter().zip(places).map(Some).collect();
        // The branches of this block, last first: when they begin and end, whose they are.
        let mut branches: Vec<Branch> = vec![];
        for i in (0..stmts.len()).rev() {
            let Some((stmt, place)) = &stmts[i] else { continue };
            if let Stmt::If { .. } = stmt {
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
            let Some(branch) = self.target(stmt, place, &branches) else {
                continue;
            };
            if let Some(moved) = stmts[i].take() {
                self.moved(&moved.0, moved.1.first, branches[branch].range.0);
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
            for (inner, places) in walk::blocks_mut(&mut stmt)
                .into_iter()
                .zip(place.blocks.drain(..))
            {
                self.block(inner, places);
            }
            block.push(stmt);
        }
    }

    /// The branch that alone reads what a statement computes, if it may move there.
    fn target(&self, stmt: &Stmt, place: &Place, branches: &[Branch]) -> Option<usize> {
        let Stmt::Op {
            dst: Some(dst),
            op,
            args,
            ..
        } = stmt
        else {
            return None;
        };
        let Mentions { reads, writes } = &self.mentions[*dst];
        let (&first, &last) = (reads.first()?, reads.last()?);
        if writes.len() != 1 || *op == Op::ArraySet {
            return None;
        }
        // The branches do not overlap and lie in descending order.
        let index = branches.partition_point(|b| b.range.0 > first);
        let branch = branches.get(index)?;
        let inside = first >= branch.range.0 && last < branch.range.1;
        let unchanged = args.iter().all(|arg| match arg {
            Operand::Const(_) => true,
            Operand::Local(local) => {
                let writes = &self.mentions[*local].writes;
                let after = writes.partition_point(|&w| w <= place.first);
                writes.get(after).is_none_or(|&w| w > branch.head)
            }
        });
        (inside && unchanged).then_some(index)
    }

    /// Notes that the operands of a statement are now read where it went: at the beginning of a branch.
    fn moved(&mut self, stmt: &Stmt, from: u32, to: u32) {
        for local in walk::reads(stmt) {
            let reads = &mut self.mentions[local].reads;
            if let Ok(at) = reads.binary_search(&from) {
                reads.remove(at);
            }
            insert(reads, to);
        }
        for &local in walk::writes(stmt) {
            self.mentions[local].writes = vec![to];
        }
    }
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
    sunk: Vec<(Stmt, Place)>,
}

fn insert(list: &mut Vec<u32>, value: u32) {
    if let Err(at) = list.binary_search(&value) {
        list.insert(at, value);
    }
}
