//! Checking and lowering of statements.

use super::error::CheckError;
use super::frame::LoopFrame;
use super::lvalue::{Access, Lvalue};
use super::scope::{Role, Symbol, SymbolMeaning};
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::Stmt as Out;
use crate::ty::{Length, Type};
use shading_syntax::ast::{Expr, ExprKind, Name, Stmt, StmtKind, TypeName, Variable};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Lowers statements in the current scope (a block is statements in a new scope). `tail` is true for the last statements
    /// of the function, in which a `return` at the end needs no jump.
    pub(super) fn statements(&mut self, list: &'a [Stmt], tail: bool) {
        for (i, stmt) in list.iter().enumerate() {
            self.stmt(stmt, tail && i + 1 == list.len());
        }
        self.warn_unused();
    }

    fn scoped(&mut self, fill: impl FnOnce(&mut Self)) {
        let inner = self.scopes.push(self.scope);
        let outer = std::mem::replace(&mut self.scope, inner);
        fill(self);
        self.scope = outer;
    }

    fn stmt(&mut self, stmt: &'a Stmt, tail: bool) {
        if self.is_exhausted() {
            return;
        }
        match &stmt.kind {
            StmtKind::Declare { constant, ty, variables } => {
                for variable in variables {
                    self.declare(*constant, ty, variable);
                }
            }
            StmtKind::Function(function) => self.local_function(function),
            StmtKind::Expr(expr) => self.expr_stmt(expr),
            StmtKind::If { condition, then, otherwise } => {
                self.if_stmt(condition, then, otherwise.as_deref(), tail, stmt.span);
            }
            StmtKind::For { init, condition, step, body } => self.scoped(|c| {
                if let Some(init) = init {
                    c.stmt(init, false);
                }
                if condition.is_none() && !ends(body) {
                    c.warn(stmt.span, Warning::EndlessLoop);
                }
                c.loop_stmt(condition.as_ref(), step.as_ref(), body, false, stmt.span);
                c.warn_unused();
            }),
            StmtKind::While { condition, body } => {
                if is_always_true(condition) && !ends(body) {
                    self.warn(stmt.span, Warning::EndlessLoop);
                }
                self.loop_stmt(Some(condition), None, body, false, stmt.span);
            }
            StmtKind::DoWhile { body, condition } => {
                self.loop_stmt(Some(condition), None, body, true, stmt.span);
            }
            StmtKind::Break => match self.frame.loops.last() {
                Some(frame) => {
                    let leave = Out::Leave(frame.break_scope);
                    self.push(leave, stmt.span);
                }
                None => self.report(stmt.span, CheckError::OutsideLoop("break")),
            },
            StmtKind::Continue => self.continue_stmt(stmt.span),
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), tail, stmt.span),
            StmtKind::Block(list) => self.scoped(|c| c.statements(list, tail)),
            StmtKind::Empty => {}
            // The missing statement may return a value.
            StmtKind::Missing => self.frame.returns = true,
        }
    }

    fn expr_stmt(&mut self, expr: &'a Expr) {
        let does_nothing = matches!(
            expr.kind,
            ExprKind::Binary { .. }
                | ExprKind::Name(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::String(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
        );
        let before = self.errors;
        self.expr(expr, None);
        if does_nothing && self.errors == before {
            self.warn(expr.span, Warning::NoEffect);
        }
    }

    /// As in OSL, a branch without braces does not open a scope: its declarations are visible after the statement.
    fn if_stmt(
        &mut self,
        condition: &'a Expr,
        then: &'a Stmt,
        otherwise: Option<&'a Stmt>,
        tail: bool,
        span: Span,
    ) {
        if matches!(condition.kind, ExprKind::Assign { op: None, .. }) {
            self.warn(condition.span, Warning::AssignedCondition);
        }
        match (self.known_condition(condition), otherwise) {
            (Some(true), _) => return self.stmt(then, tail),
            (Some(false), Some(otherwise)) => {
                if !self.report_exhausted_chain(condition, otherwise, span) {
                    self.stmt(otherwise, tail);
                }
                return;
            }
            (Some(false), None) => return,
            (None, _) => {}
        }
        let condition = self.condition(condition);
        let then = self.block(span, |c| c.stmt(then, tail));
        let otherwise = match otherwise {
            Some(stmt) => self.block(span, |c| c.stmt(stmt, tail)),
            None => vec![],
        };
        if let Some(condition) = condition {
            self.push(Out::If { condition, then, otherwise }, span);
        }
    }

    fn loop_stmt(
        &mut self,
        condition: Option<&'a Expr>,
        step: Option<&'a Expr>,
        body: &'a Stmt,
        body_first: bool,
        span: Span,
    ) {
        let break_scope = self.new_scope("break");
        self.frame.loops.push(LoopFrame { break_scope, continue_scope: None });
        let block = self.block(span, |c| {
            if !body_first {
                c.leave_unless(condition, break_scope, span);
            }
            let iteration = c.block(span, |c| c.stmt(body, false));
            match c.frame.loops.last().and_then(|l| l.continue_scope) {
                Some(scope) => c.push(Out::Scope { scope, body: iteration }, span),
                None => c.body.block.extend(iteration),
            }
            if let Some(step) = step {
                c.expr(step, None);
            }
            if body_first {
                c.leave_unless(condition, break_scope, span);
            }
        });
        self.frame.loops.pop();
        let body = vec![Out::Loop {
            fuel: 1,
            body: block,
            span: self.prelude_call.unwrap_or(span),
        }];
        self.push(Out::Scope { scope: break_scope, body }, span);
    }

    fn leave_unless(&mut self, condition: Option<&'a Expr>, scope: crate::hir::ScopeId, span: Span) {
        let Some(condition) = condition.and_then(|c| self.condition(c)) else {
            return;
        };
        let otherwise = vec![Out::Leave(scope)];
        self.push(Out::If { condition, then: vec![], otherwise }, span);
    }

    fn continue_stmt(&mut self, span: Span) {
        let Some(frame) = self.frame.loops.last() else {
            self.report(span, CheckError::OutsideLoop("continue"));
            return;
        };
        let scope = match frame.continue_scope {
            Some(scope) => scope,
            None => self.new_scope("continue"),
        };
        if let Some(frame) = self.frame.loops.last_mut() {
            frame.continue_scope = Some(scope);
        }
        self.push(Out::Leave(scope), span);
    }

    fn return_stmt(&mut self, value: Option<&'a Expr>, tail: bool, span: Span) {
        self.frame.returns = true;
        let ty = self.frame.ty;
        match value {
            Some(value) if ty == Type::VOID => {
                let found = self.expr(value, None);
                if let Some(found) = found.filter(|v| v.ty != Type::VOID) {
                    let found = self.show(found.ty);
                    self.report(value.span, CheckError::UnwantedReturn(found));
                }
            }
            Some(value) => {
                if let Some(value) = self.initial(value, ty) {
                    let result = self.frame.result.clone();
                    for (local, leaf) in result.iter().zip(&value.leaves) {
                        self.store(*local, *leaf, span);
                    }
                }
            }
            None if ty != Type::VOID => {
                let expected = self.show(ty);
                self.report(span, CheckError::MissingReturnValue(expected));
            }
            None => {}
        }
        if !tail {
            let scope = match self.frame.scope {
                Some(scope) => scope,
                None => self.new_scope("return"),
            };
            self.frame.scope = Some(scope);
            self.push(Out::Leave(scope), span);
        }
    }

    fn declare(&mut self, constant: bool, ty: &'a TypeName, variable: &'a Variable) {
        let meaning = self.variable_meaning(constant, ty, variable);
        self.declare_local(&variable.name, meaning, variable.init.is_some());
    }

    pub(super) fn variable_meaning(
        &mut self,
        constant: bool,
        ty: &'a TypeName,
        variable: &'a Variable,
    ) -> SymbolMeaning {
        let name = &variable.name;
        let resolved = self.resolve(ty, variable.array.as_ref());
        let mut value = None;
        if let (Some(init), Some(ty)) = (&variable.init, resolved) {
            value = self.assigned(init, ty);
            if value.is_none() {
                // The error of the initialiser is reported; the variable is declared anyway.
                let is_known = ty != Type::VOID && ty.length != Length::Unsized;
                return if is_known {
                    self.variable(name, ty, Access::Writable)
                } else {
                    SymbolMeaning::Unknown
                };
            }
        } else if let Some(init) = &variable.init {
            self.quiet += 1;
            self.expr(init, None);
            self.quiet -= 1;
        }
        let Some(mut ty) = resolved else {
            return SymbolMeaning::Unknown;
        };
        if ty == Type::VOID {
            self.report(name.span, CheckError::VoidVariable);
            return SymbolMeaning::Unknown;
        }
        if ty.length == Length::Unsized {
            match &value {
                Some(value) => ty = value.ty,
                None => {
                    self.report(name.span, CheckError::UnsizedVariable);
                    return SymbolMeaning::Unknown;
                }
            }
        }
        let access = if constant {
            Access::Constant(name.text.clone())
        } else {
            Access::Writable
        };
        let meaning = self.variable(name, ty, access);
        if let (Some(TypedValue { leaves, .. }), SymbolMeaning::Variable(place)) = (value, &meaning) {
            for (local, leaf) in place.leaves.clone().into_iter().zip(leaves) {
                self.store(local, leaf, name.span);
            }
        }
        meaning
    }

    fn variable(&mut self, name: &Name, ty: Type, access: Access) -> SymbolMeaning {
        let leaves = self.locals(&name.text, ty);
        SymbolMeaning::Variable(Lvalue::whole(ty, leaves, access))
    }

    fn declare_local(&mut self, name: &'a Name, meaning: SymbolMeaning, is_written: bool) {
        self.check_name(name);
        let is_twice = self.scopes.find_here(self.scope, &name.text).is_some();
        if let Some(other) = self.scopes.find(self.scope, &name.text).filter(|_| !is_twice) {
            let other = self.scopes.get(other);
            if other.body == self.body.id {
                let warning = Warning::Shadowed(name.text.clone(), other.span);
                self.warn(name.span, warning);
            }
        } else if crate::builtins::Global::from_name(&name.text).is_some() || name.text == "Ci" {
            self.warn(name.span, Warning::GlobalShadowed(name.text.clone()));
        }
        let is_unknown = matches!(meaning, SymbolMeaning::Unknown);
        let symbol = Symbol {
            name: &name.text,
            meaning,
            role: Role::Local,
            span: name.span,
            body: self.body.id,
            loops: self.frame.loops.len(),
            is_read: is_unknown,
            is_written: is_written || is_unknown,
        };
        if self.scopes.declare(self.scope, symbol).is_some() {
            self.report_twice("variable", name);
        }
    }

    /// Reports a variable whose name is a type in OSL. TSL's sources use such names.
    pub(super) fn check_name(&mut self, name: &Name) {
        if matches!(name.text.as_str(), "normal" | "point") && self.is_osl(name.span) {
            let name_text = name.text.clone();
            self.report(name.span, CheckError::TypeAsName(name_text));
        }
    }

    /// Reports a name that is declared twice in a scope.
    pub(super) fn report_twice(&mut self, what: &'static str, name: &Name) {
        let text = name.text.clone();
        self.report(name.span, CheckError::Duplicate(what, text));
    }

    fn warn_unused(&mut self) {
        if self.quiet > 0 {
            return;
        }
        let unused: Vec<(Span, String)> = self
            .scopes
            .symbols_of(self.scope)
            .filter(|s| s.role == Role::Local && !s.is_read && !s.name.starts_with('_'))
            .map(|s| (s.span, s.name.to_owned()))
            .collect();
        for (span, name) in unused {
            self.warn(span, Warning::Unused(name));
        }
    }
}

/// Returns whether the body of a loop may leave it: by `break`, `return`, or a call of `exit`.
fn ends(body: &Stmt) -> bool {
    let mut exits = false;
    body.for_each_expr(&mut |expr| {
        exits |= matches!(&expr.kind, ExprKind::Call { name, .. } if name.text == "exit");
    });
    exits || leaves(body, true)
}

/// Returns whether a statement contains `return`, or a `break` of the enclosing loop.
fn leaves(stmt: &Stmt, breaks: bool) -> bool {
    match &stmt.kind {
        // The missing statement may leave the loop.
        StmtKind::Return(_) | StmtKind::Missing => true,
        StmtKind::Break => breaks,
        StmtKind::If { then, otherwise, .. } => {
            leaves(then, breaks) || otherwise.as_ref().is_some_and(|stmt| leaves(stmt, breaks))
        }
        StmtKind::Block(list) => list.iter().any(|stmt| leaves(stmt, breaks)),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
            leaves(body, false)
        }
        StmtKind::Declare { .. }
        | StmtKind::Function(_)
        | StmtKind::Expr(_)
        | StmtKind::Continue
        | StmtKind::Empty => false,
    }
}

fn is_always_true(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Bool(value) => *value,
        ExprKind::Int(value) => *value != 0,
        _ => false,
    }
}
