//! Adaptive sampling without bias: the number of samples of a pixel follows from the noise of its neighbours.
//!
//! The goal is a relative error of the whole image: the root of the mean over pixels of (error / brightness)². For a
//! given total number of samples, the error is minimal if the number of samples of a pixel is proportional to its
//! standard deviation σ (relative, of one sample); n = σ · mean(σ) / goal² reaches the goal. Deviations are measured in
//! blocks of 8 × 8 pixels. The cost of a sample is ignored: time is not deterministic, and n in proportion to σ /
//! √cost, with the cost counted in rays, changed error × rays by −4 to +4 %.
//!
//! If the number of samples of a pixel depended on their values, the mean would be biased dark: a pixel without light
//! would stop early. Therefore the pixels of a block are coloured like a chessboard, and the samples of one colour
//! determine the number of samples of the other. Samples of different pixels are independent, so the mean is unbiased.
//! A colour continues while the decision about the other one is open; samples beyond its own number do not count.
//!
//! Decisions are made at the ends of rounds, when all open blocks have the same number of samples: `min_samples`, and
//! then 3/2, 2, 3, 4, 6, 8, … times this number. They depend on these samples only, not on threads and passes.
//!
//! A render can be split between rounds, but not within one: every decision needs the deviations of the whole image, so
//! machines that share a round would have to exchange statistics after each, some twenty times. Sums of luminance are
//! `f32` in the order of samples, which saves three quarters of the memory, but prevents exact merging.
// Separate samples for the decision and for the estimate: Kirk & Arvo 1991, "Unbiased Sampling Techniques for Image
// Synthesis".

mod goal;
mod tile;

use rayon::prelude::*;

use super::Film;
use crate::Rect;
use tile::{BLOCK, OPEN};

pub use goal::NoiseGoal;
pub use tile::{BlockNoise, NoiseTile, PixelNoise, PixelPlan};

/// Lower bound of a pixel's brightness, as a share of the image's.
const MIN_BRIGHTNESS_SHARE: f64 = 0.1;

/// Maximum relative variance of a sample that `n` samples can measure, divided by `n`.
const MAX_VARIANCE: f64 = 1024.0;

/// Lower bound of a block's deviation, as a share of the mean: rare events may not have occurred in it yet.
const MIN_DEVIATION_SHARE: f64 = 1.0 / 3.0;

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

/// Progress of adaptive sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSummary {
    /// Number of samples at the end of the last completed round; 0 before the first.
    pub rounds: u64,
    /// Share of the image that needs more samples; 0 at the end.
    pub open: f64,
    /// Estimated number of remaining samples, over all pixels.
    pub remaining: u64,
}

impl NoiseMap {
    /// Creates empty statistics for the tiles of a film.
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

    /// Returns the end of the pass that begins at `next`: the end of its batch, or the last sample that counts if earlier.
    pub fn pass_end(&self, next: u64) -> u64 {
        let last = self.stops().map(u64::from).max().unwrap_or(0);
        self.goal.batch_end(next).min(last)
    }

    /// Decided numbers of samples by block and colour; [`OPEN`] if undecided.
    fn stops(&self) -> impl Iterator<Item = u32> {
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        blocks.flat_map(|block| block.stops)
    }

    /// Returns statistics after the samples before `next`.
    pub fn summary(&self, next: u64) -> NoiseSummary {
        let blocks: usize = self.tiles.iter().map(|tile| tile.blocks.len()).sum();
        let going_on = self.stops().filter(|&stop| stop == OPEN || u64::from(stop) > next);
        NoiseSummary {
            rounds: self.goal.rounds_about(next).0,
            open: if next < self.goal.max_samples {
                going_on.count() as f64 / (2 * blocks).max(1) as f64
            } else {
                0.0
            },
            remaining: self.remaining(next, self.goal.max_samples),
        }
    }

