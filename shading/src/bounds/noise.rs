//! Rules of lattice noise: cell, hash, gradient and simplex noise.
//!
//! In a small box, gradient noise is bounded cell by cell: blends of the intervals of the corners, and the mean value theorem
//! with bounds of the derivatives, whichever is tighter. Large boxes have the range of the noise.

use shading_compiler::eval::dual::Dual;
use shading_compiler::eval::noise::{GaborOptions, NoiseKind, NoisePoint};

use super::range::{self, Range};

/// Maximum number of lattice cells that are bounded one by one.
const MAX_CELLS: usize = 4;

/// Largest coordinate of cells that are bounded one by one: floats are more exact than cells up to here.
const MAX_COORDINATE: f32 = 1e6;

/// Largest gradient noise in 1 to 4 dimensions: the maximum of the blend of the best gradients at each point, with a margin.
const LARGEST: [f32; 4] = [1.01, 1.01, 1.03, 1.31];

/// Largest simplex noise: five corners, each with its maximum.
const LARGEST_SIMPLEX: f32 = 5.0;

/// Error of the computed noise.
const ERROR: f64 = 1e-5;

/// An interval of real numbers.
type Interval = [f64; 2];

/// Coordinates of a noise evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoiseBox<'a> {
    /// One to four coordinates.
    pub(super) at: &'a [Range],
    /// One period per coordinate, for periodic noise.
    pub(super) period: Option<&'a [f32]>,
}

