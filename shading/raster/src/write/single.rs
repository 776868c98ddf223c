//! Variables that are declared at their only assignment.

use cranelift_entity::SecondaryMap;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Kind, LocalId, Op, Stmt, Unit, walk};

/// Returns the variables that have one assignment, in a block that contains all later uses, and no earlier use.
pub(super) fn single_assignments(unit: &Unit) -> SecondaryMap<LocalId, bool> {
    let code = &unit.code;
    let mut single = SecondaryMap::new();
    for (id, local) in &code.locals {
        single[id] = matches!(
            Kind::of(local.ty),
            Some(Kind::One(
                Element::Int | Element::Float | Element::Triple | Element::Matrix | Element::String
            ))
        );
    }
    for param in &unit.params {
        single[param.local] = false;
    }
    let mut walker = Walker {
        single,
        assigned: SecondaryMap::new(),
        visible: SecondaryMap::new(),
    };
    // Defaults and body are written consecutively, in one block.
    let mut own = vec![];
    for param in &unit.params {
        walker.statements(&param.init, &mut own);
    }
    walker.statements(&code.body, &mut own);
    walker.single
}

struct Walker {
    single: SecondaryMap<LocalId, bool>,
    assigned: SecondaryMap<LocalId, bool>,
    visible: SecondaryMap<LocalId, bool>,
}

impl Walker {
    fn block(&mut self, block: &[Stmt]) {
        let mut own = vec![];
        self.statements(block, &mut own);
        for local in own {
            self.visible[local] = false;
        }
    }

    /// Visits statements; `own` are the variables assigned in their block.
    fn statements(&mut self, block: &[Stmt], own: &mut Vec<LocalId>) {
        for stmt in block {
            for local in walk::reads(stmt) {
                self.single[local] &= self.visible[local];
            }
            let is_plain = match stmt {
                Stmt::Op { op, .. } => is_expression(*op),
                _ => false,
            };
            for &local in walk::writes(stmt) {
                self.single[local] &= is_plain && !self.assigned[local];
                self.assigned[local] = true;
                self.visible[local] = true;
                own.push(local);
            }
            for inner in walk::blocks(stmt) {
                self.block(inner);
            }
        }
    }
}

/// Returns whether an operation is written as one expression.
fn is_expression(op: Op) -> bool {
    use shading_compiler::builtins::Builtin;
    !matches!(
        op,
        Op::MakeClosure(_)
            | Op::ArraySet
            | Op::BuiltinDual(_)
            | Op::Texture(_)
            | Op::Builtin(Builtin::Spline)
    )
}
