//! Dead code elimination by backward liveness analysis over structured control flow, with a fixpoint for loops.
//!
//! The fixpoint is computed in rounds over the whole function. The live set at the head of each loop is kept between rounds,
//! so that nested loops cost no more than other code. A construct without effects whose assignments are not read after it is
//! removed as a whole: loops are assumed to terminate.
//!
//! A store at an index that may be out of range stays, even if dead, if the variable is read anywhere: the error must
//! be reported, as in OSL.

use rustc_hash::FxHashSet;

use super::PassContext;
use super::set::{LiveSet, Mark, SparseSet};
use crate::hir::walk;
use crate::hir::{Block, Code, Const, LocalId, Op, Operand, ScopeId, Stmt};
use crate::ty::Length;

/// Number of rounds after which everything counts as live in loops that still change.
const MAX_ROUNDS: usize = 12;

/// Removes dead statements of a function whose `outputs` are read at its end.
pub(super) fn run(code: &mut Code, outputs: &[LocalId], context: &PassContext<'_>) {
    let mut body = std::mem::take(&mut code.body);
    let locals = code.locals.len();
    let mut liveness = Liveness {
        context,
        code,
        reported: reported(code, &body),
        exits: vec![],
        heads: vec![],
        next_head: 0,
        changed: true,
        rewrite: false,
    };
    let at_end = || {
        let mut live = LiveSet::new(locals);
        outputs.iter().for_each(|&o| live.insert(o));
        live
    };
    for round in 0.. {
        if !liveness.changed {
            break;
        }
        liveness.changed = false;
        liveness.next_head = 0;
        if round == MAX_ROUNDS {
            liveness.heads.fill(SparseSet::all(locals));
        }
        liveness.block(&mut body, &mut at_end());
        if liveness.heads.is_empty() {
            break;
        }
    }
    liveness.rewrite = true;
    liveness.next_head = 0;
    liveness.block(&mut body, &mut at_end());
    code.body = body;
}

/// Returns the variables with a store at an index that may be out of range, and reads elsewhere.
fn reported(code: &Code, body: &Block) -> FxHashSet<LocalId> {
    let mut stored = FxHashSet::default();
    walk::statements(body, &mut |stmt| stored.extend(stored_at_risk(code, stmt)));
    if stored.is_empty() {
        return stored;
    }
    let mut read = FxHashSet::default();
    walk::statements(body, &mut |stmt| {
        let own = stored_at_risk(code, stmt);
        read.extend(walk::reads(stmt).filter(|local| Some(*local) != own));
    });
    stored.retain(|local| read.contains(local));
    stored
}

/// Returns the variable that a statement stores into at an index that may be out of range.
fn stored_at_risk(code: &Code, stmt: &Stmt) -> Option<LocalId> {
    let Stmt::Op { op, args, .. } = stmt else {
        return None;
    };
    let &Operand::Local(local) = args.first()? else {
        return None;
    };
    let (indices, bound) = match op {
        Op::TripleSet => (&args[1..2], 3),
        Op::MatrixSet => (&args[1..3], 4),
        Op::ArraySet => match code.locals[local].ty.length {
            Length::Array(n) => (&args[1..2], n),
            Length::Single | Length::Unsized => return None,
        },
        _ => return None,
    };
    let is_safe = |index: &Operand| match index {
        Operand::Const(id) => {
            matches!(code.consts[*id], Const::Int(i) if u32::try_from(i).is_ok_and(|i| i < bound))
        }
        Operand::Local(_) => false,
    };
    (!indices.iter().all(is_safe)).then_some(local)
}

struct Liveness<'a> {
    context: &'a PassContext<'a>,
    code: &'a Code,
    /// See [`reported`].
    reported: FxHashSet<LocalId>,
    /// Liveness after each open scope, as a mark.
    exits: Vec<(ScopeId, Mark)>,
    /// Live set at the head of each loop, in the order of the walk.
    heads: Vec<SparseSet>,
    next_head: usize,
    changed: bool,
    rewrite: bool,
}

