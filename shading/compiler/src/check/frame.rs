//! Frames of functions under lowering: formal parameters and return state.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::scope::ScopeIndex;
use crate::hir::{LocalId, ScopeId};
use crate::ty::Type;
use shading_syntax::ast;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formal {
    pub(super) ty: Type,
    pub(super) output: bool,
}

/// A declared function.
#[derive(Debug)]
pub(super) struct FunctionInfo<'a> {
    pub(super) ast: &'a ast::Function,
    /// The scope it was declared in, which its body sees.
    pub(super) scope: ScopeIndex,
    pub(super) formals: Vec<Formal>,
    pub(super) result: Type,
    /// Whether the language itself brings it.
    pub(super) is_prelude: bool,
    /// Which parameters its body writes, once somebody has asked.
    pub(super) written: Option<Rc<[bool]>>,
    /// Whether it can come to call itself.
    pub(super) is_recursive: bool,
    /// What its body calls.
    pub(super) callees: FxHashSet<usize>,
}

/// The function, or unit, being lowered.
#[derive(Debug)]
pub(super) struct FunctionFrame {
    /// What it returns.
    pub(super) ty: Type,
    /// Where that goes.
    pub(super) result: Vec<LocalId>,
    /// What `return` leaves; made at need.
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
