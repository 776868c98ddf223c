//! Algebraic simplification for finite numbers: multiplication by zero, and clamps made redundant by value ranges.

use super::forward::Forward;
use super::value::ValueId;
use crate::builtins::Builtin;
use crate::hir::{Const, Kind, Op};

/// Maximum depth of operations that the search for bounds follows.
const DEPTH: usize = 6;

/// Bounds of a float, or of each component of a triple.
#[derive(Clone, Copy)]
struct Bounds {
    low: f32,
    high: f32,
}

impl Bounds {
    const ANY: Bounds = Bounds::new(f32::NEG_INFINITY, f32::INFINITY);
    const POSITIVE: Bounds = Bounds::new(0.0, f32::INFINITY);
    const UNIT: Bounds = Bounds::new(0.0, 1.0);

    const fn new(low: f32, high: f32) -> Bounds {
        Bounds { low, high }
    }

    fn each(a: Bounds, b: Bounds, f: fn(f32, f32) -> f32) -> Bounds {
        Bounds::new(f(a.low, b.low), f(a.high, b.high))
    }

    fn around(a: Bounds, b: Bounds) -> Bounds {
        Bounds::new(a.low.min(b.low), a.high.max(b.high))
    }
}

impl Forward<'_> {
    /// Returns the operand or constant that an operation on finite floats always equals.
    pub(super) fn same_of_finite(&mut self, op: Op, kind: Kind, values: &[ValueId]) -> Option<ValueId> {
        let &[a, b] = values else { return None };
        if !self.finite || !self.is_real(a) || !self.is_real(b) {
            return None;
        }
        let zero = |value| self.is_number(value, 0.0) || self.is_number(value, -0.0);
        match op {
            Op::Mul if zero(a) || zero(b) => Some(self.values.zero(self.code, kind)),
            Op::Div if zero(a) => Some(self.values.zero(self.code, kind)),
            Op::Add if zero(a) => Some(b),
            Op::Add | Op::Sub if zero(b) => Some(a),
            Op::Sub if a == b => Some(self.values.zero(self.code, kind)),
            Op::Builtin(Builtin::Pow) if self.is_number(b, 1.0) => Some(a),
            Op::Builtin(Builtin::Min) => self.smaller(a, b).or_else(|| self.smaller(b, a)),
            Op::Builtin(Builtin::Max) => {
                let greater = |a, b| self.smaller(b, a).map(|_| a);
                greater(a, b).or_else(|| greater(b, a))
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => {
                let truth = Const::Int(i32::from(self.compared(op, a, b)?));
                Some(self.values.constant(self.code, truth))
            }
            _ => None,
        }
    }

    fn is_real(&self, value: ValueId) -> bool {
        matches!(self.values.kind(self.code, value), Some(Kind::FLOAT | Kind::TRIPLE))
    }

    /// Returns `a` if it is known to be at most `b`.
    fn smaller(&self, a: ValueId, b: ValueId) -> Option<ValueId> {
        (self.bounds(a, DEPTH).high <= self.bounds(b, DEPTH).low).then_some(a)
    }

    /// Returns the known result of a comparison of floats.
    fn compared(&self, op: Op, a: ValueId, b: ValueId) -> Option<bool> {
        if a == b {
            return Some(matches!(op, Op::Le | Op::Ge | Op::Eq));
        }
        let (a, b) = match op {
            Op::Gt | Op::Le => (b, a),
            Op::Lt | Op::Ge => (a, b),
            _ => return None,
        };
        // Tests a < b.
        let (a, b) = (self.bounds(a, DEPTH), self.bounds(b, DEPTH));
        let less = if a.high < b.low {
            true
        } else if a.low >= b.high {
            false
        } else {
            return None;
        };
        Some(less == matches!(op, Op::Lt | Op::Gt))
    }

    fn bounds(&self, value: ValueId, depth: usize) -> Bounds {
        match self.values.as_const(self.code, value) {
            Some(Const::Float(x)) => return Bounds::new(*x, *x),
            Some(Const::Triple([x, y, z])) => return Bounds::new(x.min(y.min(*z)), x.max(y.max(*z))),
            _ => {}
        }
        let Some((op, args)) = self.values.made_by(value, |_| depth > 0) else {
            return Bounds::ANY;
        };
        let of = |i: usize| self.bounds(args[i], depth - 1);
        match op {
            Op::Builtin(Builtin::Min) => Bounds::each(of(0), of(1), f32::min),
            Op::Builtin(Builtin::Max) => Bounds::each(of(0), of(1), f32::max),
            Op::Builtin(Builtin::Cell) => Bounds::UNIT,
            Op::Builtin(Builtin::Abs | Builtin::Sqrt | Builtin::Exp | Builtin::Exp2 | Builtin::Length) => {
                Bounds::POSITIVE
            }
            Op::IntToFloat if self.is_truth(args[0]) => Bounds::UNIT,
            Op::Splat | Op::TripleGet => of(0),
            Op::MakeTriple => Bounds::around(of(0), Bounds::around(of(1), of(2))),
            // 1 − x for x in `[0,1]`.
            Op::Sub => {
                let (a, b) = (of(0), of(1));
                Bounds::new(a.low - b.high, a.high - b.low)
            }
            Op::Mul => {
                let (a, b) = (of(0), of(1));
                if a.low >= 0.0 && b.low >= 0.0 && a.high < f32::INFINITY && b.high < f32::INFINITY {
                    Bounds::new(a.low * b.low, a.high * b.high)
                } else {
                    Bounds::ANY
                }
            }
            _ => Bounds::ANY,
        }
    }
}
