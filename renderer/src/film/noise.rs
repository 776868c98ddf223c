//! Adaptive sampling without bias: the number of samples of a pixel follows from the noise of its neighbours.
//!
//! The goal is a relative error of the whole image: the root of the mean over pixels of (error / brightness)². With a
//! given number of samples it is least if a pixel's samples are in proportion to its standard deviation σ (relative, of
//! one sample), and reached with n = σ · mean(σ) / goal². Deviations are measured in blocks of 8 × 8 pixels.
//!
//! If the number of a pixel's samples depended on their values, the mean would be biased dark: a pixel would stop early
//! if it had found no light. So the pixels of a block are coloured like a chessboard, and the number of samples of each
//! colour follows from the samples of the other colour only. Samples of different pixels are independent, therefore the
//! number of a pixel's samples is independent of their values, and their mean is unbiased. For that, a colour continues
//! as long as the decision about the other one is open; samples beyond its own number do not count.
//!
//! Decisions are made at the ends of rounds, when all open blocks have the same number of samples: `least`, and then
//! 3/2, 2, 3, 4, 6, 8, … times as many. They depend on these samples only, not on threads and passes.
// Separate samples for the decision and for the estimate: Kirk & Arvo 1991, "Unbiased Sampling Techniques for Image
// Synthesis".

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::Film;
use crate::image::Rect;

/// Goal of adaptive sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseGoal {
    /// Relative error of the picture: the root of the relative MSE.
    pub error: f64,
    /// Samples that each pixel gets at least; a multiple of four.
    pub least: u64,
    /// Samples that a pixel gets at most.
    pub most: u64,
}

/// Side of a block [pixels].
const BLOCK: u32 = 8;

/// Batches of samples until the first decision.
const FIRST_BATCHES: u64 = 4;

/// Lower bound of a pixel's brightness, as a share of the image's.
const DARKEST: f64 = 0.1;

/// Greatest relative variance of a sample that a number of samples can measure, over that number.
const MOST_VARIANCE: f64 = 1024.0;

/// Lower bound of a block's deviation, as a share of the mean: rare events may not have occurred in it yet.
const LEAST_SHARE: f64 = 1.0 / 3.0;

/// Not decided yet.
const OPEN: u32 = u32::MAX;

/// Luminance of a pixel's samples in batches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelNoise {
    /// Sum over the batch under way.
    pub batch: f32,
    /// Sum over finished batches.
    pub sum: f32,
    /// Sum over finished batches of the squared sum of each over its number of samples.
    pub squares: f32,
    /// Sum over the batch with the greatest mean, and its number of samples.
    pub peak: [f32; 2],
}

impl PixelNoise {
    /// The batch under way, of `size` samples, is over.
    fn end_batch(&mut self, size: f32) {
        let batch = std::mem::take(&mut self.batch);
        self.sum += batch;
        self.squares += batch * batch / size;
        let [peak, of] = self.peak;
        if of == 0.0 || batch * of > peak * size {
            self.peak = [batch, size];
        }
    }

    /// The mean of `samples`, the brightest batch left out.
    fn usual_mean(&self, samples: f64) -> f64 {
        let [peak, size] = self.peak.map(f64::from);
        let left = samples - size;
        if left > 0.0 {
            (f64::from(self.sum) - peak) / left
        } else {
            0.0
        }
    }

    /// The variance of a sample after `samples` in so many batches.
    fn variance(&self, samples: f64, batches: u64) -> f64 {
        let [sum, squares] = [self.sum, self.squares].map(f64::from);
        ((squares - sum * sum / samples) / (batches.max(2) - 1) as f64).max(0.0)
    }
}

/// Decisions about a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockNoise {
    /// How many samples count, by the colour that decides; it is for the other one.
    stops: [u32; 2],
    /// Relative standard deviation of a sample, by colour.
    sigmas: [f64; 2],
}

impl BlockNoise {
    const BEGIN: BlockNoise = BlockNoise {
        stops: [OPEN; 2],
        sigmas: [0.0; 2],
    };

    /// As numbers, for files.
    pub fn parts(&self) -> ([u32; 2], [f64; 2]) {
        (self.stops, self.sigmas)
    }

