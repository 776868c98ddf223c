//! Compaction: removes unused variables, constants, scopes and functions and renumbers the rest.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

use crate::hir::walk;
use crate::hir::{Block, Code, FunctionId, LocalId, Operand, Stmt, Unit};

/// Compacts a unit and its functions.
pub(super) fn run(unit: &mut Unit) {
    unit.globals.clear();
    functions(unit);
    let mut kept: Vec<&mut LocalId> = vec![];
    for param in &mut unit.params {
        kept.push(&mut param.local);
    }
    code(&mut unit.code, kept);
    for function in unit.functions.values_mut() {
        let kept = function.params.iter_mut().chain(&mut function.outputs).collect();
        code(&mut function.code, kept);
    }
}

/// Entities by their old ids, and the new ids of those known to be needed.
struct Renumber<K: EntityRef, V> {
    new: SecondaryMap<K, Option<K>>,
    table: PrimaryMap<K, V>,
}

impl<K: EntityRef, V> Renumber<K, V> {
    fn new() -> Renumber<K, V> {
        Renumber { new: SecondaryMap::new(), table: PrimaryMap::new() }
    }

    /// Returns the new id; moves the entity on first use.
    fn of(&mut self, old: K, take: impl FnOnce() -> V) -> K {
        if let Some(new) = self.new[old] {
            return new;
        }
        let new = self.table.push(take());
        self.new[old] = Some(new);
        new
    }
}

fn code(code: &mut Code, kept: Vec<&mut LocalId>) {
    let mut locals = Renumber::new();
    let mut consts = Renumber::new();
    let mut scopes = Renumber::new();
    for id in kept {
        *id = locals.of(*id, || code.locals[*id].clone());
    }
    let mut body = std::mem::take(&mut code.body);
    each(&mut body, &mut |stmt| {
        for operand in walk::operands_mut(stmt) {
            match operand {
                Operand::Local(id) => *id = locals.of(*id, || code.locals[*id].clone()),
                Operand::Const(id) => *id = consts.of(*id, || code.consts[*id].clone()),
            }
        }
        match stmt {
            Stmt::Op { dst: Some(dst), .. } => *dst = locals.of(*dst, || code.locals[*dst].clone()),
            Stmt::Call { results, .. } => {
                for id in results {
                    *id = locals.of(*id, || code.locals[*id].clone());
                }
            }
            Stmt::Scope { scope, .. } | Stmt::Leave(scope) => {
                *scope = scopes.of(*scope, || code.scopes[*scope]);
            }
            Stmt::Op { dst: None, .. } | Stmt::If { .. } | Stmt::Loop { .. } => {}
        }
    });
    code.body = body;
    code.locals = locals.table;
    code.consts = consts.table;
    code.scopes = scopes.table;
}

/// Keeps the functions that the body calls, directly or indirectly.
fn functions(unit: &mut Unit) {
    let mut numbers = Renumber::<FunctionId, FunctionId>::new();
    let mut rename = |body: &mut Block| {
        each(body, &mut |stmt| {
            if let Stmt::Call { function, .. } = stmt {
                let old = *function;
                *function = numbers.of(old, || old);
            }
        });
        numbers.table.len()
    };
    rename(&mut unit.code.body);
    let mut old: SecondaryMap<FunctionId, Option<crate::hir::Function>> = SecondaryMap::new();
    let mut functions = PrimaryMap::new();
    std::mem::swap(&mut functions, &mut unit.functions);
    for (id, function) in functions {
        old[id] = Some(function);
    }
    // Each kept function may call further functions, which are then kept, too.
    loop {
        let next = FunctionId::new(unit.functions.len());
        let Some(&id) = numbers_at(&numbers, next) else {
            break;
        };
        let Some(mut function) = old[id].take() else { break };
        each(&mut function.code.body, &mut |stmt| {
            if let Stmt::Call { function, .. } = stmt {
                let old = *function;
                *function = numbers.of(old, || old);
            }
        });
        unit.functions.push(function);
    }
}

fn numbers_at(numbers: &Renumber<FunctionId, FunctionId>, id: FunctionId) -> Option<&FunctionId> {
    numbers.table.get(id)
}

/// Calls `f` with each statement, outer before inner, in order.
fn each(block: &mut Block, f: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        f(stmt);
        for inner in walk::blocks_mut(stmt) {
            each(inner, f);
        }
    }
}
