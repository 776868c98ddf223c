//! Analysis of the variables in which the sign of a zero is observable: printed variables, results, and variables from which
//! these are computed. In other variables the optimiser may replace −0 by 0.

use cranelift_entity::SecondaryMap;

use super::context::PassContext;
use crate::builtins::Builtin;
use crate::hir::kind::Element;
use crate::hir::{Code, Kind, LocalId, Op, Operand, Stmt, walk};

/// Returns the variables of a function in which the sign of a zero is observable; `outputs` are its results.
pub(super) fn seen(
    code: &Code,
    outputs: &[LocalId],
    context: &PassContext<'_>,
) -> SecondaryMap<LocalId, bool> {
    let is_signed = |local: LocalId| match Kind::of(code.locals[local].ty).map(Kind::element) {
        Some(Kind::One(element)) => matches!(element, Element::Float | Element::Triple | Element::Matrix),
        _ => false,
    };
    let locals = |args: &[Operand]| -> Vec<LocalId> {
        let locals = args.iter().filter_map(|arg| match *arg {
            Operand::Local(local) => Some(local),
            Operand::Const(_) => None,
        });
        locals.filter(|&local| is_signed(local)).collect()
    };
    let mut open: Vec<LocalId> = outputs.iter().copied().filter(|&local| is_signed(local)).collect();
    walk::statements(&code.body, &mut |stmt| match stmt {
        Stmt::Op { op, args, .. } if observes(*op, context) => open.extend(locals(args)),
        Stmt::Call { args, .. } => open.extend(locals(args)),
        _ => {}
    });
    let mut seen = SecondaryMap::new();
    if open.is_empty() {
        return seen;
    }
    // For each variable, the variables from which it is computed.
    let mut sources: Vec<(LocalId, LocalId)> = vec![];
    walk::statements(&code.body, &mut |stmt| {
        if let Stmt::Op { dst: Some(dst), args, .. } = stmt
            && is_signed(*dst)
        {
            sources.extend(locals(args).into_iter().map(|source| (*dst, source)));
        }
    });
    sources.sort_unstable();
    sources.dedup();
    while let Some(local) = open.pop() {
        if !std::mem::replace(&mut seen[local], true) {
            let first = sources.partition_point(|&(dst, _)| dst < local);
            let of_local = sources[first..].iter().take_while(|&&(dst, _)| dst == local);
            open.extend(of_local.map(|&(_, source)| source));
        }
    }
    seen
}

/// Returns whether an operation makes the sign of a zero observable other than by a zero result.
fn observes(op: Op, context: &PassContext<'_>) -> bool {
    use Builtin as B;
    match op {
        Op::Builtin(
            B::Atan2
            | B::Hash
            | B::HashNoise
            | B::Noise
            | B::PNoise
            | B::Format
            | B::Printf
            | B::Warning
            | B::Error
            | B::Fprintf
            | B::SetMessage
            | B::CloudWrite,
        )
        | Op::BuiltinDual(B::Noise | B::PNoise) => true,
        // Closures are printed with their parameters.
        Op::MakeClosure(_) | Op::ClosureMul => context.observes_closures,
        _ => false,
    }
}
