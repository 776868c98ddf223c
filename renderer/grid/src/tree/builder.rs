//! Builds trees from blocks and tiles.

use glam::IVec3;
use rustc_hash::FxHashMap;

use super::Tree;
use super::layout::{BLOCK_LOG2, BLOCK_VOXELS, NODE_LOG2, NODE_SLOTS, UPPER_SLOTS, slot_index, upper_index};
use super::range::{EMPTY_RANGE, range_of, union};
use super::root::Root;
use super::slot::{Content, Slot};

/// Size of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TileSize {
    /// 8³ voxels.
    Block,
    /// 128³ voxels.
    Node,
    /// 4096³ voxels.
    Wide,
}

impl TileSize {
    /// Voxels along a side, as a power of two.
    pub(crate) fn log2(self) -> i32 {
        match self {
            TileSize::Block => BLOCK_LOG2,
            TileSize::Node => NODE_LOG2,
            TileSize::Wide => 12,
        }
    }
}

/// A tree to which blocks and tiles are added. What is added last wins.
#[derive(Debug)]
pub(crate) struct TreeBuilder {
    channels: usize,
    /// Indices of cells of 4096³ voxels by their coordinates.
    cell_of: FxHashMap<[i32; 3], usize>,
    /// Cells, each a tile or a child in `uppers`.
    cells: Vec<([i32; 3], Slot)>,
    /// Slots of 128³ voxels of the cells that are no tiles.
    uppers: Vec<Slot>,
    slots: Vec<Slot>,
    values: Vec<f32>,
    tiles: Vec<f32>,
    block_ranges: Vec<[f32; 2]>,
    extent: Option<[IVec3; 2]>,
    /// Values that were not finite, and are replaced by those of the background.
    not_finite: u64,
}

impl TreeBuilder {
    /// A tree of background.
    pub(crate) fn new(background: &[f32]) -> TreeBuilder {
        let finite = |&v: &f32| if v.is_finite() { v } else { 0.0 };
        TreeBuilder {
            channels: background.len(),
            cell_of: FxHashMap::default(),
            cells: vec![],
            uppers: vec![],
            slots: vec![],
            values: vec![],
            tiles: background.iter().map(finite).collect(),
            block_ranges: vec![],
            extent: None,
            not_finite: 0,
        }
    }

    /// Number of values that were not finite.
    pub(crate) fn not_finite(&self) -> u64 {
        self.not_finite
    }

    /// Reserves memory for blocks.
    pub(crate) fn reserve(&mut self, blocks: usize) {
        self.values.reserve_exact(blocks * BLOCK_VOXELS * self.channels);
        self.block_ranges.reserve_exact(blocks);
    }

    /// Adds blocks with their first voxels and values. Blocks with a constant value become tiles.
    pub(crate) fn add_blocks(&mut self, origins: impl IntoIterator<Item = IVec3>, mut values: Vec<f32>) {
        if self.values.is_empty() {
            self.add_in_place(origins, values);
        } else {
            self.add_blocks_from(origins, &mut values);
        }
    }

    /// Adds blocks whose memory remains the caller's. Values that are not finite are replaced there.
    pub(crate) fn add_blocks_from(&mut self, origins: impl IntoIterator<Item = IVec3>, values: &mut [f32]) {
        let size = BLOCK_VOXELS * self.channels;
        for (origin, block) in origins.into_iter().zip(values.chunks_exact_mut(size)) {
            self.replace_not_finite(block);
            match self.constant(block) {
                Some(tile) => self.add_tile(origin, TileSize::Block, &tile[..self.channels]),
                None => {
                    self.values.extend_from_slice(block);
                    self.add_block(origin, range_of(block));
                }
            }
        }
    }

    /// Adds the first blocks, whose memory becomes that of the tree.
    fn add_in_place(&mut self, origins: impl IntoIterator<Item = IVec3>, mut values: Vec<f32>) {
        let size = BLOCK_VOXELS * self.channels;
        let mut kept = 0;
        for (index, origin) in origins.into_iter().enumerate() {
            let block = &mut values[index * size..][..size];
            self.replace_not_finite(block);
            match self.constant(block) {
                Some(tile) => self.add_tile(origin, TileSize::Block, &tile[..self.channels]),
                None => {
                    let range = range_of(block);
                    values.copy_within(index * size..(index + 1) * size, kept);
                    kept += size;
                    self.add_block(origin, range);
                }
            }
        }
        values.truncate(kept);
        self.values = values;
    }

    fn replace_not_finite(&mut self, block: &mut [f32]) {
        for voxel in block.chunks_exact_mut(self.channels) {
            for (value, background) in voxel.iter_mut().zip(&self.tiles) {
                if !value.is_finite() {
                    *value = *background;
                    self.not_finite += 1;
                }
            }
        }
    }

