//! Directional albedo of anisotropic microfacets, tabulated by roughness along both tangents, index of refraction, and
//! direction.
//!
//! - [`FacetAlbedo`] is the albedo of single scattering for totally reflecting facets.
//! - [`TransmissionAlbedo`] is the loss of reflection and the gain of refraction for facets that transmit light by
//!   Fresnel's equations. It is decomposed into hat functions of the cosine at the facet, so that the albedo for
//!   another transmittance, such as that of a thin film, is a weighted sum.
//! - A table is computed on first use of its roughnesses and index, in one to five milliseconds.

use std::sync::OnceLock;

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

use super::fresnel::{self, reflect, refract};
use super::lost_light::{DensitySide, ETAS, alpha_cell, eta_cell, tabulated_alpha, tabulated_eta};
use super::microfacet::{Distribution, Microfacets, SMOOTH_ALPHA};
use super::quadrature::cell;
use renderer_base::color::Rgb;
use renderer_base::math::{safe_sqrt, sqr};

/// Number of cosines of a table, equidistant in the root of the cosine.
const COSINES: usize = 24;

/// Number of azimuths of a table, from the first tangent to the second, equidistant in the root of [`azimuth`].
const AZIMUTHS: usize = 16;

/// Number of roughness values, equidistant in the fourth root of [`bounded_alpha`].
const ALPHAS: usize = 34;

/// Maximum roughness.
const MAX_ALPHA: f32 = 16.0;

/// Number of sampled facets per value.
const FACETS: Lattice = Lattice { count: 144, generator: 89 };

/// Peaks of the hat functions: cosines at the facet, on the side of lower index. They are equidistant; the first
/// function is constant below its peak.
pub(super) const PEAKS: [f32; 4] = [0.1, 0.4, 0.7, 1.0];

/// Entry of a table.
trait Value: Copy + Default {
    /// Adds `other` times `weight`.
    fn add(&mut self, other: Self, weight: f32);
}

impl Value for f32 {
    #[inline(always)]
    fn add(&mut self, other: f32, weight: f32) {
        *self += other * weight;
    }
}

/// Albedos of the light that facets transmit, by hat function.
#[derive(Clone, Copy, Default)]
pub(super) struct Transmitted {
    /// Fraction of light that would leave if facets reflected the transmitted light.
    pub(super) unreflected: Vec4,
    /// Fraction of light that leaves by refraction.
    pub(super) refracted: Vec4,
}

impl Value for Transmitted {
    #[inline(always)]
    fn add(&mut self, other: Transmitted, weight: f32) {
        self.unreflected += other.unreflected * weight;
        self.refracted += other.refracted * weight;
    }
}

/// Values by direction.
struct Table<T> {
    values: [[T; AZIMUTHS]; COSINES],
    /// Mean over diffuse light.
    mean: T,
}

type Cell<T> = OnceLock<Box<T>>;

/// Tables by roughness along the first and the second tangent.
type Grid<T> = [[Cell<T>; ALPHAS]; ALPHAS];

static REFLECTION: [Grid<Table<f32>>; 2] =
    [const { [const { [const { OnceLock::new() }; ALPHAS] }; ALPHAS] }; 2];

/// Tables for both sides, by index of refraction.
static TRANSMISSION: [[Grid<[Table<Transmitted>; 2]>; ETAS]; 2] =
    [const { [const { [const { [const { OnceLock::new() }; ALPHAS] }; ALPHAS] }; ETAS] }; 2];

/// Bilinear position in a table.
#[derive(Clone, Copy)]
pub(super) struct TablePosition {
    row: usize,
    column: usize,
    /// Weights of the four values, columns first.
    shares: [f32; 4],
}

