//! Globals that a function uses.

use rustc_hash::FxHashMap;

use crate::builtins::Global;
use crate::hir::{Block, LocalId, Op, Stmt, walk};

/// A global; `None` for `Ci`.
pub(super) type GlobalKey = Option<Global>;

/// Globals of a function that is not inlined, and of the functions that it calls.
#[derive(Debug, Default)]
pub(super) struct GlobalUses {
    /// Globals used, with the function's variables.
    pub(super) used: Vec<(GlobalKey, LocalId)>,
    /// Globals assigned.
    pub(super) written: Vec<GlobalKey>,
}

impl GlobalUses {
    /// Creates the uses of globals in a function's code.
    pub(super) fn new(globals: &FxHashMap<Global, LocalId>, ci: Option<LocalId>, code: &Block) -> GlobalUses {
        let mut used: Vec<(GlobalKey, LocalId)> =
            globals.iter().map(|(&global, &local)| (Some(global), local)).collect();
        used.extend(ci.map(|local| (None, local)));
        used.sort_unstable_by_key(|(_, local)| *local);
        let mut written = vec![];
        walk::statements(code, &mut |stmt| {
            for &(key, local) in &used {
                if walk::writes(stmt).contains(&local) && !is_copy_of_global(stmt) && !written.contains(&key)
                {
                    written.push(key);
                }
            }
        });
        GlobalUses { used, written }
    }

    /// Returns the function's variable of a global.
    pub(super) fn local(&self, key: GlobalKey) -> Option<LocalId> {
        self.used.iter().find(|(known, _)| *known == key).map(|(_, local)| *local)
    }
}

/// Returns whether a statement sets a function's own variable of a global.
pub(super) fn is_copy_of_global(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Op { op: Op::Global(_), .. })
}
