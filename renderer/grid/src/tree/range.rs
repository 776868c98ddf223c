//! Ranges of values.

/// Least and greatest of some values.
pub(crate) fn range_of(values: &[f32]) -> [f32; 2] {
    values.iter().fold(EMPTY_RANGE, |range, &v| union(range, [v, v]))
}

/// The range of no values.
pub(crate) const EMPTY_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

/// The smallest range that holds both.
pub(crate) fn union(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}
