//! Light lost by single scattering at isotropic rough interfaces, tabulated by cosine, roughness, side and index of
//! refraction, for [`compensation`](super::compensation).
//!
//! A table is computed on first use of its roughness and index, in less than a millisecond.

use std::sync::OnceLock;

use glam::{Vec3, Vec4};

use super::fresnel::{self, reflect, refract};
use super::microfacet::{Distribution, Microfacets, SMOOTH_ALPHA};
use super::quadrature::{cell, lattice_point};
use renderer_base::math::{safe_sqrt, sqr};

/// Number of cosines of a table; denser towards zero, where the albedo changes fast.
const COSINES: usize = 32;

/// Number of roughness values, equidistant in the fourth root, since small differences matter at grazing angles.
const ALPHAS: usize = 32;

/// Number of indices of refraction, equidistant in √((η − 1)/(η + 1)) from 0, since the critical angle changes fast
/// near an index of one.
pub(super) const ETAS: usize = 36;

/// Maximum index of refraction of the denser side relative to the other.
const MAX_ETA: f32 = 3.4;

/// Number of sampled facets per value.
const FACETS: usize = 256;

/// Values by cosine, on the side of lower index and on the other.
type Sides<T> = [[T; COSINES]; 2];

/// Albedo of single scattering at an interface without absorption; equal on both sides of a metal.
struct Table {
    /// Lost fraction of light.
    lost: Sides<f32>,
    /// Reflected fraction of light.
    reflected: Sides<f32>,
    /// Reflected fraction of the scattered light, for diffuse light.
    reflected_share: [f32; 2],
}

/// Values of four tables, stored together so that a lookup reads one place in memory: x and y for the lower roughness,
/// x and z for the lower index.
#[derive(Debug)]
struct Corners {
    lost: Sides<Vec4>,
    reflected: Sides<Vec4>,
    /// Means over diffuse light.
    mean_lost: [Vec4; 2],
    mean_reflected: [Vec4; 2],
    reflected_share: [Vec4; 2],
}

/// Tables or corners of a distribution, by roughness and index, dielectrics before metals.
type Grid<T> = [[OnceLock<Box<T>>; ETAS + 1]; ALPHAS];

/// Column of a [`Grid`] for metals.
const METAL: usize = ETAS;

static TABLES: [Grid<Table>; 2] = [const { [const { [const { OnceLock::new() }; ETAS + 1] }; ALPHAS] }; 2];
static CORNERS: [Grid<Corners>; 2] = [const { [const { [const { OnceLock::new() }; ETAS + 1] }; ALPHAS] }; 2];

/// Position in the tables: one interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostLight {
    corners: &'static Corners,
    /// Position in the cell between the lower roughness and the higher, in `[0,1]`.
    alpha: f32,
    /// Position in the cell between the lower index and the higher, in `[0,1]`.
    eta: f32,
}

impl PartialEq for LostLight {
    fn eq(&self, other: &LostLight) -> bool {
        std::ptr::eq(self.corners, other.corners) && (self.alpha, self.eta) == (other.alpha, other.eta)
    }
}

impl LostLight {
    /// Light lost by an interface that reflects only; `None` without compensation, or if the tables lack the facets.
    #[inline(always)]
    pub(super) fn of_metal(microfacets: Microfacets) -> Option<LostLight> {
        LostLight::has(microfacets).then(|| LostLight::new(microfacets, METAL, 0.0))
    }

    /// Light lost by a dielectric, whose sides have the relative index `eta`; `None` as for metals.
    #[inline(always)]
    pub(super) fn of_dielectric(microfacets: Microfacets, eta: f32) -> Option<LostLight> {
        LostLight::has(microfacets).then(|| {
            let (cell, fraction) = eta_cell(eta);
            LostLight::new(microfacets, cell, fraction)
        })
    }

    /// Returns whether the facets are compensated and in the range of the tables.
    #[inline(always)]
    fn has(microfacets: Microfacets) -> bool {
        let [x, y] = microfacets.alphas();
        microfacets.is_compensated() && x == y && x <= 1.0
    }

    fn new(microfacets: Microfacets, column: usize, eta: f32) -> LostLight {
        let (row, alpha) = alpha_cell(microfacets.alphas()[0], 1.0, ALPHAS);
        LostLight {
            corners: corners(microfacets.distribution(), row, column),
            alpha,
            eta,
        }
    }

    /// Lost fraction of the light from a direction with this cosine.
    #[inline]
    pub(super) fn at(&self, side: DensitySide, cos: f32) -> f32 {
        self.along(&self.corners.lost[side as usize], cos).clamp(0.0, 1.0)
    }