impl NoiseBox<'_> {
    /// Bounds of a noise of one value (`lanes` 1) or three values.
    pub(super) fn bounds(&self, kind: NoiseKind, lanes: usize) -> [Range; 3] {
        let may_be_nan = self.at.iter().any(|x| !x.is_finite());
        let all = |range: Range| [range.or_nan(may_be_nan); 3];
        let unsigned = |range: Range| {
            let sum = range::add(range, Range::point(1.0));
            range::mul(sum, Range::point(0.5))
        };
        match kind {
            NoiseKind::Perlin => self.gradient(lanes).map(|range| range.or_nan(may_be_nan)),
            NoiseKind::UPerlin => self.gradient(lanes).map(|range| unsigned(range).or_nan(may_be_nan)),
            NoiseKind::Simplex => all(Range::new(-LARGEST_SIMPLEX, LARGEST_SIMPLEX)),
            NoiseKind::USimplex => all(unsigned(Range::new(-LARGEST_SIMPLEX, LARGEST_SIMPLEX))),
            NoiseKind::Cell => self.cells(lanes).map(|range| range.or_nan(may_be_nan)),
            NoiseKind::Hash => all(Range::new(0.0, 1.0)),
            NoiseKind::Gabor => [Range::UNKNOWN; 3],
            NoiseKind::Null => all(Range::new(0.0, 0.0)),
            NoiseKind::UNull => all(Range::point(0.5)),
        }
    }

    fn largest(&self) -> f32 {
        LARGEST[self.at.len().clamp(1, 4) - 1]
    }

    /// First lattice cell along each axis and the number of cells; `None` if there are too many.
    fn lattice(&self) -> Option<Vec<(f32, usize)>> {
        let mut total = 1;
        let axes = self.at.iter().map(|x| {
            if !x.is_finite() || x.magnitude() > MAX_COORDINATE {
                return None;
            }
            let first = x.min.floor();
            let count = (x.max.floor() - first) as usize + 1;
            total *= count.min(MAX_CELLS + 1);
            (total <= MAX_CELLS).then_some((first, count))
        });
        axes.collect()
    }

    /// Evaluates the noise at a point, with derivatives along up to two axes.
    fn evaluate(&self, kind: NoiseKind, lanes: usize, at: &[Dual]) -> [Dual; 3] {
        let point = NoisePoint {
            at,
            period: self.period,
            options: GaborOptions::default(),
            footprint: [[0.0; 3]; 2],
        };
        if lanes == 3 { point.three(kind) } else { [point.one(kind); 3] }
    }

    fn cells(&self, lanes: usize) -> [Range; 3] {
        // Wrapping at a period may round a coordinate into the next cell.
        let Some(lattice) = self.lattice().filter(|_| self.period.is_none()) else {
            return [Range::new(0.0, 1.0); 3];
        };
        let mut found = [Range::EMPTY; 3];
        for_each(&lattice, |cell| {
            let at: Vec<Dual> = cell.iter().copied().map(Dual::from).collect();
            let values = self.evaluate(NoiseKind::Cell, lanes, &at);
            for (range, value) in found.iter_mut().zip(values) {
                *range = range.join(Range::point(value.value));
            }
        });
        found
    }

    fn gradient(&self, lanes: usize) -> [Range; 3] {
        let all = Range::new(-self.largest(), self.largest());
        match (self.lattice(), self.at.len()) {
            (Some(lattice), 1) => self.lattice_bounds::<1>(&lattice, lanes),
            (Some(lattice), 2) => self.lattice_bounds::<2>(&lattice, lanes),
            (Some(lattice), 3) => self.lattice_bounds::<3>(&lattice, lanes),
            (Some(lattice), 4) => self.lattice_bounds::<4>(&lattice, lanes),
            _ => [all; 3],
        }
        .map(|range| range.meet(all))
    }

    /// Bounds of gradient noise as the hull over the cells of a lattice.
    fn lattice_bounds<const D: usize>(&self, lattice: &[(f32, usize)], lanes: usize) -> [Range; 3] {
        let nodes: Vec<(f32, usize)> = lattice.iter().map(|&(first, count)| (first, count + 1)).collect();
        let mut gradients: Vec<[[f64; D]; 3]> = vec![];
        for_each(&nodes, |node| gradients.push(self.node_gradients(node, lanes)));
        let mut found = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for_each(lattice, |cell| {
            let offsets: [Interval; D] = std::array::from_fn(|axis| {
                let local = |x: f32| (f64::from(x) - f64::from(cell[axis])).clamp(0.0, 1.0);
                [local(self.at[axis].min), local(self.at[axis].max)]
            });
            for (lane, hull) in found.iter_mut().enumerate().take(lanes) {
                let corner = |corner: usize| {
                    let mut index = 0;
                    for axis in (0..D).rev() {
                        let at = (cell[axis] - lattice[axis].0) as usize + (corner >> axis & 1);
                        index = index * nodes[axis].1 + at;
                    }
                    gradients[index][lane]
                };
                let [low, high] = LatticeCell { offsets, corner }.bounds();
                *hull = [hull[0].min(low), hull[1].max(high)];
            }
        });
        let range = |[low, high]: Interval| Range::new((low - ERROR) as f32, (high + ERROR) as f32);
        std::array::from_fn(|lane| range(found[if lane < lanes { lane } else { 0 }]))
    }

    /// Gradients of a lattice node, which are the derivatives of the noise there.
    fn node_gradients<const D: usize>(&self, node: &[f32], lanes: usize) -> [[f64; D]; 3] {
        let mut gradients = [[0.0; D]; 3];
        for axis in (0..D).step_by(2) {
            let mut at = [Dual::default(); 4];
            for (i, (dual, x)) in at.iter_mut().zip(node).enumerate() {
                let along = |j: usize| if i == j { 1.0 } else { 0.0 };
                *dual = Dual::new(*x, along(axis), along(axis + 1));
            }
            let found = self.evaluate(NoiseKind::Perlin, lanes, &at[..D]);
            for (gradient, value) in gradients.iter_mut().zip(found) {
                gradient[axis] = value.dx.into();
                if let Some(next) = gradient.get_mut(axis + 1) {
                    *next = value.dy.into();
                }
            }
        }
        gradients
    }
}