/// Albedo of totally reflecting facets.
#[derive(Clone, Copy)]
pub(super) struct FacetAlbedo {
    tables: [&'static Table<f32>; 4],
    shares: [f32; 4],
    rows: [usize; 2],
    distribution: Distribution,
    /// True if the tangents are exchanged: in the tables the first tangent has the smaller roughness.
    swapped: bool,
}

impl FacetAlbedo {
    /// Finds the tables of facets that are not smooth.
    pub(super) fn new(microfacets: Microfacets) -> FacetAlbedo {
        let [x, y] = microfacets.alphas();
        let swapped = x > y;
        let [(x, fx), (y, fy)] = [x.min(y), x.max(y)]
            .map(|alpha| alpha_cell(bounded_alpha(alpha), bounded_alpha(MAX_ALPHA), ALPHAS));
        let distribution = microfacets.distribution();
        let table = |x: usize, y: usize| -> &'static Table<f32> {
            REFLECTION[distribution as usize][x][y]
                .get_or_init(|| Box::new(reflection_table(facets(distribution, x, y))))
        };
        FacetAlbedo {
            tables: [table(x, y), table(x + 1, y), table(x, y + 1), table(x + 1, y + 1)],
            shares: bilinear(fx, fy),
            rows: [x, y],
            distribution,
            swapped,
        }
    }

    /// Position of a direction in the tables.
    #[inline]
    pub(super) fn position(&self, w: Vec3) -> TablePosition {
        let (x, y) = if self.swapped { (w.y, w.x) } else { (w.x, w.y) };
        let (row, fy) = cell_of(w.z.abs().min(1.0), COSINES);
        let (column, fx) = cell_of(azimuth(x, y), AZIMUTHS);
        TablePosition { row, column, shares: bilinear(fx, fy) }
    }

    /// Albedo for a direction.
    #[inline]
    pub(super) fn at(&self, position: &TablePosition) -> f32 {
        let mut sum = 0.0;
        for (table, share) in self.tables.iter().zip(self.shares) {
            table.add_to(&mut sum, position, share);
        }
        sum
    }

    /// Albedo for diffuse light.
    pub(super) fn mean(&self) -> f32 {
        (0..4).map(|i| self.tables[i].mean * self.shares[i]).sum()
    }
}

/// Albedos of the light that the facets of a dielectric transmit.
#[derive(Clone, Copy)]
pub(super) struct TransmissionAlbedo {
    tables: [&'static [Table<Transmitted>; 2]; 8],
    shares: [f32; 8],
}

impl TransmissionAlbedo {
    /// Finds the tables of a dielectric with these facets, whose sides have the relative index `eta`.
    pub(super) fn new(facet_albedo: &FacetAlbedo, eta: f32) -> TransmissionAlbedo {
        let (index, fraction) = eta_cell(eta);
        let FacetAlbedo { rows: [x, y], distribution, .. } = *facet_albedo;
        let tables = std::array::from_fn(|corner| {
            let (x, y, index) = (x + (corner & 1), y + (corner >> 1 & 1), index + (corner >> 2));
            let cell: &'static Cell<_> = &TRANSMISSION[distribution as usize][index][x][y];
            &**cell.get_or_init(|| Box::new(transmission_tables(facets(distribution, x, y), index)))
        });
        let shares = std::array::from_fn(|corner| {
            let eta = if corner < 4 { 1.0 - fraction } else { fraction };
            facet_albedo.shares[corner & 3] * eta
        });
        TransmissionAlbedo { tables, shares }
    }

    /// Albedos for a direction on `side`.
    #[inline]
    pub(super) fn at(&self, side: DensitySide, position: &TablePosition) -> Transmitted {
        let mut sum = Transmitted::default();
        for (tables, share) in self.tables.iter().zip(self.shares) {
            tables[side as usize].add_to(&mut sum, position, share);
        }
        sum
    }

