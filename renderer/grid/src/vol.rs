//! Mitsuba's volumes (`gridvolume`), version 3: voxels within a box, x varying fastest.

use std::ops::Range;

use glam::{DVec3, IVec3};

use super::activity::Activity;
use super::bytes::Bytes;
use super::element::Element;
use super::error::GridFault;
use super::grid::{Border, Grid, GridClass, GridTransform};
use super::tree::{BLOCK_VOXELS, TreeBuilder, voxel_index};
use renderer_base::files::Budget;

const MAGIC: &[u8] = b"VOL";
const VERSION: u8 = 3;

/// Returns whether a file begins as one of Mitsuba's volumes.
pub(crate) fn is_vol(data: &[u8]) -> bool {
    data.starts_with(MAGIC)
}

/// The box of one of Mitsuba's volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolBox {
    /// Corners; those of the unit cube if the file has none.
    pub bounds: [DVec3; 2],
    /// Number of voxels along each side.
    pub size: IVec3,
}

/// Contents of a file: one grid.
#[derive(Debug)]
pub(crate) struct VolFile {
    pub(crate) element: Element,
    pub(crate) channels: usize,
    pub(crate) place: VolBox,
    values: Range<usize>,
}

impl VolFile {
    /// Reads the header, and checks the size of the rest.
    pub(crate) fn open(data: &[u8]) -> Result<VolFile, GridFault> {
        let mut bytes = Bytes::new(data, "the header");
        bytes.take(MAGIC.len())?;
        let version = bytes.u8()?;
        if version != VERSION {
            return Err(GridFault::unsupported(format!(
                "it has version {version} of Mitsuba's format, and {VERSION} is read"
            )));
        }
        let element = match bytes.i32()? {
            1 => Element::F32,
            2 => Element::F16,
            3 => Element::Unorm8,
            other => {
                let reason = format!("it has values of kind {other}; floats, halves and bytes are read");
                return Err(GridFault::unsupported(reason));
            }
        };
        let size = IVec3::new(bytes.i32()?, bytes.i32()?, bytes.i32()?);
        let channels = bytes.i32()?;
        if size.min_element() < 1 || size.max_element() > 1 << 20 || channels < 1 {
            let IVec3 { x, y, z } = size;
            return Err(GridFault::damaged(format!("it has {x}×{y}×{z} voxels of {channels} channels")));
        }
        if channels > 4 {
            return Err(GridFault::unsupported(format!(
                "it has {channels} channels, and 1 to 4 are read"
            )));
        }
        let channels = channels as usize;
        let mut bounds = [DVec3::ZERO; 2];
        for corner in &mut bounds {
            *corner = DVec3::new(bytes.f32()?.into(), bytes.f32()?.into(), bytes.f32()?.into());
        }
        // Mitsuba ignores the box by default.
        let [low, high] = bounds;
        if !((high - low).cmpgt(DVec3::ZERO).all() && (high - low).is_finite()) {
            bounds = [DVec3::ZERO, DVec3::ONE];
        }
        bytes.enter("the values");
        let begin = bytes.position();
        let voxels: u128 = size.to_array().iter().map(|&n| n as u128).product();
        let stored = voxels * (channels * element.size()) as u128;
        bytes.take(usize::try_from(stored).unwrap_or(usize::MAX))?;
        Ok(VolFile {
            element,
            channels,
            place: VolBox { bounds, size },
            values: begin..bytes.position(),
        })
    }

    /// Decodes the grid; `data` is the file.
    pub(crate) fn load(&self, data: &[u8], budget: &Budget) -> Result<Grid, GridFault> {
        let stored = data.get(self.values.clone()).unwrap_or_default();
        let VolBox { bounds: [low, high], size } = self.place;
        let edge = (high - low) / size.as_dvec3();
        let rows = [[edge.x, 0.0, 0.0], [0.0, edge.y, 0.0], [0.0, 0.0, edge.z]];
        let placement = GridTransform::of_rows(rows, low + 0.5 * edge)?;
        let blocks: IVec3 = (size + 7) >> 3;
        // At most 2^51.
        let count = blocks.to_array().map(|n| n as usize).iter().product();
        budget.allocate("voxels", count, BLOCK_VOXELS * self.channels * 4)?;
        let mut builder = TreeBuilder::new(&[0.0; 4][..self.channels]);
        let mut activity = Activity::default();
        let mut values = vec![0.0; BLOCK_VOXELS * self.channels];
        for x in 0..blocks.x {
            for y in 0..blocks.y {
                for z in 0..blocks.z {
                    let origin = IVec3::new(x, y, z) << 3;
                    let active = self.decode_block(stored, origin, &mut values)?;
                    activity.add_block(origin, &active, &values, self.channels);
                    builder.add_blocks_from(std::iter::once(origin), &mut values);
                }
            }
        }
        Ok(Grid {
            name: String::new(),
            class: GridClass::Unknown,
            element: self.element,
            not_finite: builder.not_finite(),
            tree: builder.finish(),
            activity,
            border: Border::Clamped([IVec3::ZERO, size - 1]),
            placement,
        })
    }

    /// Decodes the voxels of a block, and returns the mask of those that are in the volume.
    fn decode_block(&self, stored: &[u8], origin: IVec3, values: &mut [f32]) -> Result<[u64; 8], GridFault> {
        let size = self.channels * self.element.size();
        let count = (self.place.size - origin).min(IVec3::splat(8));
        let mut active = [0_u64; 8];
        let mut row = [0.0; 8 * 4];
        values.fill(0.0);
        for z in 0..count.z {
            for y in 0..count.y {
                let voxel = origin + IVec3::new(0, y, z);
                let [nx, ny] = [self.place.size.x as usize, self.place.size.y as usize];
                let first = (voxel.z as usize * ny + voxel.y as usize) * nx + voxel.x as usize;
                let length = count.x as usize;
                let row = &mut row[..length * self.channels];
                self.element.decode(&stored[first * size..][..length * size], row)?;
                for (x, voxel) in (0..).zip(row.chunks_exact(self.channels)) {
                    let index = voxel_index(IVec3::new(x, y, z));
                    values[index * self.channels..][..self.channels].copy_from_slice(voxel);
                    active[index >> 6] |= 1 << (index & 63);
                }
            }
        }
        Ok(active)
    }
}
