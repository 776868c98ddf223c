//! Checking and lowering of expressions.

use super::conversion::{can_cast, common_type, conversion_rank};
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::{Op, Operand, Stmt};
use crate::ty::{Base, Type};
use shading_syntax::ast::{BinaryOp, Expr, ExprKind, TypeName};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Lowers an expression. `expected` is a preference that decides between overloads with different result types.
    pub(super) fn expr(&mut self, expr: &'a Expr, expected: Option<Type>) -> Option<TypedValue> {
        self.lowered += 1;
        let span = expr.span;
        if self.is_exhausted() {
            self.report_exhausted(span);
            return None;
        }
        match &expr.kind {
            ExprKind::Missing => None,
            ExprKind::Int(value) => Some(self.int_literal(*value, span)),
            ExprKind::Float(value) => Some(TypedValue::new(Type::FLOAT, self.float(*value))),
            ExprKind::String(text) => Some(TypedValue::new(Type::STRING, self.string(text))),
            ExprKind::Bool(value) => Some(TypedValue::new(Type::INT, self.int(i32::from(*value)))),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
                if let Some(value) = self.constant_name(expr) {
                    return Some(value);
                }
                self.mark_read(expr);
                let place = self.place(expr)?;
                self.read(&place, span)
            }
            ExprKind::Tuple(list) => self.tuple(list, expected, span),
            ExprKind::List(list) if self.in_group && expected.is_some_and(Type::is_array) => {
                self.braces(list, expected?, span)
            }
            ExprKind::List(_) => {
                self.report(span, CheckError::ListInCode);
                None
            }
            ExprKind::Braces(list) => match expected {
                Some(ty) => self.braces(list, ty, span),
                None => {
                    self.report(span, CheckError::BracesWithoutType);
                    None
                }
            },
            ExprKind::Unary { op, operand } => self.unary(*op, operand, expected, span),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
                self.short_circuit(*op, left, right, span)
            }
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, expected, span),
            ExprKind::Assign { op, target, value } => self.assignment(*op, target, value, span),
            ExprKind::Step { increment, prefix, target } => self.step(*increment, *prefix, target, span),
            ExprKind::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then, otherwise, expected, span)
            }
            ExprKind::Cast { ty, operand } => self.cast(ty, operand, span),
            ExprKind::Construct { ty, args } => self.construct(ty, args, span),
            ExprKind::Call { name, template: None, args } => self.call(name, args, expected, span),
            ExprKind::Call { name, template: Some(template), args } => {
                self.template(name, template, args, span)
            }
        }
    }

    /// Lowers an expression that must have a value.
    pub(super) fn value(&mut self, expr: &'a Expr, expected: Option<Type>) -> Option<TypedValue> {
        let value = self.expr(expr, expected)?;
        if value.ty == Type::VOID {
            self.report(expr.span, CheckError::NoValue);
            return None;
        }
        Some(value)
    }

    /// Lowers an expression and converts it implicitly to a given type.
    pub(super) fn initial(&mut self, expr: &'a Expr, ty: Type) -> Option<TypedValue> {
        let value = self.value(expr, Some(ty))?;
        self.fit(&value, ty, expr.span)
    }

    /// Converts implicitly, or reports why this is not possible.
    pub(super) fn fit(&mut self, value: &TypedValue, ty: Type, span: Span) -> Option<TypedValue> {
        let fitted = self.coerce(value, ty, span);
        if fitted.is_none() {
            let cast = can_cast(value.ty, ty);
            let (expected, found) = (self.show(ty), self.show(value.ty));
            self.report(span, CheckError::Mismatch { expected, found, cast });
        }
        fitted
    }

    /// Lowers an expression that is assigned to a variable of the given type.
    pub(super) fn assigned(&mut self, expr: &'a Expr, ty: Type) -> Option<TypedValue> {
        let value = self.value(expr, Some(ty))?;
        self.fit_assigned(&value, ty, expr.span)
    }

    /// Converts as [`Checker::fit`] does, but also from float to int: OSL's compiler allows this for assignments, with
    /// a warning, but not for arguments and results.
    fn fit_assigned(&mut self, value: &TypedValue, ty: Type, span: Span) -> Option<TypedValue> {
        if (value.ty, ty) == (Type::FLOAT, Type::INT) {
            self.warn(span, Warning::FractionLost);
            return Some(self.convert(value, ty, span));
        }
        self.fit(value, ty, span)
    }

    /// Lowers an expression that must be an int.
    pub(super) fn int_value(
        &mut self,
        expr: &'a Expr,
        otherwise: fn(String) -> CheckError,
    ) -> Option<Operand> {
        let value = self.value(expr, Some(Type::INT))?;
        if value.ty == Type::INT {
            return Some(value.leaf());
        }
        let found = self.show(value.ty);
        self.report(expr.span, otherwise(found));
        None
    }

    /// Lowers a condition to an int that is nonzero if it is true.
    pub(super) fn condition(&mut self, expr: &'a Expr) -> Option<Operand> {
        let value = self.value(expr, None)?;
        self.truth(&value, expr.span)
    }

    fn truth(&mut self, value: &TypedValue, span: Span) -> Option<Operand> {
        if value.ty.is_array() || matches!(value.ty.base, Base::Struct(_)) {
            let found = self.show(value.ty);
            self.report(span, CheckError::NotACondition(found));
            return None;
        }
        if value.ty == Type::INT {
            return Some(value.leaf());
        }
        Some(self.emit(Op::Truth, vec![value.leaf()], Type::INT, span))
    }

    /// The comma operator in code; a triple or a matrix in groups.
    fn tuple(&mut self, list: &'a [Expr], expected: Option<Type>, span: Span) -> Option<TypedValue> {
        if self.in_group {
            let ty = match list.len() {
                3 => expected.filter(|ty| ty.is_triple()).unwrap_or(Type::COLOR),
                16 => Type::MATRIX,
                found => {
                    self.report(span, CheckError::TupleLength(found));
                    return None;
                }
            };
            return self.braces(list, ty, span);
        }
        let (last, others) = list.split_last()?;
        for other in others {
            self.expr(other, None);
        }
        // Groups and scenes read this as a triple.
        if others.len() == 2 && others.iter().all(has_no_effect) {
            self.warn(span, Warning::CommaOperator);
        }
        self.expr(last, expected)
    }

    fn short_circuit(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
    ) -> Option<TypedValue> {
        let result = self.body.local("", Type::INT);
        let first = self.condition(left);
        let mut second = None;
        let block = self.block(span, |c| {
            second = c.condition(right);
            if let Some(value) = second {
                let truth = c.as_bool(value, right.span);
                c.store(result, truth, span);
            }
        });
        let first = first?;
        second?;
        let constant = self.int(i32::from(op == BinaryOp::Or));
        let other = vec![Stmt::op(Some(result), Op::Copy, vec![constant], span)];
        let (then, otherwise) = if op == BinaryOp::And { (block, other) } else { (other, block) };
        self.push(Stmt::If { condition: first, then, otherwise }, span);
        Some(TypedValue::new(Type::INT, Operand::Local(result)))
    }

    /// Converts an int to 0 or 1. Comparisons have these values already.
    fn as_bool(&mut self, value: Operand, span: Span) -> Operand {
        if let Some(known) = self.body.known_int(value) {
            return self.int(i32::from(known != 0));
        }
        let is_bool = match self.body.block.last() {
            Some(Stmt::Op { dst, op, .. }) => {
                let is_test =
                    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Not | Op::Truth);
                is_test && dst.map(Operand::Local) == Some(value)
            }
            _ => false,
        };
        if is_bool {
            value
        } else {
            self.emit(Op::Truth, vec![value], Type::INT, span)
        }
    }

    fn ternary(
        &mut self,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        if let Some(known) = self.known_condition(condition) {
            return self.value(if known { then } else { otherwise }, expected);
        }
        let condition = self.condition(condition);
        let (mut first, mut second) = (None, None);
        let mut then_block = self.block(span, |c| first = c.value(then, expected));
        let mut else_block = self.block(span, |c| second = c.value(otherwise, expected));
        let (condition, first, second) = (condition?, first?, second?);
        let zero_meets_closure = |a: &TypedValue, b: &TypedValue| a.ty == Type::CLOSURE && b.ty == Type::INT;
        let ty = if zero_meets_closure(&first, &second) || zero_meets_closure(&second, &first) {
            Some(Type::CLOSURE)
        } else {
            common_type(first.ty, second.ty)
        };
        let Some(ty) = ty else {
            let (then, otherwise) = (self.show(first.ty), self.show(second.ty));
            self.report(span, CheckError::TernaryMismatch { then, otherwise });
            return None;
        };
        let is_whole = ty == Type::INT && (self.is_whole_number(&first) || self.is_whole_number(&second));
        let result = self.locals("", ty);
        for (block, value, at) in
            [(&mut then_block, first, then.span), (&mut else_block, second, otherwise.span)]
        {
            std::mem::swap(&mut self.body.block, block);
            let fitted = self.fit(&value, ty, at);
            for (local, leaf) in result.iter().zip(fitted.iter().flat_map(|v| &v.leaves)) {
                self.store(*local, *leaf, at);
            }
            std::mem::swap(&mut self.body.block, block);
        }
        self.push(Stmt::If { condition, then: then_block, otherwise: else_block }, span);
        let leaves = result.into_iter().map(Operand::Local).collect();
        let value = TypedValue { ty, leaves };
        if is_whole {
            self.note_whole_number(&value);
        }
        Some(value)
    }

    fn cast(&mut self, ty: &'a TypeName, operand: &'a Expr, span: Span) -> Option<TypedValue> {
        let to = self.resolve(ty, None);
        let value = self.value(operand, to);
        let (to, value) = (to?, value?);
        if let Some(value) = self.coerce(&value, to, span) {
            return Some(value);
        }
        if can_cast(value.ty, to) {
            return Some(self.convert(&value, to, span));
        }
        let (from, to) = (self.show(value.ty), self.show(to));
        self.report(span, CheckError::NoCast { from, to });
        None
    }

    fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: &'a Expr,
        value: &'a Expr,
        span: Span,
    ) -> Option<TypedValue> {
        if let Some(op) = op
            && (self.has_effects(target) || is_element(target) && self.has_effects(value))
        {
            return self.element_assignment(op, target, value, span);
        }
        // The indices of the target are evaluated last, as in OSL.
        let before = std::mem::take(&mut self.body.block);
        let place = self.place(target);
        let indices = std::mem::replace(&mut self.body.block, before);
        if op.is_some() {
            self.mark_read(target);
        }
        let right = self.value(value, place.as_ref().map(|p| p.ty));
        self.body.block.extend(indices);
        // The target is marked only now, so that `x = x + 1` reads an unset `x`.
        self.mark_written(target);
        let (place, right) = (place?, right?);
        if !self.check_writable(&place, target.span) {
            return None;
        }
        let Some(op) = op else {
            if right.ty.is_array()
                && right.ty.count() < place.ty.count()
                && conversion_rank(right.ty, place.ty).is_some()
            {
                self.copy_elements(&place.leaves, &right, span);
                return self.read(&place, span);
            }
            let value = self.fit_assigned(&right, place.ty, value.span)?;
            return Some(self.write(&place, value, span));
        };
        let old = self.read(&place, target.span)?;
        let new = self.operate_any(op, &old, &right, Some(place.ty), span)?;
        let new = self.fit_assigned(&new, place.ty, span)?;
        Some(self.write(&place, new, span))
    }

    /// `a[i++] += b` as in OSL, where it is `a[i++] = a[i++] + b`: the element is read before `b` is evaluated, and its index
    /// is evaluated again afterwards.
    fn element_assignment(
        &mut self,
        op: BinaryOp,
        target: &'a Expr,
        value: &'a Expr,
        span: Span,
    ) -> Option<TypedValue> {
        self.mark_read(target);
        let place = self.place(target)?;
        let old = self.read(&place, target.span)?;
        let right = self.value(value, Some(place.ty))?;
        let new = self.operate_any(op, &old, &right, Some(place.ty), span)?;
        self.mark_written(target);
        let place = self.place(target)?;
        if !self.check_writable(&place, target.span) {
            return None;
        }
        let new = self.fit_assigned(&new, place.ty, span)?;
        Some(self.write(&place, new, span))
    }

    fn step(&mut self, increment: bool, prefix: bool, target: &'a Expr, span: Span) -> Option<TypedValue> {
        let place = self.place(target)?;
        self.mark_read(target);
        self.mark_written(target);
        if !self.check_writable(&place, target.span) {
            return None;
        }
        let mut old = self.read(&place, span)?;
        let is_number =
            !old.ty.is_array() && matches!(old.ty.base, Base::Int | Base::Float) || old.ty.is_triple();
        if !is_number {
            let found = self.show(old.ty);
            let symbol = if increment { "++" } else { "--" };
            self.report(span, CheckError::BadOperand(symbol, found));
            return None;
        }
        if !prefix {
            old.leaves[0] = self.emit(Op::Copy, vec![old.leaf()], old.ty, span);
        }
        let one = TypedValue::new(Type::INT, self.int(1));
        let one = self.convert(&one, old.ty, span);
        let op = if increment { Op::Add } else { Op::Sub };
        let new = self.emit_value(op, vec![old.leaf(), one.leaf()], old.ty, span);
        let new = self.write(&place, new, span);
        Some(if prefix { new } else { old })
    }
}

/// Returns whether an expression is an element of an array or a component.
fn is_element(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Member { .. })
}

fn has_no_effect(expr: &Expr) -> bool {
    let is_effect = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::Missing | ExprKind::Assign { .. } | ExprKind::Step { .. } | ExprKind::Call { .. }
        )
    };
    let mut pure = !is_effect(expr);
    expr.for_each_operand(&mut |operand| pure &= has_no_effect(operand));
    pure
}