    /// Albedos for diffuse light on `side`.
    pub(super) fn mean(&self, side: DensitySide) -> Transmitted {
        let mut sum = Transmitted::default();
        for (tables, share) in self.tables.iter().zip(self.shares) {
            sum.add(tables[side as usize].mean, share);
        }
        sum
    }
}

/// Factors of the hat functions by which Fresnel's transmittance is closest to `transmittance`, by channel. The
/// argument of `transmittance` is the cosine at the facet on the side of lower index; `eta` is the relative index of
/// the sides.
// Least squares: the transmittance of a thick film oscillates between the peaks, and only its mean matters.
pub(super) fn transmittance_factors(eta: f32, transmittance: impl Fn(f32) -> Rgb) -> [Vec4; 3] {
    const NODES: usize = 8;
    let dense = eta.max(1.0 / eta);
    let (mut diagonal, mut off_diagonal) = (Vec4::ZERO, Vec4::ZERO);
    let mut right = [Vec3::ZERO; PEAKS.len()];
    for node in 0..NODES {
        let cos = (node as f32 + 0.5) / NODES as f32;
        let hats = hats(cos);
        let bare = 1.0 - fresnel::dielectric(cos, dense);
        diagonal += hats * hats * bare;
        off_diagonal += hats * hats.yzwx() * bare;
        let target = Vec3::from_array(transmittance(cos).to_array());
        right
            .iter_mut()
            .zip(hats.to_array())
            .for_each(|(sum, hat)| *sum += target * hat);
    }
    let factors = solve_tridiagonal(diagonal.to_array(), off_diagonal.to_array(), right);
    std::array::from_fn(|channel| Vec4::from_array(factors.map(|factor| factor[channel])))
}

/// Solves a symmetric tridiagonal system of equations.
// Thomas's algorithm; the matrix is positive definite.
fn solve_tridiagonal(mut diagonal: [f32; 4], off_diagonal: [f32; 4], mut right: [Vec3; 4]) -> [Vec3; 4] {
    for row in 1..4 {
        let factor = off_diagonal[row - 1] / diagonal[row - 1];
        diagonal[row] -= factor * off_diagonal[row - 1];
        right[row] -= right[row - 1] * factor;
    }
    right[3] /= diagonal[3];
    for row in (0..3).rev() {
        right[row] = (right[row] - right[row + 1] * off_diagonal[row]) / diagonal[row];
    }
    right
}

impl<T: Value> Table<T> {
    /// Tabulates a function of the direction.
    fn new(value: impl Fn(Vec3) -> T) -> Table<T> {
        let values = std::array::from_fn(|row| {
            let cos = sqr(row as f32 / (COSINES - 1) as f32).max(1e-4);
            let sin = safe_sqrt(1.0 - sqr(cos));
            std::array::from_fn(|column| {
                let share = sqr(column as f32 / (AZIMUTHS - 1) as f32);
                value((Vec2::new(1.0 - share, share).normalize() * sin).extend(cos))
            })
        });
        let mut mean = T::default();
        for (row, by_row) in row_weights().into_iter().zip(&values) {
            for (column, value) in column_weights().into_iter().zip(by_row) {
                mean.add(*value, row * column);
            }
        }
        Table { values, mean }
    }

