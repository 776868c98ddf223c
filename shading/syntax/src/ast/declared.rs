//! Index of the functions and structures that a file declares.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// Index of a file's items, made when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct Declared(OnceLock<DeclaredNames>);

/// What a file declares outside of units.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredNames {
    /// Names of functions.
    pub(super) functions: FxHashSet<String>,
    /// True if there is a structure.
    pub(super) has_structures: bool,
}

impl Declared {
    /// The index, which `make` makes if nobody has.
    pub(super) fn names(&self, make: impl FnOnce() -> DeclaredNames) -> &DeclaredNames {
        self.0.get_or_init(make)
    }
}
