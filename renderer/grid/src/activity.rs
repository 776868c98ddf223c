//! Statistics of active voxels.

use glam::IVec3;

use super::mask;
use super::tree::{EMPTY_RANGE, union};

/// Statistics of the active voxels of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// Number of active voxels, those of tiles included.
    pub voxels: u64,
    /// Lowest and highest active voxel; `None` if there are none.
    pub bounds: Option<[IVec3; 2]>,
    /// Least and greatest active value, over all channels; 0 if there are none.
    pub range: [f32; 2],
}

impl Default for Activity {
    fn default() -> Activity {
        Activity { voxels: 0, bounds: None, range: [0.0; 2] }
    }
}

impl Activity {
    /// Adds a block of 8³ voxels with its mask and values.
    pub(crate) fn add_block(&mut self, origin: IVec3, active: &[u64], values: &[f32], channels: usize) {
        // Visits only the rows of each x slice, and the set bits of each row.
        let (mut low, mut high) = (IVec3::splat(8), IVec3::splat(-1));
        for index in mask::ones(active) {
            let at = IVec3::new((index >> 6) as i32, (index >> 3 & 7) as i32, (index & 7) as i32);
            (low, high) = (low.min(at), high.max(at));
            self.add_values(&values[index * channels..][..channels]);
            self.voxels += 1;
        }
        if low.cmple(high).all() {
            self.include(origin + low, origin + high);
        }
    }

    /// Adds a cube of voxels.
    pub(crate) fn add_tile(&mut self, origin: IVec3, side_log2: i32, value: &[f32]) {
        self.add_values(value);
        self.voxels += 1 << (3 * side_log2);
        self.include(origin, origin + ((1 << side_log2) - 1));
    }

    fn add_values(&mut self, values: &[f32]) {
        let is_first = self.voxels == 0;
        let known = if is_first { EMPTY_RANGE } else { self.range };
        let finite = values.iter().filter(|v| v.is_finite());
        let range = finite.fold(known, |range, &v| union(range, [v, v]));
        if range[0] <= range[1] {
            self.range = range;
        }
    }

    fn include(&mut self, low: IVec3, high: IVec3) {
        let [min, max] = self.bounds.unwrap_or([low, high]);
        self.bounds = Some([min.min(low), max.max(high)]);
    }

    /// Adds the voxels of another part of the same grid.
    pub(crate) fn merge(&mut self, other: &Activity) {
        if let Some([low, high]) = other.bounds {
            self.add_values(&other.range);
            self.include(low, high);
            self.voxels += other.voxels;
        }
    }
}
