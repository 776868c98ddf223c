//! Numbers in the code of an instance, which compiled code reads from memory.

use shading_compiler::hir::Numbers;

/// An entry of the table: a triple in the first three lanes, or a float in all four.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Number(pub(crate) [f32; 4]);

/// Entries of all numbers, followed by three entries for each number: its first three lanes, each in all four lanes of an
/// entry. Code for packets loads these; the entries for scalar code are adjacent, so that they share cache lines.
#[derive(Clone, Debug)]
pub(crate) struct NumberTable(Box<[Number]>);

impl NumberTable {
    pub(crate) fn new(numbers: &Numbers) -> NumberTable {
        let values = &numbers.values;
        let rows = values.iter().flat_map(|lanes| rows(*lanes));
        NumberTable(values.iter().copied().chain(rows).map(Number).collect())
    }

    /// Returns the index of the first of the three entries for packets of a number, in a table of `count` numbers.
    pub(crate) fn rows_of(number: usize, count: usize) -> usize {
        count + 3 * number
    }

    /// Number of numbers.
    pub(crate) fn len(&self) -> usize {
        self.0.len() / 4
    }

    pub(crate) fn set(&mut self, number: usize, lanes: [f32; 4]) {
        let first = NumberTable::rows_of(number, self.len());
        self.0[number] = Number(lanes);
        for (entry, row) in self.0[first..].iter_mut().zip(rows(lanes)) {
            *entry = Number(row);
        }
    }

    pub(crate) fn as_ptr(&self) -> *const Number {
        self.0.as_ptr()
    }
}

fn rows([x, y, z, _]: [f32; 4]) -> [[f32; 4]; 3] {
    [[x; 4], [y; 4], [z; 4]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_in_all_entries() {
        let numbers = |values: [[f32; 4]; 2]| Numbers { values: values.to_vec(), ..Numbers::default() };
        let mut table = NumberTable::new(&numbers([[0.5; 4], [1.0, 2.0, 3.0, 0.0]]));
        assert_eq!((table.len(), table.0[NumberTable::rows_of(1, 2) + 2]), (2, Number([3.0; 4])));
        table.set(1, [4.0, 5.0, 6.0, 0.0]);
        assert_eq!(table.0, NumberTable::new(&numbers([[0.5; 4], [4.0, 5.0, 6.0, 0.0]])).0);
    }
}