    /// From numbers.
    pub fn from_parts(stops: [u32; 2], sigmas: [f64; 2]) -> BlockNoise {
        BlockNoise { stops, sigmas }
    }
}

/// Statistics of a tile of the film.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseTile {
    rect: Rect,
    /// Row by row.
    pub pixels: Vec<PixelNoise>,
    /// Row by row.
    pub blocks: Vec<BlockNoise>,
}

/// Use of a pixel's samples.
#[derive(Clone, Copy, Debug)]
pub struct PixelPlan {
    /// End of the samples that count for the image.
    pub counted: u64,
    /// Whether its samples are measured for the decision about the other colour.
    pub is_watched: bool,
}

/// State of adaptive sampling: goal, statistics and decisions of all tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseMap {
    /// The goal.
    pub goal: NoiseGoal,
    crop: Rect,
    tile_size: u32,
    /// The tiles of the film.
    pub tiles: Vec<NoiseTile>,
    /// Mean luminance after the first round, by colour.
    pub brightness: [f64; 2],
}

/// The colour of a pixel: 0 or 1.
fn color(x: u32, y: u32) -> usize {
    ((x ^ y) & 1) as usize
}

impl NoiseTile {
    fn new(rect: Rect) -> NoiseTile {
        let blocks = rect.width().div_ceil(BLOCK) * rect.height().div_ceil(BLOCK);
        NoiseTile {
            rect,
            pixels: vec![PixelNoise::default(); rect.area()],
            blocks: vec![BlockNoise::BEGIN; blocks as usize],
        }
    }

    /// Use of the samples of a pixel. `x` and `y` are of the whole film.
    pub fn plan(&self, x: u32, y: u32) -> PixelPlan {
        let block = &self.blocks[self.block_of(x, y)];
        let own = color(x, y);
        PixelPlan {
            counted: match block.stops[1 - own] {
                OPEN => u64::MAX,
                stop => u64::from(stop),
            },
            is_watched: block.stops[own] == OPEN,
        }
    }

    /// Adds the luminance of a sample of a watched pixel; none where it is not finite.
    pub fn add(&mut self, x: u32, y: u32, luminance: f32) {
        let index = (y - self.rect.y0) as usize * self.rect.width() as usize + (x - self.rect.x0) as usize;
        self.pixels[index].batch += luminance;
    }

    fn block_of(&self, x: u32, y: u32) -> usize {
        let columns = self.rect.width().div_ceil(BLOCK);
        ((y - self.rect.y0) / BLOCK * columns + (x - self.rect.x0) / BLOCK) as usize
    }

    /// Robust estimate of a pixel's brightness after `samples`. A rare bright sample must not lower the relative error
    /// by raising the brightness: brightness counts as far as other batches confirm it, or most of the diagonal
    /// neighbours, which have the same colour.
    fn brightness(&self, index: usize, samples: f64) -> f64 {
        let (width, height) = (self.rect.width() as usize, self.rect.height() as usize);
        let (x, y) = (index % width, index / width);
        let mean = |pixel: &PixelNoise| (f64::from(pixel.sum) / samples).abs();
        let own = &self.pixels[index];
        let mut means: ArrayVec<f64, 5> = [(0, 0), (0, 2), (2, 0), (2, 2)]
            .into_iter()
            .filter(|(dx, dy)| (1..=width).contains(&(x + dx)) && (1..=height).contains(&(y + dy)))
            .map(|(dx, dy)| mean(&self.pixels[(y + dy - 1) * width + x + dx - 1]))
            .collect();
        means.push(mean(own));
        means.sort_by(f64::total_cmp);
        let usual = own.usual_mean(samples).abs().max(means[means.len() / 2]);
        mean(own).min(usual)
    }

    /// The pixels of each block with their colours.
    fn pixels_of_blocks(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let pixels = self.rect.pixels().enumerate();
        pixels.map(|(index, (x, y))| (index, self.block_of(x, y), color(x, y)))
    }
}

impl NoiseMap {
    /// Statistics of no samples, for the tiles of a film.
    pub fn new(goal: NoiseGoal, film: &Film, tile_size: u32) -> NoiseMap {
        assert!(tile_size.is_multiple_of(BLOCK), "tiles are made of whole blocks");
        NoiseMap {
            goal,
            crop: film.crop(),
            tile_size,
            tiles: film.tiles(tile_size).into_iter().map(NoiseTile::new).collect(),
            brightness: [0.0; 2],
        }
    }

