//! Charlie sheen of cloth: microfacets whose normals concentrate at the horizon, as for upright fibres.
//!
//! The published model reflects up to four times the incident light for small α at grazing view angles. Here f is
//! divided by the larger of the albedos of both directions if that exceeds one, which conserves energy and keeps
//! reciprocity.
// Estevez and Kulla 2017, "Production Friendly Microfacet Sheen BRDF", eq. 2; visibility by Neubelt and Pettineo 2013,
// "Crafting a Next-Gen Material Pipeline for The Order: 1886".

use std::f32::consts::{FRAC_1_PI, PI};
use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeKind, LobeSample};
use renderer_base::color::Rgb;
use renderer_base::math::{abs_cos_theta, pow, safe_sqrt, same_hemisphere, sin_cos, sqr};
use renderer_base::sampling::{uniform_hemisphere, uniform_hemisphere_pdf};

/// Number of table entries along α and along the cosine.
const ALPHAS: usize = 24;
const COSINES: usize = 24;

/// Minimum α; smaller values are visible at the very edge only, as noise.
const MIN_ALPHA: f32 = 0.01;

/// α from which on no direction has an albedo above one.
const LOSSY_ALPHA: f32 = 0.25;

/// Charlie sheen, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charlie {
    alpha: f32,
}

impl Charlie {
    /// Creates the lobe for roughness α; the lower α, the closer the sheen is to the silhouette.
    #[expect(clippy::manual_clamp, reason = "clamp would let what is not a number through")]
    pub fn new(alpha: f32) -> Charlie {
        Charlie {
            alpha: alpha.max(MIN_ALPHA).min(1.0),
        }
    }

    pub(super) fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let f = value(self.alpha, wo, wi) / self.excess(wo, wi);
        (Rgb::splat(f), uniform_hemisphere_pdf())
    }

    pub(super) fn sample(&self, wo: Vec3, u: Vec2) -> Option<LobeSample> {
        let up = uniform_hemisphere(u);
        let wi = if wo.z < 0.0 { up.with_z(-up.z) } else { up };
        let (f, pdf) = self.eval_pdf(wo, wi);
        (pdf > 0.0).then(|| LobeSample {
            wi,
            weight: f * (1.0 / pdf),
            pdf,
            kind: LobeKind::DIFFUSE_REFLECTION,
            eta: 1.0,
        })
    }

    /// Directional albedo for a direction with cosine `cos_o`.
    pub(super) fn albedo(&self, cos_o: f32) -> f32 {
        look_up(self.alpha, cos_o.abs()).min(1.0)
    }

    /// Divisor of f that conserves energy.
    fn excess(&self, wo: Vec3, wi: Vec3) -> f32 {
        if self.alpha >= LOSSY_ALPHA {
            return 1.0;
        }
        // The albedo decreases with the cosine.
        look_up(self.alpha, abs_cos_theta(wo).min(abs_cos_theta(wi))).max(1.0)
    }
}

/// f·cos θi of the published model for directions on one side.
fn value(alpha: f32, wo: Vec3, wi: Vec3) -> f32 {
    let (cos_o, cos_i) = (abs_cos_theta(wo), abs_cos_theta(wi));
    let half = wo + wi;
    let cos2 = (sqr(half.z) / half.length_squared().max(f32::MIN_POSITIVE)).min(1.0);
    let exponent = 1.0 / alpha;
    let density = (2.0 + exponent) * pow(1.0 - cos2, 0.5 * exponent) * (0.5 * FRAC_1_PI);
    // At most one, even if both directions graze.
    let visible = cos_i / (cos_o + cos_i - cos_o * cos_i).max(f32::MIN_POSITIVE);
    0.25 * density * visible
}

/// Table of the albedos of the published model.
static ALBEDO: LazyLock<Vec<f32>> = LazyLock::new(|| (0..ALPHAS * COSINES).map(tabulate).collect());

/// Computes a table entry. α and cosine are finer towards zero, where the albedo changes fast.
fn tabulate(index: usize) -> f32 {
    const ANGLES: usize = 32;
    const AZIMUTHS: usize = 24;
    let alpha = sqr((index % ALPHAS) as f32 / (ALPHAS - 1) as f32).max(MIN_ALPHA);
    let cos_o = sqr((index / ALPHAS) as f32 / (COSINES - 1) as f32).max(1e-4);
    let wo = Vec3::new(safe_sqrt(1.0 - sqr(cos_o)), 0.0, cos_o);
    let mut sum = 0.0;
    for i in 0..ANGLES {
        let root = (i as f32 + 0.5) / ANGLES as f32;
        let (cos_i, width) = (sqr(root), 2.0 * root / ANGLES as f32);
        for k in 0..AZIMUTHS {
            let (sin, cos) = sin_cos((k as f32 + 0.5) * PI / AZIMUTHS as f32);
            let across = safe_sqrt(1.0 - sqr(cos_i));
            let wi = Vec3::new(across * cos, across * sin, cos_i);
            sum += value(alpha, wo, wi) * width * (2.0 * PI / AZIMUTHS as f32);
        }
    }
    sum
}

fn look_up(alpha: f32, cos: f32) -> f32 {
    let split = |x: f32, count: usize| {
        let scaled = x.clamp(0.0, 1.0).sqrt() * (count - 1) as f32;
        let cell = (scaled as usize).min(count - 2);
        (cell, scaled - cell as f32)
    };
    let ((x, fx), (y, fy)) = (split(alpha, ALPHAS), split(cos, COSINES));
    let row = |y: usize| {
        let at = y * ALPHAS + x;
        ALBEDO[at] * (1.0 - fx) + ALBEDO[at + 1] * fx
    };
    row(y) * (1.0 - fy) + row(y + 1) * fy
}
