//! Removal of unused closures: shadow rays need only emission and transparency.

use cranelift_entity::PrimaryMap;

use crate::hir::{
    Block, ClosureId, Code, Const, ConstId, Kind, Local, LocalId, Op, Operand, Stmt, Unit, walk,
};

/// The closures that a caller uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedClosures {
    /// Closures whose parameters and weights the caller reads.
    pub ids: Vec<ClosureId>,
    /// True if a closure with closure parameters, such as a layer, is the sum of these to the caller.
    pub adds_nested: bool,
}

/// Replaces every closure that is not used by the null closure; returns whether anything changed.
///
/// If a unit uses a closure with closure parameters whose weights depend on each other, all closures are kept.
pub(super) fn keep_only(unit: &mut Unit, used: &UsedClosures) -> bool {
    if !used.adds_nested && super::codes(unit).any(takes_closures) {
        return false;
    }
    let functions = unit.functions.values_mut().map(|function| &mut function.code);
    let mut changed = false;
    for code in functions.chain([&mut unit.code]) {
        let null = code.consts.push(Const::NullClosure);
        let Code { body, locals, consts, .. } = code;
        let is_closure = |arg: &Operand| is_closure(arg, locals, consts);
        changed |= forget(body, &used.ids, null, &is_closure);
    }
    changed
}

fn takes_closures(code: &Code) -> bool {
    let mut found = false;
    walk::ops(&code.body, &mut |op, args| {
        found |= matches!(op, Op::MakeClosure(_))
            && args.iter().any(|arg| is_closure(arg, &code.locals, &code.consts));
    });
    found
}

fn is_closure(
    arg: &Operand,
    locals: &PrimaryMap<LocalId, Local>,
    consts: &PrimaryMap<ConstId, Const>,
) -> bool {
    let kind = match *arg {
        Operand::Local(id) => Kind::of(locals[id].ty),
        Operand::Const(id) => Kind::of_const(&consts[id]),
    };
    kind == Some(Kind::CLOSURE)
}

fn forget(
    block: &mut Block,
    used: &[ClosureId],
    null: ConstId,
    is_closure: &impl Fn(&Operand) -> bool,
) -> bool {
    let mut changed = false;
    for stmt in block {
        match stmt {
            Stmt::Op { op, args, .. } => {
                if let Op::MakeClosure(id) = *op
                    && !used.contains(&id)
                {
                    args.retain(is_closure);
                    *op = match args.len() {
                        0 => {
                            args.push(Operand::Const(null));
                            Op::Copy
                        }
                        1 => Op::Copy,
                        2 => Op::ClosureAdd,
                        count => unreachable!("no closure takes {count} closures"),
                    };
                    changed = true;
                }
            }
            stmt => {
                for inner in walk::blocks_mut(stmt) {
                    changed |= forget(inner, used, null, is_closure);
                }
            }
        }
    }
    changed
}
