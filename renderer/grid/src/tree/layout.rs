//! Sizes and orders of blocks and nodes.

use glam::IVec3;

/// Voxels along the side of a block, as a power of two.
pub(crate) const BLOCK_LOG2: i32 = 3;
/// Voxels along the side of a node, as a power of two.
pub(crate) const NODE_LOG2: i32 = 7;
/// Voxels of a block.
pub(crate) const BLOCK_VOXELS: usize = 512;
/// Slots of a node.
pub(crate) const NODE_SLOTS: usize = 4096;

/// Nodes along the side of a cell of the root, as a power of two.
pub(crate) const UPPER_LOG2: i32 = 5;
pub(crate) const UPPER_SIDE: i32 = 1 << UPPER_LOG2;
/// Slots of a cell.
pub(crate) const UPPER_SLOTS: usize = 1 << (3 * UPPER_LOG2);

/// Index of a node within its cell.
#[inline]
pub(crate) fn upper_index(node: IVec3) -> usize {
    let at = node & (UPPER_SIDE - 1);
    (at.x << (2 * UPPER_LOG2) | at.y << UPPER_LOG2 | at.z) as usize
}

/// Node of an index, relative to the first node of its cell.
pub(crate) fn upper_place(index: usize) -> IVec3 {
    let (index, last) = (index as i32, UPPER_SIDE - 1);
    IVec3::new(index >> (2 * UPPER_LOG2), index >> UPPER_LOG2 & last, index & last)
}

/// Index of a voxel within its block.
#[inline]
pub(crate) fn voxel_index(voxel: IVec3) -> usize {
    let at = voxel & 7;
    (at.x << 6 | at.y << 3 | at.z) as usize
}

/// Index of a voxel's block within its node.
#[inline]
pub(crate) fn slot_index(voxel: IVec3) -> usize {
    let at = (voxel >> BLOCK_LOG2) & 15;
    (at.x << 8 | at.y << 4 | at.z) as usize
}
