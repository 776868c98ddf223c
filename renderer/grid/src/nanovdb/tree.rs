//! The tree of a grid: a root, nodes of 32³ and 16³ children, and leaves of 8³ voxels, found by their offsets.

use glam::IVec3;

use super::layout::GridType;
use crate::activity::Activity;
use crate::bytes::Bytes;
use crate::element::Element;
use crate::error::GridFault;
use crate::mask;
use crate::tree::{BLOCK_VOXELS, NODE_SLOTS, TileSize, TreeBuilder, UPPER_SLOTS};
use renderer_base::files::Budget;

/// Offsets from the begin of the tree, and of nodes.
const ROOT: usize = 24;
/// Numbers of leaves, nodes of 16³ and nodes of 32³.
const COUNTS: usize = 32;
const ROOT_TILES: usize = 24;
const TILE_CHILD: usize = 8;
const TILE_STATE: usize = 16;
const NODE_MASK: usize = 32;
const LEAF_FLAGS: usize = 15;
const LEAF_MASK: usize = 16;
const LEAF_MINIMUM: usize = 80;

/// Reads a tree into a builder.
pub(super) struct TreeReader<'a> {
    bytes: Bytes<'a>,
    ty: GridType,
    pub(super) builder: TreeBuilder,
    pub(super) activity: Activity,
    background: [f32; 4],
    /// Number of leaves and nodes that may still be read, which bounds memory and time if a file shares nodes.
    left: [usize; 3],
    values: Vec<f32>,
}

