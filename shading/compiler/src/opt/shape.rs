//! Control flow simplification: redundant jumps, unused scopes, empty branches, single-iteration loops, unreachable
//! code.

use crate::hir::walk;
use crate::hir::{Block, Code, ScopeId, Stmt};

/// Simplifies the structure of a function.
pub(super) fn run(code: &mut Code) {
    let body = std::mem::take(&mut code.body);
    code.body = block(body);
}

fn block(block: Block) -> Block {
    let mut out = Vec::with_capacity(block.len());
    for stmt in block {
        simplify(stmt, &mut out);
        if out.last().is_some_and(ends) {
            break;
        }
    }
    out
}

fn simplify(stmt: Stmt, out: &mut Block) {
    match stmt {
        Stmt::If { condition, then, otherwise } => {
            let (then, otherwise) = (block(then), block(otherwise));
            if !(then.is_empty() && otherwise.is_empty()) {
                out.push(Stmt::If { condition, then, otherwise });
            }
        }
        Stmt::Loop { body, fuel, span } => {
            let mut body = block(body);
            if body.last().is_some_and(ends) {
                // The end of the body is unreachable, so there is at most one iteration.
                out.append(&mut body);
            } else {
                out.push(Stmt::Loop { body, fuel, span });
            }
        }
        Stmt::Scope { scope, body } => {
            let mut body = block(body);
            trim(&mut body, scope);
            if walk::leaves(&body, scope) {
                out.push(Stmt::Scope { scope, body });
            } else {
                out.append(&mut body);
            }
        }
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => out.push(stmt),
    }
}

/// Removes jumps to the end of a scope that directly precede it.
fn trim(body: &mut Block, scope: ScopeId) {
    let Some(last) = body.last_mut() else { return };
    let empty = match last {
        Stmt::Leave(left) => *left == scope,
        Stmt::If { then, otherwise, .. } => {
            trim(then, scope);
            trim(otherwise, scope);
            then.is_empty() && otherwise.is_empty()
        }
        Stmt::Scope { body, .. } => {
            trim(body, scope);
            body.is_empty()
        }
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Loop { .. } => false,
    };
    if empty {
        body.pop();
        trim(body, scope);
    }
}

/// Returns whether the code after a statement is unreachable.
fn ends(stmt: &Stmt) -> bool {
    let last = |block: &Block| block.last().is_some_and(ends);
    match stmt {
        Stmt::Leave(_) | Stmt::Loop { .. } => true,
        Stmt::If { then, otherwise, .. } => last(then) && last(otherwise),
        Stmt::Scope { scope, body } => last(body) && !walk::leaves(body, *scope),
        Stmt::Op { .. } | Stmt::Call { .. } => false,
    }
}
