//! `getattribute("shader:layername")` and `("shader:groupname")` of an instance.

use super::Linker;
use crate::builtins::Builtin;
use crate::hir::{Block, Code, Const, Kind, Op, Operand, Stmt, Unit, walk};

impl Linker<'_> {
    /// Replaces `getattribute("shader:layername", …)` and `getattribute("shader:groupname", …)` by constants in a unit
    /// whose statements begin at `first`.
    pub(super) fn fold_name_queries(&mut self, unit: &Unit, first: usize, layer: &str) {
        let is_query = |value: &Const| matches!(value, Const::String(text) if text.starts_with("shader:"));
        if !unit.code.consts.values().any(is_query) {
            return;
        }
        let mut body = self.code.body.split_off(first);
        let group = self.name.clone();
        fold_queries(&mut body, &mut self.code, layer, &group);
        self.code.body.extend(body);
    }
}

fn fold_queries(block: &mut Block, code: &mut Code, layer: &str, group: &str) {
    for stmt in block {
        if let Stmt::Op { op, args, .. } = stmt
            && let Op::Builtin(builtin @ (Builtin::HasAnyAttribute | Builtin::AnyAttribute)) = *op
        {
            let text = |operand: Option<&Operand>| match operand {
                Some(Operand::Const(id)) => match &code.consts[*id] {
                    Const::String(text) => Some(text.clone()),
                    _ => None,
                },
                _ => None,
            };
            // Reading it as another type finds no attribute.
            let is_text = match args.get(3) {
                Some(Operand::Const(id)) => code.consts[*id] == Const::Int(Kind::STRING.code()),
                _ => false,
            };
            let name = text(args.get(1)).filter(|_| is_text && text(args.first()).as_deref() == Some(""));
            let name = match name.as_deref() {
                Some("shader:layername") => layer,
                Some("shader:groupname") => group,
                _ => continue,
            };
            let value = if builtin == Builtin::HasAnyAttribute {
                Const::Int(1)
            } else {
                Const::String(name.into())
            };
            let value = code.consts.push(value);
            (*op, *args) = (Op::Copy, vec![Operand::Const(value)]);
            continue;
        }
        for inner in walk::blocks_mut(stmt) {
            fold_queries(inner, code, layer, group);
        }
    }
}
