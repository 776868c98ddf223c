//! Evaluation of loops at compile time: a loop that reads only constants is replaced by assignments of its results.

use rustc_hash::FxHashMap;

use super::forward::Forward;
use super::value::MAX_CONST_ARRAY;
use crate::eval;
use crate::eval::operation::eval_op;
use crate::hir::walk;
use crate::hir::{Block, Const, Kind, LocalId, Op, Operand, ScopeId, Stmt};

/// Number of operations that may be evaluated for one unit: a few milliseconds.
pub(super) const MAX_EVALUATED: usize = 1 << 16;

impl Forward<'_> {
    /// Returns the values of the variables that a loop assigns, if the loop reads only constants, has no effects, reports no
    /// errors, and ends within the remaining budget. The statement is the loop with the scope that it leaves.
    pub(super) fn evaluated(&mut self, stmt: &Stmt) -> Option<Vec<(LocalId, Const)>> {
        let stmts = std::slice::from_ref(stmt);
        let assigned = self.assigned(stmts);
        let mut known = true;
        walk::statements(stmts, &mut |stmt| {
            known &= walk::reads(stmt).all(|local| self.is_assigned(local) || self.constant(local).is_some());
        });
        if !known {
            return None;
        }
        let mut evaluation = Evaluation { values: FxHashMap::default(), forward: self };
        let End::Next = evaluation.stmt(stmt)? else {
            return None;
        };
        let mut values = evaluation.values;
        let changed = assigned.into_iter().filter_map(|local| Some((local, values.remove(&local)?)));
        Some(changed.collect())
    }

    /// Returns the constant that a variable holds here.
    fn constant(&self, local: LocalId) -> Option<&Const> {
        self.values.as_const(self.code, self.env[local])
    }
}

/// Where a statement ends.
enum End {
    Next,
    Leave(ScopeId),
}

/// Evaluation of a loop; `None` ends it without a result.
struct Evaluation<'f, 'a> {
    /// Values of the variables read or assigned so far.
    values: FxHashMap<LocalId, Const>,
    forward: &'f Forward<'a>,
}

impl Evaluation<'_, '_> {
    fn block(&mut self, block: &Block) -> Option<End> {
        for stmt in block {
            if let End::Leave(scope) = self.stmt(stmt)? {
                return Some(End::Leave(scope));
            }
        }
        Some(End::Next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<End> {
        self.spend()?;
        match stmt {
            Stmt::Op { dst: Some(dst), op, args, .. } => self.op(*dst, *op, args)?,
            Stmt::Op { dst: None, .. } | Stmt::Call { .. } => return None,
            Stmt::If { condition, then, otherwise } => {
                self.read(*condition)?;
                let Const::Int(condition) = *self.value(*condition)? else {
                    return None;
                };
                return self.block(if condition != 0 { then } else { otherwise });
            }
            Stmt::Loop { body, .. } => loop {
                self.spend()?;
                if let End::Leave(scope) = self.block(body)? {
                    return Some(End::Leave(scope));
                }
            },
            Stmt::Scope { scope, body } => {
                if let End::Leave(left) = self.block(body)?
                    && left != *scope
                {
                    return Some(End::Leave(left));
                }
            }
            Stmt::Leave(scope) => return Some(End::Leave(*scope)),
        }
        Some(End::Next)
    }

    fn spend(&self) -> Option<()> {
        let left = &self.forward.context.evaluations;
        left.set(left.get().checked_sub(1)?);
        Some(())
    }

    fn op(&mut self, dst: LocalId, op: Op, args: &[Operand]) -> Option<()> {
        let kind = Kind::of(self.forward.code.locals[dst].ty)?;
        if walk::is_effect(op) || kind.count() as usize > MAX_CONST_ARRAY {
            return None;
        }
        args.iter().try_for_each(|&arg| self.read(arg))?;
        if let (Op::ArraySet, [_, index, element]) = (op, args) {
            let (index, element) = (self.value(*index)?.clone(), self.value(*element)?.clone());
            return self.set_element(dst, &index, element);
        }
        let operands: Option<Vec<&Const>> = args.iter().map(|&arg| self.value(arg)).collect();
        let value = eval_op(op, kind, &operands?)?;
        self.values.insert(dst, value);
        Some(())
    }

    fn set_element(&mut self, array: LocalId, index: &Const, element: Const) -> Option<()> {
        let (Const::Array(list), Const::Int(index)) = (self.values.get_mut(&array)?, index) else {
            return None;
        };
        // An index out of range is reported at run time.
        let (index, is_outside) = eval::clamp_index(*index, list.len());
        *list.get_mut(index).filter(|_| !is_outside)? = element;
        Some(())
    }

    fn read(&mut self, operand: Operand) -> Option<()> {
        if let Operand::Local(local) = operand
            && !self.values.contains_key(&local)
        {
            let value = self.forward.constant(local)?.clone();
            self.values.insert(local, value);
        }
        Some(())
    }

    fn value(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Local(local) => self.values.get(&local),
            Operand::Const(id) => Some(&self.forward.code.consts[id]),
        }
    }
}
