//! The table above the nodes of a tree.

use std::mem::size_of;

use glam::IVec3;

use super::layout::NODE_LOG2;
use super::slot::Slot;

/// Nodes along the side of a wide tile, as a power of two.
const WIDE_LOG2: i32 = 5;
/// A dense table may have so many slots for each one that is in use, or the least number below.
const MOST_EMPTY: i64 = 64;
const SMALL: i64 = 1 << 15;

/// Slots of nodes by their coordinates, which are those of their first voxels divided by 128.
#[derive(Debug, Hash)]
pub(super) enum Root {
    /// A slot for each place in a box.
    Dense {
        min: IVec3,
        size: IVec3,
        slots: Vec<Slot>,
    },
    /// Slots in ascending order of their coordinates, for voxels that are far from each other.
    Sparse {
        slots: Vec<([i32; 3], Slot)>,
        /// Tiles of 32³ nodes, where there is no slot.
        wide: Vec<([i32; 3], Slot)>,
    },
}

impl Root {
    /// Builds the table from slots, and from tiles of 32³ nodes that give the other slots.
    pub(super) fn new(mut slots: Vec<([i32; 3], Slot)>, wide: Vec<([i32; 3], Slot)>) -> Root {
        slots.sort_by_key(|(at, _)| *at);
        let first = slots.iter().map(|(at, _)| IVec3::from_array(*at));
        let corners = wide.iter().flat_map(|(at, _)| {
            let first = IVec3::from_array(*at) << WIDE_LOG2;
            [first, first + ((1 << WIDE_LOG2) - 1)]
        });
        let mut places = first.chain(corners);
        let Some(place) = places.next() else {
            return Root::Sparse { slots, wide };
        };
        let [min, max] = places.fold([place; 2], |[min, max], at| [min.min(at), max.max(at)]);
        let used = slots.len() as i64 + ((wide.len() as i64) << (3 * WIDE_LOG2));
        let sides = (0..3).map(|axis| i64::from(max[axis]) - i64::from(min[axis]) + 1);
        let volume = sides.fold(1, i64::saturating_mul);
        // Wide tiles are few in files of sense: a table of them may be as large as a small one of slots.
        if volume
            > SMALL
                .max(slots.len() as i64 * MOST_EMPTY)
                .max(used.min(SMALL << 4))
        {
            return Root::Sparse { slots, wide };
        }
        let size = max - min + 1;
        let mut table = vec![Slot::BACKGROUND; volume as usize];
        let index = |at: IVec3| ((at.x * size.y + at.y) * size.z + at.z) as usize;
        for (at, slot) in wide {
            let first = (IVec3::from_array(at) << WIDE_LOG2) - min;
            for place in 0..1 << (3 * WIDE_LOG2) {
                let within = IVec3::new(place >> 10, place >> 5 & 31, place & 31);
                table[index(first + within)] = slot;
            }
        }
        for (at, slot) in slots {
            table[index(IVec3::from_array(at) - min)] = slot;
        }
        Root::Dense {
            min,
            size,
            slots: table,
        }
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
            Root::Sparse { slots, wide } => find(slots, wide, node),
        }
    }

    /// Calls `each` with the slots that have voxels in a box, with their first voxels and sizes.
    pub(super) fn each_in(&self, [low, high]: [IVec3; 2], each: &mut dyn FnMut(IVec3, i32, Slot)) {
        let side = 1 << NODE_LOG2;
        let (low_node, high_node) = (low >> NODE_LOG2, high >> NODE_LOG2);
        match self {
            Root::Dense { min, size, slots } => {
                let (first, last) = (low_node.max(*min) - min, high_node.min(min + size - 1) - min);
                for x in first.x..=last.x {
                    for y in first.y..=last.y {
                        for z in first.z..=last.z {
                            let slot = slots[((x * size.y + y) * size.z + z) as usize];
                            each((min + IVec3::new(x, y, z)) << NODE_LOG2, side, slot);
                        }
                    }
                }
            }
            Root::Sparse { slots, wide } => {
                let overlaps = |first: IVec3, side: i32| {
                    first.cmple(high).all() && (first + (side - 1)).cmpge(low).all()
                };
                for (at, slot) in slots {
                    let first = IVec3::from_array(*at) << NODE_LOG2;
                    if overlaps(first, side) {
                        each(first, side, *slot);
                    }
                }
                for (at, slot) in wide {
                    let first = IVec3::from_array(*at) << (NODE_LOG2 + WIDE_LOG2);
                    let side = side << WIDE_LOG2;
                    if overlaps(first, side) {
                        each(first, side, *slot);
                    }
                }
            }
        }
    }

    /// Memory in use [bytes].
    pub(super) fn bytes(&self) -> usize {
        match self {
            Root::Dense { slots, .. } => slots.capacity() * size_of::<Slot>(),
            Root::Sparse { slots, wide } => {
                (slots.capacity() + wide.capacity()) * size_of::<([i32; 3], Slot)>()
            }
        }
    }
}

#[inline(never)]
fn find(slots: &[([i32; 3], Slot)], wide: &[([i32; 3], Slot)], node: IVec3) -> Slot {
    let node = node.to_array();
    if let Ok(index) = slots.binary_search_by_key(&node, |(at, _)| *at) {
        return slots[index].1;
    }
    let around = node.map(|x| x >> WIDE_LOG2);
    let tile = wide.iter().find(|(at, _)| *at == around);
    tile.map_or(Slot::BACKGROUND, |(_, slot)| *slot)
}
