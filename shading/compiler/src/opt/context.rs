//! Whole-unit facts for the optimiser's passes.

use std::sync::Arc;

use cranelift_entity::SecondaryMap;

use super::attributes::KnownAttributes;
use crate::builtins::Builtin;
use crate::hir::RayKind;
use crate::hir::{Code, FunctionId, Op, Unit, walk};

/// What is known of where the unit runs.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What found the shading point, where that is always the same.
    pub ray_kind: Option<RayKind>,
    /// The attributes of the geometry, where they are known.
    pub attributes: Option<Arc<KnownAttributes>>,
}

/// What passes know of the whole unit.
pub(super) struct PassContext<'a> {
    pub(super) facts: &'a Facts,
    /// Whether numbers are taken to be finite, and zero to have no sign.
    pub(super) finite: bool,
    /// Whether a call of the function prints, directly or by further calls.
    pub(super) prints: SecondaryMap<FunctionId, bool>,
    /// Whether anything asks for messages, which may be about traced rays.
    pub(super) reads_messages: bool,
    /// Whether anything asks if a closure is null; else a closure scaled by zero may become it.
    pub(super) observes_closures: bool,
}

impl PassContext<'_> {
    /// Whether an operation has an effect besides its result. A traced ray has one on messages only.
    pub(super) fn is_effect(&self, op: Op) -> bool {
        walk::is_effect(op) && (self.reads_messages || op != Op::Builtin(Builtin::Trace))
    }
}

pub(super) fn codes(unit: &Unit) -> impl Iterator<Item = &Code> {
    std::iter::once(&unit.code).chain(unit.functions.values().map(|f| &f.code))
}
