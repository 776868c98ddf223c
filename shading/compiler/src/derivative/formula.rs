//! Types of differentiation rules.

use super::change::{Change, Writer};
use crate::hir::{Op, Operand};

/// Computes the derivative of an operation's result from its operands and their derivatives along one axis. Called
/// only if at least one of these is not zero.
pub(super) type Formula = fn(&mut Writer<'_>, &[Operand], &[Change]) -> Change;

/// Differentiation rule of an operation.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// The derivative is zero, or the type has none.
    Zero,
    /// The derivative is given by the shading point.
    Source,
    /// The operation is linear: the derivative is the same operation on the derivatives of its operands. Operands
    /// without derivatives (indices, matrices) are unchanged.
    Linear,
    /// A formula; equal for both axes.
    Formula(Formula),
    /// Another operation computes the value together with its derivatives.
    Dual(Op),
    /// Derivatives of the texture times the footprint; for a volume, derivatives in screen space.
    Texture,
}
