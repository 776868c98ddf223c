//! Results of type inference.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scope::ScopeIndex;
use crate::ty::Type;
use shading_syntax::ast::{Argument, Expr, Name};

/// Results of type inference.
#[derive(Debug, Default)]
pub(super) struct Inference {
    /// True while an expression is lowered only for its type.
    pub(super) is_active: bool,
    /// Types of expressions; `None` if they have errors.
    pub(super) types: FxHashMap<(*const Expr, ScopeIndex), Option<Type>>,
    /// For calls, by the name in them: whether a function of the file accepts the arguments.
    pub(super) accepted: FxHashMap<(*const Name, ScopeIndex), bool>,
    /// Argument lists that no function accepts with the call's expected type as their own.
    pub(super) unfit: FxHashSet<*const Argument>,
}
