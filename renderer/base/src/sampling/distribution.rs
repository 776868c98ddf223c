//! Piecewise-constant distributions over `[0,1)` and `[0,1)²`, sampled by inversion of the CDF, which preserves
//! stratification.
//!
//! - Densities are computed from the stored table, not from the weights, so that they match `sample` exactly.
//! - If all weights are zero, the distribution is uniform.
//! - A guide table bounds the search in the CDF, so that a sample reads memory twice instead of once for each bit of
//!   the table size.
// Chen & Asau 1974, "On Generating Random Variates from an Empirical Distribution".

use glam::Vec2;

use crate::math::ONE_MINUS_EPSILON;

/// A piecewise-constant distribution over `[0,1)` with cells of equal width.
#[derive(Clone, Debug)]
pub struct Distribution1d {
    /// Cumulative distribution: `cells + 1` values from 0 to 1.
    cdf: Vec<f32>,
    guide: Vec<u32>,
    total: f32,
}

/// Sample of a [`Distribution1d`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample1d {
    /// Position, in `[0,1)`.
    pub x: f32,
    /// Density at the position.
    pub pdf: f32,
    /// Cell of the position.
    pub index: usize,
}

impl Distribution1d {
    /// A distribution in proportion to `weights`; negative and non-finite ones count as zero.
    ///
    /// # Panics
    /// When there are no weights.
    pub fn new(weights: &[f32]) -> Distribution1d {
        assert!(!weights.is_empty(), "a distribution needs a cell");
        let mut cdf = vec![0.0; weights.len() + 1];
        let total = fill_cdf(weights, &mut cdf);
        let guide = guide(&cdf).collect();
        Distribution1d { cdf, guide, total }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cdf.len() - 1
    }

    /// `false`: a distribution has at least one cell.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Sum of the weights it was made from.
    pub fn total(&self) -> f32 {
        self.total
    }

    /// Samples a position by `u` in `[0,1)`.
    pub fn sample(&self, u: f32) -> Sample1d {
        let (index, within) = invert(&self.cdf, &self.guide, u);
        let n = self.len() as f32;
        Sample1d {
            x: ((index as f32 + within) / n).min(ONE_MINUS_EPSILON),
            pdf: self.probability(index) * n,
            index,
        }
    }

    /// Density at `x` in `[0,1)`.
    pub fn pdf(&self, x: f32) -> f32 {
        self.probability(cell(x, self.len())) * self.len() as f32
    }

    /// Probability of the cell `index`.
    pub fn probability(&self, index: usize) -> f32 {
        self.cdf[index + 1] - self.cdf[index]
    }
}

/// A piecewise-constant distribution over `[0,1)²`: a row by the sum of its weights, then a cell of that row.
#[derive(Clone, Debug)]
pub struct Distribution2d {
    width: usize,
    /// One after another, `width + 1` values a row.
    rows: Vec<f32>,
    /// The guides of the rows, one after another.
    guides: Vec<u32>,
    marginal: Distribution1d,
    total: f32,
}

/// Sample of a [`Distribution2d`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample2d {
    /// Position, in `[0,1)²`.
    pub uv: Vec2,
    /// Density at the position.
    pub pdf: f32,
}

impl Distribution2d {
    /// A distribution in proportion to `weights`, row-major, `height × width`; negative and non-finite ones count as
    /// zero.
    ///
    /// # Panics
    /// When `weights` is empty or not whole rows of `width`.
    pub fn new(weights: &[f32], width: usize) -> Distribution2d {
        assert!(
            width > 0 && !weights.is_empty() && weights.len().is_multiple_of(width),
            "a distribution needs whole rows"
        );
        let mut rows = vec![0.0; weights.len() / width * (width + 1)];
        let sums: Vec<f32> = weights
            .chunks_exact(width)
            .zip(rows.chunks_exact_mut(width + 1))
            .map(|(weights, cdf)| fill_cdf(weights, cdf))
            .collect();
        let marginal = Distribution1d::new(&sums);
        let guides = rows.chunks_exact(width + 1).flat_map(guide).collect();
        Distribution2d { width, rows, guides, total: marginal.total(), marginal }
    }

    /// Sum of the weights it was made from.
    pub fn total(&self) -> f32 {
        self.total
    }

