//! Checking and lowering of operators.

use super::conversion::common_type;
use super::error::CheckError;
use super::{Checker, TypedValue};
use crate::hir::{Const, Op, Operand};
use crate::ty::{Base, Type};
use shading_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &'a Expr,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let value = self.value(operand, expected)?;
        if matches!(value.ty.base, Base::Struct(_)) && !value.ty.is_array() {
            let name = match op {
                UnaryOp::Neg => "__operator__neg__",
                UnaryOp::Not => "__operator__not__",
                UnaryOp::BitNot => "__operator__compl__",
                UnaryOp::Plus => "__operator__pos__",
            };
            return self.operator_call(name, op.symbol(), &[&value], expected, span);
        }
        let is_single = !value.ty.is_array();
        let base = value.ty.base;
        let is_number =
            is_single && (matches!(base, Base::Int | Base::Float | Base::Matrix) || base.is_triple());
        match op {
            UnaryOp::Plus if is_number || value.ty == Type::CLOSURE => Some(value),
            UnaryOp::Neg if is_number => Some(match self.negated(value.leaf()) {
                Some(leaf) => TypedValue::new(value.ty, leaf),
                None => {
                    let is_whole = self.is_whole_number(&value);
                    let negated = self.emit_value(Op::Neg, value.leaves, value.ty, span);
                    if is_whole {
                        self.note_whole_number(&negated);
                    }
                    negated
                }
            }),
            UnaryOp::Not if is_single => {
                let op = if base == Base::Int {
                    Op::Not
                } else {
                    let truth = self.emit(Op::Truth, value.leaves, Type::INT, span);
                    return Some(self.emit_value(Op::Not, vec![truth], Type::INT, span));
                };
                Some(self.emit_value(op, value.leaves, Type::INT, span))
            }
            UnaryOp::BitNot if value.ty == Type::INT => {
                Some(self.emit_value(Op::BitNot, value.leaves, Type::INT, span))
            }
            UnaryOp::Neg if value.ty == Type::CLOSURE => {
                let minus = self.body.constant(Const::Float(-1.0));
                let args = vec![value.leaf(), minus];
                Some(self.emit_value(Op::ClosureMul, args, Type::CLOSURE, span))
            }
            UnaryOp::Plus | UnaryOp::Neg | UnaryOp::Not | UnaryOp::BitNot => {
                let found = self.show(value.ty);
                self.report(span, CheckError::BadOperand(op.symbol(), found));
                None
            }
        }
    }

    /// Returns a constant with its sign changed.
    fn negated(&mut self, leaf: Operand) -> Option<Operand> {
        let value = match self.body.known(leaf)? {
            Const::Int(i) => Const::Int(i.wrapping_neg()),
            Const::Float(f) => Const::Float(-f),
            Const::Triple(t) => Const::Triple(t.map(|lane| -lane)),
            _ => return None,
        };
        Some(self.body.constant(value))
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let is_comparison = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        let is_of_ints = matches!(
            op,
            BinaryOp::Mod
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Shl
                | BinaryOp::Shr
        );
        let expected = match expected {
            _ if self.in_group && is_of_ints => Some(Type::INT),
            expected => expected.filter(|_| !is_comparison),
        };
        // If an operand is a variable, the operation reads it after the effects of the right side, as in OSL.
        let a = self.value(left, expected);
        let b = self.value(right, expected);
        let (mut a, mut b) = (a?, b?);
        let is_whole = self.is_whole_number(&a) || self.is_whole_number(&b);
        if is_whole && self.is_real(op, &a, &b, expected) {
            (a, b) = (self.convert(&a, Type::FLOAT, span), self.convert(&b, Type::FLOAT, span));
        }
        let result = self.operate_any(op, &a, &b, expected, span)?;
        if is_whole && result.ty == Type::INT {
            self.note_whole_number(&result);
        }
        Some(result)
    }

    /// Returns whether an operation on ints, one of them a whole number of a group, is an operation on floats: whole numbers
    /// are floats unless an int is expected. If both results are equal, it remains an operation on ints, whose result can be
    /// the argument of a function of ints.
    fn is_real(&self, op: BinaryOp, a: &TypedValue, b: &TypedValue, expected: Option<Type>) -> bool {
        if a.ty != Type::INT || b.ty != Type::INT || expected == Some(Type::INT) {
            return false;
        }
        let exact: fn(i32, i32) -> Option<i32> = match op {
            BinaryOp::Div => return true,
            BinaryOp::Add => i32::checked_add,
            BinaryOp::Sub => i32::checked_sub,
            BinaryOp::Mul => i32::checked_mul,
            _ => return false,
        };
        let known = self.body.known_int(a.leaf()).zip(self.body.known_int(b.leaf()));
        match known {
            Some((a, b)) => exact(a, b).is_none(),
            None => expected.is_some(),
        }
    }

    /// Returns whether a value is a literal of a group without a decimal point, or an int computed from literals.
    pub(super) fn is_whole_number(&self, value: &TypedValue) -> bool {
        self.in_group
            && value.ty == Type::INT
            && match value.leaf() {
                Operand::Const(_) => true,
                Operand::Local(local) => self.whole_numbers.contains(&local),
            }
    }

    /// Records that an int of a group's expression is computed from literals.
    pub(super) fn note_whole_number(&mut self, value: &TypedValue) {
        if let Operand::Local(local) = value.leaf() {
            self.whole_numbers.insert(local);
        }
    }

    /// `a op b`, except `&&` and `||`; for structures, by the function that overloads the operator.
    pub(super) fn operate_any(
        &mut self,
        op: BinaryOp,
        a: &TypedValue,
        b: &TypedValue,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        if matches!(a.ty.base, Base::Struct(_)) || matches!(b.ty.base, Base::Struct(_)) {
            return self.operator_call(overload_name(op), op.symbol(), &[a, b], expected, span);
        }
        self.operate(op, a, b, span)
    }

    /// `a op b` of values that are not structures, except `&&` and `||`.
    fn operate(&mut self, op: BinaryOp, a: &TypedValue, b: &TypedValue, span: Span) -> Option<TypedValue> {
        let result = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                return self.arithmetic(op, a, b, span);
            }
            BinaryOp::Mod => self.int_operation(Op::Mod, a, b, span),
            BinaryOp::BitAnd => self.int_operation(Op::BitAnd, a, b, span),
            BinaryOp::BitOr => self.int_operation(Op::BitOr, a, b, span),
            BinaryOp::BitXor => self.int_operation(Op::BitXor, a, b, span),
            BinaryOp::Shl => self.int_operation(Op::Shl, a, b, span),
            BinaryOp::Shr => self.int_operation(Op::Shr, a, b, span),
            BinaryOp::Eq => self.comparison(Op::Eq, a, b, span),
            BinaryOp::Ne => self.comparison(Op::Ne, a, b, span),
            BinaryOp::Lt => self.comparison(Op::Lt, a, b, span),
            BinaryOp::Le => self.comparison(Op::Le, a, b, span),
            BinaryOp::Gt => self.comparison(Op::Gt, a, b, span),
            BinaryOp::Ge => self.comparison(Op::Ge, a, b, span),
            BinaryOp::And | BinaryOp::Or => None,
        };
        if result.is_none() {
            self.bad_operands(op, a, b, span);
        }
        result
    }

    fn bad_operands(&mut self, op: BinaryOp, a: &TypedValue, b: &TypedValue, span: Span) {
        let (left, right) = (self.show(a.ty), self.show(b.ty));
        let error = CheckError::BadOperands { op, left, right };
        self.report(span, error);
    }

    fn int_operation(&mut self, op: Op, a: &TypedValue, b: &TypedValue, span: Span) -> Option<TypedValue> {
        (a.ty == Type::INT && b.ty == Type::INT)
            .then(|| self.emit_value(op, vec![a.leaf(), b.leaf()], Type::INT, span))
    }

    fn comparison(&mut self, op: Op, a: &TypedValue, b: &TypedValue, span: Span) -> Option<TypedValue> {
        let ty = common_type(a.ty, b.ty)?;
        let is_equality = matches!(op, Op::Eq | Op::Ne);
        let fits = match ty.base {
            Base::Int | Base::Float => true,
            Base::Matrix | Base::String => is_equality,
            base => is_equality && base.is_triple(),
        };
        if !fits || ty.is_array() {
            return None;
        }
        let (a, b) = (self.convert(a, ty, span), self.convert(b, ty, span));
        Some(self.emit_value(op, vec![a.leaf(), b.leaf()], Type::INT, span))
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &TypedValue, b: &TypedValue, span: Span) -> Option<TypedValue> {
        if a.ty == Type::CLOSURE || b.ty == Type::CLOSURE {
            return self.closure_arithmetic(op, a, b, span);
        }
        let Some(ty) = arithmetic_type(op, a.ty, b.ty) else {
            self.bad_operands(op, a, b, span);
            return None;
        };
        if op == BinaryOp::Div && ty == Type::MATRIX && b.ty != Type::MATRIX {
            return self.matrix_over_scalar(a, b, span);
        }
        let operand_ty = |own: Type| {
            if ty.is_triple() && own.is_triple() { own } else { ty }
        };
        let (a, b) = (self.convert(a, operand_ty(a.ty), span), self.convert(b, operand_ty(b.ty), span));
        let op = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            _ => Op::Div,
        };
        Some(self.emit_value(op, vec![a.leaf(), b.leaf()], ty, span))
    }

    /// Divides a matrix by a number: multiplies by the reciprocal, which is 0 for 0 as for other types.
    fn matrix_over_scalar(&mut self, a: &TypedValue, b: &TypedValue, span: Span) -> Option<TypedValue> {
        let one = self.body.constant(Const::Float(1.0));
        let divisor = self.convert(b, Type::FLOAT, span).leaf();
        let reciprocal = self.emit_value(Op::Div, vec![one, divisor], Type::FLOAT, span);
        let a = self.convert(a, Type::MATRIX, span);
        self.arithmetic(BinaryOp::Mul, &a, &reciprocal, span)
    }

    fn closure_arithmetic(
        &mut self,
        op: BinaryOp,
        a: &TypedValue,
        b: &TypedValue,
        span: Span,
    ) -> Option<TypedValue> {
        let is_weight = |ty: Type| matches!(ty, Type::INT | Type::FLOAT | Type::COLOR);
        match op {
            BinaryOp::Add => {
                // `closure + 0` is as valid as `closure = 0`.
                let both = self.coerce(a, Type::CLOSURE, span).zip(self.coerce(b, Type::CLOSURE, span));
                if let Some((a, b)) = both {
                    return Some(self.emit_value(
                        Op::ClosureAdd,
                        vec![a.leaf(), b.leaf()],
                        Type::CLOSURE,
                        span,
                    ));
                }
            }
            BinaryOp::Mul => {
                let (closure, weight) = if a.ty == Type::CLOSURE { (a, b) } else { (b, a) };
                if is_weight(weight.ty) {
                    let weight = match weight.ty {
                        Type::INT => self.convert(weight, Type::FLOAT, span),
                        _ => weight.clone(),
                    };
                    let args = vec![closure.leaf(), weight.leaf()];
                    return Some(self.emit_value(Op::ClosureMul, args, Type::CLOSURE, span));
                }
            }
            BinaryOp::Sub => {
                self.report(span, CheckError::ClosureSubtracted);
                return None;
            }
            _ => {}
        }
        self.bad_operands(op, a, b, span);
        None
    }

    /// Calls the function that overloads an operator.
    fn operator_call(
        &mut self,
        name: &'static str,
        symbol: &'static str,
        operands: &[&TypedValue],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        if self.functions_named(self.scope, name).is_empty() {
            let shown: Vec<String> = operands.iter().map(|v| self.show(v.ty)).collect();
            self.report(span, CheckError::NoOperator { symbol, name, operands: shown });
            return None;
        }
        let args = operands
            .iter()
            .map(|v| super::argument::CallArgument::value((*v).clone(), span))
            .collect();
        self.call_named(name, args, expected, span)
    }

    /// Returns whether evaluating an expression may change a variable.
    pub(super) fn has_effects(&mut self, expr: &Expr) -> bool {
        let mut found = match &expr.kind {
            ExprKind::Assign { .. } | ExprKind::Step { .. } => true,
            ExprKind::Call { name, .. } => {
                let functions = self.functions_named(self.scope, &name.text);
                let writes = |index: &usize| self.functions[*index].formals.iter().any(|f| f.output);
                functions.iter().any(writes)
            }
            _ => false,
        };
        expr.for_each_operand(&mut |operand| found |= self.has_effects(operand));
        found
    }
}

