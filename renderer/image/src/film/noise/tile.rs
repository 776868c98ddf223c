//! Statistics of a tile for adaptive sampling: batch means of each pixel, decisions of each block.

use arrayvec::ArrayVec;

use crate::Rect;

/// Side of a block [pixels].
pub(super) const BLOCK: u32 = 8;

/// Not decided yet.
pub(super) const OPEN: u32 = u32::MAX;

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
    /// End of the samples that count.
    pub counted: u64,
    /// True if the samples enter the statistics that decide about other pixels.
    pub is_watched: bool,
}

/// Luminance of a pixel's samples in batches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelNoise {
    /// Sum over the current batch.
    pub batch: f32,
    /// Sum over finished batches.
    pub sum: f32,
    /// Sum over finished batches of (sum of the batch)² / (its number of samples).
    pub squares: f32,
    /// Sum over the batch with the greatest mean, and its number of samples.
    pub peak: [f32; 2],
}

impl PixelNoise {
    /// Ends the current batch of `size` samples.
    pub(super) fn end_batch(&mut self, size: f32) {
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
        if left > 0.0 { (f64::from(self.sum) - peak) / left } else { 0.0 }
    }

    /// Estimated variance of a sample after `samples` samples in `batches` batches.
    pub(super) fn variance(&self, samples: f64, batches: u64) -> f64 {
        let [sum, squares] = [self.sum, self.squares].map(f64::from);
        ((squares - sum * sum / samples) / (batches.max(2) - 1) as f64).max(0.0)
    }
}

/// Decisions about a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockNoise {
    /// Number of samples that count, by the deciding colour; the decision applies to pixels of the other colour.
    pub(super) stops: [u32; 2],
    /// Relative standard deviation of a sample, by colour.
    pub(super) sigmas: [f64; 2],
}

impl BlockNoise {
    const BEGIN: BlockNoise = BlockNoise { stops: [OPEN; 2], sigmas: [0.0; 2] };

    /// Serializes to numbers.
    pub fn parts(&self) -> ([u32; 2], [f64; 2]) {
        (self.stops, self.sigmas)
    }

    /// Deserializes from numbers.
    pub fn from_parts(stops: [u32; 2], sigmas: [f64; 2]) -> BlockNoise {
        BlockNoise { stops, sigmas }
    }
}

/// The colour of a pixel: 0 or 1.
fn color(x: u32, y: u32) -> usize {
    ((x ^ y) & 1) as usize
}

impl NoiseTile {
    pub(super) fn new(rect: Rect) -> NoiseTile {
        let blocks = rect.width().div_ceil(BLOCK) * rect.height().div_ceil(BLOCK);
        NoiseTile {
            rect,
            pixels: vec![PixelNoise::default(); rect.area()],
            blocks: vec![BlockNoise::BEGIN; blocks as usize],
        }
    }

    /// Returns the use of a pixel's samples. `x` and `y` are coordinates on the whole film.
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

    /// Adds the luminance of a sample of a watched pixel; zero for a non-finite sample.
    pub fn add(&mut self, x: u32, y: u32, luminance: f32) {
        let index = (y - self.rect.y0) as usize * self.rect.width() as usize + (x - self.rect.x0) as usize;
        self.pixels[index].batch += luminance;
    }

    fn block_of(&self, x: u32, y: u32) -> usize {
        let columns = self.rect.width().div_ceil(BLOCK);
        ((y - self.rect.y0) / BLOCK * columns + (x - self.rect.x0) / BLOCK) as usize
    }

    /// Robust brightness of a pixel after `samples` samples, the divisor of its error. Rare bright samples count only
    /// if other batches confirm them, or most of the diagonal neighbours, which have the same colour.
    pub(super) fn brightness(&self, index: usize, samples: f64) -> f64 {
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
    pub(super) fn pixels_of_blocks(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let pixels = self.rect.pixels().enumerate();
        pixels.map(|(index, (x, y))| (index, self.block_of(x, y), color(x, y)))
    }

    /// The first pixel of each block.
    pub(super) fn corners(&self) -> impl Iterator<Item = (u32, u32)> {
        let Rect { x0, y0, x1, y1 } = self.rect;
        let columns = move || (x0..x1).step_by(BLOCK as usize);
        (y0..y1)
            .step_by(BLOCK as usize)
            .flat_map(move |y| columns().map(move |x| (x, y)))
    }
}
