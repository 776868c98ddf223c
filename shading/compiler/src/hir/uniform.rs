//! Uniformity analysis: whether a shader returns the same closures at every point.

use cranelift_entity::SecondaryMap;

use super::{Block, Function, LocalId, Op, Operand, Stmt, Unit, walk};
use crate::builtins::Global;
use crate::hir::ClosureRegistry;
use crate::ty::Type;

/// Returns whether every run of a linked unit creates the same closures at all shading points, except for the shading
/// frame: `N` and `dPdu` may be passed to closures as a normal and as a vector. A uniform unit has no side effects, so
/// it suffices to run it once, with placeholder values of `N` and `dPdu`.
///
/// The analysis is conservative: for example, `N` in a variable that is assigned twice counts as a dependency.
pub fn is_uniform(unit: &Unit, registry: &ClosureRegistry) -> bool {
    let blocks: Vec<&Block> = unit.params.iter().map(|param| &param.init).chain([&unit.code.body]).collect();
    let is_pure_op = |function: &Function| {
        all_statements(&[&function.code.body], |stmt| !depends_on_environment(stmt, |_| false))
    };
    unit.functions.values().all(is_pure_op)
        && all_statements(&blocks, |stmt| {
            !depends_on_environment(stmt, |global| closure_param_type(global).is_some())
        })
        && passes_frame_to_closures_only(&blocks, registry)
}

/// Returns the type of the closure parameters that may receive a global of the shading frame.
fn closure_param_type(global: Global) -> Option<Type> {
    match global {
        Global::N => Some(Type::NORMAL),
        Global::DPdu => Some(Type::VECTOR),
        _ => None,
    }
}

/// Returns whether `holds` is true for all statements.
fn all_statements(blocks: &[&Block], holds: impl Fn(&Stmt) -> bool) -> bool {
    let mut result = true;
    for block in blocks {
        walk::statements(block, &mut |stmt| result &= holds(stmt));
    }
    result
}

/// Returns whether a statement itself queries the shading point, the host, or other external state.
fn depends_on_environment(stmt: &Stmt, may_read: impl Fn(Global) -> bool) -> bool {
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

/// Returns whether each variable that holds a frame global holds nothing else, and is read by closures only, as a
/// parameter of the matching type.
fn passes_frame_to_closures_only(blocks: &[&Block], registry: &ClosureRegistry) -> bool {
    let mut writes: SecondaryMap<LocalId, u32> = SecondaryMap::new();
    let mut held: SecondaryMap<LocalId, Option<Type>> = SecondaryMap::new();
    for block in blocks {
        walk::statements(block, &mut |stmt| {
            for &local in walk::writes(stmt) {
                writes[local] += 1;
                if let Stmt::Op { op: Op::Global(global), .. } = stmt {
                    held[local] = closure_param_type(*global);
                }
            }
        });
    }
    let held_by = |operand: &Operand| match operand {
        Operand::Local(local) => held[*local],
        Operand::Const(_) => None,
    };
    held.keys().all(|local| held[local].is_none() || writes[local] == 1)
        && all_statements(blocks, |stmt| match stmt {
            Stmt::Op { op: Op::MakeClosure(id), args, .. } => {
                let params = &registry[*id].params;
                let fits = |(arg, ty)| held_by(arg).is_none_or(|held| held == ty);
                args.iter().zip(params.iter().map(|param| param.ty)).all(fits)
            }
            _ => walk::operands(stmt).iter().all(|operand| held_by(operand).is_none()),
        })
}
