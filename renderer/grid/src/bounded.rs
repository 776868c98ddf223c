//! Bounds of a grid's values in a box.

use glam::{IVec3, Vec3};
use renderer_base::math::Bounds;

use super::grid::Grid;
use super::tree::{BLOCK_LOG2, Content, EMPTY_RANGE, Slot, Tree, union, voxel_index};

/// Relative rounding error by which interpolation can exceed the values of voxels.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

impl Grid {
    /// Upper bound of all channels at all points of a box of index space. It is exact but for rounding: the greatest of
    /// the voxels that are interpolated there.
    pub fn max_in(&self, index_bounds: Bounds) -> f32 {
        let [_, max] = self.range_in(index_bounds);
        max
    }

    /// Lower and upper bound of all channels at all points of a box of index space, as [`Grid::max_in`].
    pub fn range_in(&self, index_bounds: Bounds) -> [f32; 2] {
        let background = self.tree.tile_range(0);
        let limit = Vec3::splat(MAX_COORDINATE);
        // NaN becomes the limit.
        let low = index_bounds.min.max(-limit).min(limit).floor().as_ivec3();
        let high = index_bounds.max.min(limit).max(-limit).floor().as_ivec3() + 1;
        let Some([first, last]) = self.tree.extent().filter(|_| !index_bounds.is_empty()) else {
            return background;
        };
        let (inner_low, inner_high) = (low.max(first), high.min(last));
        let mut range = EMPTY_RANGE;
        if inner_low != low || inner_high != high {
            range = background;
        }
        if inner_low.cmple(inner_high).all() {
            range = union(range, self.tree.range_of_voxels([inner_low, inner_high]));
        }
        let [min, max] = range;
        [min - min.abs() * ROUNDING, max + max.abs() * ROUNDING]
    }
}

/// Largest coordinate of voxels.
const MAX_COORDINATE: f32 = (1 << 30) as f32;

impl Tree {
    /// Least and greatest value of a box of voxels.
    fn range_of_voxels(&self, bounds: [IVec3; 2]) -> [f32; 2] {
        let mut range = EMPTY_RANGE;
        let mut covered = 0_u128;
        self.each_in_root(bounds, &mut |first, side, slot| {
            let [low, high] = common(bounds, first, side);
            covered += volume(low, high);
            let found = match slot.content() {
                Content::Tile(tile) => self.tile_range(tile),
                Content::Child(node) if high - low == IVec3::splat(side - 1) => self.node_range(node),
                Content::Child(node) => self.range_in_node(node, first, [low, high]),
            };
            range = union(range, found);
        });
        // A sparse table has no entries for background.
        if covered < volume(bounds[0], bounds[1]) {
            range = union(range, self.tile_range(0));
        }
        range
    }

    fn range_in_node(&self, node: usize, first: IVec3, [low, high]: [IVec3; 2]) -> [f32; 2] {
        let slots = self.node(node);
        let (low_block, high_block) = ((low - first) >> BLOCK_LOG2, (high - first) >> BLOCK_LOG2);
        let mut range = EMPTY_RANGE;
        for x in low_block.x..=high_block.x {
            for y in low_block.y..=high_block.y {
                for z in low_block.z..=high_block.z {
                    let origin = first + (IVec3::new(x, y, z) << BLOCK_LOG2);
                    let slot = slots[(x << 8 | y << 4 | z) as usize];
                    range = union(range, self.range_in_slot(slot, origin, [low, high]));
                }
            }
        }
        range
    }

    fn range_in_slot(&self, slot: Slot, origin: IVec3, bounds: [IVec3; 2]) -> [f32; 2] {
        let block = match slot.content() {
            Content::Tile(tile) => return self.tile_range(tile),
            Content::Child(block) => block,
        };
        let side = 1 << BLOCK_LOG2;
        let [low, high] = common(bounds, origin, side);
        if high - low == IVec3::splat(side - 1) {
            return self.block_range(block);
        }
        let values = self.block(block);
        let channels = self.channels();
        let mut range = EMPTY_RANGE;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                let row = voxel_index(IVec3::new(x, y, low.z));
                let length = (high.z - low.z + 1) as usize;
                for &v in &values[row * channels..][..length * channels] {
                    range = union(range, [v, v]);
                }
            }
        }
        range
    }
}

/// Intersection of a box and a cube.
fn common([low, high]: [IVec3; 2], first: IVec3, side: i32) -> [IVec3; 2] {
    [low.max(first), high.min(first + (side - 1))]
}

fn volume(low: IVec3, high: IVec3) -> u128 {
    let sides = (0..3).map(|axis| i128::from(high[axis]) - i128::from(low[axis]) + 1);
    sides.map(|n| n.max(0) as u128).product()
}
