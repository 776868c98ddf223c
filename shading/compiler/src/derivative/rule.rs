//! Differentiation rules of HIR operations.

use std::ops::Range;

use super::builtin;
use super::change::{Change, Writer};
use super::formula::Rule;
use crate::hir::{Op, Operand, TextureMapping, TextureOptions};

pub(super) fn of(op: Op) -> Rule {
    match op {
        Op::Global(global) if global.has_derivatives() => Rule::Source,
        Op::AttributeValue => Rule::Source,
        Op::Texture(TextureOptions { mapping: TextureMapping::Plane | TextureMapping::Volume, .. }) => {
            Rule::Texture
        }
        Op::Copy
        | Op::Neg
        | Op::Splat
        | Op::MakeTriple
        | Op::TripleGet
        | Op::TripleSet
        | Op::MakeArray
        | Op::ArrayGet
        | Op::ArraySet => Rule::Linear,
        Op::Add => Rule::Formula(|w, _, d| w.sum(d[0], d[1])),
        Op::Sub => Rule::Formula(|w, _, d| w.difference(d[0], d[1])),
        Op::Mul => Rule::Formula(product),
        Op::Div => Rule::Formula(quotient),
        Op::Builtin(builtin) => builtin::rule(builtin),
        Op::Global(_)
        | Op::GlobalDerivative(..)
        | Op::BuiltinDual(_)
        | Op::Derivative(_)
        | Op::AttributeDerivative(_)
        | Op::Texture(_)
        | Op::TextureError(_)
        | Op::TextureInfo
        | Op::HasTextureInfo(_)
        | Op::IntToFloat
        | Op::FloatToInt
        | Op::Diagonal
        | Op::Truth
        | Op::Mod
        | Op::BitAnd
        | Op::BitOr
        | Op::BitXor
        | Op::Shl
        | Op::Shr
        | Op::BitNot
        | Op::Not
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::MakeMatrix
        | Op::MatrixGet
        | Op::MatrixSet
        | Op::MakeClosure(_)
        | Op::ClosureAdd
        | Op::ClosureMul => Rule::Zero,
    }
}

/// Returns whether an operation requests derivatives of operands.
pub(super) fn is_request(op: Op) -> bool {
    matches!(op, Op::Derivative(_)) || implicit_footprint(op).is_some()
}

/// Returns the operands whose derivatives an operation requests.
pub(super) fn requested(op: Op, args: &[Operand]) -> &[Operand] {
    match (op, implicit_footprint(op)) {
        (Op::Derivative(_), _) => &args[..1],
        (_, Some(mapping)) => &args[1..1 + coordinates(mapping)],
        _ => &[],
    }
}

/// Returns the mapping of a lookup whose footprint is computed from its coordinates.
pub(super) fn implicit_footprint(op: Op) -> Option<TextureMapping> {
    match op {
        Op::Texture(options) | Op::TextureError(options) if options.implicit_footprint => {
            Some(options.mapping)
        }
        _ => None,
    }
}

/// Returns the range of the operands of a lookup on which its derivatives depend: coordinates and footprint.
pub(super) fn lookup_operands(op: Op) -> Range<usize> {
    match op {
        Op::Texture(TextureOptions { mapping: TextureMapping::Plane, .. }) => 1..7,
        _ => 1..4,
    }
}

/// Returns the number of coordinate operands after the file name. Their derivatives in x follow, then those in y.
pub(super) fn coordinates(mapping: TextureMapping) -> usize {
    match mapping {
        TextureMapping::Plane => 2,
        TextureMapping::Environment | TextureMapping::Volume => 1,
    }
}

fn product(w: &mut Writer<'_>, a: &[Operand], d: &[Change]) -> Change {
    let first = w.times(d[0], |_| a[1]);
    let second = w.times(d[1], |_| a[0]);
    w.sum(first, second)
}

/// (da − (a/b)·db) / b; 0 where b is 0.
fn quotient(w: &mut Writer<'_>, a: &[Operand], d: &[Change]) -> Change {
    let second = w.times(d[1], |w| w.div(a[0], a[1]));
    let change = w.difference(d[0], second);
    w.over(change, |_| a[1])
}
