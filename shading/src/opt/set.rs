//! Sets of variables, dense.

use cranelift_entity::EntityRef;

use crate::hir::LocalId;

/// A set of variables of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocalSet {
    words: Vec<u64>,
}

impl LocalSet {
    /// The empty set, for so many variables.
    pub(super) fn new(locals: usize) -> LocalSet {
        LocalSet {
            words: vec![0; locals.div_ceil(64)],
        }
    }

    /// All variables.
    pub(super) fn all(locals: usize) -> LocalSet {
        LocalSet {
            words: vec![u64::MAX; locals.div_ceil(64)],
        }
    }

    pub(super) fn contains(&self, id: LocalId) -> bool {
        self.words[id.index() / 64] >> (id.index() % 64) & 1 != 0
    }

    pub(super) fn insert(&mut self, id: LocalId) {
        self.words[id.index() / 64] |= 1 << (id.index() % 64);
    }

    pub(super) fn remove(&mut self, id: LocalId) {
        self.words[id.index() / 64] &= !(1 << (id.index() % 64));
    }

    /// Adds all of another set; whether any was new.
    pub(super) fn union(&mut self, other: &LocalSet) -> bool {
        let mut changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    pub(super) fn copy_from(&mut self, other: &LocalSet) {
        self.words.copy_from_slice(&other.words);
    }
}
