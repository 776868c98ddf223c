//! Traversals of HIR statements, shared by passes.

use cranelift_entity::SecondaryMap;

use super::{Block, FunctionId, LocalId, Op, Operand, ScopeId, Stmt};

/// Returns the nested blocks of a statement.
pub fn blocks(stmt: &Stmt) -> [&[Stmt]; 2] {
    match stmt {
        Stmt::If { then, otherwise, .. } => [then, otherwise],
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => [body, &[]],
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => [&[], &[]],
    }
}

/// Returns the nested blocks of a statement for modification.
pub(crate) fn blocks_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => vec![body],
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => vec![],
    }
}

/// Calls `f` with each statement in pre-order.
pub fn statements(block: &[Stmt], f: &mut impl FnMut(&Stmt)) {
    for stmt in block {
        f(stmt);
        for inner in blocks(stmt) {
            statements(inner, f);
        }
    }
}

/// Returns whether `f` is true for any statement; stops at the first.
pub(crate) fn any(block: &[Stmt], f: &mut impl FnMut(&Stmt) -> bool) -> bool {
    block
        .iter()
        .any(|stmt| f(stmt) || blocks(stmt).into_iter().any(|inner| any(inner, f)))
}

/// Calls `f` with each operation.
pub fn ops(block: &[Stmt], f: &mut impl FnMut(Op, &[Operand])) {
    statements(block, &mut |stmt| {
        if let Stmt::Op { op, args, .. } = stmt {
            f(*op, args);
        }
    });
}

/// Returns the operands of a statement itself, without those of nested statements.
pub fn operands(stmt: &Stmt) -> &[Operand] {
    match stmt {
        Stmt::Op { args, .. } | Stmt::Call { args, .. } => args,
        Stmt::If { condition, .. } => std::slice::from_ref(condition),
        Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => &[],
    }
}

/// Returns the operands of a statement itself for modification.
pub(crate) fn operands_mut(stmt: &mut Stmt) -> &mut [Operand] {
    match stmt {
        Stmt::Op { args, .. } | Stmt::Call { args, .. } => args,
        Stmt::If { condition, .. } => std::slice::from_mut(condition),
        Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => &mut [],
    }
}

/// Returns the variables that a statement itself reads.
pub fn reads(stmt: &Stmt) -> impl Iterator<Item = LocalId> {
    operands(stmt).iter().filter_map(|operand| match operand {
        Operand::Local(id) => Some(*id),
        Operand::Const(_) => None,
    })
}

/// Returns the variables that a statement itself assigns.
pub fn writes(stmt: &Stmt) -> &[LocalId] {
    match stmt {
        Stmt::Op { dst, .. } => dst.as_slice(),
        Stmt::Call { results, .. } => results,
        Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => &[],
    }
}

/// Returns whether an operation has a side effect.
pub(crate) fn is_effect(op: Op) -> bool {
    matches!(op, Op::Builtin(builtin) if !builtin.is_pure())
}

/// Returns whether a block contains an operation or call with a side effect.
pub(crate) fn has_effect(block: &[Stmt], prints: &SecondaryMap<FunctionId, bool>) -> bool {
    let mut found = false;
    statements(block, &mut |stmt| match stmt {
        Stmt::Op { op, .. } => found |= is_effect(*op),
        Stmt::Call { function, .. } => found |= prints[*function],
        Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => {}
    });
    found
}

/// Number of statements.
pub fn count_statements(block: &[Stmt]) -> usize {
    let mut count = 0;
    statements(block, &mut |_| count += 1);
    count
}

/// Returns the number of statements that are not scopes.
pub(crate) fn count_ops(block: &[Stmt]) -> usize {
    let mut count = 0;
    statements(block, &mut |stmt| {
        count += usize::from(!matches!(stmt, Stmt::Scope { .. }));
    });
    count
}

/// Returns whether a block contains a loop whose body satisfies a condition.
pub fn any_loop(block: &[Stmt], f: &mut impl FnMut(&[Stmt]) -> bool) -> bool {
    block.iter().any(|stmt| {
        let is_meant = matches!(stmt, Stmt::Loop { body, .. } if f(body));
        is_meant || blocks(stmt).into_iter().any(|inner| any_loop(inner, f))
    })
}

/// Returns whether a block leaves a scope.
pub fn leaves(block: &[Stmt], scope: ScopeId) -> bool {
    block
        .iter()
        .any(|stmt| *stmt == Stmt::Leave(scope) || blocks(stmt).into_iter().any(|inner| leaves(inner, scope)))
}
