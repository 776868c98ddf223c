//! Globals in recursive functions. They become parameters of each function that uses them, since their values may differ
//! between calls.

use rustc_hash::FxHashMap;

use super::Checker;
use super::global_uses::{GlobalKey, GlobalUses, is_copy_of_global};
use crate::hir::{Block, FunctionId, Local, LocalId, Op, Operand, Param, Stmt, walk};
use crate::ty::Type;
use shading_syntax::source::Span;

/// Uses of all functions of a unit that are not inlined.
type AllUses = FxHashMap<FunctionId, GlobalUses>;

impl<'a> Checker<'a> {
    /// Passes to the functions of a unit the globals that they use, in its defaults and its body.
    pub(super) fn pass_globals(&mut self, params: &mut [Param], body: &mut Block) {
        let mut all = std::mem::take(&mut self.global_uses);
        if all.is_empty() {
            return;
        }
        self.add_uses_of_callees(&mut all);
        for (id, function) in &mut self.called {
            let Some(uses) = all.get(&id) else { continue };
            let mut block = std::mem::take(&mut function.code.body);
            block.retain(|stmt| !is_copy_of_global(stmt));
            function.params.extend(uses.used.iter().map(|(_, local)| *local));
            let written = uses.used.iter().filter(|(key, _)| uses.written.contains(key));
            function.outputs.extend(written.map(|(_, local)| *local));
            extend_calls(&mut block, &all, &mut |key, _| uses.local(key));
            function.code.body = block;
        }
        // Defaults are evaluated before the unit's own variables of globals are set.
        for param in params {
            let (locals, span) = (&mut self.body.code.locals, param.span);
            extend_calls(&mut param.init, &all, &mut |key, before| {
                let local = locals.push(variable(key));
                before.extend(key.map(|global| Stmt::op(Some(local), Op::Global(global), vec![], span)));
                Some(local)
            });
        }
        extend_calls(body, &all, &mut |key, _| Some(self.variable_of(key)));
        self.body.ci_written |= all.values().any(|uses| uses.written.contains(&None));
    }

    /// Adds to each function the globals of the functions that it calls, until none are missing.
    fn add_uses_of_callees(&mut self, all: &mut AllUses) {
        let mut calls: Vec<(FunctionId, FunctionId)> = vec![];
        for (id, function) in &self.called {
            walk::statements(&function.code.body, &mut |stmt| {
                if let Stmt::Call { function: callee, .. } = stmt {
                    calls.push((id, *callee));
                }
            });
        }
        calls.sort_unstable();
        calls.dedup();
        let mut changes = true;
        while changes {
            changes = false;
            for (caller, callee) in &calls {
                let Some(uses) = all.get(callee) else { continue };
                let keys: Vec<GlobalKey> = uses.used.iter().map(|(key, _)| *key).collect();
                let written = uses.written.clone();
                let (Some(own), locals) = (all.get_mut(caller), &mut self.called[*caller].code.locals) else {
                    continue;
                };
                for key in keys {
                    if own.local(key).is_none() {
                        own.used.push((key, locals.push(variable(key))));
                        changes = true;
                    }
                }
                for key in written {
                    if !own.written.contains(&key) {
                        own.written.push(key);
                        changes = true;
                    }
                }
            }
        }
    }

    /// The unit's variable of a global.
    fn variable_of(&mut self, key: GlobalKey) -> LocalId {
        match key {
            Some(global) => self.global(global, Span::default()),
            None => {
                let locals = &mut self.body.code.locals;
                *self.body.ci.get_or_insert_with(|| locals.push(variable(None)))
            }
        }
    }
}

fn variable(key: GlobalKey) -> Local {
    let (name, ty) = key.map_or(("Ci", Type::CLOSURE), |global| (global.name(), global.ty()));
    let name = name.to_owned();
    Local { name, ty }
}

/// Adds the globals that callees use to the arguments and results of all calls. `local` returns the caller's variable of a
/// global, and may add statements before the call.
fn extend_calls(
    block: &mut Block,
    all: &AllUses,
    local: &mut impl FnMut(GlobalKey, &mut Block) -> Option<LocalId>,
) {
    let mut at = 0;
    while at < block.len() {
        for inner in walk::blocks_mut(&mut block[at]) {
            extend_calls(inner, all, local);
        }
        let mut before = vec![];
        if let Stmt::Call { function, args, results, .. } = &mut block[at]
            && let Some(uses) = all.get(function)
        {
            for (key, _) in &uses.used {
                let Some(local) = local(*key, &mut before) else {
                    continue;
                };
                args.push(Operand::Local(local));
                if uses.written.contains(key) {
                    results.push(local);
                }
            }
        }
        let added = before.len();
        if added > 0 {
            block.splice(at..at, before);
        }
        at += added + 1;
    }
}