    /// Adds the interpolated value times `share`.
    #[inline(always)]
    fn add_to(&self, sum: &mut T, position: &TablePosition, share: f32) {
        let [low, high] = [position.row, position.row + 1].map(|row| &self.values[row]);
        let values = [
            low[position.column],
            low[position.column + 1],
            high[position.column],
            high[position.column + 1],
        ];
        for (value, of_value) in values.into_iter().zip(position.shares) {
            sum.add(value, of_value * share);
        }
    }
}

/// Weights of bilinear interpolation, the first axis first.
fn bilinear(x: f32, y: f32) -> [f32; 4] {
    [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y]
}

/// Cell and fraction of a coordinate in `[0,1]` on an axis of `count` values that are equidistant in its root.
#[inline(always)]
fn cell_of(x: f32, count: usize) -> (usize, f32) {
    cell(x.sqrt(), count)
}

/// Azimuth in the first quadrant, from 0 at the first tangent to 1 at the second: |y|/(|x| + |y|).
#[inline(always)]
fn azimuth(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    if y > 0.0 { y / (x + y) } else { 0.0 }
}

/// α/(1 + α), which is below one.
fn bounded_alpha(alpha: f32) -> f32 {
    alpha / (1.0 + alpha)
}

/// Facets of a table.
fn facets(distribution: Distribution, x: usize, y: usize) -> Microfacets {
    let [x, y] = [x, y].map(|row| {
        let bounded = tabulated_alpha(row, bounded_alpha(MAX_ALPHA), ALPHAS);
        (bounded / (1.0 - bounded)).max(SMOOTH_ALPHA)
    });
    Microfacets::new(x, y).with(distribution)
}

fn reflection_table(microfacets: Microfacets) -> Table<f32> {
    Table::new(|wo| {
        visible_facets(microfacets, wo, FACETS)
            .map(|(h, share)| share * escaping(microfacets, wo, reflect(wo, h)))
            .sum()
    })
}

/// Tables of the index of number `index`, for light on the side of lower index and on the other.
fn transmission_tables(microfacets: Microfacets, index: usize) -> [Table<Transmitted>; 2] {
    let eta = tabulated_eta(index);
    [eta, 1.0 / eta].map(|eta| {
        Table::new(|wo| {
            let mut sum = Transmitted::default();
            for (h, share) in visible_facets(microfacets, wo, FACETS) {
                let cos = wo.dot(h).min(1.0);
                let Some(refracted) = refract(wo, h, eta) else {
                    continue;
                };
                let passed = share * (1.0 - fresnel::dielectric(cos, eta));
                let leaving = Transmitted {
                    unreflected: Vec4::splat(escaping(microfacets, wo, reflect(wo, h))),
                    refracted: Vec4::splat(escaping(microfacets, wo, -refracted)),
                };
                let cos_thin = if eta < 1.0 { -refracted.dot(h) } else { cos };
                let hats = hats(cos_thin);
                sum.unreflected += leaving.unreflected * hats * passed;
                sum.refracted += leaving.refracted * hats * passed;
            }
            sum
        })
    })
}

/// Fraction of light that reaches `w` unshadowed; 0 if `w` is below the horizon, where the light meets another facet.
fn escaping(microfacets: Microfacets, wo: Vec3, w: Vec3) -> f32 {
    if w.z > 0.0 { microfacets.shadowing(wo, w) } else { 0.0 }
}

/// Values of the hat functions.
fn hats(cos: f32) -> Vec4 {
    let scaled = (cos - PEAKS[0]) / (PEAKS[1] - PEAKS[0]);
    Vec4::from_array([0.0, 1.0, 2.0, 3.0].map(|peak| (1.0 - (scaled.max(0.0) - peak).abs()).max(0.0)))
}

/// Rank-1 lattice; both numbers are Fibonacci numbers.
#[derive(Clone, Copy)]
pub(super) struct Lattice {
    pub(super) count: usize,
    pub(super) generator: usize,
}

/// Normals visible from `wo`, with their weights.
// The substitution u = t²·(3 − 2t) makes the integrand periodic.
pub(super) fn visible_facets(
    microfacets: Microfacets,
    wo: Vec3,
    Lattice { count, generator }: Lattice,
) -> impl Iterator<Item = (Vec3, f32)> {
    (0..count).map(move |k| {
        let turn = (k * generator % count) as f32 / count as f32;
        let t = (k as f32 + 0.5) / count as f32;
        let h = microfacets.sample_visible(wo, Vec2::new(turn, t * t * (3.0 - 2.0 * t)));
        // The mean of 6 t (1 - t) over the midpoints is 1 + 1/(2 n²).
        (h, 6.0 * t * (1.0 - t) / (count as f32 + 0.5 / count as f32))
    })
}

/// Weights of the rows in the mean over diffuse light.
// The integral of 2·cos with t = √cos: 4 t³ times the linear interpolation, which is found by its mean of t in a cell.
fn row_weights() -> [f32; COSINES] {
    let mut weights = [0.0; COSINES];
    for row in 1..COSINES {
        let [low, high] = [row - 1, row].map(|row| row as f32 / (COSINES - 1) as f32);
        let weight = sqr(sqr(high)) - sqr(sqr(low));
        let center = 0.8 * (sqr(sqr(high)) * high - sqr(sqr(low)) * low) / weight;
        let fraction = (center - low) / (high - low);
        weights[row - 1] += weight * (1.0 - fraction);
        weights[row] += weight * fraction;
    }
    weights
}

/// Weights of the columns in the mean over the azimuth.
// Midpoints of the coordinate; the angle grows with [`azimuth`] a as da/(a² + (1 − a)²).
fn column_weights() -> [f32; AZIMUTHS] {
    const STEPS: usize = 16;
    let mut weights = [0.0; AZIMUTHS];
    let mut total = 0.0;
    for step in 0..STEPS * (AZIMUTHS - 1) {
        let scaled = (step as f32 + 0.5) / STEPS as f32;
        let root = scaled / (AZIMUTHS - 1) as f32;
        let weight = root / (sqr(sqr(root)) + sqr(1.0 - sqr(root)));
        let (column, fraction) = (step / STEPS, scaled - (step / STEPS) as f32);
        weights[column] += weight * (1.0 - fraction);
        weights[column + 1] += weight * fraction;
        total += weight;
    }
    weights.map(|weight| weight / total)
}