    /// Returns whether no pixel needs the sample `next`.
    pub fn is_done(&self, next: u64) -> bool {
        next >= self.goal.max_samples || self.stops().all(|stop| stop != OPEN && u64::from(stop) <= next)
    }

    /// Estimates the number of remaining samples of all pixels from `next` to at most `end`.
    pub fn remaining(&self, next: u64, end: u64) -> u64 {
        let end = end.min(self.goal.max_samples);
        let (_, round) = self.goal.rounds_about(next + 1);
        let means = [0, 1].map(|c| self.mean_sigma(c));
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        let samples = blocks.map(|block| {
            let stops = [0, 1].map(|c| match block.stops[c] {
                OPEN => (self.wanted(block.sigmas[c], means[c]) as u64).max(round),
                stop => u64::from(stop),
            });
            stops.into_iter().map(|stop| stop.min(end).saturating_sub(next)).sum::<u64>()
        });
        samples.sum::<u64>() * u64::from(BLOCK * BLOCK / 2)
    }

    /// Records that all samples before `next` have been taken; ends the batch or the round if they complete it.
    pub fn took(&mut self, next: u64) {
        let last = self.goal.batch_start(next);
        if self.goal.batch_end(last) != next {
            return;
        }
        self.end_batch(next - last);
        if next >= self.goal.min_samples.min(self.goal.max_samples) {
            self.decide(next);
        }
    }

    fn end_batch(&mut self, size: u64) {
        self.tiles
            .par_iter_mut()
            .flat_map_iter(|tile| &mut tile.pixels)
            .for_each(|pixel| pixel.end_batch(size as f32));
    }

    /// Decides, after `samples` samples of each open block, which blocks need more.
    fn decide(&mut self, samples: u64) {
        if samples <= self.goal.min_samples {
            self.brightness = self.mean_luminance(samples as f64);
        }
        self.measure(samples);
        let next = self.goal.batch_end(samples);
        for c in [0, 1] {
            let mean = self.mean_sigma(c);
            let smooth = self.smooth_sigmas(c);
            let decide = |sigma: f64| match self.wanted(sigma, mean) {
                _ if samples >= self.goal.max_samples => self.goal.max_samples as u32,
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
        sigma.max(MIN_DEVIATION_SHARE * mean) * mean / self.goal.error.powi(2)
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
        let batches = self.goal.batches(samples);
        let floors = self.brightness.map(|mean| MIN_BRIGHTNESS_SHARE * mean);
        self.tiles.par_iter_mut().for_each(|tile| {
            let mut sums = vec![[0.0; 2]; tile.blocks.len()];
            let mut counts = vec![[0.0; 2]; tile.blocks.len()];
            for (index, block, c) in tile.pixels_of_blocks() {
                let n = samples as f64;
                let square = tile.brightness(index, n).powi(2) + floors[c].powi(2);
                if square > 0.0 {
                    let relative = tile.pixels[index].variance(n, batches) / square;
                    sums[block][c] += relative.min(MAX_VARIANCE * n);
                }
                counts[block][c] += 1.0;
            }
            for (b, block) in tile.blocks.iter_mut().enumerate() {
                for c in [0, 1] {
                    // A block of one pixel, in the corner of a film, uses its own samples.
                    let from = if counts[b][c] > 0.0 { c } else { 1 - c };
                    if block.stops[c] == OPEN {
                        block.sigmas[c] = f64::sqrt(sums[b][from] / f64::max(counts[b][from], 1.0));
                    }
                }
            }
        });
    }

    /// Mean deviation over blocks, as measured by one colour.
    fn mean_sigma(&self, c: usize) -> f64 {
        let blocks = self.tiles.iter().flat_map(|tile| &tile.blocks);
        let (sum, count) =
            blocks.fold((0.0, 0.0), |(sum, count), block| (sum + block.sigmas[c], count + 1.0));
        sum / f64::max(count, 1.0)
    }

    /// Deviations of the blocks, tile by tile, smoothed over neighbours, since rare events may occur in one block only.
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
