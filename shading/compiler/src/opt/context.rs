//! Whole-unit facts for the optimiser's passes.

use std::cell::Cell;
use std::sync::Arc;

use cranelift_entity::SecondaryMap;

use super::attributes::KnownAttributes;
use crate::builtins::Builtin;
use crate::hir::RayKind;
use crate::hir::{Code, FunctionId, Op, Unit, walk};

/// Known facts about the use of the unit.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Kind of the ray that hits the shading point, if it is always the same.
    pub ray_kind: Option<RayKind>,
    /// Geometry attributes, if known.
    pub attributes: Option<Arc<KnownAttributes>>,
}

/// Whole-unit information for the passes.
pub(super) struct PassContext<'a> {
    pub(super) facts: &'a Facts,
    /// True if numbers are assumed to be finite.
    pub(super) finite: bool,
    /// For each function, whether it prints, directly or indirectly.
    pub(super) prints: SecondaryMap<FunctionId, bool>,
    /// True if any message is read, which may be about traced rays.
    pub(super) reads_messages: bool,
    /// Number of operations that may still be evaluated at compile time.
    pub(super) evaluations: Cell<usize>,
    /// True if any closure is tested for null; otherwise a closure scaled by zero may be replaced by null.
    pub(super) observes_closures: bool,
}

impl PassContext<'_> {
    /// Returns whether an operation has a side effect. The side effect of a traced ray is on messages only.
    pub(super) fn is_effect(&self, op: Op) -> bool {
        walk::is_effect(op) && (self.reads_messages || op != Op::Builtin(Builtin::Trace))
    }
}

pub(super) fn codes(unit: &Unit) -> impl Iterator<Item = &Code> {
    std::iter::once(&unit.code).chain(unit.functions.values().map(|f| &f.code))
}
