//! Dense sets of variables, and a set with undo for liveness analysis.

use cranelift_entity::EntityRef;

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

/// An earlier state of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// A set that can return to an earlier state at the cost of the changes since: branches need not copy it.
#[derive(Debug)]
pub(super) struct LiveSet {
    set: LocalSet,
    /// Variables inserted or removed, in order.
    flips: Vec<LocalId>,
    /// Scratch, empty between calls.
    odd: LocalSet,
}

/// Changes along one path from a mark.
#[derive(Debug)]
pub(super) struct PathChanges {
    added: Vec<LocalId>,
    removed: Vec<LocalId>,
}

impl LiveSet {
    /// Creates an empty set for the given number of variables.
    pub(super) fn new(locals: usize) -> LiveSet {
        LiveSet {
            set: LocalSet::new(locals),
            flips: vec![],
            odd: LocalSet::new(locals),
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

    /// Returns a mark of the current state.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.flips.len())
    }

    /// Returns the variables whose membership differs from that at a mark, each once.
    fn changed(&mut self, Mark(mark): Mark) -> Vec<LocalId> {
        for &id in &self.flips[mark..] {
            self.odd.flip(id);
        }
        let mut changed = vec![];
        for &id in &self.flips[mark..] {
            if self.odd.contains(id) {
                self.odd.flip(id);
                changed.push(id);
            }
        }
        changed
    }

    /// Undoes the changes since a mark, and returns them for [`LiveSet::join`].
    pub(super) fn undo(&mut self, mark: Mark) -> PathChanges {
        let changed = self.changed(mark);
        let (added, removed) = changed.iter().partition(|&&id| self.contains(id));
        self.flips.truncate(mark.0);
        changed.into_iter().for_each(|id| self.set.flip(id));
        PathChanges { added, removed }
    }

    /// Becomes the union of the current state and the state along another path from the same mark.
    pub(super) fn join(&mut self, mark: Mark, other: PathChanges) {
        let changed = self.changed(mark);
        // Elements removed only along this path are present on the other.
        other.removed.iter().for_each(|&id| self.odd.flip(id));
        for id in changed {
            if !self.contains(id) && !self.odd.contains(id) {
                self.insert(id);
            }
        }
        other.removed.iter().for_each(|&id| self.odd.flip(id));
        other.added.into_iter().for_each(|id| self.insert(id));
    }

    /// Returns to the state at a mark, recorded as a further change.
    pub(super) fn become_as_at(&mut self, Mark(mark): Mark) {
        for i in mark..self.flips.len() {
            self.flip(self.flips[i]);
        }
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
