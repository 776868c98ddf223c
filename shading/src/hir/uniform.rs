//! Whether a shader makes the same at every point.

use cranelift_entity::SecondaryMap;

use super::{Block, ClosureId, Function, LocalId, Op, Operand, Stmt, Unit, walk};
use crate::builtins::Global;
use crate::runtime::ClosureRegistry;
use crate::ty::Type;

/// Whether every run of a linked unit makes the same closures, whatever the shading point, but for the normal `N` where
/// that is handed on to closures as their normal. Such a unit has no other effects either: running it once, with any
/// `N` that can be told from others, says all there is to say.
///
/// It errs on the safe side: `N` in a variable that is assigned twice, say, counts as looked at.
pub(crate) fn is_uniform(unit: &Unit, registry: &ClosureRegistry) -> bool {
    let blocks: Vec<&Block> = unit
        .params
        .iter()
        .map(|param| &param.init)
        .chain([&unit.code.body])
        .collect();
    let function_is_blind =
        |function: &Function| all(&[&function.code.body], |stmt| !looks_around(stmt, false));
    unit.functions.values().all(function_is_blind)
        && all(&blocks, |stmt| !looks_around(stmt, true))
        && hands_normals_on(&blocks, registry)
}

/// Whether `holds` for all statements.
fn all(blocks: &[&Block], holds: impl Fn(&Stmt) -> bool) -> bool {
    let mut result = true;
    for block in blocks {
        walk::statements(block, &mut |stmt| result &= holds(stmt));
    }
    result
}

/// Whether a statement itself asks about the shading point, the host or the outside world.
fn looks_around(stmt: &Stmt, may_read_n: bool) -> bool {
    match stmt {
        Stmt::Op { op, .. } => match op {
            Op::Global(global) => !may_read_n || *global != Global::N,
            Op::Builtin(builtin) => !builtin.is_foldable(),
            Op::Texture(_) | Op::TextureAlpha(_) | Op::AttributeValue => true,
            _ => false,
        },
        Stmt::Call { .. } | Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => {
            false
        }
    }
}

/// Whether each variable that holds `N` holds nothing else, and is read by closures as their normal only.
fn hands_normals_on(blocks: &[&Block], registry: &ClosureRegistry) -> bool {
    let mut writes: SecondaryMap<LocalId, u32> = SecondaryMap::new();
    let mut is_normal: SecondaryMap<LocalId, bool> = SecondaryMap::new();
    for block in blocks {
        walk::statements(block, &mut |stmt| {
            for &local in walk::writes(stmt) {
                writes[local] += 1;
                is_normal[local] |= matches!(
                    stmt,
                    Stmt::Op {
                        op: Op::Global(_),
                        ..
                    }
                );
            }
        });
    }
    let normal = |operand: &Operand| matches!(operand, Operand::Local(local) if is_normal[*local]);
    let assigned_twice = is_normal
        .keys()
        .any(|local| is_normal[local] && writes[local] > 1);
    !assigned_twice
        && all(blocks, |stmt| match stmt {
            Stmt::Op {
                op: Op::MakeClosure(id),
                args,
                ..
            } => (0..)
                .zip(args)
                .all(|(index, arg)| !normal(arg) || takes_normal(registry, *id, index)),
            _ => !walk::operands(stmt).iter().any(normal),
        })
}

/// Whether a closure's parameter is a normal.
fn takes_normal(registry: &ClosureRegistry, id: ClosureId, index: usize) -> bool {
    registry.get(id).params[index].ty == Type::NORMAL
}