impl<'a> TreeReader<'a> {
    /// Reads the tree that begins at the position of `bytes`.
    pub(super) fn read(
        bytes: Bytes<'a>,
        ty: &GridType,
        budget: &Budget,
    ) -> Result<TreeReader<'a>, GridFault> {
        let tree = bytes.position() as u64;
        let root = tree.saturating_add(bytes.moved_to(tree + ROOT as u64).u64()?);
        let mut counts = bytes.moved_to(tree + COUNTS as u64);
        let left = [counts.u32()?, counts.u32()?, counts.u32()?].map(|count| count as usize);
        // An impossible count means that the file is truncated.
        let sizes = [ty.leaf_table, ty.lower_table, ty.upper_table];
        let size = left.iter().zip(sizes).map(|(count, size)| count.saturating_mul(size));
        bytes.moved_to(0).take(size.fold(0, usize::saturating_add))?;
        let [leaves, lower, upper] = left;
        budget.allocate("nodes of a grid", lower, NODE_SLOTS * 4)?;
        budget.allocate("nodes of a grid", upper, UPPER_SLOTS * 4)?;
        budget.allocate("voxels of a grid", leaves, BLOCK_VOXELS * ty.channels * 4)?;
        let mut background = [0.0; 4];
        value(bytes, root, ty.background, ty, &mut background)?;
        let mut reader = TreeReader {
            bytes,
            ty: *ty,
            builder: TreeBuilder::new(&background[..ty.channels]),
            activity: Activity::default(),
            background,
            left,
            values: vec![0.0; BLOCK_VOXELS * ty.channels],
        };
        reader.builder.reserve(leaves);
        reader.read_root(root)?;
        Ok(reader)
    }

    fn at(&self, node: u64, offset: usize) -> Bytes<'a> {
        self.bytes.moved_to(node.saturating_add(offset as u64))
    }

    /// Counts a leaf (level 0) or node.
    fn count(&mut self, level: usize) -> Result<(), GridFault> {
        let fault = || GridFault::damaged("its tree has more nodes than the grid says");
        self.left[level] = self.left[level].checked_sub(1).ok_or_else(fault)?;
        Ok(())
    }

    fn read_root(&mut self, root: u64) -> Result<(), GridFault> {
        let tiles = self.at(root, ROOT_TILES).u32()?;
        self.at(root, self.ty.root)
            .take((tiles as usize).saturating_mul(self.ty.root_tile))?;
        for index in 0..tiles as usize {
            let tile = root.saturating_add((self.ty.root + index * self.ty.root_tile) as u64);
            let key = self.at(tile, 0).u64()?;
            // 21 bits for each axis, without the 12 lowest of the coordinate.
            let axis = |shift: u32| ((key >> shift & 0x1f_ffff) as i32) << 12;
            let origin = IVec3::new(axis(42), axis(21), axis(0));
            if origin.abs().max_element() >= 1 << 30 {
                return Err(GridFault::damaged(format!("a node begins at voxel {origin}")));
            }
            let child = self.at(tile, TILE_CHILD).i64()?;
            if child == 0 {
                let is_active = self.at(tile, TILE_STATE).u32()? & 1 != 0;
                self.tile(tile, self.ty.root_value, origin, TileSize::Wide, is_active)?;
            } else {
                self.read_node(root.saturating_add_signed(child), origin, TileSize::Node)?;
            }
        }
        Ok(())
    }

    /// Reads a node whose children have a size.
    fn read_node(&mut self, node: u64, origin: IVec3, child: TileSize) -> Result<(), GridFault> {
        let (width, table, level) = match child {
            TileSize::Block => (4, self.ty.lower_table, 1),
            TileSize::Node | TileSize::Wide => (5, self.ty.upper_table, 2),
        };
        self.count(level)?;
        let slots: usize = 1 << (3 * width);
        let mut masks = self.at(node, NODE_MASK);
        let (active, children) = (masks.mask(slots)?, masks.mask(slots)?);
        for index in 0..slots {
            let last = (1 << width) - 1;
            let i = index as i32;
            let at = IVec3::new(i >> (2 * width), i >> width & last, i & last);
            let first = origin + (at << child.log2());
            let entry = table + index * self.ty.entry;
            if !mask::is_on(&children, index) {
                self.tile(node, entry, first, child, mask::is_on(&active, index))?;
                continue;
            }
            let offset = self.at(node, entry).i64()?;
            let below = node.saturating_add_signed(offset);
            match child {
                TileSize::Block => self.read_leaf(below, first)?,
                TileSize::Node | TileSize::Wide => self.read_node(below, first, TileSize::Block)?,
            }
        }
        Ok(())
    }

    fn tile(
        &mut self,
        node: u64,
        offset: usize,
        origin: IVec3,
        size: TileSize,
        is_active: bool,
    ) -> Result<(), GridFault> {
        let mut tile = [0.0; 4];
        value(self.bytes, node, offset, &self.ty, &mut tile)?;
        let tile = &tile[..self.ty.channels];
        if is_active {
            self.activity.add_tile(origin, size.log2(), tile);
        }
        if is_active || *tile != self.background[..self.ty.channels] {
            self.builder.add_tile(origin, size, tile);
        }
        Ok(())
    }

    fn read_leaf(&mut self, leaf: u64, origin: IVec3) -> Result<(), GridFault> {
        self.count(0)?;
        let active = self.at(leaf, LEAF_MASK).mask(BLOCK_VOXELS)?;
        let mut table = self.at(leaf, self.ty.leaf_table);
        let mut values = std::mem::take(&mut self.values);
        match self.ty.element {
            Element::Code(bits) => self.decode(leaf, u32::from(bits), &mut values)?,
            Element::AnyCode => {
                let log2 = u32::from(self.at(leaf, LEAF_FLAGS).u8()? >> 5);
                if log2 > 4 {
                    return Err(GridFault::damaged("a leaf has codes of more than 16 bits"));
                }
                self.decode(leaf, 1 << log2, &mut values)?;
            }
            element => element.decode(table.take(values.len() * element.size())?, &mut values)?,
        }
        self.activity.add_block(origin, &active, &values, self.ty.channels);
        self.builder.add_blocks_from(std::iter::once(origin), &mut values);
        self.values = values;
        Ok(())
    }

    /// Decodes codes of 1, 2, 4, 8 or 16 bits, the lowest first.
    fn decode(&self, leaf: u64, bits: u32, values: &mut [f32]) -> Result<(), GridFault> {
        let mut range = self.at(leaf, LEAF_MINIMUM);
        let (minimum, quantum) = (range.f32()?, range.f32()?);
        let codes = self.at(leaf, self.ty.leaf_table).take(BLOCK_VOXELS * bits as usize / 8)?;
        let mask = (1_u32 << bits) - 1;
        for (index, value) in values.iter_mut().enumerate() {
            let bit = index * bits as usize;
            let low = u32::from(codes[bit / 8]);
            let high = if bits > 8 { u32::from(codes[bit / 8 + 1]) } else { 0 };
            let code = (low | high << 8) >> (bit % 8) & mask;
            *value = code as f32 * quantum + minimum;
        }
        Ok(())
    }
}

/// Reads the value of a tile or of the background.
fn value(
    bytes: Bytes<'_>,
    node: u64,
    offset: usize,
    ty: &GridType,
    out: &mut [f32; 4],
) -> Result<(), GridFault> {
    let mut bytes = bytes.moved_to(node.saturating_add(offset as u64));
    let stored = bytes.take(ty.channels * ty.tile.size())?;
    ty.tile.decode(stored, &mut out[..ty.channels])
}