    /// Samples a position by `u` in `[0,1)²`.
    pub fn sample(&self, u: Vec2) -> Sample2d {
        let y = self.marginal.sample(u.y);
        let cdf = self.row(y.index);
        let stride = guide_len(self.width);
        let guide = &self.guides[y.index * stride..(y.index + 1) * stride];
        let (column, within) = invert(cdf, guide, u.x);
        let n = self.width as f32;
        let x = ((column as f32 + within) / n).min(ONE_MINUS_EPSILON);
        Sample2d {
            uv: Vec2::new(x, y.x),
            pdf: (cdf[column + 1] - cdf[column]) * n * y.pdf,
        }
    }

    /// Density at `uv` in `[0,1)²`.
    pub fn pdf(&self, uv: Vec2) -> f32 {
        let row = cell(uv.y, self.marginal.len());
        let column = cell(uv.x, self.width);
        let cdf = self.row(row);
        (cdf[column + 1] - cdf[column])
            * self.width as f32
            * self.marginal.probability(row)
            * self.marginal.len() as f32
    }

    fn row(&self, index: usize) -> &[f32] {
        let stride = self.width + 1;
        &self.rows[index * stride..(index + 1) * stride]
    }
}

/// Writes the running share of `weights` into `cdf`, one longer, and returns their sum.
fn fill_cdf(weights: &[f32], cdf: &mut [f32]) -> f32 {
    let usable = |w: f32| if w.is_finite() { f64::from(w.max(0.0)) } else { 0.0 };
    let total: f64 = weights.iter().map(|&w| usable(w)).sum();
    let mut sum = 0.0;
    for (i, &w) in weights.iter().enumerate() {
        cdf[i] = if total > 0.0 {
            (sum / total) as f32
        } else {
            i as f32 / weights.len() as f32
        };
        sum += usable(w);
    }
    // Cells without weight at the end keep none: every value from the last cell with weight on is one.
    let last = weights.iter().rposition(|&w| usable(w) > 0.0).unwrap_or(weights.len() - 1);
    cdf[last + 1..].fill(1.0);
    total as f32
}

/// Cells of a table for each entry of its guide.
const GUIDED_CELLS: usize = 4;

/// Number of entries of the guide of a table of this number of cells.
fn guide_len(cells: usize) -> usize {
    cells.div_ceil(GUIDED_CELLS) + 1
}

/// For equal steps from 0 to 1, the number of values of `cdf` that are not greater.
fn guide(cdf: &[f32]) -> impl Iterator<Item = u32> + '_ {
    let steps = guide_len(cdf.len() - 1) - 1;
    let mut count = 0;
    (0..=steps).map(move |step| {
        let reached = step as f32 / steps as f32;
        while count < cdf.len() && cdf[count] <= reached {
            count += 1;
        }
        count as u32
    })
}

/// The cell of `cdf` that holds `u`, never one without probability, and the place of `u` within it, in `[0,1)`.
fn invert(cdf: &[f32], guide: &[u32], u: f32) -> (usize, f32) {
    let steps = guide.len() - 1;
    // Rounding may move `u` by one step, so the search includes one more on either side.
    let step = ((u * steps as f32) as usize).min(steps - 1);
    let from = guide[step.saturating_sub(1)] as usize;
    let to = guide[(step + 2).min(steps)] as usize;
    let not_greater = from + cdf[from..to].partition_point(|&c| c <= u);
    let index = not_greater.clamp(1, cdf.len() - 1) - 1;
    let width = cdf[index + 1] - cdf[index];
    let within = if width > 0.0 { (u - cdf[index]) / width } else { 0.0 };
    (index, within.clamp(0.0, ONE_MINUS_EPSILON))
}

/// The cell of `n` that holds `x` in `[0,1)`.
fn cell(x: f32, n: usize) -> usize {
    ((x * n as f32) as usize).min(n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guided_search_finds_what_a_search_of_the_whole_table_finds() {
        let mut state = 1u32;
        let mut random = move || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        for cells in 1..200 {
            // Many cells without weight, and a few that have nearly all of it.
            let weights: Vec<f32> = (0..cells).map(|_| (random() - 0.3).max(0.0).powi(9)).collect();
            let table = Distribution1d::new(&weights);
            let borders = table.cdf.iter().map(|c| c.min(ONE_MINUS_EPSILON));
            for u in borders.chain((0..100).map(|_| random())).chain([ONE_MINUS_EPSILON]) {
                let whole = table.cdf.partition_point(|&c| c <= u).clamp(1, cells) - 1;
                assert_eq!(table.sample(u).index, whole, "u = {u} of {weights:?}");
            }
        }
    }
}
