//! Types of differentiation rules.

use super::change::{Change, Writer};
use crate::hir::{Op, Operand};

/// The change of an operation's result, from its operands and their changes along one axis. It is called only if one of
/// them has a change.
pub(super) type Formula = fn(&mut Writer<'_>, &[Operand], &[Change]) -> Change;

/// How an operation's result changes.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Not at all, or it is of a type without derivatives.
    Zero,
    /// As the shading point says.
    Source,
    /// The operation is linear: the change is the same operation on the changes of its operands. Operands without
    /// derivatives (indices, matrices) stay.
    Linear,
    /// By a formula, the same for both axes.
    Formula(Formula),
    /// As another operation computes it, together with the value.
    Dual(Op),
    /// By the texture's slopes times the footprint.
    Texture,
}
