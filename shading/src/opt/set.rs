//! Sets of variables, dense; and one that remembers its changes.

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

    fn contains(&self, id: LocalId) -> bool {
        self.words[id.index() / 64] >> (id.index() % 64) & 1 != 0
    }

    fn flip(&mut self, id: LocalId) {
        self.words[id.index() / 64] ^= 1 << (id.index() % 64);
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
}

/// What a set was at an earlier moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// A set that can go back to what it was, at the cost of what changed since: branches need not copy it.
#[derive(Debug)]
pub(super) struct LiveSet {
    set: LocalSet,
    /// The variables that went in or out, in order.
    flips: Vec<LocalId>,
}

impl LiveSet {
    /// The empty set, for so many variables.
    pub(super) fn new(locals: usize) -> LiveSet {
        LiveSet {
            set: LocalSet::new(locals),
            flips: vec![],
        }
    }

    pub(super) fn set(&self) -> &LocalSet {
        &self.set
    }

    pub(super) fn contains(&self, id: LocalId) -> bool {
        self.set.contains(id)
    }

    fn flip(&mut self, id: LocalId) {
        self.set.flip(id);
        self.flips.push(id);
    }

    pub(super) fn insert(&mut self, id: LocalId) {
        if !self.contains(id) {
            self.flip(id);
        }
    }

    pub(super) fn remove(&mut self, id: LocalId) {
        if self.contains(id) {
            self.flip(id);
        }
    }

    /// The present moment.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.flips.len())
    }

    /// Takes back what changed since a mark; gives the variables that are in the set no more.
    pub(super) fn undo(&mut self, Mark(mark): Mark) -> Vec<LocalId> {
        let changed: Vec<_> = self.flips.drain(mark..).collect();
        let added = changed
            .iter()
            .copied()
            .filter(|&id| self.set.contains(id))
            .collect();
        for id in changed {
            self.set.flip(id);
        }
        added
    }

    /// Becomes what it was at a mark, as a further change.
    pub(super) fn become_as_at(&mut self, Mark(mark): Mark) {
        for i in mark..self.flips.len() {
            self.flip(self.flips[i]);
        }
    }

    /// Becomes another set.
    pub(super) fn become_set(&mut self, other: &LocalSet) {
        for (i, &word) in other.words.iter().enumerate() {
            let mut different = self.set.words[i] ^ word;
            while different != 0 {
                self.flip(LocalId::new(i * 64 + different.trailing_zeros() as usize));
                different &= different - 1;
            }
        }
    }
}
