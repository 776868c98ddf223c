//! Sparse table of cells of 32³ nodes: sorted in Morton order, with a hierarchy of boxes over consecutive cells.

use std::mem::size_of;

use glam::IVec3;

use super::layout::{UPPER_LOG2, UPPER_SIDE, UPPER_SLOTS, upper_index, upper_place};
use super::slot::{Content, Slot};

/// Entries below a box of the hierarchy.
const FAN: usize = 8;

/// Cells that are not background.
#[derive(Debug, Default, Hash)]
pub(super) struct Cells {
    /// Morton codes of the coordinates, ascending.
    keys: Vec<u64>,
    places: Vec<IVec3>,
    /// Tiles, or children in `uppers`.
    slots: Vec<Slot>,
    /// Slots of the nodes of each child.
    uppers: Vec<Slot>,
    /// Bounding boxes, in cells, of each [`FAN`] entries of the level below; the lowest level is of cells.
    levels: Vec<Vec<[IVec3; 2]>>,
}

impl Cells {
    pub(super) fn new(cells: &[([i32; 3], Slot)], uppers: Vec<Slot>) -> Cells {
        let used = cells.iter().filter(|(_, slot)| *slot != Slot::BACKGROUND);
        let mut sorted: Vec<(u64, IVec3, Slot)> = used
            .map(|(place, slot)| {
                let place = IVec3::from_array(*place);
                (morton(place), place, *slot)
            })
            .collect();
        sorted.sort_unstable_by_key(|(key, ..)| *key);
        let places: Vec<IVec3> = sorted.iter().map(|(_, place, _)| *place).collect();
        let mut level: Vec<[IVec3; 2]> = places.iter().map(|&place| [place; 2]).collect();
        let mut levels = vec![];
        while level.len() > 1 {
            let union = |boxes: &[[IVec3; 2]]| {
                let [mut min, mut max] = boxes[0];
                for [low, high] in boxes {
                    (min, max) = (min.min(*low), max.max(*high));
                }
                [min, max]
            };
            level = level.chunks(FAN).map(union).collect();
            levels.push(level.clone());
        }
        Cells {
            keys: sorted.iter().map(|(key, ..)| *key).collect(),
            places,
            slots: sorted.iter().map(|(.., slot)| *slot).collect(),
            uppers,
            levels,
        }
    }

    /// Slot at the coordinates of a node.
    #[inline(never)]
    pub(super) fn slot(&self, node: IVec3) -> Slot {
        let Ok(index) = self.keys.binary_search(&morton(node >> UPPER_LOG2)) else {
            return Slot::BACKGROUND;
        };
        match self.slots[index].content() {
            Content::Tile(_) => self.slots[index],
            Content::Child(upper) => self.uppers[upper * UPPER_SLOTS + upper_index(node)],
        }
    }

    /// Calls `each` with the slots in a box of nodes, with their first nodes and sizes.
    pub(super) fn each_in(&self, [low, high]: [IVec3; 2], each: &mut dyn FnMut(IVec3, i32, Slot)) {
        let cells = [low >> UPPER_LOG2, high >> UPPER_LOG2];
        self.visit(self.levels.len(), 0..self.len_of(self.levels.len()), cells, &mut |index| {
            let first = self.places[index] * UPPER_SIDE;
            match self.slots[index].content() {
                Content::Tile(_) => each(first, UPPER_SIDE, self.slots[index]),
                Content::Child(upper) => {
                    let slots = &self.uppers[upper * UPPER_SLOTS..][..UPPER_SLOTS];
                    for (index, slot) in slots.iter().enumerate() {
                        let node = first + upper_place(index);
                        if node.cmpge(low).all() && node.cmple(high).all() {
                            each(node, 1, *slot);
                        }
                    }
                }
            }
        });
    }

    /// Entries of a level; level 0 is of cells, level n of `levels[n - 1]`.
    fn len_of(&self, level: usize) -> usize {
        match level.checked_sub(1) {
            Some(above) => self.levels[above].len(),
            None => self.places.len(),
        }
    }

    /// Calls `each` with the indices of cells in a box, below some entries of a level.
    fn visit(
        &self,
        level: usize,
        entries: std::ops::Range<usize>,
        bounds: [IVec3; 2],
        each: &mut dyn FnMut(usize),
    ) {
        let [low, high] = bounds;
        for entry in entries {
            let [min, max] = match level.checked_sub(1) {
                Some(above) => self.levels[above][entry],
                None => [self.places[entry]; 2],
            };
            if min.cmpgt(high).any() || max.cmplt(low).any() {
                continue;
            }
            match level {
                0 => each(entry),
                _ => {
                    let below = entry * FAN..((entry + 1) * FAN).min(self.len_of(level - 1));
                    self.visit(level - 1, below, bounds, each);
                }
            }
        }
    }

    /// Memory in use [bytes].
    pub(super) fn bytes(&self) -> usize {
        let cell = size_of::<u64>() + size_of::<IVec3>() + size_of::<Slot>();
        let boxes: usize = self.levels.iter().map(Vec::len).sum();
        self.keys.len() * cell + self.uppers.capacity() * size_of::<Slot>() + boxes * size_of::<[IVec3; 2]>()
    }
}

/// Morton code of coordinates within ±2²⁰.
fn morton(at: IVec3) -> u64 {
    let spread = |x: i32| {
        let mut x = u64::from((x.wrapping_add(1 << 20)).cast_unsigned()) & 0x1f_ffff;
        x = (x | x << 32) & 0x1f_0000_0000_ffff;
        x = (x | x << 16) & 0x1f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(at.x) | spread(at.y) << 1 | spread(at.z) << 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_find_the_cells_that_a_search_of_all_finds() {
        let mut state = 1_u32;
        let mut random = |range: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 % range - range / 2
        };
        let mut cells: Vec<([i32; 3], Slot)> = vec![];
        for index in 1..1000 {
            cells.push((std::array::from_fn(|_| random(200)), Slot::tile(index)));
        }
        cells.sort_by_key(|(place, _)| *place);
        cells.dedup_by_key(|(place, _)| *place);
        let table = Cells::new(&cells, vec![]);
        for _ in 0..200 {
            let low = IVec3::new(random(6000), random(6000), random(6000));
            let high = low + IVec3::new(random(3000), random(3000), random(3000)).abs();
            let is_in = |place: &[i32; 3]| {
                let first = IVec3::from_array(*place) * UPPER_SIDE;
                first.cmple(high).all() && (first + (UPPER_SIDE - 1)).cmpge(low).all()
            };
            let mut found = vec![];
            table.each_in([low, high], &mut |first, side, slot| {
                assert_eq!((side, table.slot(first)), (UPPER_SIDE, slot));
                found.push((first >> UPPER_LOG2).to_array());
            });
            found.sort_unstable();
            let expected = cells.iter().map(|(place, _)| *place).filter(is_in);
            assert_eq!(found, expected.collect::<Vec<_>>());
        }
        assert_eq!(table.slot(IVec3::splat(1 << 20)), Slot::BACKGROUND);
    }
}
