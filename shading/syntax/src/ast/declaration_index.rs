//! Index of the functions and structures that a file declares, with the call graph of the functions.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// Index of a file's items, built at the first query.
#[derive(Clone, Debug, Default)]
pub struct DeclarationIndex(OnceLock<Declarations>);

/// Declarations of a file outside of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    /// Indices of the items that are functions, by name.
    pub(super) functions: FxHashMap<String, Vec<usize>>,
    /// For each item that is a function or declares variables, the functions that its text names.
    pub(super) mentions: FxHashMap<usize, Vec<usize>>,
    pub(super) has_structures: bool,
}

impl DeclarationIndex {
    /// Returns the index; the first call builds it by `make`.
    pub(super) fn names(&self, make: impl FnOnce() -> Declarations) -> &Declarations {
        self.0.get_or_init(make)
    }
}
