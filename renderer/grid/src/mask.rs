//! Bit masks of nodes.

/// Returns whether a bit is set.
#[inline]
pub(crate) fn is_on(mask: &[u64], index: usize) -> bool {
    mask[index >> 6] >> (index & 63) & 1 != 0
}

/// Number of set bits.
pub(crate) fn count(mask: &[u64]) -> usize {
    mask.iter().map(|word| word.count_ones() as usize).sum()
}

/// Indices of the set bits, in ascending order.
pub(crate) fn ones(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(place, &word)| {
        std::iter::successors(Some(word), |word| Some(word & (word - 1)))
            .take_while(|&word| word != 0)
            .map(move |word| place * 64 + word.trailing_zeros() as usize)
    })
}
