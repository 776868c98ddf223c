//! Value numbering: constant and copy propagation, folding, common subexpression elimination, loop unrolling, in one
//! walk.
//!
//! The state is a map from variables to value numbers with a trail of changes, so that a branch can be undone, and only
//! values common to all predecessors are kept at a join. At the entry of a loop, all variables assigned in it are
//! unknown.

use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::FxHashSet;

use super::PassContext;
use super::sign;
use super::value::{MAX_CONST_ARRAY, ValueId, Values};
use crate::eval::operation::eval_op;
use crate::hir::walk;
use crate::hir::{Block, Code, Const, Kind, LocalId, Op, Operand, ScopeId, Stmt};
use shading_syntax::source::Span;

/// Minimum number of variables for which live ranges matter to compilation time.
const MANY_VARIABLES: usize = 1000;

/// Maximum number of iterations of a loop that is unrolled.
const MAX_ITERATIONS: usize = 32;
/// Maximum number of statements after unrolling, or one and a half times the number of the loop body if that is more.
const MAX_UNROLLED: usize = 40;
/// Number of statements that one attempt to unroll may process and copy.
const UNROLL_BUDGET: usize = 900;
/// Maximum total size of the deltas of a scope's exits, beyond which the variables assigned in the scope become
/// unknown.
const MAX_EXITS: usize = 1 << 14;

/// Simplifies a function; returns whether another walk could find more, because loops assign fewer variables than
/// assumed.
pub(super) fn run(
    code: &mut Code,
    params: &[LocalId],
    outputs: &[LocalId],
    context: &PassContext<'_>,
) -> bool {
    let signs = if context.finite {
        sign::seen(code, outputs, context)
    } else {
        SecondaryMap::new()
    };
    let body = std::mem::take(&mut code.body);
    let mut forward = Forward::new(code, params, context);
    forward.signs = signs;
    if forward.code.locals.len() > MANY_VARIABLES {
        forward.implicit.extend(forward.code.locals.keys());
        params.iter().chain(outputs).for_each(|local| {
            forward.implicit.remove(*local);
        });
    }
    let mut out = Vec::with_capacity(body.len());
    forward.block(body, &mut out);
    let spared = forward.spared;
    code.body = out;
    let mut more = false;
    if !spared.is_empty() {
        walk::statements(&code.body, &mut |stmt| {
            more |= walk::reads(stmt).any(|local| spared.contains(&local));
        });
    }
    more
}

/// Changes of variables between the start of a block and one of its exits.
type Delta = Vec<(LocalId, ValueId)>;

/// Exits of an open scope.
#[derive(Clone, Default)]
struct Exit {
    /// Length of the trail at the start of the scope.
    mark: usize,
    deltas: Vec<Delta>,
    /// Total number of elements of all deltas.
    size: usize,
    /// True if the deltas became too large and were dropped.
    lost: bool,
}

/// Agreement of the predecessors of a join about one variable.
#[derive(Clone, Copy)]
struct Agreement {
    stamp: u32,
    count: usize,
    value: Option<ValueId>,
}

pub(super) struct Forward<'a> {
    pub(super) code: &'a mut Code,
    pub(super) context: &'a PassContext<'a>,
    pub(super) values: Values,
    pub(super) env: SecondaryMap<LocalId, ValueId>,
    /// For each value, a variable that held it at the last query; must be checked before use.
    holders: SecondaryMap<ValueId, Option<LocalId>>,
    trail: Vec<(LocalId, ValueId)>,
    exits: SecondaryMap<ScopeId, Exit>,
    /// Scopes of the deltas stored in `exits`, in order, to undo them.
    exit_log: Vec<ScopeId>,
    agreements: SecondaryMap<LocalId, Agreement>,
    stamp: u32,
    /// Number of statements that the current attempt to unroll may still process.
    budget: Option<usize>,
    /// Variables in which the sign of a zero can be seen.
    signs: SecondaryMap<LocalId, bool>,
    /// True if the rules for finite numbers apply to the current assignment.
    pub(super) finite: bool,
    /// Variables that were treated as assigned in a loop, but turned out not to be.
    spared: FxHashSet<LocalId>,
    /// Variables without an assignment so far, which are 0, implicitly; none if there are few.
    implicit: EntitySet<LocalId>,
}