/// Calls `f` with each cell of a lattice, x fastest.
fn for_each(lattice: &[(f32, usize)], mut f: impl FnMut(&[f32])) {
    let mut at = [0; 4];
    let total: usize = lattice.iter().map(|(_, count)| count).product();
    for _ in 0..total {
        let mut cell = [0.0; 4];
        for (x, (&(first, _), &index)) in cell.iter_mut().zip(lattice.iter().zip(&at)) {
            *x = first + index as f32;
        }
        f(&cell[..lattice.len()]);
        for (index, (_, count)) in at.iter_mut().zip(lattice) {
            *index += 1;
            if *index < *count {
                break;
            }
            *index = 0;
        }
    }
}

/// A box in a lattice cell; `corner` returns the gradient of a corner, whose bits are its offsets.
struct LatticeCell<F, const D: usize> {
    offsets: [Interval; D],
    corner: F,
}

impl<F: Fn(usize) -> [f64; D], const D: usize> LatticeCell<F, D> {
    /// Number of corners.
    const CORNERS: usize = 1 << D;

    fn bounds(&self) -> Interval {
        let gradients: [[f64; D]; 16] =
            std::array::from_fn(|i| if i < Self::CORNERS { (self.corner)(i) } else { [0.0; D] });
        let fades = self.offsets.map(|offset| offset.map(fade));
        let values: [Interval; 16] = std::array::from_fn(|i| linear(&gradients[i], i, &self.offsets));
        let [mut low, mut high] = blend(values, &fades, None);
        let middle = self.offsets.map(|[a, b]| 0.5 * (a + b));
        // Along an axis with a derivative of known sign, the extremes are at the ends.
        let (mut least, mut most) = (middle, middle);
        let mut spread = 0.0;
        for axis in 0..D {
            let [a, b] = self.slope(&gradients, &fades, axis);
            let [from, to] = self.offsets[axis];
            if a >= 0.0 {
                (least[axis], most[axis]) = (from, to);
            } else if b <= 0.0 {
                (least[axis], most[axis]) = (to, from);
            } else {
                spread += 0.5 * (to - from) * b.max(-a);
            }
        }
        low = low.max(value(&gradients, &least) - spread);
        high = high.min(value(&gradients, &most) + spread);
        [low, high]
    }

    /// Bounds of the derivative along an axis.
    fn slope(&self, gradients: &[[f64; D]; 16], fades: &[Interval; D], axis: usize) -> Interval {
        let own: [Interval; 16] = std::array::from_fn(|i| [gradients[i][axis]; 2]);
        let [low, high] = blend(own, fades, None);
        let bit = 1 << axis;
        let differences: [Interval; 16] = std::array::from_fn(|i| {
            if i & bit != 0 || i >= Self::CORNERS {
                return [0.0; 2];
            }
            let (near, far) = (&gradients[i], &gradients[i | bit]);
            let gradient = std::array::from_fn(|k| far[k] - near[k]);
            let [a, b] = linear(&gradient, i, &self.offsets);
            // The far corner is one unit further along the axis.
            [a - far[axis], b - far[axis]]
        });
        let [a, b] = blend(differences, fades, Some(axis));
        let [from, to] = self.offsets[axis];
        let ends = [fade_slope(from), fade_slope(to)];
        let largest = if from <= 0.5 && to >= 0.5 { 1.875 } else { ends[0].max(ends[1]) };
        let least = ends[0].min(ends[1]);
        let products = [a * least, a * largest, b * least, b * largest];
        let extra = products
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(*x), h.max(*x)]);
        [low + extra[0], high + extra[1]]
    }
}

/// Perlin's fade curve.
fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn fade_slope(t: f64) -> f64 {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}

