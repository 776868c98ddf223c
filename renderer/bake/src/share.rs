//! Splitting a bake into shares (`--part K/N`) for several machines.

use std::ops::Range;

/// The `index`-th of `of` shares, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    index: u32,
    of: u32,
}

impl Share {
    /// Creates a share; `None` unless `1 ≤ index ≤ of`.
    pub fn new(index: u32, of: u32) -> Option<Share> {
        (1..=of).contains(&index).then_some(Share { index, of })
    }

    /// The range of this share among `count` pieces. All shares together are a partition.
    pub(super) fn pieces(&self, count: u32) -> Range<u32> {
        let end = |index: u32| (u64::from(count) * u64::from(index) / u64::from(self.of)) as u32;
        end(self.index - 1)..end(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_whole() {
        for (count, of) in [(10, 3), (2, 5), (0, 2), (u32::MAX, 7)] {
            let mut next = 0;
            for index in 1..=of {
                let pieces = Share::new(index, of).unwrap().pieces(count);
                assert_eq!(pieces.start, next);
                next = pieces.end;
            }
            assert_eq!(next, count);
        }
        assert!(Share::new(0, 3).is_none() && Share::new(4, 3).is_none());
    }
}
