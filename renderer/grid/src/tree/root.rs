//! Table above the nodes of a tree: dense, or cells of 32³ nodes in Morton order.

use std::mem::size_of;

use glam::IVec3;

use super::cells::Cells;
use super::layout::{NODE_LOG2, UPPER_SIDE, UPPER_SLOTS, upper_place};
use super::slot::{Content, Slot};

/// A dense table may have this many slots for each slot in use, or the least number below.
const MAX_SLOTS_PER_USED: i64 = 64;
const MIN_SLOTS: i64 = 1 << 15;

/// Slots of nodes by their coordinates, which are those of their first voxels divided by 128.
#[derive(Debug, Hash)]
pub(super) enum Root {
    /// A slot for each place in a box.
    Dense { min: IVec3, size: IVec3, slots: Vec<Slot> },
    /// Cells of distant voxels.
    Sparse(Cells),
}

impl Root {
    /// Builds the table from cells: tiles of 32³ nodes, or children in `uppers`, which has the slots of each child.
    pub(super) fn new(cells: &[([i32; 3], Slot)], uppers: Vec<Slot>) -> Root {
        let (mut used, mut wide, mut bounds) = (0, 0, None);
        let mut include = |first: IVec3, last: IVec3| {
            let [min, max] = bounds.unwrap_or([first, last]);
            bounds = Some([min.min(first), max.max(last)]);
        };
        for (cell, slot) in cells {
            let first = IVec3::from_array(*cell) * UPPER_SIDE;
            match slot.content() {
                Content::Tile(_) if *slot == Slot::BACKGROUND => {}
                // Sound files have few of them: they justify a table of a limited size only.
                Content::Tile(_) => {
                    wide += UPPER_SLOTS as i64;
                    include(first, first + (UPPER_SIDE - 1));
                }
                Content::Child(upper) => {
                    let slots = uppers[upper * UPPER_SLOTS..][..UPPER_SLOTS].iter().enumerate();
                    for (index, _) in slots.filter(|(_, slot)| **slot != Slot::BACKGROUND) {
                        used += 1;
                        let place = first + upper_place(index);
                        include(place, place);
                    }
                }
            }
        }
        let Some([min, max]) = bounds else {
            return Root::Sparse(Cells::default());
        };
        let sides = (0..3).map(|axis| i64::from(max[axis]) - i64::from(min[axis]) + 1);
        let volume = sides.fold(1, i64::saturating_mul);
        let most = (used * MAX_SLOTS_PER_USED).max((used + wide).min(MIN_SLOTS << 4));
        if volume > most.max(MIN_SLOTS) || volume > i64::from(i32::MAX) {
            return Root::Sparse(Cells::new(cells, uppers));
        }
        let size = max - min + 1;
        let mut table = vec![Slot::BACKGROUND; volume as usize];
        for (cell, slot) in cells {
            let first = IVec3::from_array(*cell) * UPPER_SIDE;
            for place in 0..UPPER_SLOTS {
                let slot = match slot.content() {
                    Content::Tile(_) => *slot,
                    Content::Child(upper) => uppers[upper * UPPER_SLOTS + place],
                };
                if slot != Slot::BACKGROUND {
                    let at = first + upper_place(place) - min;
                    table[((at.x * size.y + at.y) * size.z + at.z) as usize] = slot;
                }
            }
        }
        Root::Dense { min, size, slots: table }
    }

    /// Slot at the coordinates of a node.
    #[inline]
    pub(super) fn slot(&self, node: IVec3) -> Slot {
        match self {
            Root::Dense { min, size, slots } => {
                let at = node.wrapping_sub(*min).as_uvec3();
                let size = size.as_uvec3();
                if at.cmpge(size).any() {
                    return Slot::BACKGROUND;
                }
                slots[((at.x * size.y + at.y) * size.z + at.z) as usize]
            }
            Root::Sparse(cells) => cells.slot(node),
        }
    }

    /// Calls `each` with the slots that have voxels in a box, with their first voxels and sizes.
    pub(super) fn each_in(&self, [low, high]: [IVec3; 2], each: &mut dyn FnMut(IVec3, i32, Slot)) {
        let (low, high) = (low >> NODE_LOG2, high >> NODE_LOG2);
        match self {
            Root::Dense { min, size, slots } => {
                let (first, last) = (low.max(*min) - min, high.min(min + size - 1) - min);
                for x in first.x..=last.x {
                    for y in first.y..=last.y {
                        for z in first.z..=last.z {
                            let slot = slots[((x * size.y + y) * size.z + z) as usize];
                            each((min + IVec3::new(x, y, z)) << NODE_LOG2, 1 << NODE_LOG2, slot);
                        }
                    }
                }
            }
            Root::Sparse(cells) => cells.each_in([low, high], &mut |node, side, slot| {
                each(node << NODE_LOG2, side << NODE_LOG2, slot);
            }),
        }
    }

    /// Memory in use [bytes].
    pub(super) fn bytes(&self) -> usize {
        match self {
            Root::Dense { slots, .. } => slots.capacity() * size_of::<Slot>(),
            Root::Sparse(cells) => cells.bytes(),
        }
    }
}
