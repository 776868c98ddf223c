//! Disjoint sets (union-find).
// Galler & Fischer 1964, "An Improved Equivalence Algorithm".

/// Disjoint sets of the indices below a count. The lowest index of a set represents it.
pub struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Sets of one index each.
    pub fn new(count: usize) -> DisjointSets {
        DisjointSets { parents: (0..count as u32).collect() }
    }

    /// Representative of the set of an index; halves the path to it.
    pub fn root(&mut self, mut index: u32) -> u32 {
        while self.parents[index as usize] != index {
            let above = self.parents[self.parents[index as usize] as usize];
            self.parents[index as usize] = above;
            index = above;
        }
        index
    }

    /// Unites the sets of two indices.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The set of each index of a list; sets are numbered from 0 in the order of their first index.
    pub fn numbers(&mut self, indices: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; self.parents.len()];
        let mut next = 0;
        let number = |index| {
            let number = &mut numbers[self.root(index) as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            *number
        };
        indices.map(number).collect()
    }
}