    /// The value of all voxels of a block, if they have the same.
    fn constant(&self, block: &[f32]) -> Option<[f32; 4]> {
        let (first, _) = block.split_at(self.channels);
        let is_same = |voxel: &[f32]| voxel.iter().zip(first).all(|(a, b)| a.to_bits() == b.to_bits());
        let mut tile = [0.0; 4];
        tile[..self.channels].copy_from_slice(first);
        block.chunks_exact(self.channels).all(is_same).then_some(tile)
    }

    /// Adds the block whose values are at the end.
    fn add_block(&mut self, origin: IVec3, range: [f32; 2]) {
        let slot = Slot::child(self.block_ranges.len());
        self.block_ranges.push(range);
        self.include(origin, 1 << BLOCK_LOG2);
        self.set(origin, slot);
    }

    /// Adds a tile by its first voxel.
    pub(crate) fn add_tile(&mut self, origin: IVec3, size: TileSize, value: &[f32]) {
        let mut finite = [0.0; 4];
        for ((finite, &value), &background) in finite.iter_mut().zip(value).zip(&self.tiles) {
            *finite = if value.is_finite() { value } else { background };
            self.not_finite += u64::from(!value.is_finite());
        }
        let slot = self.tile_slot(&finite[..value.len()]);
        if slot != Slot::BACKGROUND {
            self.include(origin, 1 << size.log2());
        }
        match size {
            TileSize::Block => self.set(origin, slot),
            TileSize::Node => {
                let cell = self.cell(origin);
                if self.cells[cell].1 != slot {
                    *self.node_slot(origin) = slot;
                }
            }
            TileSize::Wide => {
                let cell = self.cell(origin);
                self.cells[cell].1 = slot;
            }
        }
    }

    /// Slot of a tile with these values. Neighbours mostly have the same.
    fn tile_slot(&mut self, value: &[f32]) -> Slot {
        let channels = self.channels;
        let is_same = |tile: &[f32]| tile.iter().zip(value).all(|(a, b)| a.to_bits() == b.to_bits());
        if is_same(&self.tiles[..channels]) {
            return Slot::BACKGROUND;
        }
        let count = self.tiles.len() / channels;
        let recent = (count.saturating_sub(4)..count)
            .find(|&tile| is_same(&self.tiles[tile * channels..][..channels]));
        Slot::tile(recent.unwrap_or_else(|| {
            self.tiles.extend_from_slice(value);
            count
        }))
    }

    fn include(&mut self, origin: IVec3, side: i32) {
        let (first, last) = (origin, origin + (side - 1));
        let [min, max] = self.extent.unwrap_or([first, last]);
        self.extent = Some([min.min(first), max.max(last)]);
    }

    fn set(&mut self, origin: IVec3, slot: Slot) {
        let next = self.slots.len() / NODE_SLOTS;
        let above = self.node_slot(origin);
        let node = match above.content() {
            Content::Child(node) => node,
            Content::Tile(_) if slot == *above => return,
            Content::Tile(_) => {
                let tile = std::mem::replace(above, Slot::child(next));
                self.slots.resize(self.slots.len() + NODE_SLOTS, tile);
                next
            }
        };
        self.slots[node * NODE_SLOTS + slot_index(origin)] = slot;
    }

    /// Index of the cell of a voxel, which is added if it is new.
    fn cell(&mut self, voxel: IVec3) -> usize {
        let at = (voxel >> TileSize::Wide.log2()).to_array();
        let next = self.cells.len();
        let index = *self.cell_of.entry(at).or_insert(next);
        if index == next {
            self.cells.push((at, Slot::BACKGROUND));
        }
        index
    }

    /// Slot of 128³ voxels of a voxel. A tile that is its cell is divided.
    fn node_slot(&mut self, voxel: IVec3) -> &mut Slot {
        let cell = self.cell(voxel);
        let upper = match self.cells[cell].1.content() {
            Content::Child(upper) => upper,
            Content::Tile(_) => {
                let upper = self.uppers.len() / UPPER_SLOTS;
                let tile = std::mem::replace(&mut self.cells[cell].1, Slot::child(upper));
                self.uppers.resize(self.uppers.len() + UPPER_SLOTS, tile);
                upper
            }
        };
        &mut self.uppers[upper * UPPER_SLOTS + upper_index(voxel >> NODE_LOG2)]
    }

    /// The tree.
    pub(crate) fn finish(mut self) -> Tree {
        self.values.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.tiles.shrink_to_fit();
        self.block_ranges.shrink_to_fit();
        let mut tree = Tree {
            channels: self.channels,
            root: Root::new(&self.cells, self.uppers),
            node_ranges: vec![],
            slots: self.slots,
            values: self.values,
            tiles: self.tiles,
            block_ranges: self.block_ranges,
            extent: self.extent,
        };
        let range = |tree: &Tree, slot: &Slot| match slot.content() {
            Content::Tile(tile) => tree.tile_range(tile),
            Content::Child(block) => tree.block_range(block),
        };
        tree.node_ranges = (tree.slots.chunks_exact(NODE_SLOTS))
            .map(|node| node.iter().map(|slot| range(&tree, slot)).fold(EMPTY_RANGE, union))
            .collect();
        tree
    }
}