/// Bounds of a gradient times the vector from a corner.
fn linear<const D: usize>(gradient: &[f64; D], corner: usize, offsets: &[Interval; D]) -> Interval {
    let mut sum = [0.0; 2];
    for (axis, [from, to]) in offsets.iter().enumerate() {
        let start = (corner >> axis & 1) as f64;
        let (a, b) = (gradient[axis] * (from - start), gradient[axis] * (to - start));
        sum = [sum[0] + a.min(b), sum[1] + a.max(b)];
    }
    sum
}

/// Bounds of the interpolation of the corners, except along the axis `without`, where the near corners count.
fn blend<const D: usize>(
    mut list: [Interval; 16],
    fades: &[Interval; D],
    without: Option<usize>,
) -> Interval {
    let mut count = 1 << D;
    for axis in (0..D).rev() {
        count /= 2;
        if without == Some(axis) {
            continue;
        }
        let [from, to] = fades[axis];
        for i in 0..count {
            let (a, b) = (list[i], list[i + count]);
            let mix = |side: usize, t: f64| a[side] + (b[side] - a[side]) * t;
            list[i] = [mix(0, from).min(mix(0, to)), mix(1, from).max(mix(1, to))];
        }
    }
    list[0]
}

/// Gradient noise at a point of a cell.
fn value<const D: usize>(gradients: &[[f64; D]; 16], at: &[f64; D]) -> f64 {
    let offsets = at.map(|x| [x; 2]);
    let values = std::array::from_fn(|i| linear(&gradients[i], i, &offsets));
    blend(values, &at.map(|x| [fade(x); 2]), None)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratio of the widths of the bounds and of the values at sampled points, for boxes of the given size.
    fn check(kind: NoiseKind, dimensions: usize, size: f32, period: Option<f32>) -> f32 {
        let mut bits = 7u64;
        let mut unit = || {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (bits >> 40) as f32 / (1 << 24) as f32
        };
        let periods = [period.unwrap_or_default(); 4];
        let mut ratios = vec![];
        for _ in 0..200 {
            let from: Vec<f32> = (0..dimensions).map(|_| unit() * 20.0 - 10.0).collect();
            let at: Vec<Range> = from.iter().map(|&x| Range::new(x, x + size)).collect();
            let noise = NoiseBox { at: &at, period: period.map(|_| &periods[..dimensions]) };
            let bounds = noise.bounds(kind, 3);
            let mut found = [Range::EMPTY; 3];
            for _ in 0..300 {
                let at: Vec<Dual> = at
                    .iter()
                    .map(|x| Dual::from((x.min + unit() * size).clamp(x.min, x.max)))
                    .collect();
                let values = noise.evaluate(kind, 3, &at);
                for (lane, value) in values.iter().enumerate() {
                    assert!(
                        bounds[lane].contains(value.value),
                        "{kind:?} {dimensions} {at:?} {value:?} {bounds:?}"
                    );
                    found[lane] = found[lane].join(Range::point(value.value));
                }
            }
            ratios.push(bounds[0].width() / found[0].width().max(1e-4));
        }
        ratios.sort_by(f32::total_cmp);
        ratios[ratios.len() / 2]
    }

    #[test]
    fn noise_is_within_tight_bounds() {
        for dimensions in 1..=4 {
            for (size, max_ratio) in [(0.01, 1.6), (0.1, 2.5), (0.5, 4.5), (3.0, f32::INFINITY)] {
                let ratio = check(NoiseKind::Perlin, dimensions, size, None);
                assert!(ratio < max_ratio, "{dimensions} dimensions, size {size}: {ratio}");
                check(NoiseKind::UPerlin, dimensions, size, Some(4.0));
            }
            for kind in [NoiseKind::Cell, NoiseKind::Hash, NoiseKind::Simplex, NoiseKind::USimplex] {
                check(kind, dimensions, 0.7, None);
            }
            check(NoiseKind::Cell, dimensions, 0.3, Some(3.0));
            check(NoiseKind::Cell, dimensions, 0.3, Some(2.5));
        }
    }
}
