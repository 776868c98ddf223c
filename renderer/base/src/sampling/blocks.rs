//! Two-level piecewise-constant distribution over `[0,1)²` for large environment maps, with a cache-sized first level.
//!
//! - A block has a table over its cells only if uniform sampling would misplace a notable share of the total weight.
//!   All other blocks are uniform.
//! - The density is nonzero wherever a cell has weight.
// After Clarberg, Jarosz, Akenine-Möller & Jensen 2005, "Wavelet Importance Sampling", section 5, with one level.

use glam::{UVec2, Vec2};

use super::distribution::{Distribution2d, Sample2d};
use crate::math::ONE_MINUS_EPSILON;

/// A piecewise-constant distribution over `[0,1)²` in blocks.
#[derive(Clone, Debug)]
pub struct BlockDistribution2d {
    blocks: Distribution2d,
    /// Number of blocks along each axis.
    count: UVec2,
    /// Extent of the blocks relative to the map's: at least 1, since the map need not be a multiple of the block size.
    reach: Vec2,
    /// By block: the index of the table over its cells, or [`UNIFORM`].
    fine: Vec<u32>,
    within: Vec<Distribution2d>,
}

/// Marks a block that is sampled uniformly, without a table.
const UNIFORM: u32 = u32::MAX;

/// Maximum number of blocks: a table of half a megabyte.
const MAX_BLOCKS: usize = 1 << 17;

/// Share of the total weight that uniform sampling of a block must misplace for the block to get a table.
const MISPLACED: f64 = 1.0 / 8192.0;

impl BlockDistribution2d {
    /// A distribution in proportion to `weights`, row-major in rows of `width`; negative and non-finite ones count as zero.
    ///
    /// # Panics
    /// When there are no weights, or not whole rows.
    pub fn new(weights: &[f32], width: usize) -> BlockDistribution2d {
        assert!(
            width > 0 && !weights.is_empty() && weights.len().is_multiple_of(width),
            "a distribution needs whole rows"
        );
        let height = weights.len() / width;
        let blocks_of = |side: usize| (width.div_ceil(side), height.div_ceil(side));
        let mut side = 1;
        while blocks_of(side).0 * blocks_of(side).1 > MAX_BLOCKS {
            side *= 2;
        }
        let (columns, rows) = blocks_of(side);
        let cells_of = |block: usize| {
            let (left, top) = (block % columns * side, block / columns * side);
            (0..side * side).map(move |i| {
                let (x, y) = (left + i % side, top + i / side);
                let weight = (x < width && y < height).then(|| weights[y * width + x])?;
                Some(if weight.is_finite() { weight.max(0.0) } else { 0.0 })
            })
        };
        let sum_of = |block: usize| -> f64 { cells_of(block).flatten().map(f64::from).sum() };
        let sums: Vec<f64> = (0..columns * rows).map(sum_of).collect();
        let total: f64 = sums.iter().sum();

        let mut within = vec![];
        let is_uneven = |block: usize| {
            let mean = sums[block] / (side * side) as f64;
            let over = |cell: Option<f32>| (f64::from(cell.unwrap_or(0.0)) - mean).max(0.0);
            let is_cut = cells_of(block).any(|cell| cell.is_none());
            is_cut || cells_of(block).map(over).sum::<f64>() > MISPLACED * total
        };
        let fine = (0..if side > 1 { sums.len() } else { 0 })
            .map(|block| {
                if !is_uneven(block) {
                    return UNIFORM;
                }
                // Without weights, a block at the edge is uniform over its part of the map.
                let outside = if sums[block] > 0.0 { 0.0 } else { 1.0 };
                let cells: Vec<f32> = cells_of(block)
                    .map(|cell| cell.map_or(0.0, |weight| weight + outside))
                    .collect();
                within.push(Distribution2d::new(&cells, side));
                (within.len() - 1) as u32
            })
            .collect();
        let sums: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        BlockDistribution2d {
            blocks: Distribution2d::new(&sums, columns),
            count: UVec2::new(columns as u32, rows as u32),
            reach: Vec2::new((columns * side) as f32 / width as f32, (rows * side) as f32 / height as f32),
            fine,
            within,
        }
    }

    /// Samples a position by `u` in `[0,1)²`.
    #[inline]
    pub fn sample(&self, u: Vec2) -> Sample2d {
        let sample = self.blocks.sample(u);
        if self.fine.is_empty() {
            return sample;
        }
        let (block, corner, rest) = self.block(sample.uv);
        let (rest, pdf) = match self.fine[block] {
            UNIFORM => (rest, 1.0),
            index => {
                let fine = self.within[index as usize].sample(rest);
                (fine.uv, fine.pdf)
            }
        };
        let uv = (corner + rest) / self.count.as_vec2() * self.reach;
        Sample2d {
            uv: uv.min(Vec2::splat(ONE_MINUS_EPSILON)),
            pdf: sample.pdf * pdf / (self.reach.x * self.reach.y),
        }
    }

    /// Density at `uv` in `[0,1)²`.
    #[inline]
    pub fn pdf(&self, uv: Vec2) -> f32 {
        let at = uv / self.reach;
        let pdf = self.blocks.pdf(at);
        if self.fine.is_empty() {
            return pdf;
        }
        let (block, _, rest) = self.block(at);
        let within = match self.fine[block] {
            UNIFORM => 1.0,
            index => self.within[index as usize].pdf(rest),
        };
        pdf * within / (self.reach.x * self.reach.y)
    }

    /// The block of a point, its first corner, and the place of the point in it.
    #[inline]
    fn block(&self, at: Vec2) -> (usize, Vec2, Vec2) {
        let at = at * self.count.as_vec2();
        let corner = at.floor().min(self.count.as_vec2() - 1.0).max(Vec2::ZERO);
        let rest = (at - corner).clamp(Vec2::ZERO, Vec2::splat(ONE_MINUS_EPSILON));
        let block = corner.y as usize * self.count.x as usize + corner.x as usize;
        (block, corner, rest)
    }
}
