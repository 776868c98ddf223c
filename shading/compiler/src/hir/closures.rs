//! Constant parameters of the closures that a unit creates.

use std::collections::BTreeMap;

use super::{ClosureId, Const, Op, Operand, Stmt, Unit, walk};

/// For each closure that a linked unit may create, its parameters in order: the value of a parameter that is the same
/// constant in every call, or `None`.
pub type ClosureConstants = BTreeMap<ClosureId, Box<[Option<Const>]>>;

/// Returns the constant parameters of a linked unit's closures.
pub fn constants(unit: &Unit) -> ClosureConstants {
    let mut found = ClosureConstants::new();
    let functions = unit.functions.values().map(|f| (&f.code, vec![&f.code.body]));
    let inits = unit.params.iter().map(|param| &param.init);
    let body = (&unit.code, inits.chain([&unit.code.body]).collect::<Vec<_>>());
    for (code, blocks) in functions.chain([body]) {
        for block in blocks {
            walk::statements(block, &mut |stmt| {
                if let Stmt::Op { op: Op::MakeClosure(id), args, .. } = stmt {
                    let value = |arg: &Operand| match arg {
                        Operand::Const(id) => Some(&code.consts[*id]),
                        Operand::Local(_) => None,
                    };
                    merge(&mut found, *id, args.iter().map(value));
                }
            });
        }
    }
    found
}

/// Merges the constants of another call that creates a closure.
fn merge<'a>(found: &mut ClosureConstants, id: ClosureId, values: impl Iterator<Item = Option<&'a Const>>) {
    match found.get_mut(&id) {
        None => {
            found.insert(id, values.map(|value| value.cloned()).collect());
        }
        Some(known) => {
            for (known, value) in known.iter_mut().zip(values) {
                if known.as_ref() != value {
                    *known = None;
                }
            }
        }
    }
}
