//! Specialisation of a linked unit for a pass.

use shading_compiler::builtins::Builtin;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{
    Block, ClosureId, ClosureRegistry, Code, Const, Kind, Op, Operand, RayKind, Stmt, Unit, walk,
};
use shading_compiler::opt::{Facts, OptLevel, OptOptions, optimize};

use crate::closure_table::{TermKind, terms};
use crate::part::{Parts, Pass};

/// Specialises a unit for a pass and for the attributes of a geometry: removes output, closures and parameters of closures
/// that the pass does not need, and the code that computes them.
pub(crate) fn prepare(
    unit: &mut Unit,
    closures: &ClosureRegistry,
    pass: Pass,
    level: OptLevel,
    attributes: &[String],
) {
    let reads_messages = unit.calls(Builtin::HasMessage);
    let facts = Facts {
        ray_kind: Some(match pass {
            Pass::Shadow => RayKind::SHADOW,
            Pass::Gbuffer | Pass::Forward => RayKind::CAMERA,
        }),
        attributes: None,
    };
    let options = OptOptions { level, facts: &facts, ..OptOptions::default() };
    optimize(unit, &options);
    let parts = pass.parts();
    for code in codes(unit) {
        let mut body = std::mem::take(&mut code.body);
        silence(&mut body, reads_messages);
        fold_queries(code, &mut body, attributes);
        reduce(code, &mut body, closures, parts);
        code.body = body;
    }
    optimize(unit, &options);
}

/// Returns the parts to which the closures of a unit add.
pub(crate) fn used_parts(unit: &Unit, closures: &ClosureRegistry, pass: Pass) -> Parts {
    let mut parts = Parts::default();
    walk::ops(&unit.code.body, &mut |op, _| {
        let Op::MakeClosure(id) = op else { return };
        for term in terms(&closures[id]).unwrap_or_default() {
            if let TermKind::Part(part) = term.kind {
                parts = parts.with(part);
            }
            // The top of a layer may become a coat.
            if term.kind == TermKind::Over {
                parts = parts.with(crate::part::Part::Coat).with(crate::part::Part::CoatNormal);
            }
        }
    });
    parts.and(pass.parts())
}

fn codes(unit: &mut Unit) -> impl Iterator<Item = &mut Code> {
    let functions = unit.functions.values_mut().map(|function| &mut function.code);
    functions.chain([&mut unit.code])
}

fn blocks(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => vec![body],
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => vec![],
    }
}

/// Removes printed text and unused messages.
fn silence(block: &mut Block, reads_messages: bool) {
    use Builtin as B;
    block.retain(|stmt| match stmt {
        Stmt::Op { op: Op::Builtin(builtin), .. } => match builtin {
            B::Printf | B::Warning | B::Error | B::Fprintf => false,
            B::SetMessage => reads_messages,
            _ => true,
        },
        _ => true,
    });
    for stmt in block {
        for inner in blocks(stmt) {
            silence(inner, reads_messages);
        }
    }
}

/// Replaces queries for attributes by constants.
fn fold_queries(code: &mut Code, block: &mut Block, attributes: &[String]) {
    for stmt in block {
        if let Stmt::Op { op, args, .. } = stmt
            && let Op::Builtin(Builtin::HasAttribute | Builtin::HasAnyAttribute) = op
            && let [Operand::Const(object), Operand::Const(name), ..] = args[..]
            && let (Const::String(object), Const::String(name)) = (&code.consts[object], &code.consts[name])
        {
            let exists = object.is_empty() && attributes.iter().any(|known| **known == **name);
            *op = Op::Copy;
            *args = vec![Operand::Const(code.consts.push(Const::Int(i32::from(exists))))];
        }
        for inner in blocks(stmt) {
            fold_queries(code, inner, attributes);
        }
    }
}

/// Replaces parameters of closures that no needed part mentions by zero, and closures without a needed part by null.
fn reduce(code: &mut Code, block: &mut Block, closures: &ClosureRegistry, parts: Parts) {
    for stmt in block {
        if let Stmt::Op { op, args, .. } = stmt
            && let Op::MakeClosure(id) = *op
        {
            match needed_params(id, closures, parts) {
                Some(needed) if needed.is_empty() && !adds(id, closures, parts) => {
                    *op = Op::Copy;
                    *args = vec![Operand::Const(code.consts.push(Const::NullClosure))];
                }
                Some(needed) => {
                    let params = &closures[id].params;
                    for (index, param) in params.iter().enumerate() {
                        let kind =
                            Kind::of(param.ty).filter(|kind| kind.element() != Kind::One(Element::Closure));
                        if let Some(kind) = kind
                            && !needed.contains(&index)
                        {
                            args[index] = Operand::Const(code.consts.push(kind.zero()));
                        }
                    }
                }
                // The writer reports an error for this closure.
                None => {}
            }
        }
        for inner in blocks(stmt) {
            reduce(code, inner, closures, parts);
        }
    }
}

/// Returns whether a closure adds to any of the parts.
fn adds(id: ClosureId, closures: &ClosureRegistry, parts: Parts) -> bool {
    terms(&closures[id]).is_some_and(|terms| terms.iter().any(|term| term.is_needed(parts)))
}

/// Returns the indices of the parameters that needed parts mention; `None` for an unknown closure.
fn needed_params(id: ClosureId, closures: &ClosureRegistry, parts: Parts) -> Option<Vec<usize>> {
    let signature = &closures[id];
    let terms = terms(signature)?;
    let is_needed = |name: &str| terms.iter().any(|term| term.is_needed(parts) && term.mentions(name));
    let params = signature.params.iter().enumerate();
    Some(
        params
            .filter(|(_, param)| is_needed(param.name))
            .map(|(index, _)| index)
            .collect(),
    )
}