    /// Where the batch ends that the sample `next` belongs to.
    pub fn batch_end(&self, next: u64) -> u64 {
        boundaries(self.goal.least)
            .find(|&end| end > next)
            .unwrap_or(u64::MAX)
            .min(self.goal.most)
    }

    /// Whether no pixel takes the sample `next`.
    pub fn is_done(&self, next: u64) -> bool {
        let mut stops = self
            .tiles
            .iter()
            .flat_map(|tile| &tile.blocks)
            .flat_map(|block| block.stops);
        next >= self.goal.most || stops.all(|stop| stop != OPEN && u64::from(stop) <= next)
    }

    /// About how many samples there are still to take from `next` on.
    pub fn remaining(&self, next: u64) -> u64 {
        let means = [0, 1].map(|c| self.mean_sigma(c));
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        let samples = blocks.map(|block| {
            let ends = [0, 1].map(|c| match block.stops[c] {
                OPEN => self.wanted(block.sigmas[c], means[c]).min(self.goal.most as f64) as u64,
                stop => u64::from(stop),
            });
            ends.into_iter().map(|end| end.saturating_sub(next)).sum::<u64>()
        });
        samples.sum::<u64>() * u64::from(BLOCK * BLOCK / 2)
    }

    /// Records that all samples before `next` have been taken; ends the batch or the round if they complete it.
    pub fn took(&mut self, next: u64) {
        let last = self.batch_start(next);
        if self.batch_end(last) != next {
            return;
        }
        self.end_batch(next - last);
        if next >= self.goal.least.min(self.goal.most) {
            self.decide(next);
        }
    }

    /// Where the batch begins whose last sample is the one before `next`.
    fn batch_start(&self, next: u64) -> u64 {
        let before = boundaries(self.goal.least).take_while(|&end| end < next);
        before.last().unwrap_or(0)
    }

    /// Batches until `next`.
    fn batches(&self, next: u64) -> u64 {
        boundaries(self.goal.least).take_while(|&end| end < next).count() as u64 + 1
    }

    fn end_batch(&mut self, size: u64) {
        self.tiles
            .par_iter_mut()
            .flat_map_iter(|tile| &mut tile.pixels)
            .for_each(|pixel| pixel.end_batch(size as f32));
    }

    /// Decides, after `samples` of each open block, which blocks go on.
    fn decide(&mut self, samples: u64) {
        if samples <= self.goal.least {
            self.brightness = self.mean_luminance(samples as f64);
        }
        self.measure(samples);
        let next = self.batch_end(samples);
        for c in [0, 1] {
            let mean = self.mean_sigma(c);
            let smooth = self.smooth_sigmas(c);
            let decide = |sigma: f64| match self.wanted(sigma, mean) {
                _ if samples >= self.goal.most => self.goal.most as u32,
                wanted if wanted <= next as f64 => (wanted.ceil() as u32).max(samples as u32),
                _ => OPEN,
            };
            let stops: Vec<u32> = smooth.into_iter().map(decide).collect();
            let blocks = self.tiles.iter_mut().flat_map(|tile| &mut tile.blocks);
            for (block, stop) in blocks.zip(stops).filter(|(block, _)| block.stops[c] == OPEN) {
                block.stops[c] = stop;
            }
        }
    }

    /// Number of samples that reaches the goal for a block, where `mean` is the mean of all deviations.
    fn wanted(&self, sigma: f64, mean: f64) -> f64 {
        sigma.max(LEAST_SHARE * mean) * mean / self.goal.error.powi(2)
    }

    fn mean_luminance(&self, samples: f64) -> [f64; 2] {
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for tile in &self.tiles {
            for (index, _, c) in tile.pixels_of_blocks() {
                sums[c] += f64::from(tile.pixels[index].sum) / samples;
                counts[c] += 1.0;
            }
        }
        [0, 1].map(|c| sums[c] / f64::max(counts[c], 1.0))
    }

