//! Removal of unused closures: shadow rays need only emission and transparency.

use crate::hir::{Block, ClosureId, Code, Const, ConstId, Kind, Op, Operand, Stmt, Unit, walk};

/// Replaces every closure other than those in `wanted` by the null closure; returns whether anything changed.
///
/// If a unit uses a closure with closure parameters (such as a layer), whose weights depend on each other, all closures
/// are kept.
pub(super) fn keep_only(unit: &mut Unit, wanted: &[ClosureId]) -> bool {
    if super::codes(unit).any(takes_closures) {
        return false;
    }
    let functions = unit.functions.values_mut().map(|function| &mut function.code);
    let mut changed = false;
    for code in functions.chain([&mut unit.code]) {
        let null = code.consts.push(Const::NullClosure);
        changed |= forget(&mut code.body, wanted, null);
    }
    changed
}

fn takes_closures(code: &Code) -> bool {
    let mut found = false;
    walk::ops(&code.body, &mut |op, args| {
        let is_closure = |arg: &Operand| match *arg {
            Operand::Local(id) => Kind::of(code.locals[id].ty) == Some(Kind::CLOSURE),
            Operand::Const(id) => Kind::of_const(&code.consts[id]) == Some(Kind::CLOSURE),
        };
        found |= matches!(op, Op::MakeClosure(_)) && args.iter().any(is_closure);
    });
    found
}

fn forget(block: &mut Block, wanted: &[ClosureId], null: ConstId) -> bool {
    let mut changed = false;
    for stmt in block {
        match stmt {
            Stmt::Op { op, args, .. } => {
                if let Op::MakeClosure(id) = *op
                    && !wanted.contains(&id)
                {
                    (*op, *args) = (Op::Copy, vec![Operand::Const(null)]);
                    changed = true;
                }
            }
            stmt => {
                for inner in walk::blocks_mut(stmt) {
                    changed |= forget(inner, wanted, null);
                }
            }
        }
    }
    changed
}
