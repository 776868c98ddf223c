//! Transmittance and internal diffuse reflectance of rough dielectric interfaces, tabulated by roughness, index and
//! angle.
//!
//! - A table holds 64 equidistant cosines with linear interpolation, and the internal reflectance is a mean over the
//!   same: as in Mitsuba's `roughplastic`, whose values near the horizon depend on it.
//! - The table of one distribution, roughness and index is computed on first use by a lobe: a few milliseconds.
//! - Relative indices of refraction are clamped to 1/[`MAX_ETA`] to [`MAX_ETA`]. Those below 1 have separate rows.

use std::sync::OnceLock;

use glam::{Vec2, Vec3};

use super::fresnel::{dielectric, reflect, refract};
use super::microfacet::{Distribution, Microfacets, SMOOTH_ALPHA};
use renderer_base::math::{safe_sqrt, sqr};

/// Maximum index of refraction of the denser side over the other.
const MAX_ETA: f32 = 3.0;

/// Number of cosines of a table.
const COSINES: usize = 64;

/// Number of roughness values, finer towards zero.
const ALPHAS: usize = 64;

/// Number of indices of refraction, equidistant in (η − 1)/(η + 1) from 0.
const ETAS: usize = 48;

/// Number of facets along each axis from which a value is computed.
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

/// Side of the interface with the higher index of refraction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DenseSide {
    Inside,
    Outside,
}

/// Interpolated position in the tables: one interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RoughTransmission {
    distribution: Distribution,
    dense_side: DenseSide,
    alpha: Cell,
    eta: Cell,
}

/// Cell of an axis and the fraction within it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    index: u8,
    fraction: f32,
}

impl Cell {
    /// Cell for `x` in `[0,1]` of an axis with `count` values.
    fn new(x: f32, count: usize) -> Cell {
        let scaled = x.clamp(0.0, 1.0) * (count - 1) as f32;
        let index = (scaled as usize).min(count - 2);
        Cell {
            index: index as u8,
            fraction: scaled - index as f32,
        }
    }

    fn lerp(self, value: impl Fn(usize) -> f32) -> f32 {
        let (a, b) = (value(self.index.into()), value(usize::from(self.index) + 1));
        a + (b - a) * self.fraction
    }
}

impl RoughTransmission {
    /// Interface with the roughness `microfacets`, taken as isotropic, and the relative index `eta`, inside over
    /// outside.
    pub(super) fn new(microfacets: Microfacets, eta: f32) -> RoughTransmission {
        let dense_side = if eta < 1.0 {
            DenseSide::Outside
        } else {
            DenseSide::Inside
        };
        RoughTransmission {
            distribution: microfacets.distribution(),
            dense_side,
            alpha: Cell::new(microfacets.mean_alpha().sqrt(), ALPHAS),
            eta: Cell::new(root_f0(eta).abs() / root_f0(MAX_ETA), ETAS),
        }
    }

    /// Transmittance of light from outside at an angle with this cosine.
    pub(super) fn at(self, cos: f32) -> f32 {
        let cell = Cell::new(cos, COSINES);
        self.look_up(|table| cell.lerp(|cosine| table.transmission[cosine]))
    }

    /// Transmittance of diffuse light from outside.
    pub(super) fn mean(self) -> f32 {
        self.look_up(|table| table.mean)
    }

    /// Reflectance of diffuse light from inside.
    pub(super) fn internal_reflectance(self) -> f32 {
        self.look_up(|table| table.internal)
    }

    fn look_up(self, value: impl Fn(&Table) -> f32) -> f32 {
        self.alpha.lerp(|alpha| {
            self.eta
                .lerp(|eta| value(table(self.distribution, self.dense_side, alpha, eta)))
        })
    }
}

/// Square root of the reflectance at normal incidence.
fn root_f0(eta: f32) -> f32 {
    (eta - 1.0) / (eta + 1.0)
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
        let mut table = Table {
            transmission: [0.0; COSINES],
            mean: 0.0,
            internal: 0.0,
        };
        for cosine in 0..COSINES {
            let cos = (cosine as f32 / (COSINES - 1) as f32).max(1e-6);
            let wo = Vec3::new(safe_sqrt(1.0 - sqr(cos)), 0.0, cos);
            let (mut transmitted, mut reflected) = (0.0, 0.0);
            for facet in 0..FACETS * FACETS {
                let (u, share) = node(facet);
                let h = microfacets.sample_visible(wo, u);
                let at_facet = wo.dot(h).min(1.0);
                let mirrored = reflect(wo, h);
                let escaping = if mirrored.z > 0.0 {
                    microfacets.g1(mirrored)
                } else {
                    0.0
                };
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
