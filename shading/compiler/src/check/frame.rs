//! Frames of functions under lowering: formal parameters and return state.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::scope::ScopeIndex;
use crate::hir::{LocalId, ScopeId};
use crate::ty::Type;
use shading_syntax::ast;

/// Type of a formal parameter that accepts values of all types (`any`).
pub(super) const ANY_TYPE: Type = Type::VOID;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formal {
    /// Type; [`ANY_TYPE`] for `any`.
    pub(super) ty: Type,
    pub(super) output: bool,
}

#[derive(Debug)]
pub(super) struct FunctionInfo<'a> {
    pub(super) ast: &'a ast::Function,
    /// Scope that encloses the declaration, in which the body is checked.
    pub(super) scope: ScopeIndex,
    pub(super) formals: Vec<Formal>,
    /// Result type; void if it depends on the call: `typeof(…)` of a parameter.
    pub(super) result: Type,
    /// True if a parameter is of type `any`: the function is lowered for the types of each call.
    pub(super) is_generic: bool,
    pub(super) is_prelude: bool,
    /// For each parameter, whether the body writes it; computed on demand.
    pub(super) written: Option<Rc<[bool]>>,
    /// True if it can call itself, directly or indirectly.
    pub(super) is_recursive: bool,
    /// Functions that its body calls.
    pub(super) callees: FxHashSet<usize>,
}

/// The function or unit being lowered.
#[derive(Debug)]
pub(super) struct FunctionFrame {
    pub(super) ty: Type,
    /// Variables that receive the result.
    pub(super) result: Vec<LocalId>,
    /// Scope left by `return`; created on demand.
    pub(super) scope: Option<ScopeId>,
    pub(super) returns: bool,
    pub(super) loops: Vec<LoopFrame>,
}

/// A loop being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopFrame {
    pub(super) break_scope: ScopeId,
    pub(super) continue_scope: Option<ScopeId>,
}

impl Default for FunctionFrame {
    fn default() -> FunctionFrame {
        FunctionFrame {
            ty: Type::VOID,
            result: vec![],
            scope: None,
            returns: false,
            loops: vec![],
        }
    }
}