    /// Lost fraction of diffuse light.
    #[inline]
    pub(super) fn mean(&self, side: DensitySide) -> f32 {
        self.within(self.corners.mean_lost[side as usize]).clamp(1e-6, 1.0)
    }

    /// Refracted fraction of the light that is lost on `side`, for the relative index `eta` of the other side.
    // Exchanged light per étendue is equal in both directions; étendue is eta² times as large on the other side. One
    // side divides lost light as its single scattering does; the other side refracts less.
    #[inline]
    pub(super) fn refracted_share(&self, side: DensitySide, eta: f32) -> f32 {
        let exchanged = |side: DensitySide| {
            self.mean(side) * (1.0 - self.within(self.corners.reflected_share[side as usize]))
        };
        let (near, far) = (exchanged(side), exchanged(side.other()) * sqr(eta));
        (near.min(far) / self.mean(side)).clamp(0.0, 1.0)
    }

    /// Fraction of the light from a direction that a dielectric reflects with compensation; `eta` is the relative index
    /// of the other side.
    pub(super) fn reflected(&self, eta: f32, cos: f32) -> f32 {
        let side = DensitySide::with_eta(eta);
        let single = self.along(&self.corners.reflected[side as usize], cos);
        single + (1.0 - self.refracted_share(side, eta)) * self.at(side, cos)
    }

    /// [`LostLight::reflected`] for diffuse light.
    pub(super) fn mean_reflected(&self, eta: f32) -> f32 {
        let side = DensitySide::with_eta(eta);
        let single = self.within(self.corners.mean_reflected[side as usize]);
        single + (1.0 - self.refracted_share(side, eta)) * self.mean(side)
    }

    #[inline]
    fn along(&self, values: &[Vec4; COSINES], cos: f32) -> f32 {
        let (cell, fraction) = cell(cos.clamp(0.0, 1.0).sqrt(), COSINES);
        let (a, b) = (values[cell], values[cell + 1]);
        self.within(a + (b - a) * fraction)
    }

    #[inline]
    fn within(&self, corners: Vec4) -> f32 {
        let low = corners.x + (corners.y - corners.x) * self.eta;
        let high = corners.z + (corners.w - corners.z) * self.eta;
        low + (high - low) * self.alpha
    }
}

/// Side of an interface: the index of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DensitySide {
    /// The side of lower index, or any of a metal.
    Thin,
    /// The side of higher index.
    Dense,
}

impl DensitySide {
    /// Side from which the other has the relative index of refraction `eta`.
    #[inline(always)]
    pub(super) fn with_eta(eta: f32) -> DensitySide {
        if eta < 1.0 { DensitySide::Dense } else { DensitySide::Thin }
    }

    #[inline(always)]
    pub(super) fn other(self) -> DensitySide {
        match self {
            DensitySide::Thin => DensitySide::Dense,
            DensitySide::Dense => DensitySide::Thin,
        }
    }
}

/// Cosine of a row of a table.
fn cosine(row: usize) -> f32 {
    sqr(row as f32 / (COSINES - 1) as f32).max(1e-4)
}

/// Cell of a roughness among `count` values up to `max`, equidistant in the fourth root, and the fraction within it.
#[inline]
pub(super) fn alpha_cell(alpha: f32, max: f32, count: usize) -> (usize, f32) {
    let [min, root, max] = [SMOOTH_ALPHA, alpha, max].map(|alpha| alpha.sqrt().sqrt());
    cell(((root - min) / (max - min)).clamp(0.0, 1.0), count)
}

/// Roughness of index `row` in the tables of [`alpha_cell`].
pub(super) fn tabulated_alpha(row: usize, max: f32, count: usize) -> f32 {
    let [min, max] = [SMOOTH_ALPHA, max].map(|alpha| alpha.sqrt().sqrt());
    let root = min + (max - min) * row as f32 / (count - 1) as f32;
    sqr(sqr(root))
}

/// Square root of the reflectance at normal incidence.
fn root_f0(eta: f32) -> f32 {
    (eta - 1.0) / (eta + 1.0)
}

/// Cell of the relative index of two sides, and the fraction within it.
pub(super) fn eta_cell(eta: f32) -> (usize, f32) {
    cell((root_f0(eta).abs() / root_f0(MAX_ETA)).min(1.0).sqrt(), ETAS)
}

