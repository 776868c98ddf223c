//! Exact algebraic simplification: the same bits for every operand, including signed zeros, infinities and NaNs.
//! Therefore `x·0` is kept, and so is `x + 0`, which turns −0 into 0; `x − 0` and `x + (−0)` are simplified. Rules for
//! finite numbers only are in [`super::finite`].

use std::ops::Range;

use super::forward::Forward;
use super::value::ValueId;
use crate::builtins::Builtin;
use crate::eval::matrix;
use crate::hir::RayKind;
use crate::hir::{Const, Kind, Op, TextureMapping, TextureOperand, TextureOptions};

impl Forward<'_> {
    /// Returns the result of an operation if known facts about the unit's use determine it.
    pub(super) fn known(&mut self, op: Op, values: &[ValueId]) -> Option<ValueId> {
        let text = |i: usize| match self.values.as_const(self.code, *values.get(i)?)? {
            Const::String(text) => Some(text.clone()),
            _ => None,
        };
        let value = match op {
            Op::Builtin(Builtin::RayType) => {
                let present = self.context.facts.ray_kind?;
                let name = text(0)?;
                let asked = RayKind::NAMES.iter().find(|(known, _)| **known == *name);
                Const::Int(i32::from(asked.is_some_and(|(_, kind)| kind.0 & present.0 != 0)))
            }
            Op::Builtin(Builtin::HasAttribute) => {
                let attributes = self.context.facts.attributes.as_ref()?;
                if !text(0)?.is_empty() {
                    return None;
                }
                Const::Int(i32::from(attributes.exists(&text(1)?)?))
            }
            Op::Builtin(Builtin::SpaceMatrix) => {
                let [from, to] = [text(0)?, text(1)?].map(|name| match &*name {
                    "common" => "world".into(),
                    _ => name,
                });
                if from != to {
                    return None;
                }
                Const::Matrix(matrix::IDENTITY)
            }
            _ => return None,
        };
        Some(self.values.constant(self.code, value))
    }

    /// Returns the operand, part of an operand, or constant that always equals the result.
    pub(super) fn same(&mut self, op: Op, kind: Kind, values: &[ValueId]) -> Option<ValueId> {
        if let Some(value) = self.same_of_finite(op, kind, values) {
            return Some(value);
        }
        match *values {
            [a] => self.same_of_one(op, a),
            [a, b] => self.same_of_two(op, kind, a, b),
            [a, b, c] if op == Op::MakeTriple => self.whole_triple([a, b, c]),
            [m, i, j] if op == Op::MatrixGet => self.matrix_element(m, i, j),
            _ => None,
        }
    }

    fn same_of_one(&mut self, op: Op, a: ValueId) -> Option<ValueId> {
        match op {
            Op::Copy => Some(a),
            // Involutions.
            Op::Neg | Op::BitNot | Op::Builtin(Builtin::Transpose) => {
                let (_, inner) = self.values.made_by(a, |made| made == op)?;
                inner.first().copied()
            }
            Op::Truth => self.is_truth(a).then_some(a),
            Op::Builtin(Builtin::IsConstant) => {
                let is_constant = self.values.as_const(self.code, a).is_some();
                is_constant.then(|| self.values.constant(self.code, Const::Int(1)))
            }
            // Idempotent functions.
            Op::Builtin(
                Builtin::Abs
                | Builtin::Floor
                | Builtin::Ceil
                | Builtin::Round
                | Builtin::Trunc
                | Builtin::Sign,
            ) => self.values.made_by(a, |made| made == op).map(|_| a),
            _ => None,
        }
    }

    fn same_of_two(&mut self, op: Op, kind: Kind, a: ValueId, b: ValueId) -> Option<ValueId> {
        let int = self.values.kind(self.code, a) == Some(Kind::INT);
        let is = |value, number: f32| self.is_number(value, number);
        match op {
            Op::Mul if is(b, 1.0) => Some(a),
            Op::Mul if is(a, 1.0) => Some(b),
            Op::Mul if int && is(a, 0.0) => Some(a),
            Op::Mul if int && is(b, 0.0) => Some(b),
            Op::Div if is(b, 1.0) => Some(a),
            Op::Add if is(b, -0.0) || (int && is(b, 0.0)) => Some(a),
            Op::Add if is(a, -0.0) || (int && is(a, 0.0)) => Some(b),
            Op::Sub if is(b, 0.0) => Some(a),
            Op::BitOr | Op::BitXor | Op::Shl | Op::Shr if is(b, 0.0) => Some(a),
            Op::BitOr | Op::BitXor if is(a, 0.0) => Some(b),
            Op::BitAnd if is(b, 0.0) => Some(b),
            Op::BitAnd if is(a, 0.0) => Some(a),
            Op::BitAnd | Op::BitOr | Op::Builtin(Builtin::Min | Builtin::Max) if a == b => Some(a),
            Op::Sub | Op::BitXor if int && a == b => Some(self.values.constant(self.code, Const::Int(0))),
            // A NaN compares neither less nor greater than itself.
            Op::Lt | Op::Gt if a == b => Some(self.values.constant(self.code, Const::Int(0))),
            Op::Le | Op::Ge | Op::Eq if int && a == b => Some(self.values.constant(self.code, Const::Int(1))),
            Op::Ne if int && a == b => Some(self.values.constant(self.code, Const::Int(0))),
            Op::ClosureAdd if self.is_null(a) => Some(b),
            Op::ClosureAdd if self.is_null(b) => Some(a),
            Op::ClosureMul if self.is_null(a) || is(b, 1.0) => Some(a),
            Op::ClosureMul if !self.context.observes_closures && (is(b, 0.0) || is(b, -0.0)) => {
                Some(self.values.constant(self.code, Const::NullClosure))
            }
            Op::TripleGet => self.lane(a, b),
            Op::ArrayGet => self.element(kind, a, b),
            _ => None,
        }
    }

    /// Returns whether a value is an int, a float or a triple of equal floats with these bits.
    pub(super) fn is_number(&self, value: ValueId, number: f32) -> bool {
        let bits = number.to_bits();
        match self.values.as_const(self.code, value) {
            Some(Const::Int(a)) => *a == number as i32 && (number != 0.0 || bits == 0),
            Some(Const::Float(a)) => a.to_bits() == bits,
            Some(Const::Triple(a)) => a.iter().all(|x| x.to_bits() == bits),
            _ => false,
        }
    }

    fn is_null(&self, value: ValueId) -> bool {
        matches!(self.values.as_const(self.code, value), Some(Const::NullClosure))
    }

    pub(super) fn is_truth(&self, value: ValueId) -> bool {
        use Builtin as B;
        let test = |op| {
            matches!(op, Op::Truth | Op::Not | Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
                || matches!(
                    op,
                    Op::Builtin(
                        B::IsNan
                            | B::IsInf
                            | B::IsFinite
                            | B::Startswith
                            | B::Endswith
                            | B::HasAttribute
                            | B::IsConstant
                            | B::RayType
                    )
                )
        };
        matches!(self.values.as_int(self.code, value), Some(0 | 1))
            || self.values.made_by(value, test).is_some()
    }

    /// Returns the triple whose three components these are.
    fn whole_triple(&self, lanes: [ValueId; 3]) -> Option<ValueId> {
        let mut whole = None;
        for (i, lane) in lanes.into_iter().enumerate() {
            let (_, args) = self.values.made_by(lane, |op| op == Op::TripleGet)?;
            let &[triple, index] = args else { return None };
            if self.values.as_int(self.code, index) != Some(i as i32) || whole.is_some_and(|w| w != triple) {
                return None;
            }
            whole = Some(triple);
        }
        whole
    }

    fn index(&self, index: ValueId, length: usize) -> Option<usize> {
        let index = usize::try_from(self.values.as_int(self.code, index)?).ok()?;
        (index < length).then_some(index)
    }

    fn lane(&self, mut triple: ValueId, index: ValueId) -> Option<ValueId> {
        let wanted = self.index(index, 3)?;
        loop {
            let make = |op| matches!(op, Op::MakeTriple | Op::Splat | Op::TripleSet);
            match self.values.made_by(triple, make)? {
                (Op::MakeTriple, lanes) => return lanes.get(wanted).copied(),
                (Op::Splat, &[value]) => return Some(value),
                (Op::TripleSet, &[before, index, value]) => {
                    if self.index(index, 3)? == wanted {
                        return Some(value);
                    }
                    triple = before;
                }
                _ => return None,
            }
        }
    }

    fn matrix_element(&self, matrix: ValueId, row: ValueId, column: ValueId) -> Option<ValueId> {
        let at = self.index(row, 4)? * 4 + self.index(column, 4)?;
        let (_, elements) = self.values.made_by(matrix, |op| op == Op::MakeMatrix)?;
        elements.get(at).copied()
    }

    fn element(&mut self, kind: Kind, mut array: ValueId, index: ValueId) -> Option<ValueId> {
        let Some(Kind::Array(_, length)) = self.values.kind(self.code, array) else {
            return None;
        };
        let wanted = self.index(index, length as usize)?;
        // The search is bounded, because arrays may be filled by long sequences of assignments.
        for _ in 0..64 {
            if let Some(Const::Array(elements)) = self.values.as_const(self.code, array) {
                let element = elements.get(wanted)?.clone();
                debug_assert!(Kind::of_const(&element) == Some(kind));
                return Some(self.values.constant(self.code, element));
            }
            let make = |op| matches!(op, Op::MakeArray | Op::ArraySet);
            match self.values.made_by(array, make)? {
                (Op::MakeArray, elements) => return elements.get(wanted).copied(),
                (Op::ArraySet, &[before, index, value]) => {
                    if self.index(index, length as usize)? == wanted {
                        return Some(value);
                    }
                    array = before;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns a cheaper or more informative operation with the same result.
    pub(super) fn rewrite(&mut self, op: Op, kind: Kind, values: &[ValueId]) -> Option<(Op, Vec<ValueId>)> {
        let negated = |this: &Self, value| {
            let (_, args) = this.values.made_by(value, |op| op == Op::Neg)?;
            args.first().copied()
        };
        match (op, values) {
            (Op::Mul, &[a, b]) if self.is_number(b, -1.0) => Some((Op::Neg, vec![a])),
            (Op::Mul, &[a, b]) if self.is_number(a, -1.0) => Some((Op::Neg, vec![b])),
            (Op::Add, &[a, b]) => match (negated(self, b), negated(self, a)) {
                (Some(b), _) => Some((Op::Sub, vec![a, b])),
                (None, Some(a)) => Some((Op::Sub, vec![b, a])),
                (None, None) => None,
            },
            (Op::Sub, &[a, b]) if self.finite && self.is_number(a, 0.0) => Some((Op::Neg, vec![b])),
            (Op::Sub, &[a, b]) => Some((Op::Add, vec![a, negated(self, b)?])),
            (Op::Div, &[a, b]) => {
                let factor = reciprocal(self.values.as_const(self.code, b)?)?;
                Some((Op::Mul, vec![a, self.values.constant(self.code, factor)]))
            }
            (Op::MakeTriple, &[a, b, c]) if a == b && b == c => Some((Op::Splat, vec![a])),
            (Op::TripleGet, &[triple, wanted]) => {
                let (_, args) = self.values.made_by(triple, |op| op == Op::TripleSet)?;
                let &[before, index, _] = args else { return None };
                let apart = self.index(index, 3)? != self.index(wanted, 3)?;
                apart.then_some((Op::TripleGet, vec![before, wanted]))
            }
            (Op::Not, &[a]) => {
                let (made, args) = self.values.made_by(a, |_| true)?;
                let inner = *args.first()?;
                let int = self.values.kind(self.code, inner) == Some(Kind::INT);
                let opposite = match made {
                    Op::Eq => Op::Ne,
                    Op::Ne => Op::Eq,
                    // For floats, a NaN makes both comparisons false.
                    Op::Lt if int => Op::Ge,
                    Op::Ge if int => Op::Lt,
                    Op::Gt if int => Op::Le,
                    Op::Le if int => Op::Gt,
                    Op::Not => Op::Truth,
                    Op::Truth if int => Op::Not,
                    _ => return None,
                };
                Some((opposite, args.to_vec()))
            }
            (Op::Truth, &[a]) => {
                let (_, args) = self.values.made_by(a, |op| op == Op::IntToFloat)?;
                Some((Op::Truth, args.to_vec()))
            }
            (Op::Eq | Op::Ne, &[a, b]) if self.values.kind(self.code, a) == Some(Kind::INT) => {
                let zero = |v| self.values.as_int(self.code, v) == Some(0);
                let compared = if zero(b) {
                    a
                } else if zero(a) {
                    b
                } else {
                    return None;
                };
                let test = if op == Op::Eq { Op::Not } else { Op::Truth };
                debug_assert!(kind == Kind::INT);
                Some((test, vec![compared]))
            }
            (Op::Texture(options) | Op::TextureError(options), values) => {
                let values = self.without_footprint(options, values)?;
                Some((op, values))
            }
            _ => None,
        }
    }

    /// Returns the operands of a lookup without its footprint if the footprint is scaled to zero, so that derivatives of the
    /// coordinates are not needed.
    fn without_footprint(&mut self, options: TextureOptions, values: &[ValueId]) -> Option<Vec<ValueId>> {
        const FOOTPRINT: Range<usize> = 3..7;
        use TextureOperand::{BlurS, BlurT, WidthS, WidthT};
        if options.mapping != TextureMapping::Plane {
            return None;
        }
        let is_zero = |&value: &ValueId| self.is_number(value, 0.0);
        let of = |option| options.position(option).map(|place| &values[place]);
        let is_narrow = [WidthS, WidthT].into_iter().all(|width| of(width).is_some_and(is_zero));
        let is_sharp = [BlurS, BlurT].into_iter().all(|blur| of(blur).is_none_or(is_zero));
        let is_point = values[FOOTPRINT].iter().all(is_zero);
        if is_point || !is_narrow || !is_sharp {
            return None;
        }
        let zero = self.values.zero(self.code, Kind::FLOAT);
        let mut values = values.to_vec();
        values[FOOTPRINT].fill(zero);
        Some(values)
    }

    /// Returns the int that an equivalent branch tests, and whether the branch is inverted.
    pub(super) fn decided_by(&self, condition: ValueId) -> Option<(ValueId, bool)> {
        let (op, args) = self.values.made_by(condition, |op| matches!(op, Op::Not | Op::Truth))?;
        let &[inner] = args else { return None };
        let int = self.values.kind(self.code, inner) == Some(Kind::INT);
        int.then_some((inner, op == Op::Not))
    }
}

/// Returns the reciprocal of a constant divisor if multiplication by it gives the same bits: for a power of two.
fn reciprocal(divisor: &Const) -> Option<Const> {
    let of = |x: f32| {
        let exponent = x.to_bits() >> 23 & 0xff;
        // The divisor and its reciprocal are both normal numbers.
        (x.to_bits() << 9 == 0 && (1..=253).contains(&exponent)).then(|| 1.0 / x)
    };
    Some(match divisor {
        Const::Float(x) => Const::Float(of(*x)?),
        Const::Triple([x, y, z]) => Const::Triple([of(*x)?, of(*y)?, of(*z)?]),
        _ => return None,
    })
}
