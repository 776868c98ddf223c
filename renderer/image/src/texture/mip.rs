//! Mip pyramid construction: exact area averages in linear light, for sides of any length.
//!
//! Williams 1983, "Pyramidal Parametrics". Sides that are odd are not truncated: a texel of the smaller level averages
//! exactly the area it covers, parts of texels included, so that every level has the mean of the image.

use rayon::prelude::*;

use super::Texels;

/// A level in memory.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) texels: Texels,
}

/// Sizes of the levels below one of this size, down to a single texel.
pub(super) fn sizes_below(width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    let half = |&(width, height): &(usize, usize)| {
        (width > 1 || height > 1).then(|| ((width / 2).max(1), (height / 2).max(1)))
    };
    std::iter::successors(Some((width, height)), half).skip(1)
}

/// Threads that build levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// Threads of the `rayon` pool.
    Pool,
    /// The calling thread, which holds a lock and must not run other work of the pool.
    Own,
}

/// Builds the levels below one of these texels, with the same texel type.
pub(super) fn levels_below(
    texels: &Texels,
    (width, height): (usize, usize),
    channels: usize,
    threads: Threads,
) -> Vec<Image> {
    let mut levels: Vec<Image> = vec![];
    // Averages are passed on as floats, so that rounding to 8 bits does not accumulate.
    let mut values: Option<Vec<f32>> = None;
    let mut larger_size = (width, height);
    for (width, height) in sizes_below(width, height) {
        let (larger_width, larger_height) = larger_size;
        let (columns, rows) = (spans(larger_width, width), spans(larger_height, height));
        let is_half = larger_width == 2 * width;
        let length = larger_width * channels;
        let mut smaller = vec![0.0; width * height * channels];
        let average = |decoded: &mut Vec<f32>, (row, span): (&mut [f32], &Span)| {
            for (y, weight) in span.taps() {
                let larger = match &values {
                    Some(values) => &values[y * length..][..length],
                    None => {
                        texels.linear(y * length, channels, decoded);
                        &decoded[..]
                    }
                };
                match (is_half, channels) {
                    (true, 1) => add_halves::<1>(row, larger, weight),
                    (true, 3) => add_halves::<3>(row, larger, weight),
                    (true, 4) => add_halves::<4>(row, larger, weight),
                    _ => add_spans(row, larger, weight, &columns, channels),
                }
            }
        };
        match threads {
            Threads::Pool => smaller
                .par_chunks_exact_mut(width * channels)
                .zip(&rows)
                .for_each_init(|| vec![0.0; length], average),
            Threads::Own => {
                let mut decoded = vec![0.0; length];
                let smaller = smaller.chunks_exact_mut(width * channels);
                smaller.zip(&rows).for_each(|row| average(&mut decoded, row));
            }
        }
        levels.push(Image { width, height, texels: texels.like(&smaller, channels) });
        values = Some(smaller);
        larger_size = (width, height);
    }
    levels
}

/// Adds the averages of a row of twice the width.
fn add_halves<const CHANNELS: usize>(row: &mut [f32], larger: &[f32], weight: f32) {
    let pairs = larger.chunks_exact(2 * CHANNELS);
    for (texel, pair) in row.as_chunks_mut::<CHANNELS>().0.iter_mut().zip(pairs) {
        for (c, v) in texel.iter_mut().enumerate() {
            *v += weight * (0.5 * pair[c] + 0.5 * pair[CHANNELS + c]);
        }
    }
}

/// Adds the averages of a row of more texels, over these spans.
fn add_spans(row: &mut [f32], larger: &[f32], weight: f32, columns: &[Span], channels: usize) {
    for (texel, span) in row.chunks_exact_mut(channels).zip(columns) {
        for (c, v) in texel.iter_mut().enumerate() {
            let across = span.taps().map(|(x, w)| w * larger[x * channels + c]);
            *v += weight * across.sum::<f32>();
        }
    }
}

/// The texels of the larger level that one texel of the smaller covers along an axis: at most three (or, of a side of
/// three onto one, all three) neighbours.
struct Span {
    start: usize,
    weights: [f32; 4],
}

impl Span {
    fn taps(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let taps = self.weights.iter().enumerate().map(|(i, &w)| (self.start + i, w));
        taps.filter(|&(_, w)| w > 0.0)
    }
}

/// Computes the spans of `large` texels that each of `small ≤ large` texels averages; the factor is at most 3.
fn spans(large: usize, small: usize) -> Vec<Span> {
    let share = |i: usize| {
        // In units of 1/`small` of a texel of the larger level, all lengths are integers.
        let (from, to) = (i * large, (i + 1) * large);
        let start = from / small;
        let weight = |k: usize| {
            let (left, right) = ((start + k) * small, (start + k + 1) * small);
            to.min(right).saturating_sub(from.max(left)) as f32 / large as f32
        };
        Span { start, weights: std::array::from_fn(weight) }
    };
    (0..small).map(share).collect()
}
