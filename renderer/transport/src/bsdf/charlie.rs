//! Charlie sheen of cloth: microfacets whose normals concentrate at the horizon, as for upright fibres.
//!
//! The published model reflects up to four times the incident light for small α at grazing view angles. Here f is
//! divided by the larger of the albedos of both directions if that exceeds one, which conserves energy and keeps
//! reciprocity.
// Estevez and Kulla 2017, "Production Friendly Microfacet Sheen BRDF", eq. 2; visibility by Neubelt and Pettineo 2013,
// "Crafting a Next-Gen Material Pipeline for The Order: 1886".

use std::f32::consts::FRAC_1_PI;
use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::albedo_table::AlbedoTable;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{abs_cos_theta, pow, same_hemisphere, sqr};
use renderer_base::sampling::{uniform_hemisphere, uniform_hemisphere_pdf};

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
        Charlie { alpha: alpha.max(MIN_ALPHA).min(1.0) }
    }

    /// Directional albedo for a direction with cosine `cos_o`.
    pub(super) fn albedo_at(&self, cos_o: f32) -> f32 {
        ALBEDO.look_up(coordinate(self.alpha), cos_o.abs())
    }

    /// Divisor of f that conserves energy.
    fn excess(&self, wo: Vec3, wi: Vec3) -> f32 {
        if self.alpha >= LOSSY_ALPHA {
            return 1.0;
        }
        // The albedo decreases with the cosine.
        PUBLISHED_ALBEDO
            .look_up(coordinate(self.alpha), abs_cos_theta(wo).min(abs_cos_theta(wi)))
            .max(1.0)
    }
}

impl LobeModel for Charlie {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let f = value(self.alpha, wo, wi) / self.excess(wo, wi);
        (Rgb::splat(f), uniform_hemisphere_pdf())
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
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

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(self.albedo_at(cos_o))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(self.albedo_at(wo.z))
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

/// Number of entries of the tables along each axis.
const SIZE: usize = 36;

/// Parameter of the tables for α.
fn coordinate(alpha: f32) -> f32 {
    (alpha - MIN_ALPHA) / (1.0 - MIN_ALPHA)
}

/// α for a parameter of the tables.
fn alpha_of(coordinate: f32) -> f32 {
    MIN_ALPHA + (1.0 - MIN_ALPHA) * coordinate
}

/// Albedos of the published model.
static PUBLISHED_ALBEDO: LazyLock<AlbedoTable> =
    LazyLock::new(|| AlbedoTable::new(SIZE, |at, wo, wi| value(alpha_of(at), wo, wi)));

/// Albedos of the lobe.
static ALBEDO: LazyLock<AlbedoTable> = LazyLock::new(|| {
    AlbedoTable::new(SIZE, |at, wo, wi| {
        let lobe = Charlie::new(alpha_of(at));
        value(lobe.alpha, wo, wi) / lobe.excess(wo, wi)
    })
});
