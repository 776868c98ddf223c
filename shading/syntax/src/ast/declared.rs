//! Index of the functions and structures that a file declares, with the call graph of the functions.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// Index of a file's items, made when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct Declared(OnceLock<DeclaredNames>);

/// Declarations of a file outside of units.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredNames {
    /// Indices of the items that are functions, by name.
    pub(super) functions: FxHashMap<String, Vec<usize>>,
    /// For each item that is a function or declares variables, the functions that its text names.
    pub(super) mentions: FxHashMap<usize, Vec<usize>>,
    /// True if there is a structure.
    pub(super) has_structures: bool,
}

impl Declared {
    /// Returns the index, which `make` makes the first time.
    pub(super) fn names(&self, make: impl FnOnce() -> DeclaredNames) -> &DeclaredNames {
        self.0.get_or_init(make)
    }
}
