//! Dense sets of variables, and a set with undo for liveness analysis.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;

use crate::hir::LocalId;

/// A set of variables of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocalSet {
    words: Vec<u64>,
}

impl LocalSet {
    /// Creates an empty set for the given number of variables.
    pub(super) fn new(locals: usize) -> LocalSet {
        LocalSet {
            words: vec![0; locals.div_ceil(64)],
        }
    }

    /// Creates the set of all variables.
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

    /// Adds all elements of another set; returns whether any was new.
    pub(super) fn union(&mut self, other: &LocalSet) -> bool {
        let mut changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }
}

/// An open mark of a [`LiveSet`]: a state to which the set can return. Marks are closed in the reverse order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// Variables whose membership differs between two states.
type Changes = FxHashSet<LocalId>;

/// A set that can return to earlier states at the cost of the difference: branches need not copy it.
#[derive(Debug)]
pub(super) struct LiveSet {
    set: LocalSet,
    /// For each open mark, the difference between its state and that at the next mark, or the current state.
    changes: Vec<Changes>,
}

/// Differences of one path from a mark.
#[derive(Debug)]
pub(super) struct PathChanges {
    added: Changes,
    removed: Changes,
}

impl LiveSet {
    /// Creates an empty set for the given number of variables.
    pub(super) fn new(locals: usize) -> LiveSet {
        LiveSet {
            set: LocalSet::new(locals),
            changes: vec![],
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
        if let Some(changes) = self.changes.last_mut() {
            toggle(changes, id);
        }
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

    /// Opens a mark of the current state.
    pub(super) fn mark(&mut self) -> Mark {
        self.changes.push(Changes::default());
        Mark(self.changes.len() - 1)
    }

    /// Closes the innermost mark, and keeps the state.
    pub(super) fn close(&mut self) {
        let Some(mut inner) = self.changes.pop() else {
            return;
        };
        if let Some(outer) = self.changes.last_mut() {
            if outer.len() < inner.len() {
                std::mem::swap(outer, &mut inner);
            }
            inner.into_iter().for_each(|id| toggle(outer, id));
        }
    }

    /// Returns to the state at the innermost mark, which stays open; returns the changes for [`LiveSet::join`].
    pub(super) fn undo(&mut self) -> PathChanges {
        let changes = self.changes.last_mut().map(std::mem::take).unwrap_or_default();
        let (added, removed): (Changes, Changes) = changes.into_iter().partition(|&id| self.contains(id));
        added.iter().chain(&removed).for_each(|&id| self.set.flip(id));
        PathChanges { added, removed }
    }

    /// Becomes the union of the current state and the state along another path from the innermost mark.
    pub(super) fn join(&mut self, other: PathChanges) {
        let changes = self.changes.last().into_iter().flatten();
        let is_removed_here_alone = |id: &LocalId| !self.contains(*id) && !other.removed.contains(id);
        let kept: Vec<LocalId> = changes.copied().filter(is_removed_here_alone).collect();
        kept.into_iter().chain(other.added).for_each(|id| self.insert(id));
    }

    /// Returns to the state at any open mark, recorded as a further change.
    pub(super) fn become_as_at(&mut self, Mark(mark): Mark) {
        let mut difference = Changes::default();
        let changes = self.changes[mark..].iter().flatten();
        changes.for_each(|&id| toggle(&mut difference, id));
        difference.into_iter().for_each(|id| self.flip(id));
    }

    /// Becomes equal to another set.
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

fn toggle(changes: &mut Changes, id: LocalId) {
    if !changes.remove(&id) {
        changes.insert(id);
    }
}
