//! Sparse tree of voxels: blocks of 8³ voxels and constant tiles, under nodes of 16³ blocks.
//!
//! - A slot is a tile or a child: of a node, or of the root's table, which has a slot for each 128³ voxels.
//! - Within blocks and nodes z varies fastest, then y, then x, as in OpenVDB. Channels are interleaved.
//! - Values are finite.

mod builder;
mod cells;
mod layout;
mod range;
mod root;
mod slot;

pub(crate) use builder::{TileSize, TreeBuilder};
pub(crate) use layout::{BLOCK_LOG2, BLOCK_VOXELS, NODE_SLOTS, UPPER_SLOTS, voxel_index};
pub(crate) use range::{EMPTY_RANGE, union};
pub(crate) use slot::{Content, Slot};

use std::hash::{Hash as _, Hasher};

use glam::IVec3;

use layout::{NODE_LOG2, slot_index};
use range::range_of;
use root::Root;

/// Voxels with 1 to 4 channels each; those that are not stored have the background's value.
#[derive(Debug)]
pub(crate) struct Tree {
    channels: usize,
    root: Root,
    /// Slots of all nodes.
    slots: Vec<Slot>,
    /// Values of all blocks.
    values: Vec<f32>,
    /// Values of tiles; the first one is the background.
    tiles: Vec<f32>,
    /// Least and greatest value of each block, over all channels.
    block_ranges: Vec<[f32; 2]>,
    /// Least and greatest value of each node.
    node_ranges: Vec<[f32; 2]>,
    /// Lowest and highest voxel that is not certainly background; `None` if all are.
    extent: Option<[IVec3; 2]>,
}

impl Tree {
    /// Channels of a voxel.
    pub(crate) fn channels(&self) -> usize {
        self.channels
    }

    /// Lowest and highest voxel that is not certainly background; `None` if all are.
    pub(crate) fn extent(&self) -> Option<[IVec3; 2]> {
        self.extent
    }

    /// Value of the background.
    pub(crate) fn background(&self) -> &[f32] {
        &self.tiles[..self.channels]
    }

    /// The block or tile of a voxel.
    #[inline]
    pub(crate) fn slot(&self, voxel: IVec3) -> Slot {
        let slot = self.root.slot(voxel >> NODE_LOG2);
        match slot.content() {
            Content::Tile(_) => slot,
            Content::Child(node) => self.slots[node * NODE_SLOTS + slot_index(voxel)],
        }
    }

    /// Values of a tile.
    #[inline]
    pub(crate) fn tile<const C: usize>(&self, tile: usize) -> [f32; C] {
        channels(&self.tiles, tile)
    }

    /// Values of a voxel of a block, by its index there.
    #[inline]
    pub(crate) fn in_block<const C: usize>(&self, block: usize, index: usize) -> [f32; C] {
        channels(&self.values, block * BLOCK_VOXELS + index)
    }

    /// Values of a voxel.
    #[inline]
    pub(crate) fn voxel<const C: usize>(&self, voxel: IVec3) -> [f32; C] {
        self.in_slot(self.slot(voxel), voxel)
    }

    /// Values of a voxel whose block or tile is known.
    #[inline]
    pub(crate) fn in_slot<const C: usize>(&self, slot: Slot, voxel: IVec3) -> [f32; C] {
        match slot.content() {
            Content::Tile(tile) => self.tile(tile),
            Content::Child(block) => self.in_block(block, voxel_index(voxel)),
        }
    }

    /// Values of a block.
    pub(crate) fn block(&self, block: usize) -> &[f32] {
        let size = BLOCK_VOXELS * self.channels;
        &self.values[block * size..][..size]
    }

    /// Least and greatest value of a tile.
    pub(crate) fn tile_range(&self, tile: usize) -> [f32; 2] {
        range_of(&self.tiles[tile * self.channels..][..self.channels])
    }

    /// Least and greatest value of a block.
    pub(crate) fn block_range(&self, block: usize) -> [f32; 2] {
        self.block_ranges[block]
    }

    /// Least and greatest value of a node.
    pub(crate) fn node_range(&self, node: usize) -> [f32; 2] {
        self.node_ranges[node]
    }

    /// Slots of a node.
    pub(crate) fn node(&self, node: usize) -> &[Slot] {
        &self.slots[node * NODE_SLOTS..][..NODE_SLOTS]
    }

    /// Calls `each` with the slots of the root's table whose nodes have voxels in a box, with their first voxels and
    /// sizes.
    pub(crate) fn each_in_root(&self, bounds: [IVec3; 2], each: &mut dyn FnMut(IVec3, i32, Slot)) {
        self.root.each_in(bounds, each);
    }

    /// Hashes the voxels. Which tiles are equal, and the order of blocks, follow from the file.
    pub(crate) fn hash(&self, hasher: &mut impl Hasher) {
        self.channels.hash(hasher);
        self.root.hash(hasher);
        self.slots.hash(hasher);
        for value in self.values.iter().chain(&self.tiles) {
            value.to_bits().hash(hasher);
        }
    }

    /// Memory in use [bytes].
    pub(crate) fn bytes(&self) -> usize {
        let floats = self.values.capacity() + self.tiles.capacity();
        let ranges = self.block_ranges.capacity() + self.node_ranges.capacity();
        floats * 4 + self.slots.capacity() * 4 + ranges * 8 + self.root.bytes()
    }
}

#[inline]
fn channels<const C: usize>(values: &[f32], voxel: usize) -> [f32; C] {
    let values = &values[voxel * C..][..C];
    std::array::from_fn(|c| values[c])
}
