//! Generated loops, and marks of scopes that are left through inner loops.

use shading_compiler::hir::ScopeId;

/// Generated loop that encloses the current statement.
#[derive(Debug, Default)]
pub(super) struct LoopFrame {
    /// Scopes that end with the loop; a break leaves them.
    pub(super) scopes: Vec<ScopeId>,
    /// Outer scopes that are left through this loop.
    pub(super) pending: Vec<ScopeId>,
}

/// Returns the variable that is true if a scope was left through an inner loop.
pub(super) fn mark(scope: ScopeId) -> String {
    format!("left_{}", scope.to_string().trim_start_matches('s'))
}
