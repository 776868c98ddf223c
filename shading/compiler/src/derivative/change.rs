//! Emission of derivative code: derivatives of values along one axis, as HIR operands.

use crate::builtins::Builtin;
use crate::hir::{Block, Code, Const, Kind, Local, LocalId, Op, Operand, Stmt};
use crate::ty::{Base, Type};
use shading_syntax::source::Span;

/// Derivative of a value along an axis. `None` is zero, for which no code is emitted.
pub(super) type Change = Option<Operand>;

/// Writer of statements into a block.
pub(super) struct Writer<'a> {
    pub(super) code: &'a mut Code,
    pub(super) out: &'a mut Block,
    /// Source location of the differentiated statement.
    pub(super) span: Span,
}

impl Writer<'_> {
    pub(super) fn kind(&self, operand: Operand) -> Kind {
        let kind = match operand {
            Operand::Local(id) => Kind::of(self.code.locals[id].ty),
            Operand::Const(id) => Kind::of_const(&self.code.consts[id]),
        };
        kind.unwrap_or(Kind::INT)
    }

    pub(super) fn constant(&mut self, value: Const) -> Operand {
        Operand::Const(self.code.consts.push(value))
    }

    pub(super) fn zero(&mut self, kind: Kind) -> Operand {
        self.constant(kind.zero())
    }

    /// Returns a number in all components of a kind.
    pub(super) fn number(&mut self, kind: Kind, x: f32) -> Operand {
        self.constant(match kind {
            Kind::TRIPLE => Const::Triple([x; 3]),
            _ => Const::Float(x),
        })
    }

    pub(super) fn int(&mut self, i: i32) -> Operand {
        self.constant(Const::Int(i))
    }

    /// Returns the derivative, or the zero of a kind.
    pub(super) fn or_zero(&mut self, change: Change, kind: Kind) -> Operand {
        match change {
            Some(change) => change,
            None => self.zero(kind),
        }
    }

    pub(super) fn local(&mut self, ty: Type) -> LocalId {
        let name = String::new();
        self.code.locals.push(Local { name, ty })
    }

    /// `dst = op(args)`
    pub(super) fn assign(&mut self, dst: LocalId, op: Op, args: Vec<Operand>) {
        if op == Op::Copy && args == [Operand::Local(dst)] {
            return;
        }
        self.out.push(Stmt::op(Some(dst), op, args, self.span));
    }

    /// Emits an operation with a new variable of a differentiable kind as destination.
    pub(super) fn op(&mut self, op: Op, args: &[Operand], kind: Kind) -> Operand {
        debug_assert!(is_differentiable(kind) && kind == kind.element(), "{kind}");
        let dst = self.local(if kind == Kind::TRIPLE { Type::VECTOR } else { Type::FLOAT });
        self.assign(dst, op, args.to_vec());
        Operand::Local(dst)
    }

    /// Emits an array operation with a new variable of the same type as `like`.
    pub(super) fn array_op(&mut self, op: Op, args: &[Operand], like: Operand) -> Operand {
        let kind = self.kind(like);
        let base = if kind.element() == Kind::TRIPLE {
            Base::Vector
        } else {
            Base::Float
        };
        let dst = self.local(Type::array(base, kind.count()));
        self.assign(dst, op, args.to_vec());
        Operand::Local(dst)
    }

    /// Converts a number to a kind: unchanged, or in three components.
    fn spread(&mut self, a: Operand, kind: Kind) -> Operand {
        if kind == Kind::TRIPLE && self.kind(a) == Kind::FLOAT {
            self.op(Op::Splat, &[a], kind)
        } else {
            a
        }
    }

    /// Emits an arithmetic operation; a float combined with a triple is converted to a triple.
    fn arithmetic(&mut self, op: Op, a: Operand, b: Operand) -> Operand {
        let kind = if self.kind(a) == Kind::TRIPLE { Kind::TRIPLE } else { self.kind(b) };
        let (a, b) = (self.spread(a, kind), self.spread(b, kind));
        self.op(op, &[a, b], kind)
    }

    pub(super) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.arithmetic(Op::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: Operand, b: Operand) -> Operand {
        self.arithmetic(Op::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        self.arithmetic(Op::Mul, a, b)
    }

    /// `a / b`; 0 if `b` is 0.
    pub(super) fn div(&mut self, a: Operand, b: Operand) -> Operand {
        self.arithmetic(Op::Div, a, b)
    }

    pub(super) fn neg(&mut self, a: Operand) -> Operand {
        self.op(Op::Neg, &[a], self.kind(a))
    }

    /// Emits a built-in function that is applied component by component.
    pub(super) fn call(&mut self, builtin: Builtin, args: &[Operand]) -> Operand {
        self.op(Op::Builtin(builtin), args, self.kind(args[0]))
    }

    pub(super) fn dot(&mut self, a: Operand, b: Operand) -> Operand {
        self.op(Op::Builtin(Builtin::Dot), &[a, b], Kind::FLOAT)
    }

    // ---- Derivatives ----

    pub(super) fn sum(&mut self, a: Change, b: Change) -> Change {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.add(a, b)),
            (a, None) => a,
            (None, b) => b,
        }
    }

    pub(super) fn difference(&mut self, a: Change, b: Change) -> Change {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.sub(a, b)),
            (a, None) => a,
            (None, Some(b)) => Some(self.neg(b)),
        }
    }

    /// Multiplies the derivative by a factor, which is computed only if the derivative is not zero.
    pub(super) fn times(&mut self, change: Change, factor: impl FnOnce(&mut Self) -> Operand) -> Change {
        change.map(|change| {
            let factor = factor(self);
            self.mul(change, factor)
        })
    }

    /// Divides the derivative by a number, which is computed only if the derivative is not zero.
    pub(super) fn over(&mut self, change: Change, divisor: impl FnOnce(&mut Self) -> Operand) -> Change {
        change.map(|change| {
            let divisor = divisor(self);
            self.div(change, divisor)
        })
    }
}

/// Returns whether variables of a kind can have derivatives.
pub(super) fn is_differentiable(kind: Kind) -> bool {
    matches!(kind.element(), Kind::FLOAT | Kind::TRIPLE)
}