impl Liveness<'_> {
    /// Computes the live set before a block from that after it. Returns whether any statement of the block is needed.
    fn block(&mut self, block: &mut Block, live: &mut LiveSet) -> bool {
        let mut needed = false;
        for i in (0..block.len()).rev() {
            let keep = self.stmt(&mut block[i], live);
            needed |= keep;
            if !keep && self.rewrite {
                // Marked here; all marked statements are removed together below.
                block[i] = Stmt::Scope { scope: ScopeId::from_u32(0), body: vec![] };
            }
        }
        if self.rewrite {
            block.retain(|stmt| !matches!(stmt, Stmt::Scope { body, .. } if body.is_empty()));
        }
        needed
    }

    /// Returns whether a statement may report an index out of range although its store is dead.
    fn is_report(&self, stmt: &Stmt) -> bool {
        let stored = || stored_at_risk(self.code, stmt);
        !self.reported.is_empty() && stored().is_some_and(|local| self.reported.contains(&local))
    }

    fn stmt(&mut self, stmt: &mut Stmt, live: &mut LiveSet) -> bool {
        let is_report = self.is_report(stmt);
        match stmt {
            Stmt::Op { dst, op, args, .. } => {
                if let Some(dst) = *dst {
                    if !live.contains(dst) && !self.context.is_effect(*op) && !is_report {
                        return false;
                    }
                    live.remove(dst);
                }
                read(live, args);
                true
            }
            Stmt::Call { function, args, results, .. } => {
                let wanted = results.iter().any(|&r| live.contains(r));
                if !wanted && !self.context.prints[*function] {
                    return false;
                }
                results.iter().for_each(|&r| live.remove(r));
                read(live, args);
                true
            }
            Stmt::If { condition, then, otherwise } => {
                live.mark();
                let then = self.block(then, live);
                let path = live.undo();
                let needed = [then, self.block(otherwise, live)];
                live.join(path);
                live.close();
                if needed == [false; 2] {
                    return false;
                }
                read(live, std::slice::from_ref(condition));
                true
            }
            Stmt::Loop { body, .. } => {
                let index = self.next_head;
                self.next_head += 1;
                if self.heads.len() == index {
                    self.heads.push(SparseSet::default());
                }
                live.become_set(&self.heads[index]);
                self.block(body, live);
                if !self.rewrite {
                    self.changed |= self.heads[index].union(live);
                }
                live.become_set(&self.heads[index]);
                true
            }
            Stmt::Scope { scope, body } => {
                if self.is_idle(*scope, body, live) {
                    // Nested loops are skipped in the count of loop heads, so that the other heads keep their indices.
                    self.next_head += count_loops(body);
                    self.heads.resize(self.next_head.max(self.heads.len()), SparseSet::default());
                    return false;
                }
                self.exits.push((*scope, live.mark()));
                let needed = self.block(body, live);
                self.exits.pop();
                live.close();
                needed
            }
            Stmt::Leave(scope) => {
                if let Some(&(_, after)) = self.exits.iter().rev().find(|(s, _)| s == scope) {
                    live.become_as_at(after);
                }
                true
            }
        }
    }

    /// Returns whether a scope assigns nothing that is live after it, prints nothing, leaves no outer scope, and
    /// contains no loop without an exit.
    fn is_idle(&self, scope: ScopeId, body: &Block, live: &LiveSet) -> bool {
        let is_needed = |stmt: &Stmt| match stmt {
            Stmt::Op { op, .. } if self.context.is_effect(*op) => true,
            Stmt::Call { function, .. } if self.context.prints[*function] => true,
            _ => walk::writes(stmt).iter().any(|&l| live.contains(l)) || self.is_report(stmt),
        };
        // Usually one of the first statements is needed, so the search is short.
        if walk::any(body, &mut { is_needed }) {
            return false;
        }
        let mut idle = true;
        let mut inner = vec![scope];
        let mut left = vec![];
        walk::statements(body, &mut |stmt| match stmt {
            Stmt::Scope { scope, .. } => inner.push(*scope),
            Stmt::Leave(scope) => left.push(*scope),
            Stmt::Loop { body, .. } => idle &= can_be_left(body),
            Stmt::Op { .. } | Stmt::Call { .. } | Stmt::If { .. } => {}
        });
        idle && left.iter().all(|l| inner.contains(l))
    }
}

fn read(live: &mut LiveSet, operands: &[Operand]) {
    for operand in operands {
        if let Operand::Local(id) = *operand {
            live.insert(id);
        }
    }
}

fn count_loops(block: &Block) -> usize {
    let mut count = 0;
    walk::statements(block, &mut |stmt| {
        count += usize::from(matches!(stmt, Stmt::Loop { .. }));
    });
    count
}

/// Returns whether a loop's body leaves a scope outside of it.
pub(super) fn can_be_left(body: &Block) -> bool {
    let mut inner = vec![];
    let mut left = vec![];
    walk::statements(body, &mut |stmt| match stmt {
        Stmt::Scope { scope, .. } => inner.push(*scope),
        Stmt::Leave(scope) => left.push(*scope),
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::If { .. } | Stmt::Loop { .. } => {}
    });
    left.iter().any(|l| !inner.contains(l))
}
