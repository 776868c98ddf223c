//! Sets of shader globals.

use shading_compiler::builtins::Global;

/// Globals read by code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlobalSet(u16);

impl GlobalSet {
    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains a global.
    pub fn contains(self, global: Global) -> bool {
        self.0 & 1 << global as u16 != 0
    }

    pub(super) fn insert(&mut self, global: Global) {
        self.0 |= 1 << global as u16;
    }
}
