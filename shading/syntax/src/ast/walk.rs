//! Visitors of all expressions in statements and declarations.

use super::{ArrayLength, Declaration, Entry, EntryValue, Expr, Stmt, StmtKind};

impl Stmt {
    /// Calls `visit` with every expression of the statement and of its nested statements, in pre-order. Nested
    /// functions are not visited.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Declare { variables, .. } => {
                for variable in variables {
                    if let Some(ArrayLength::Sized(length)) = &variable.array {
                        walk(length, visit);
                    }
                    variable.init.iter().for_each(|init| walk(init, visit));
                }
            }
            StmtKind::Expr(expr) => walk(expr, visit),
            StmtKind::If { condition, then, otherwise } => {
                walk(condition, visit);
                then.for_each_expr(visit);
                otherwise.iter().for_each(|stmt| stmt.for_each_expr(visit));
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|stmt| stmt.for_each_expr(visit));
                condition.iter().chain(step).for_each(|expr| walk(expr, visit));
                body.for_each_expr(visit);
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
                walk(condition, visit);
                body.for_each_expr(visit);
            }
            StmtKind::Return(value) => value.iter().for_each(|expr| walk(expr, visit)),
            StmtKind::Block(list) => list.iter().for_each(|stmt| stmt.for_each_expr(visit)),
            StmtKind::Function(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Empty
            | StmtKind::Missing => {}
        }
    }
}

impl Declaration {
    /// Calls `visit` with every expression of the declaration, in pre-order.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.value.iter().for_each(|value| walk(value, visit));
        walk_entries(self.body.as_deref().unwrap_or_default(), visit);
    }
}

fn walk_entries<'a>(entries: &'a [Entry], visit: &mut dyn FnMut(&'a Expr)) {
    for entry in entries {
        match &entry.value {
            EntryValue::Expr(expr) => walk(expr, visit),
            EntryValue::Block { entries, .. } => walk_entries(entries, visit),
        }
    }
}

/// Visits an expression and its operands.
fn walk<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    expr.for_each_operand(&mut |operand| walk(operand, visit));
}
