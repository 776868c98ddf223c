//! Small-size optimized list: the first elements are stored in place, more of them on the heap.

use arrayvec::ArrayVec;

/// A list that allocates beyond `N` elements.
#[derive(Clone, Debug)]
pub struct InlineList<T, const N: usize> {
    /// Elements of a list of at most `N`.
    inline: ArrayVec<T, N>,
    /// Elements of a longer list.
    spilled: Vec<T>,
}

impl<T: Copy, const N: usize> InlineList<T, N> {
    /// An empty list.
    pub const fn new() -> InlineList<T, N> {
        InlineList { inline: ArrayVec::new_const(), spilled: Vec::new() }
    }

    /// Removes all elements; memory on the heap is kept.
    pub fn clear(&mut self) {
        self.inline.clear();
        self.spilled.clear();
    }

    /// Appends an element.
    pub fn push(&mut self, element: T) {
        if self.spilled.is_empty() {
            if self.inline.try_push(element).is_ok() {
                return;
            }
            self.spilled.extend_from_slice(&self.inline);
        }
        self.spilled.push(element);
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        match self.spilled.is_empty() {
            true => &self.inline,
            false => &self.spilled,
        }
    }

    /// The elements.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self.spilled.is_empty() {
            true => &mut self.inline,
            false => &mut self.spilled,
        }
    }
}

impl<T: Copy, const N: usize> Default for InlineList<T, N> {
    fn default() -> InlineList<T, N> {
        InlineList::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_spill_in_order() {
        let mut list: InlineList<u32, 4> = InlineList::new();
        for count in [3, 4, 5, 100, 2] {
            list.clear();
            (0..count).for_each(|element| list.push(element));
            assert!(list.as_slice().iter().copied().eq(0..count));
            list.as_mut_slice().reverse();
            assert_eq!(list.as_slice()[0], count - 1);
        }
    }
}
