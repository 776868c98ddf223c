//! Geometry attributes that a unit reads by constant names.

use std::collections::{BTreeMap, BTreeSet};

use super::{Block, Code, Const, LocalId, Op, Operand, Stmt, Unit, walk};
use crate::builtins::Builtin;

/// Returns the attributes that a linked unit reads, by name. The value is true if the unit does not require the attribute:
/// it tests whether the attribute exists, or has a default for it.
pub fn read_by(unit: &Unit) -> BTreeMap<String, bool> {
    let mut names = BTreeMap::new();
    let functions = unit.functions.values().map(|f| (&f.code, vec![&f.code.body]));
    let inits = unit.params.iter().map(|param| &param.init);
    let body = (&unit.code, inits.chain([&unit.code.body]).collect());
    for (code, blocks) in functions.chain([body]) {
        of_code(code, &blocks, &mut names);
    }
    names
}

fn of_code(code: &Code, blocks: &[&Block], names: &mut BTreeMap<String, bool>) {
    let mut tested = BTreeSet::new();
    for block in blocks {
        walk::statements(block, &mut |stmt| {
            if !only_reads_attributes(stmt) {
                tested.extend(walk::reads(stmt));
            }
        });
    }
    for block in blocks {
        walk::statements(block, &mut |stmt| {
            if let Stmt::Op { dst, op, args, .. } = stmt
                && is_existence_query(*op)
                && let Some(name) = name(code, args)
            {
                let is_tested = dst.is_none_or(|found: LocalId| tested.contains(&found));
                *names.entry(name).or_default() |= is_tested;
            }
        });
    }
}

fn is_existence_query(op: Op) -> bool {
    matches!(op, Op::Builtin(Builtin::HasAttribute | Builtin::HasAnyAttribute))
}

/// Returns the attribute's name, if the attribute is one of the shaded object.
fn name(code: &Code, args: &[Operand]) -> Option<String> {
    let text = |operand: Option<&Operand>| match operand {
        Some(Operand::Const(id)) => match &code.consts[*id] {
            Const::String(text) => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    };
    text(args.first()).filter(String::is_empty)?;
    text(args.get(1))
}

/// Returns whether a statement has the form `if (found) value = …;`, by which attributes are read.
fn only_reads_attributes(stmt: &Stmt) -> bool {
    let reads = |inner: &Stmt| {
        matches!(
            inner,
            Stmt::Op {
                op: Op::AttributeValue | Op::AttributeDerivative(_) | Op::Builtin(Builtin::AnyAttribute),
                ..
            }
        )
    };
    match stmt {
        Stmt::If { then, otherwise, .. } => otherwise.is_empty() && then.iter().all(reads),
        _ => false,
    }
}