/// Returns the type of `a op b` for + − × ÷.
fn arithmetic_type(op: BinaryOp, a: Type, b: Type) -> Option<Type> {
    let is_scalar = |ty: Type| matches!(ty, Type::INT | Type::FLOAT);
    if is_scalar(a) && is_scalar(b) {
        return Some(if a == b { a } else { Type::FLOAT });
    }
    if a == Type::MATRIX || b == Type::MATRIX {
        let scales = matches!(op, BinaryOp::Mul | BinaryOp::Div) && (is_scalar(a) || is_scalar(b));
        return (a == b || scales).then_some(Type::MATRIX);
    }
    if a.is_triple() && is_scalar(b) {
        return Some(a);
    }
    if is_scalar(a) && b.is_triple() {
        return Some(b);
    }
    if !a.is_triple() || !b.is_triple() {
        return None;
    }
    Some(match (a.base, b.base, op) {
        (Base::Point, Base::Point, BinaryOp::Sub) => Type::VECTOR,
        (a, b, _) if a == b => Type::single(a),
        (Base::Color, _, _) | (_, Base::Color, _) => Type::COLOR,
        (Base::Point, _, BinaryOp::Add | BinaryOp::Sub) | (_, Base::Point, BinaryOp::Add | BinaryOp::Sub) => {
            Type::POINT
        }
        _ => Type::VECTOR,
    })
}

fn overload_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "__operator__add__",
        BinaryOp::Sub => "__operator__sub__",
        BinaryOp::Mul => "__operator__mul__",
        BinaryOp::Div => "__operator__div__",
        BinaryOp::Mod => "__operator__mod__",
        BinaryOp::BitAnd => "__operator__bitand__",
        BinaryOp::BitOr => "__operator__bitor__",
        BinaryOp::BitXor => "__operator__xor__",
        BinaryOp::Shl => "__operator__shl__",
        BinaryOp::Shr => "__operator__shr__",
        BinaryOp::Eq => "__operator__eq__",
        BinaryOp::Ne => "__operator__neq__",
        BinaryOp::Lt => "__operator__lt__",
        BinaryOp::Le => "__operator__le__",
        BinaryOp::Gt => "__operator__gt__",
        BinaryOp::Ge => "__operator__ge__",
        BinaryOp::And => "__operator__and__",
        BinaryOp::Or => "__operator__or__",
    }
}
