//! Sets of variables for liveness analysis: dense, sparse, and with undo.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;

use crate::hir::LocalId;

/// A set of variables of one function that adds and removes in constant time.
#[derive(Debug, Default)]
struct LocalSet {
    words: Vec<u64>,
    /// One bit per nonzero word, because most variables are live in few places.
    used: Vec<u64>,
}

impl LocalSet {
    /// Creates an empty set for the given number of variables.
    fn new(locals: usize) -> LocalSet {
        let words = locals.div_ceil(64);
        LocalSet { words: vec![0; words], used: vec![0; words.div_ceil(64)] }
    }

    fn contains(&self, id: LocalId) -> bool {
        self.words[id.index() / 64] >> (id.index() % 64) & 1 != 0
    }

    fn flip(&mut self, id: LocalId) {
        let at = id.index() / 64;
        let word = &mut self.words[at];
        *word ^= 1 << (id.index() % 64);
        let bit = 1 << (at % 64);
        if *word == 0 {
            self.used[at / 64] &= !bit;
        } else {
            self.used[at / 64] |= bit;
        }
    }

    /// Returns the indices of the nonzero words, in order.
    fn used(&self) -> impl Iterator<Item = usize> {
        let groups = self.used.iter().enumerate();
        groups.flat_map(|(group, &word)| bits(word).map(move |bit| group * 64 + bit))
    }
}

/// Returns the set bits of a word, in order.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// A set of variables of one function, stored sparsely.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseSet {
    /// Nonzero words of the dense set with their indices, in order.
    words: Vec<(usize, u64)>,
}

impl SparseSet {
    /// Creates the set of all variables.
    pub(super) fn all(locals: usize) -> SparseSet {
        let words = (0..locals.div_ceil(64)).map(|at| (at, u64::MAX));
        SparseSet { words: words.collect() }
    }

    /// Adds all elements of a live set; returns whether any was new.
    pub(super) fn union(&mut self, live: &LiveSet) -> bool {
        let (mut changed, mut place) = (false, 0);
        for at in live.set.used() {
            let more = live.set.words[at];
            place += self.words[place..].iter().take_while(|(own, _)| *own < at).count();
            match self.words.get_mut(place) {
                Some((own, word)) if *own == at => {
                    changed |= more & !*word != 0;
                    *word |= more;
                }
                _ => {
                    changed = true;
                    self.words.insert(place, (at, more));
                }
            }
        }
        changed
    }
}

/// An open mark of a [`LiveSet`]: a state to which the set can return. Marks are closed in the reverse order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// Variables whose membership differs between two states.
type Changes = FxHashSet<LocalId>;

/// A set that can return to earlier states at the cost of the difference, so that branches need no copies.
#[derive(Debug)]
pub(super) struct LiveSet {
    set: LocalSet,
    /// For each open mark, the difference between its state and the state at the next mark, or the current state.
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
        LiveSet { set: LocalSet::new(locals), changes: vec![] }
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
    pub(super) fn become_set(&mut self, other: &SparseSet) {
        let mut words = other.words.iter().peekable();
        let gone = |at: &usize| {
            while words.next_if(|(own, _)| own < at).is_some() {}
            words.peek().is_none_or(|(own, _)| own != at)
        };
        let gone: Vec<usize> = self.set.used().filter(gone).collect();
        gone.into_iter().for_each(|at| self.become_word(at, 0));
        other.words.iter().for_each(|&(at, word)| self.become_word(at, word));
    }

    fn become_word(&mut self, at: usize, word: u64) {
        for bit in bits(self.set.words[at] ^ word) {
            self.flip(LocalId::new(at * 64 + bit));
        }
    }
}

fn toggle(changes: &mut Changes, id: LocalId) {
    if !changes.remove(&id) {
        changes.insert(id);
    }
}
