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
