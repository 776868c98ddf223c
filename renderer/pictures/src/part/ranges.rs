//! Sets of sample numbers as sorted, disjoint ranges.

use std::fmt;
use std::ops::Range;

/// Sample numbers as ranges: sorted, none empty, none touching another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<Range<u64>>);

impl Ranges {
    /// A single range; no ranges if it is empty.
    pub fn of(range: Range<u64>) -> Ranges {
        Ranges(if range.is_empty() { vec![] } else { vec![range] })
    }

    /// Ranges in any order; `None` if two have a number in common.
    pub fn disjoint(mut list: Vec<Range<u64>>) -> Option<Ranges> {
        list.retain(|range| !range.is_empty());
        list.sort_by_key(|range| range.start);
        let overlaps = list.windows(2).any(|pair| pair[0].end > pair[1].start);
        (!overlaps).then(|| Ranges(joined(list)))
    }

    /// The ranges.
    pub fn list(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Returns whether the ranges are empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of sample numbers.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// The ranges as text, without the length limit of [`fmt::Display`].
    pub fn in_full(&self) -> String {
        text(self.0.iter())
    }

    /// The one range that it is; an empty one for no number, `None` for several.
    pub fn only(&self) -> Option<Range<u64>> {
        match self.0.as_slice() {
            [] => Some(0..0),
            [range] => Some(range.clone()),
            _ => None,
        }
    }

    /// The first range of numbers that both have.
    pub fn overlap(&self, other: &Ranges) -> Option<Range<u64>> {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            let both = a.start.max(b.start)..a.end.min(b.end);
            if !both.is_empty() {
                return Some(both);
            }
            if a.end <= b.end {
                ours.next();
            } else {
                theirs.next();
            }
        }
        None
    }

    /// The numbers from 0 to the last that are missing.
    pub fn gaps(&self) -> Ranges {
        let starts = std::iter::once(0).chain(self.0.iter().map(|range| range.end));
        let gaps = starts.zip(&self.0).map(|(start, range)| start..range.start);
        Ranges(gaps.filter(|gap| !gap.is_empty()).collect())
    }

    /// Returns whether these ranges contain the other ones.
    pub fn include(&self, other: &Ranges) -> bool {
        self.union(other) == *self
    }

    /// Union of both.
    #[must_use]
    pub fn union(&self, other: &Ranges) -> Ranges {
        let mut all: Vec<Range<u64>> = self.0.iter().chain(&other.0).cloned().collect();
        all.sort_by_key(|range| range.start);
        Ranges(joined(all))
    }
}

fn text<'a>(ranges: impl Iterator<Item = &'a Range<u64>>) -> String {
    let texts: Vec<String> = ranges.map(|r| format!("{}..{}", r.start, r.end)).collect();
    texts.join(", ")
}

/// Joins ranges that touch or overlap; they are sorted by their starts.
fn joined(list: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = vec![];
    for range in list {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Maximum number of ranges shown.
const MAX_SHOWN: usize = 8;

/// Shows the first ranges, and the number of the others.
impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "none");
        }
        write!(f, "{}", text(self.0.iter().take(MAX_SHOWN)))?;
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranges_are_shown() {
        let ranges = |count: u64| Ranges::disjoint((0..count).map(|i| 2 * i..2 * i + 1).collect());
        let text = |count| ranges(count).expect("none overlap").to_string();
        assert!(text(8).ends_with("12..13, 14..15"));
        assert!(text(10).ends_with("12..13, 14..15 and 2 more"));
        let all = ranges(10).expect("none overlap").in_full();
        assert!(all.ends_with("16..17, 18..19"));
    }

    #[test]
    fn ranges_join_and_leave_gaps() {
        let a = Ranges::of(4..8).union(&Ranges::of(12..16));
        let b = Ranges::of(8..10);
        assert_eq!(a.overlap(&b), None);
        let joined = a.union(&b);
        assert_eq!(joined.to_string(), "4..10, 12..16");
        assert_eq!(joined.count(), 10);
        assert_eq!(joined.gaps().to_string(), "0..4, 10..12");
        assert_eq!(joined.overlap(&Ranges::of(9..13)), Some(9..10));
        assert_eq!(joined.only(), None);
        assert_eq!(joined.union(&Ranges::of(0..12)).only(), Some(0..16));
        assert!(Ranges::of(3..3).is_empty());
    }
}