impl<'a> Forward<'a> {
    fn new(code: &'a mut Code, params: &[LocalId], context: &'a PassContext<'a>) -> Forward<'a> {
        let mut values = Values::default();
        let nothing = values.unknown(Kind::INT);
        let mut env = SecondaryMap::with_default(nothing);
        let mut holders = SecondaryMap::new();
        let locals: Vec<_> = code.locals.iter().map(|(id, l)| (id, Kind::of(l.ty))).collect();
        for (id, kind) in locals {
            let kind = kind.unwrap_or(Kind::INT);
            env[id] = if params.contains(&id) {
                values.unknown(kind)
            } else {
                values.zero(code, kind)
            };
            holders[env[id]] = Some(id);
        }
        let agreements = SecondaryMap::with_default(Agreement { stamp: 0, count: 0, value: None });
        Forward {
            code,
            context,
            values,
            env,
            holders,
            trail: vec![],
            exits: SecondaryMap::new(),
            exit_log: vec![],
            agreements,
            stamp: 0,
            budget: None,
            signs: SecondaryMap::new(),
            finite: false,
            spared: FxHashSet::default(),
            implicit: EntitySet::new(),
        }
    }

    /// Simplifies statements; returns whether the end of the block is reachable.
    fn block(&mut self, block: Block, out: &mut Block) -> bool {
        for stmt in block {
            match &mut self.budget {
                Some(0) => return false,
                Some(left) => *left -= 1,
                None => {}
            }
            if !self.stmt(stmt, out) {
                return false;
            }
        }
        true
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Block) -> bool {
        match stmt {
            Stmt::Op { dst, op, args, span } => {
                match dst {
                    Some(dst) => self.assignment(dst, op, args, span, out),
                    None => {
                        let args = args.into_iter().map(|a| self.best(a)).collect();
                        out.push(Stmt::op(dst, op, args, span));
                    }
                }
                true
            }
            Stmt::Call { function, args, results, span } => {
                let args = args.into_iter().map(|a| self.best(a)).collect();
                for &result in &results {
                    self.forget(result);
                }
                out.push(Stmt::Call { function, args, results, span });
                true
            }
            Stmt::If { condition, then, otherwise } => self.branch(condition, then, otherwise, out),
            Stmt::Loop { body, fuel, span } => {
                if !self.unroll(&body, out) {
                    match &mut self.budget {
                        // An enclosing loop would contain this one in each iteration, so it cannot be unrolled either.
                        Some(left) => *left = 0,
                        None => self.repeat(body, (fuel, span), out),
                    }
                }
                false
            }
            Stmt::Scope { scope, body } => self.scope(scope, body, out),
            Stmt::Leave(scope) => {
                self.leave(scope);
                out.push(Stmt::Leave(scope));
                false
            }
        }
    }

    fn kind(&self, local: LocalId) -> Kind {
        Kind::of(self.code.locals[local].ty).unwrap_or(Kind::INT)
    }

    fn assign(&mut self, local: LocalId, value: ValueId) {
        self.implicit.remove(local);
        self.trail.push((local, self.env[local]));
        self.env[local] = value;
        if self.holder(value).is_none() {
            self.holders[value] = Some(local);
        }
    }

    fn forget(&mut self, local: LocalId) {
        let value = self.values.unknown(self.kind(local));
        self.assign(local, value);
    }

    /// Returns a variable that holds the value here.
    fn holder(&self, value: ValueId) -> Option<LocalId> {
        self.holders[value].filter(|&local| self.env[local] == value)
    }

    pub(super) fn value(&mut self, operand: Operand) -> ValueId {
        match operand {
            Operand::Local(id) => self.env[id],
            Operand::Const(id) => self.values.of_const(self.code, id),
        }
    }

    /// Returns an operand for a value here, if there is one.
    pub(super) fn operand(&self, value: ValueId) -> Option<Operand> {
        match self.values.def(value) {
            super::value::Def::Const(id) => Some(Operand::Const(id)),
            _ => self.holder(value).map(Operand::Local),
        }
    }

    /// Returns the preferred operand for the value of an operand.
    fn best(&mut self, operand: Operand) -> Operand {
        let value = self.value(operand);
        self.operand(value).unwrap_or(operand)
    }

    fn assignment(&mut self, dst: LocalId, op: Op, mut args: Vec<Operand>, span: Span, out: &mut Block) {
        let kind = self.kind(dst);
        self.finite = self.ignores_sign(dst);
        let mut op = op;
        let mut values: Vec<ValueId> = args.iter().map(|&a| self.value(a)).collect();
        // The rewritten operation may be simplified again; the rules do not form long chains.
        let mut value = None;
        for _ in 0..4 {
            value = self.simplify(op, kind, &values);
            if value.is_some() {
                break;
            }
            let Some((better, operands)) = self.rewrite(op, kind, &values) else {
                break;
            };
            let named: Option<Vec<_>> = operands.iter().map(|&v| self.operand(v)).collect();
            let Some(named) = named else { break };
            (op, values, args) = (better, operands, named);
        }
        let value = value.unwrap_or_else(|| {
            if walk::is_effect(op) {
                self.values.unknown(kind)
            } else {
                self.values.op(op, kind, &values)
            }
        });
        // In functions with many variables the first assignment of 0 is kept, so that the variable is not live from the
        // start of the function: code with thousands of loops has thousands of counters.
        if self.env[dst] == value && !self.implicit.contains(dst) {
            return;
        }
        let (op, args) = match self.operand(value) {
            Some(source) => (Op::Copy, vec![source]),
            None => {
                let first = args.first().copied();
                let mut best: Vec<_> = args.into_iter().map(|a| self.best(a)).collect();
                if op == Op::ArraySet {
                    // `ArraySet` happens in place.
                    best.splice(..1, first);
                }
                (op, best)
            }
        };
        out.push(Stmt::op(Some(dst), op, args, span));
        self.assign(dst, value);
    }

    /// Returns the value of an operation if it equals an existing value or a constant.
    fn simplify(&mut self, op: Op, kind: Kind, values: &[ValueId]) -> Option<ValueId> {
        self.fold(op, kind, values)
            .or_else(|| self.known(op, values))
            .or_else(|| self.same(op, kind, values))
    }

    fn fold(&mut self, op: Op, kind: Kind, values: &[ValueId]) -> Option<ValueId> {
        if let (Op::MakeArray | Op::ArraySet, Kind::Array(_, n)) = (op, kind)
            && n as usize > MAX_CONST_ARRAY
        {
            return None;
        }
        let constants: Option<Vec<&Const>> =
            values.iter().map(|&v| self.values.as_const(self.code, v)).collect();
        let value = eval_op(op, kind, &constants?)?;
        let value = if self.finite { value.without_sign_of_zero() } else { value };
        Some(self.values.constant(self.code, value))
    }

    /// Returns whether the sign of a zero does not matter in a variable, and numbers are assumed to be finite.
    fn ignores_sign(&self, local: LocalId) -> bool {
        self.context.finite && !self.signs[local]
    }

    fn branch(&mut self, condition: Operand, then: Block, otherwise: Block, out: &mut Block) -> bool {
        let mut value = self.value(condition);
        let (mut then, mut otherwise) = (then, otherwise);
        while let Some((inner, negated)) = self.decided_by(value) {
            if self.operand(inner).is_none() {
                break;
            }
            if negated {
                std::mem::swap(&mut then, &mut otherwise);
            }
            value = inner;
        }
        if let Some(known) = self.values.as_int(self.code, value) {
            let taken = if known != 0 { then } else { otherwise };
            return self.block(taken, out);
        }
        let condition = self.operand(value).unwrap_or(condition);
        let mark = self.trail.len();
        let mut deltas = vec![];
        let mut arm = |this: &mut Self, block: Block| {
            let mut inner = Vec::with_capacity(block.len());
            if this.block(block, &mut inner) {
                deltas.push(this.changes(mark));
            }
            this.undo(mark);
            inner
        };
        let then = arm(self, then);
        let otherwise = arm(self, otherwise);
        if then.is_empty() && otherwise.is_empty() {
            return true;
        }
        out.push(Stmt::If { condition, then, otherwise });
        self.merge(&deltas);
        !deltas.is_empty()
    }

    fn scope(&mut self, scope: ScopeId, body: Block, out: &mut Block) -> bool {
        let body = match self.evaluate(scope, body, out) {
            Ok(()) => return true,
            Err(body) => body,
        };
        let mark = self.trail.len();
        self.exits[scope] = Exit { mark, ..Exit::default() };
        let mut inner = Vec::with_capacity(body.len());
        let reached = self.block(body, &mut inner);
        let exit = std::mem::take(&mut self.exits[scope]);
        if exit.deltas.is_empty() && !exit.lost {
            // No statement leaves the scope, so it is replaced by its block.
            out.append(&mut inner);
            return reached;
        }
        let mut deltas = exit.deltas;
        if reached {
            deltas.push(self.changes(mark));
        }
        self.undo(mark);
        if exit.lost {
            self.forget_assigned(&inner);
        } else {
            self.merge(&deltas);
        }
        out.push(Stmt::Scope { scope, body: inner });
        true
    }

    /// Replaces a loop that can be evaluated by its results; returns it otherwise.
    fn evaluate(&mut self, scope: ScopeId, body: Block, out: &mut Block) -> Result<(), Block> {
        let Some(Stmt::Loop { span, .. }) = body.last() else {
            return Err(body);
        };
        let span = *span;
        let stmt = Stmt::Scope { scope, body };
        if let Some(results) = self.evaluated(&stmt) {
            for (local, value) in results {
                let value = Operand::Const(self.code.consts.push(value));
                self.assignment(local, Op::Copy, vec![value], span, out);
            }
            return Ok(());
        }
        match stmt {
            Stmt::Scope { body, .. } => Err(body),
            _ => Err(vec![]),
        }
    }

    fn leave(&mut self, scope: ScopeId) {
        let mark = self.exits[scope].mark;
        let room = MAX_EXITS.saturating_sub(self.exits[scope].size);
        if self.exits[scope].lost || self.trail.len() - mark > room {
            self.exits[scope].lost = true;
            self.exit_log.push(scope);
            return;
        }
        let delta = self.changes(mark);
        let exit = &mut self.exits[scope];
        exit.size += delta.len() + 1;
        exit.deltas.push(delta);
        self.exit_log.push(scope);
    }

    /// Handles a loop with an unknown number of iterations.
    fn repeat(&mut self, body: Block, (fuel, span): (u32, Span), out: &mut Block) {
        let before = self.forget_assigned(&body);
        let mut inner = Vec::with_capacity(body.len());
        self.block(body, &mut inner);
        self.assigned(&inner);
        let spared = before.iter().filter(|&&l| self.agreements[l].stamp != self.stamp);
        self.spared.extend(spared);
        out.push(Stmt::Loop { body: inner, fuel, span });
    }

    /// Unrolls a loop iteration by iteration. If the loop does not end within the limits, all changes are undone.
    fn unroll(&mut self, body: &Block, out: &mut Block) -> bool {
        let outermost = self.budget.is_none();
        if outermost {
            self.budget = Some(UNROLL_BUDGET);
        }
        let size = walk::count_statements(body);
        let max_statements = MAX_UNROLLED.max(size * 3 / 2);
        let (trail, exits, length) = (self.trail.len(), self.exit_log.len(), out.len());
        let mut done = false;
        for _ in 0..MAX_ITERATIONS {
            let left = self.budget.and_then(|left| left.checked_sub(size));
            self.budget = Some(left.unwrap_or(0));
            if left.is_none() {
                break;
            }
            let iteration = self.copy(body);
            if !self.block(iteration, out) {
                done = true;
                break;
            }
            // A loop that may be left in every iteration has no fixed number of iterations.
            if self.exit_log.len() > exits || walk::count_statements(&out[length..]) > max_statements {
                break;
            }
        }
        done &= self.budget != Some(0) && walk::count_statements(&out[length..]) <= max_statements;
        if !done {
            self.undo(trail);
            for scope in self.exit_log.drain(exits..) {
                self.exits[scope].deltas.pop();
            }
            out.truncate(length);
        }
        if outermost {
            self.budget = None;
        }
        done
    }

    /// Copies a block with new scopes.
    fn copy(&mut self, block: &Block) -> Block {
        let mut copy = block.clone();
        let mut renamed = vec![];
        rename(&mut copy, self.code, &mut renamed);
        copy
    }

    /// Marks the variables that a block assigns as unknown; returns them.
    fn forget_assigned(&mut self, block: &Block) -> Vec<LocalId> {
        let assigned = self.assigned(block);
        for &local in &assigned {
            self.forget(local);
        }
        assigned
    }

    /// Returns the variables that a block assigns, each once. Those of the last call have the current stamp.
    pub(super) fn assigned(&mut self, block: &[Stmt]) -> Vec<LocalId> {
        self.stamp += 1;
        let mut assigned = vec![];
        walk::statements(block, &mut |stmt| {
            for &local in walk::writes(stmt) {
                let seen = &mut self.agreements[local].stamp;
                if *seen != self.stamp {
                    *seen = self.stamp;
                    assigned.push(local);
                }
            }
        });
        assigned
    }

    /// Returns whether the last call of [`Forward::assigned`] returned a variable.
    pub(super) fn is_assigned(&self, local: LocalId) -> bool {
        self.agreements[local].stamp == self.stamp
    }

    /// Returns the changes since a mark, each variable once.
    fn changes(&mut self, mark: usize) -> Delta {
        self.stamp += 1;
        let mut delta = vec![];
        for &(local, _) in &self.trail[mark..] {
            let seen = &mut self.agreements[local].stamp;
            if *seen != self.stamp {
                *seen = self.stamp;
                delta.push((local, self.env[local]));
            }
        }
        delta
    }

    fn undo(&mut self, mark: usize) {
        for (local, value) in self.trail.drain(mark..).rev() {
            self.env[local] = value;
        }
    }

    /// Joins predecessors: keeps the values on which they agree.
    fn merge(&mut self, deltas: &[Delta]) {
        self.stamp += 1;
        let stamp = self.stamp;
        let mut touched = vec![];
        for &(local, value) in deltas.iter().flatten() {
            let agreement = &mut self.agreements[local];
            if agreement.stamp != stamp {
                *agreement = Agreement { stamp, count: 0, value: Some(value) };
                touched.push(local);
            }
            agreement.count += 1;
            agreement.value = agreement.value.filter(|&v| v == value);
        }
        for local in touched {
            let Agreement { count, value, .. } = self.agreements[local];
            let base = self.env[local];
            match value.filter(|&v| count == deltas.len() || v == base) {
                Some(value) if value == base => {}
                Some(value) => self.assign(local, value),
                None => self.forget(local),
            }
        }
    }
}

fn rename(block: &mut Block, code: &mut Code, renamed: &mut Vec<(ScopeId, ScopeId)>) {
    for stmt in block {
        match stmt {
            Stmt::Scope { scope, body } => {
                let old = *scope;
                *scope = code.scopes.push(code.scopes[old]);
                renamed.push((old, *scope));
                rename(body, code, renamed);
                renamed.pop();
            }
            Stmt::Leave(scope) => {
                if let Some(&(_, new)) = renamed.iter().rev().find(|(old, _)| old == scope) {
                    *scope = new;
                }
            }
            Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Op { .. } | Stmt::Call { .. } => {
                for inner in walk::blocks_mut(stmt) {
                    rename(inner, code, renamed);
                }
            }
        }
    }
}
