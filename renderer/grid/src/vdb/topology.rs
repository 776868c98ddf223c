//! Topology of a tree: a root, nodes of 32³ and 16³ children, and leaves of 8³ voxels.

use glam::IVec3;

use super::values::{NodeValues, ValueFormat};
use crate::activity::Activity;
use crate::bytes::Bytes;
use crate::error::GridFault;
use crate::mask;
use crate::tree::{TileSize, TreeBuilder};
use renderer_base::files::Budget;

/// Farthest coordinate of a voxel: arithmetic with voxels does not overflow.
const MAX_COORDINATE: i32 = 1 << 30;

/// A leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// First voxel of the leaf.
    pub(super) origin: IVec3,
    /// Active voxels of the leaf.
    pub(super) active: [u64; 8],
}

/// Cube of voxels with one value.
#[derive(Clone, Copy, Debug)]
struct Tile {
    /// The first voxel.
    origin: IVec3,
    size: TileSize,
    value: [f32; 4],
    is_active: bool,
}

/// Tree without the values of its leaves.
#[derive(Debug)]
pub(super) struct Topology {
    /// Holds the tiles.
    pub(super) builder: TreeBuilder,
    /// Statistics of the active tiles.
    pub(super) activity: Activity,
    /// Leaves in the order of the file.
    pub(super) leaves: Vec<Leaf>,
}

/// An inner level of the tree.
#[derive(Clone, Copy, Debug)]
enum Level {
    Upper,
    Lower,
}

impl Level {
    /// Children along a side, as a power of two.
    fn width_log2(self) -> i32 {
        match self {
            Level::Upper => 5,
            Level::Lower => 4,
        }
    }

    /// Size of children and tiles.
    fn child(self) -> TileSize {
        match self {
            Level::Upper => TileSize::Node,
            Level::Lower => TileSize::Block,
        }
    }
}

impl Topology {
    /// Reads the topology, and the background into the format of values.
    pub(super) fn read(
        bytes: &mut Bytes<'_>,
        format: &mut ValueFormat,
        budget: &Budget,
    ) -> Result<Topology, GridFault> {
        let buffers = bytes.u32()?;
        if buffers != 1 {
            return Err(GridFault::damaged(format!("its tree has {buffers} buffers")));
        }
        format.background = format.value(bytes)?;
        let mut topology = Topology {
            builder: TreeBuilder::new(&format.background[..format.ty.channels]),
            activity: Activity::default(),
            leaves: vec![],
        };
        let (tiles, children) = (bytes.u32()?, bytes.u32()?);
        for _ in 0..tiles {
            let tile = Tile {
                origin: origin(bytes)?,
                size: TileSize::Wide,
                value: format.value(bytes)?,
                is_active: bytes.u8()? != 0,
            };
            topology.add_tile(tile, format);
        }
        for _ in 0..children {
            let origin = origin(bytes)?;
            topology.read_node(bytes, (format, budget), Level::Upper, origin)?;
        }
        Ok(topology)
    }

    /// Tiles of background are not stored.
    fn add_tile(&mut self, tile: Tile, format: &ValueFormat) {
        let value = &tile.value[..format.ty.channels];
        if tile.is_active {
            self.activity.add_tile(tile.origin, tile.size.log2(), value);
        }
        if tile.is_active || tile.value != format.background {
            self.builder.add_tile(tile.origin, tile.size, value);
        }
    }

    fn read_node(
        &mut self,
        bytes: &mut Bytes<'_>,
        (format, budget): (&ValueFormat, &Budget),
        level: Level,
        origin: IVec3,
    ) -> Result<(), GridFault> {
        let width = level.width_log2();
        let slots = 1 << (3 * width);
        budget.allocate("nodes of a grid", slots, size_of::<f32>())?;
        let children = bytes.mask(slots)?;
        let active = bytes.mask(slots)?;
        let channels = format.ty.channels;
        let mut values = vec![0.0; slots * channels];
        NodeValues::read(bytes, format, &active)?.decode(format, &active, &mut values)?;
        let place = |index: usize| {
            let (index, last) = (index as i32, (1 << width) - 1);
            let at = IVec3::new(index >> (2 * width), index >> width & last, index & last);
            origin + (at << level.child().log2())
        };
        for (index, stored) in values.chunks_exact(channels).enumerate() {
            if !mask::is_on(&children, index) {
                let mut value = [0.0; 4];
                value[..channels].copy_from_slice(stored);
                let tile = Tile {
                    origin: place(index),
                    size: level.child(),
                    value,
                    is_active: mask::is_on(&active, index),
                };
                self.add_tile(tile, format);
            }
        }
        for index in mask::ones(&children) {
            match level {
                Level::Upper => self.read_node(bytes, (format, budget), Level::Lower, place(index))?,
                Level::Lower => {
                    let mut active = [0; 8];
                    active.copy_from_slice(&bytes.mask(512)?);
                    self.leaves.push(Leaf { origin: place(index), active });
                }
            }
        }
        Ok(())
    }
}

/// First voxel of a child of the root.
fn origin(bytes: &mut Bytes<'_>) -> Result<IVec3, GridFault> {
    let origin = IVec3::new(bytes.i32()?, bytes.i32()?, bytes.i32()?);
    let is_near =
        origin.cmpge(IVec3::splat(-MAX_COORDINATE)).all() && origin.cmplt(IVec3::splat(MAX_COORDINATE)).all();
    if !is_near || origin & 4095 != IVec3::ZERO {
        return Err(GridFault::damaged(format!("a node begins at voxel {origin}")));
    }
    Ok(origin)
}
