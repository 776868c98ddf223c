//! Globals that the units of a group share, like the layers of OSL's groups.
//!
//! Only globals that some unit of the group assigns to become variables of the linked code. Sharing does not change other
//! groups.
//!
//! By default, a unit's assignments to `P`, `N`, `I` or `Ci` are visible to that unit only. In a group that shares globals
//! ([`ShaderGroupTemplate::shares_globals`](crate::graph::ShaderGroupTemplate)), a layer sees the assignments of the layers
//! before it, and a layer with connected outputs runs when these are first read.

use crate::builtins::Global;
use crate::graph::splice::{Overrides, Splice};
use crate::hir::{Block, LocalId, Op, Operand, Stmt, Unit};

/// Variables of shared globals; the key `None` is `Ci`.
#[derive(Debug, Default)]
pub(super) struct SharedGlobals {
    list: Vec<(Option<Global>, LocalId)>,
}

impl SharedGlobals {
    pub(super) fn add(&mut self, global: Option<Global>, local: LocalId) {
        self.list.push((global, local));
    }

    /// Returns the variable of a shared global.
    pub(super) fn get(&self, global: Option<Global>) -> Option<LocalId> {
        let found = self.list.iter().find(|(known, _)| *known == global);
        found.map(|(_, local)| *local)
    }

    /// Returns the globals that defaults of parameters see; `overrides` take precedence.
    pub(super) fn over(&self, overrides: &[(Global, Operand)]) -> Overrides {
        let shared = self.list.iter();
        let shared = shared.filter_map(|(global, local)| Some(((*global)?, Operand::Local(*local))));
        overrides.iter().copied().chain(shared).collect()
    }

    /// Maps the variables of `unit` for shared globals to the shared ones, except those in `overrides`.
    pub(super) fn alias(&self, splice: &mut Splice<'_>, unit: &Unit, overrides: &[(Global, Operand)]) {
        for variable in &unit.globals {
            let is_overridden = overrides.iter().any(|(global, _)| Some(*global) == variable.global);
            if let Some(shared) = self.get(variable.global).filter(|_| !is_overridden) {
                splice.alias(variable.local, shared);
            }
        }
    }

    /// Removes the statements of a unit that initialise its copies of globals.
    pub(super) fn drop_copies(&self, body: Block) -> Block {
        let is_own = |stmt: &Stmt| match stmt {
            Stmt::Op { dst: Some(dst), op: Op::Copy, args, .. } => args[..] == [Operand::Local(*dst)],
            _ => false,
        };
        body.into_iter().filter(|stmt| !is_own(stmt)).collect()
    }
}