    /// Measures the deviations of open blocks.
    fn measure(&mut self, samples: u64) {
        let batches = self.batches(samples);
        let floors = self.brightness.map(|mean| DARKEST * mean);
        self.tiles.par_iter_mut().for_each(|tile| {
            let mut sums = vec![[0.0; 2]; tile.blocks.len()];
            let mut counts = vec![[0.0; 2]; tile.blocks.len()];
            for (index, block, c) in tile.pixels_of_blocks() {
                let n = samples as f64;
                let square = tile.brightness(index, n).powi(2) + floors[c].powi(2);
                if square > 0.0 {
                    let relative = tile.pixels[index].variance(n, batches) / square;
                    sums[block][c] += relative.min(MOST_VARIANCE * n);
                }
                counts[block][c] += 1.0;
            }
            for (b, block) in tile.blocks.iter_mut().enumerate() {
                for c in [0, 1] {
                    // A block of one pixel, in the corner of a film, decides by its own samples.
                    let from = if counts[b][c] > 0.0 { c } else { 1 - c };
                    if block.stops[c] == OPEN {
                        block.sigmas[c] = f64::sqrt(sums[b][from] / f64::max(counts[b][from], 1.0));
                    }
                }
            }
        });
    }

    /// The mean over blocks of the deviations that one colour has measured.
    fn mean_sigma(&self, c: usize) -> f64 {
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        let (sum, count) = blocks.fold((0.0, 0.0), |(sum, count), block| {
            (sum + block.sigmas[c], count + 1.0)
        });
        sum / f64::max(count, 1.0)
    }

    /// The deviations of all blocks, tile by tile, smoothed over neighbours: a rare event occurs in one block before it
    /// does in the next.
    fn smooth_sigmas(&self, c: usize) -> Vec<f64> {
        let columns = self.crop.width().div_ceil(BLOCK) as usize;
        let rows = self.crop.height().div_ceil(BLOCK) as usize;
        let mut squares = vec![0.0; columns * rows];
        let place = |x: u32, y: u32| {
            ((y - self.crop.y0) / BLOCK) as usize * columns + ((x - self.crop.x0) / BLOCK) as usize
        };
        let places: Vec<usize> = self
            .tiles
            .iter()
            .flat_map(NoiseTile::corners)
            .map(|(x, y)| place(x, y))
            .collect();
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        for (&at, block) in places.iter().zip(blocks) {
            squares[at] = block.sigmas[c].powi(2);
        }
        let blur = |at: usize, step: usize, is_first: bool, is_last: bool, from: &[f64]| {
            let before = if is_first { from[at] } else { from[at - step] };
            let after = if is_last { from[at] } else { from[at + step] };
            0.25 * before + 0.5 * from[at] + 0.25 * after
        };
        let across: Vec<f64> = (0..squares.len())
            .map(|at| blur(at, 1, at % columns == 0, at % columns == columns - 1, &squares))
            .collect();
        let smooth =
            |at: usize| blur(at, columns, at < columns, at + columns >= across.len(), &across).sqrt();
        places.into_iter().map(smooth).collect()
    }
}

impl NoiseTile {
    /// The first pixel of each block.
    fn corners(&self) -> impl Iterator<Item = (u32, u32)> {
        let Rect { x0, y0, x1, y1 } = self.rect;
        let columns = move || (x0..x1).step_by(BLOCK as usize);
        (y0..y1)
            .step_by(BLOCK as usize)
            .flat_map(move |y| columns().map(move |x| (x, y)))
    }
}

/// Where batches end: the first round has four of them, each later one is one.
fn boundaries(least: u64) -> impl Iterator<Item = u64> {
    let first = (1..=FIRST_BATCHES).map(move |i| i * least / FIRST_BATCHES);
    let rounds = (0..).map(move |k: u32| {
        let whole = least.saturating_mul(1u64.checked_shl(k / 2).unwrap_or(u64::MAX));
        if k.is_multiple_of(2) {
            whole.saturating_add(whole / 2)
        } else {
            whole.saturating_mul(2)
        }
    });
    first.chain(rounds.take(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow() {
        let ends: Vec<u64> = boundaries(16).take(11).collect();
        assert_eq!(ends, [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192]);
    }
}
