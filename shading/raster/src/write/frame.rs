//! Loops of generated code, and the marks of scopes that are left through them.

use shading_compiler::hir::ScopeId;

/// A loop of the generated code that encloses the current place.
#[derive(Debug, Default)]
pub(super) struct LoopFrame {
    /// Scopes that end where the loop ends: to leave them, break the loop.
    pub(super) scopes: Vec<ScopeId>,
    /// Scopes further out that are left through this loop.
    pub(super) pending: Vec<ScopeId>,
}

/// Name of the variable that says that a scope was left through an inner loop.
pub(super) fn mark(scope: ScopeId) -> String {
    format!("left_{}", scope.to_string().trim_start_matches('s'))
}