/// Index of refraction of index `index` in the tables.
pub(super) fn tabulated_eta(index: usize) -> f32 {
    let root = root_f0(MAX_ETA) * sqr(index as f32 / (ETAS - 1) as f32);
    (1.0 + root) / (1.0 - root)
}

fn corners(distribution: Distribution, row: usize, column: usize) -> &'static Corners {
    CORNERS[distribution as usize][row][column].get_or_init(|| {
        let next = if column == METAL { METAL } else { column + 1 };
        let corner = |row: usize, column: usize| table(distribution, row, column);
        let tables = [corner(row, column), corner(row, next), corner(row + 1, column), corner(row + 1, next)];
        let at_corners = |value: &dyn Fn(&Table) -> f32| Vec4::from_array(tables.map(value));
        let rows = |rows: fn(&Table) -> &Sides<f32>| {
            [0, 1].map(|side| std::array::from_fn(|cosine| at_corners(&|table| rows(table)[side][cosine])))
        };
        let (lost, reflected) = (rows(|table| &table.lost), rows(|table| &table.reflected));
        Box::new(Corners {
            mean_lost: [0, 1].map(|side| mean(&lost[side])),
            mean_reflected: [0, 1].map(|side| mean(&reflected[side])),
            reflected_share: [0, 1].map(|side| at_corners(&|table| table.reflected_share[side])),
            lost,
            reflected,
        })
    })
}

fn table(distribution: Distribution, row: usize, column: usize) -> &'static Table {
    TABLES[distribution as usize][row][column].get_or_init(|| {
        let alpha = tabulated_alpha(row, 1.0, ALPHAS);
        let microfacets = Microfacets::isotropic(alpha).with(distribution);
        if column == METAL {
            return Box::new(Table::new([single_scattering(microfacets, None); 2]));
        }
        let eta = tabulated_eta(column);
        Box::new(Table::new(
            [eta, 1.0 / eta].map(|eta| single_scattering(microfacets, Some(eta))),
        ))
    })
}

impl Table {
    /// Table for reflected and refracted fractions of light by cosine, on both sides.
    fn new(sides: [[[f32; 2]; COSINES]; 2]) -> Table {
        let reflected = sides.map(|rows| rows.map(|[reflected, _]| reflected));
        let scattered = sides.map(|rows| rows.map(|[reflected, refracted]| reflected + refracted));
        let mean_of = |values: &[f32; COSINES]| mean(&values.map(Vec4::splat)).x;
        Table {
            lost: scattered.map(|values| values.map(|scattered| 1.0 - scattered)),
            reflected_share: [0, 1].map(|side| mean_of(&reflected[side]) / mean_of(&scattered[side])),
            reflected,
        }
    }
}

/// Reflected and refracted fractions of light by cosine. `eta` is the relative index of the other side; `None` for a
/// metal.
fn single_scattering(microfacets: Microfacets, eta: Option<f32>) -> [[f32; 2]; COSINES] {
    std::array::from_fn(|row| {
        let cos = cosine(row);
        let wo = Vec3::new(safe_sqrt(1.0 - sqr(cos)), 0.0, cos);
        let mut shares = [0.0; 2];
        for k in 0..FACETS {
            let h = microfacets.sample_visible(wo, lattice_point(k, FACETS));
            let f = eta.map_or(1.0, |eta| fresnel::dielectric(wo.dot(h).min(1.0), eta));
            let mirrored = reflect(wo, h);
            if mirrored.z > 0.0 {
                shares[0] += f * microfacets.g1(mirrored);
            }
            let through = eta.and_then(|eta| refract(wo, h, eta));
            if let Some(wi) = through.filter(|wi| wi.z < 0.0) {
                shares[1] += (1.0 - f) * microfacets.g1(wi);
            }
        }
        shares.map(|share| share / FACETS as f32)
    })
}

/// Mean over diffuse light of values by cosine, which are linear in the root of the cosine between rows.
// The integral of 2·cos over a row's share of the interpolation, with t = √cos: 4 t³ times a linear function.
fn mean(values: &[Vec4; COSINES]) -> Vec4 {
    let mut sum = Vec4::ZERO;
    for row in 1..COSINES {
        let [low, high] = [row - 1, row].map(|row| row as f32 / (COSINES - 1) as f32);
        let weight = sqr(sqr(high)) - sqr(sqr(low));
        // Mean of t with the weight 4 t³ on the cell.
        let center = 0.8 * (sqr(sqr(high)) * high - sqr(sqr(low)) * low) / weight;
        let fraction = (center - low) / (high - low);
        sum += weight * (values[row - 1] + (values[row] - values[row - 1]) * fraction);
    }
    sum
}
