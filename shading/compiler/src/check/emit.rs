//! Emission of HIR: variables, constants and statements.

use super::body::zero_const;
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::hir::{Block, Const, LocalId, Op, Operand, ScopeId, Stmt};
use crate::ty::Type;
use shading_syntax::diagnostic::MAX_ERRORS;
use shading_syntax::source::Span;

/// Maximum number of statements of a unit; inlining can multiply them.
const MAX_STATEMENTS: usize = 200_000;

/// Maximum number of expressions lowered for a unit, with those of inlined functions.
const MAX_EXPRESSIONS: usize = 10 * MAX_STATEMENTS;

/// Maximum nesting of blocks of a unit; later passes recurse over them.
const MAX_BLOCKS: usize = 1000;

impl Checker<'_> {
    /// Source location for emitted code: within a prelude function, that of its call.
    fn here(&self, span: Span) -> Span {
        self.prelude_call.unwrap_or(span)
    }

    /// Adds a statement.
    pub(super) fn push(&mut self, stmt: Stmt, span: Span) {
        self.emitted += 1;
        if self.is_exhausted() {
            self.report_exhausted(span);
        } else {
            self.body.block.push(stmt);
        }
    }

    /// Reports, once, that the unit is too large.
    pub(super) fn report_exhausted(&mut self, span: Span) {
        if self.is_too_large() && !std::mem::replace(&mut self.exhaustion_reported, true) {
            // The error is reported even inside an inlined function, whose other errors are reported at its declaration.
            let quiet = std::mem::take(&mut self.quiet);
            let limit = if self.emitted < MAX_STATEMENTS {
                MAX_EXPRESSIONS
            } else {
                MAX_STATEMENTS
            };
            self.report(self.here(span), CheckError::TooLarge(limit));
            self.quiet = quiet;
        }
    }

    /// Returns whether checking should stop: the unit is too large, or the file has too many errors.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_too_large() || self.errors >= MAX_ERRORS
    }

    fn is_too_large(&self) -> bool {
        self.emitted >= MAX_STATEMENTS || self.lowered >= MAX_EXPRESSIONS
    }

    /// `dst = op(args)`
    pub(super) fn assign(&mut self, dst: Option<LocalId>, op: Op, args: Vec<Operand>, span: Span) {
        let at = self.here(span);
        let stmt = Stmt::op(dst, op, args, at);
        self.push(stmt, span);
    }

    /// Emits an operation with a new temporary as destination.
    pub(super) fn emit(&mut self, op: Op, args: Vec<Operand>, ty: Type, span: Span) -> Operand {
        let dst = self.body.local("", ty);
        self.assign(Some(dst), op, args, span);
        Operand::Local(dst)
    }

    /// Emits an operation with a new temporary as destination, and returns it as a value.
    pub(super) fn emit_value(&mut self, op: Op, args: Vec<Operand>, ty: Type, span: Span) -> TypedValue {
        TypedValue::new(ty, self.emit(op, args, ty, span))
    }

    /// `dst = value`. If the last statement computed a temporary for this copy only, its destination becomes `dst`
    /// instead.
    pub(super) fn store(&mut self, dst: LocalId, value: Operand, span: Span) {
        if value == Operand::Local(dst) {
            return;
        }
        if let Operand::Local(from) = value {
            let (Some(from_local), Some(to)) =
                (self.body.code.locals.get(from), self.body.code.locals.get(dst))
            else {
                return;
            };
            let is_same = from_local.ty == to.ty || (from_local.ty.is_triple() && to.ty.is_triple());
            if from_local.name.is_empty()
                && is_same
                && let Some(Stmt::Op { dst: last, op, args, .. }) = self.body.block.last_mut()
                && *last == Some(from)
                && *op != Op::ArraySet
                && !args.contains(&value)
            {
                *last = Some(dst);
                return;
            }
        }
        self.assign(Some(dst), Op::Copy, vec![value], span);
    }

    pub(super) fn int(&mut self, value: i32) -> Operand {
        self.body.constant(Const::Int(value))
    }

    pub(super) fn float(&mut self, value: f32) -> Operand {
        self.body.constant(Const::Float(value))
    }

    pub(super) fn string(&mut self, text: &str) -> Operand {
        self.body.constant(Const::String(text.into()))
    }

    /// Lowers code into a separate block.
    pub(super) fn block(&mut self, span: Span, fill: impl FnOnce(&mut Self)) -> Block {
        self.body.blocks += 1;
        let outer = std::mem::take(&mut self.body.block);
        if self.body.blocks <= MAX_BLOCKS {
            fill(self);
        } else {
            let quiet = std::mem::take(&mut self.quiet);
            self.report(self.here(span), CheckError::TooDeep);
            self.quiet = quiet;
        }
        self.body.blocks -= 1;
        std::mem::replace(&mut self.body.block, outer)
    }

    /// Creates a scope that can be left by `break`.
    pub(super) fn new_scope(&mut self, name: &'static str) -> ScopeId {
        self.body.code.scopes.push(name)
    }

    /// Returns the variable of a global: the unit's copy, or a new one in a default, which runs before the copies are
    /// made.
    pub(super) fn global(&mut self, global: Global, span: Span) -> LocalId {
        if let Some(local) = self.body.globals.get(&global)
            && !self.body.in_default
        {
            return *local;
        }
        if global == Global::Ps {
            self.warn(span, Warning::NoLightShaders);
        }
        let local = self.body.local(global.name(), global.ty());
        let at = self.here(span);
        let stmt = Stmt::op(Some(local), Op::Global(global), vec![], at);
        if self.body.in_default {
            self.push(stmt, span);
        } else {
            self.body.globals.insert(global, local);
            self.body.prologue.push(stmt);
        }
        local
    }

    /// Creates a variable for each leaf of a type.
    pub(super) fn locals(&mut self, name: &str, ty: Type) -> Vec<LocalId> {
        let mut leaves = vec![];
        for (path, ty) in self.leaves(ty) {
            leaves.push(self.body.local(format!("{name}{path}"), ty));
        }
        leaves
    }

    /// Returns the zero of a type: zero, the empty string, the null closure, or a structure or array of these.
    pub(super) fn zero(&mut self, ty: Type) -> TypedValue {
        let mut leaves = vec![];
        for (_, leaf) in self.leaves(ty) {
            leaves.push(self.body.constant(zero_const(leaf)));
        }
        TypedValue { ty, leaves }
    }
}
