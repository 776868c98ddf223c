//! The HIR interpreter: reference for compiled code in tests, and the arithmetic of constant folding.
//!
//! - It interprets raw and optimised HIR, calls [`shading_compiler::eval`] for every operation, and has the same limits as
//!   compiled code: fuel for loop iterations and calls, depth for calls. A run that exceeds them is aborted with its
//!   outputs as they are and no closure.
//! - It never panics on a unit that [`shading_compiler::hir::verify()`] passes.

mod closure;
mod cloud;
mod frame;
mod machine;
mod message;
mod point;
mod print;
mod run;
mod texture;

use shading_compiler::hir::Unit;

pub use crate::runtime::listing::{Component, Listing, Param};
pub use closure::{Closures, Node, NodeId, Value};
pub use run::{Outcome, Report, ReportKind, RunOptions};

/// Runs a unit once.
pub fn run(unit: &Unit, options: &RunOptions<'_>) -> Outcome {
    machine::run(unit, options)
}
