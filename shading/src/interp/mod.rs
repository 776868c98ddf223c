//! A plain evaluator of HIR: the oracle that compiled code is tested against, and the folder's arithmetic.
//!
//! - It evaluates raw and optimised HIR alike, calls [`crate::eval`] for every operation, and has the same bounds as
//!   compiled code: fuel for turns of loops and calls, depth for calls. A run that breaks them ends with its outputs as
//!   they stand and no closure.
//! - It never panics on a unit that [`crate::hir::verify()`] passes.

mod closure;
mod machine;
mod operation;
mod run;

use crate::hir::Unit;

pub use crate::runtime::listing::{Component, Listing, Param};
pub use closure::{Closures, Node, NodeId, Value};
pub use operation::eval_op;
pub use run::{Outcome, Report, ReportKind, RunOptions};

/// Runs a unit once.
pub fn run(unit: &Unit, options: &RunOptions<'_>) -> Outcome {
    machine::run(unit, options)
}
