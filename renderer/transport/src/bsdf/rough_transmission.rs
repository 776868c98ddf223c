//! Transmittance and internal diffuse reflectance of rough dielectric interfaces, tabulated by roughness, index and
//! angle.
//!
//! - A table holds 64 equidistant cosines with linear interpolation, and the internal reflectance is a mean over the
//!   same: as in Mitsuba's `roughplastic`, whose values near the horizon depend on it.
//! - The table of one distribution, roughness and index is computed on first use by a lobe: a few milliseconds.
//! - Relative indices of refraction are clamped to 1/[`MAX_ETA`] to [`MAX_ETA`]. Those below 1 have separate rows.

use std::sync::OnceLock;

use glam::{Vec2, Vec3, Vec4};

use super::fresnel::{dielectric, reflect, refract};
use super::microfacet::{Distribution, Microfacets, SMOOTH_ALPHA};
use super::quadrature::cell;
use renderer_base::math::{safe_sqrt, sqr};

/// Maximum index of refraction of the denser side over the other.
const MAX_ETA: f32 = 3.0;

/// Number of cosines of a table.
const COSINES: usize = 64;

/// Number of roughness values, finer towards zero.
const ALPHAS: usize = 64;

/// Number of indices of refraction, equidistant in (η − 1)/(η + 1) from 0.
const ETAS: usize = 48;

/// Number of sampled facets along each axis.
const FACETS: usize = 24;

/// Table for one distribution, roughness and index, with the denser side inside or outside.
struct Table {
    transmission: [f32; COSINES],
    /// Mean transmittance of diffuse light from outside.
    mean: f32,
    /// Reflectance of diffuse light from inside.
    internal: f32,
}

/// Tables of a distribution, by [`DenseSide`], roughness and index.
type Tables = [[[OnceLock<Box<Table>>; ETAS]; ALPHAS]; 2];

static GGX: Tables = [const { [const { [const { OnceLock::new() }; ETAS] }; ALPHAS] }; 2];
static BECKMANN: Tables = [const { [const { [const { OnceLock::new() }; ETAS] }; ALPHAS] }; 2];

/// Values of the tables at the corners of a cell of roughness and index, stored together so that a lookup reads one
/// place in memory: x and y for the lower roughness, x and z for the lower index.
#[derive(Debug)]
struct Corners {
    transmission: [Vec4; COSINES],
    mean: Vec4,
    internal: Vec4,
}

/// Corners of a distribution, by [`DenseSide`] and by the lower roughness and index.
type Cells = [[[OnceLock<Box<Corners>>; ETAS - 1]; ALPHAS - 1]; 2];

static GGX_CELLS: Cells = [const { [const { [const { OnceLock::new() }; ETAS - 1] }; ALPHAS - 1] }; 2];
static BECKMANN_CELLS: Cells = [const { [const { [const { OnceLock::new() }; ETAS - 1] }; ALPHAS - 1] }; 2];

/// Side of the interface with the higher index of refraction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DenseSide {
    Inside,
    Outside,
}

/// Interpolated position in the tables: one interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoughTransmission {
    corners: &'static Corners,
    /// Position in the cell from the lower to the higher roughness, in `[0,1]`.
    alpha: f32,
    /// Position in the cell from the lower to the higher index, in `[0,1]`.
    eta: f32,
}

impl PartialEq for RoughTransmission {
    fn eq(&self, other: &RoughTransmission) -> bool {
        std::ptr::eq(self.corners, other.corners) && (self.alpha, self.eta) == (other.alpha, other.eta)
    }
}

impl RoughTransmission {
    /// Interface with the roughness `microfacets`, taken as isotropic, and the relative index `eta`, inside over
    /// outside.
    pub(super) fn new(microfacets: Microfacets, eta: f32) -> RoughTransmission {
        let dense_side = if eta < 1.0 { DenseSide::Outside } else { DenseSide::Inside };
        let (row, alpha) = cell(microfacets.mean_alpha().sqrt().clamp(0.0, 1.0), ALPHAS);
        let (column, eta) = cell((root_f0(eta).abs() / root_f0(MAX_ETA)).clamp(0.0, 1.0), ETAS);
        RoughTransmission {
            corners: corners(microfacets.distribution(), dense_side, row, column),
            alpha,
            eta,
        }
    }

    /// Transmittance of light from outside at an angle with this cosine.
    #[inline]
    pub(super) fn at(&self, cos: f32) -> f32 {
        let (cell, fraction) = cell(cos.clamp(0.0, 1.0), COSINES);
        let values = &self.corners.transmission;
        let (a, b) = (values[cell], values[cell + 1]);
        self.interpolate(a + (b - a) * fraction)
    }

