//! Automatic differentiation in forward mode: `Dx`, `Dy`, and texture footprints.
//!
//! A pass over linked HIR, before optimisation. [`demand`] finds the variables whose derivatives are used and not always
//! zero. For each such variable `x`, two variables `x.dx` and `x.dy` of the same type are added. Before each statement that
//! assigns `x`, [`mod@expand`] inserts statements that assign these, by the rule of the operation ([`mod@rule`],
//! [`builtin`]). They consist of ordinary operations ([`change`]), which the optimiser merges with the rest of the code.
//! Derivatives therefore follow all control flow, and unused ones are free.
//!
//! Conventions of OSL:
//! - derivatives begin with those of `P`, `I`, `u`, `v` and attributes; ints, strings, matrices, conditions and derivatives
//!   have none;
//! - at a kink, the derivative is that of one side; at the end of a function's domain it is zero, not NaN.

mod builtin;
mod change;
mod demand;
mod expand;
mod formula;
mod rule;

use crate::hir::Unit;
use crate::hir::verify::debug_verify;

/// Counts of variables that carry derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DerivativeStats {
    /// Number of variables before the pass.
    pub symbols: usize,
    /// Number of those that carry derivatives.
    pub carrying: usize,
}

/// Computes the derivatives requested by a unit: replaces every [`crate::hir::Op::Derivative`].
pub fn expand(unit: &mut Unit) -> DerivativeStats {
    let codes = std::iter::once(&unit.code).chain(unit.functions.values().map(|f| &f.code));
    let symbols = codes.map(|code| code.locals.len()).sum();
    let Some(demand) = demand::Demand::of(unit) else {
        return DerivativeStats { symbols, carrying: 0 };
    };
    let carrying = demand.count();
    expand::run(unit, &demand);
    debug_verify(unit, "differentiation");
    DerivativeStats { symbols, carrying }
}
