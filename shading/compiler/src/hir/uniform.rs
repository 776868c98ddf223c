//! Uniformity analysis: whether a shader gives the same closures at every point.

use cranelift_entity::SecondaryMap;

use super::{Block, Function, LocalId, Op, Operand, Stmt, Unit, walk};
use crate::builtins::Global;
use crate::hir::ClosureRegistry;
use crate::ty::Type;

/// Whether every run of a linked unit makes the same closures at all shading points, except for the shading frame: `N`
/// and `dPdu` may be passed to closures as a normal and as a vector. Such a unit has no other effects, so that it
/// suffices to run it once, with placeholder values of `N` and `dPdu`.
///
/// The analysis is conservative: `N` in a variable that is assigned twice, for example, counts as a dependency.
pub fn is_uniform(unit: &Unit, registry: &ClosureRegistry) -> bool {
    let blocks: Vec<&Block> = unit
        .params
        .iter()
        .map(|param| &param.init)
        .chain([&unit.code.body])
        .collect();
    let is_blind = |function: &Function| all(&[&function.code.body], |stmt| !looks_around(stmt, |_| false));
    unit.functions.values().all(is_blind)
        && all(&blocks, |stmt| {
            !looks_around(stmt, |global| handed_on_as(global).is_some())
        })
        && hands_frame_on(&blocks, registry)
}

/// The type of a closure's parameter that stands for a global of the shading point's frame.
fn handed_on_as(global: Global) -> Option<Type> {
    match global {
        Global::N => Some(Type::NORMAL),
        Global::DPdu => Some(Type::VECTOR),
        _ => None,
    }
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
fn looks_around(stmt: &Stmt, may_read: impl Fn(Global) -> bool) -> bool {
    match stmt {
        Stmt::Op { op, .. } => match op {
            Op::Global(global) => !may_read(*global),
            Op::GlobalDerivative(..) => true,
            Op::Builtin(builtin) => !builtin.is_foldable(),
            Op::Texture(_)
            | Op::TextureError(_)
            | Op::TextureInfo
            | Op::HasTextureInfo(_)
            | Op::AttributeValue
            | Op::AttributeDerivative(_) => true,
            _ => false,
        },
        Stmt::Call { .. } | Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => {
            false
        }
    }
}

/// Whether each variable that holds a global holds nothing else, and is read by closures only, as what it stands for.
fn hands_frame_on(blocks: &[&Block], registry: &ClosureRegistry) -> bool {
    let mut writes: SecondaryMap<LocalId, u32> = SecondaryMap::new();
    let mut held: SecondaryMap<LocalId, Option<Type>> = SecondaryMap::new();
    for block in blocks {
        walk::statements(block, &mut |stmt| {
            for &local in walk::writes(stmt) {
                writes[local] += 1;
                if let Stmt::Op {
                    op: Op::Global(global),
                    ..
                } = stmt
                {
                    held[local] = handed_on_as(*global);
                }
            }
        });
    }
    let held_by = |operand: &Operand| match operand {
        Operand::Local(local) => held[*local],
        Operand::Const(_) => None,
    };
    held.keys()
        .all(|local| held[local].is_none() || writes[local] == 1)
        && all(blocks, |stmt| match stmt {
            Stmt::Op {
                op: Op::MakeClosure(id),
                args,
                ..
            } => {
                let params = &registry.get(*id).params;
                let fits = |(arg, ty)| held_by(arg).is_none_or(|held| held == ty);
                args.iter().zip(params.iter().map(|param| param.ty)).all(fits)
            }
            _ => walk::operands(stmt)
                .iter()
                .all(|operand| held_by(operand).is_none()),
        })
}