    /// Transmittance of diffuse light from outside.
    pub(super) fn mean(&self) -> f32 {
        self.interpolate(self.corners.mean)
    }

    /// Reflectance of diffuse light from inside.
    pub(super) fn internal_reflectance(&self) -> f32 {
        self.interpolate(self.corners.internal)
    }

    #[inline]
    fn interpolate(&self, corners: Vec4) -> f32 {
        let low = corners.x + (corners.y - corners.x) * self.eta;
        let high = corners.z + (corners.w - corners.z) * self.eta;
        low + (high - low) * self.alpha
    }
}

/// Square root of the reflectance at normal incidence.
fn root_f0(eta: f32) -> f32 {
    (eta - 1.0) / (eta + 1.0)
}

fn corners(distribution: Distribution, dense_side: DenseSide, alpha: usize, eta: usize) -> &'static Corners {
    let cells = match distribution {
        Distribution::Ggx => &GGX_CELLS,
        Distribution::Beckmann => &BECKMANN_CELLS,
    };
    cells[dense_side as usize][alpha][eta].get_or_init(|| {
        let corner = |a: usize, e: usize| table(distribution, dense_side, alpha + a, eta + e);
        let tables = [corner(0, 0), corner(0, 1), corner(1, 0), corner(1, 1)];
        let at_corners = |value: &dyn Fn(&Table) -> f32| Vec4::from_array(tables.map(value));
        Box::new(Corners {
            transmission: std::array::from_fn(|cosine| at_corners(&|table| table.transmission[cosine])),
            mean: at_corners(&|table| table.mean),
            internal: at_corners(&|table| table.internal),
        })
    })
}

fn table(distribution: Distribution, dense_side: DenseSide, alpha: usize, eta: usize) -> &'static Table {
    let tables = match distribution {
        Distribution::Ggx => &GGX,
        Distribution::Beckmann => &BECKMANN,
    };
    tables[dense_side as usize][alpha][eta].get_or_init(|| {
        let alpha = sqr(alpha as f32 / (ALPHAS - 1) as f32).max(SMOOTH_ALPHA);
        let root = root_f0(MAX_ETA) * eta as f32 / (ETAS - 1) as f32;
        let eta = match dense_side {
            DenseSide::Inside => (1.0 + root) / (1.0 - root),
            DenseSide::Outside => (1.0 - root) / (1.0 + root),
        };
        Box::new(Table::new(Microfacets::isotropic(alpha).with(distribution), eta))
    })
}

impl Table {
    fn new(microfacets: Microfacets, eta: f32) -> Table {
        let mut table = Table { transmission: [0.0; COSINES], mean: 0.0, internal: 0.0 };
        for cosine in 0..COSINES {
            let cos = (cosine as f32 / (COSINES - 1) as f32).max(1e-6);
            let wo = Vec3::new(safe_sqrt(1.0 - sqr(cos)), 0.0, cos);
            let (mut transmitted, mut reflected) = (0.0, 0.0);
            for facet in 0..FACETS * FACETS {
                let (u, share) = node(facet);
                let h = microfacets.sample_visible(wo, u);
                let at_facet = wo.dot(h).min(1.0);
                let mirrored = reflect(wo, h);
                let escaping = if mirrored.z > 0.0 { microfacets.g1(mirrored) } else { 0.0 };
                if let Some(wi) = refract(wo, h, eta).filter(|wi| wi.z < 0.0) {
                    transmitted += share * (1.0 - dielectric(at_facet, eta)) * microfacets.g1(wi);
                }
                reflected += share * dielectric(at_facet, 1.0 / eta) * escaping;
            }
            let end = if cosine == COSINES - 1 { 0.5 } else { 1.0 };
            table.transmission[cosine] = transmitted;
            table.mean += 2.0 * end * cos * transmitted / (COSINES - 1) as f32;
            table.internal += 2.0 * cos * reflected / COSINES as f32;
        }
        table
    }
}

/// Sample pair for a facet, and its weight: midpoints of a square that is stretched towards its edges, where facets
/// change fast.
// The substitution u = t²·(3 − 2t).
fn node(facet: usize) -> (Vec2, f32) {
    const COUNT: f32 = FACETS as f32;
    let axis = |k: usize| {
        let t = (k as f32 + 0.5) / COUNT;
        // The mean of 6 t (1 - t) over the midpoints is 1 + 1/(2 n²).
        let weight = 6.0 * t * (1.0 - t) / (COUNT + 0.5 / COUNT);
        (t * t * (3.0 - 2.0 * t), weight)
    };
    let ((x, weight_x), (y, weight_y)) = (axis(facet % FACETS), axis(facet / FACETS));
    (Vec2::new(x, y), weight_x * weight_y)
}
