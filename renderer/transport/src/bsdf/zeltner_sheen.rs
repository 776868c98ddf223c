//! Sheen of dust and short fibres: multiple scattering in a volume of fibres, fitted by linearly transformed cosines.
//!
//! A cosine lobe is transformed by a matrix and scaled by an albedo, both of which depend on roughness and the angle
//! of `wo`. The published fit is not reciprocal; here f is the lower of its values for both directions: a few percent
//! darker for roughnesses from 0.3, more at grazing angles below.
// Zeltner, Burley and Chiang 2022, "Practical Multiple-Scattering Sheen Using Linearly Transformed Cosines"; fits of
// the coefficients by Stephen Hill for MaterialX.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::albedo_table::AlbedoTable;
use super::interface::upwards;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, bounded, exp, safe_sqrt, sqr};
use renderer_base::sampling::cosine_hemisphere;

/// Minimum roughness; the sheen of smaller ones is invisible.
const MIN_ROUGHNESS: f32 = 0.05;

/// Zeltner's sheen, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZeltnerSheen {
    roughness: f32,
}

impl ZeltnerSheen {
    /// Creates the lobe for a roughness, clamped to 0.05 to 1; the lower it is, the closer the sheen is to the
    /// silhouette.
    pub fn new(roughness: f32) -> ZeltnerSheen {
        ZeltnerSheen { roughness: bounded(roughness, MIN_ROUGHNESS, 1.0) }
    }
}

impl LobeModel for ZeltnerSheen {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let (wo, wi) = upwards(wo, wi);
        if wo.z <= 0.0 || wi.z <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let pdf = Cosine::new(self.roughness, wo.z).pdf(wo, wi);
        (Rgb::splat(value(self.roughness, wo, wi)), pdf)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let flipped = wo.z < 0.0;
        let (wo, _) = upwards(wo, wo);
        let mut wi = Cosine::new(self.roughness, wo.z).sample(wo, u);
        let (f, pdf) = self.eval_pdf(wo, wi);
        if flipped {
            wi.z = -wi.z;
        }
        (pdf > 0.0).then(|| LobeSample {
            wi,
            weight: f * (1.0 / pdf),
            pdf,
            kind: LobeKind::DIFFUSE_REFLECTION,
            eta: 1.0,
        })
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(albedo(self.roughness, cos_o.abs().min(1.0)))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(ALBEDO.look_up(self.roughness, wo.z.abs()))
    }
}

/// Table of the albedos of [`value`].
static ALBEDO: LazyLock<AlbedoTable> =
    LazyLock::new(|| AlbedoTable::new(36, |roughness, wo, wi| value(roughness.max(MIN_ROUGHNESS), wo, wi)));

/// f·cos θi for directions on the side of z.
fn value(roughness: f32, wo: Vec3, wi: Vec3) -> f32 {
    let there = albedo(roughness, wo.z) * Cosine::new(roughness, wo.z).pdf(wo, wi);
    let back = albedo(roughness, wi.z) * Cosine::new(roughness, wi.z).pdf(wi, wo);
    there.min(back * wi.z / wo.z)
}

/// Albedo of the published model.
fn albedo(roughness: f32, cos: f32) -> f32 {
    let r = roughness;
    let deviation = r * (0.020_660_7 + 1.584_91 * r) / (0.037_942_4 + r * (1.322_27 + r));
    let mean = r * (-0.193_854 + r * (-1.148_85 + r * (1.793_2 - 0.959_43 * sqr(r)))) / (0.046_391 + r);
    let offset = r * (0.000_654_023 + (-0.020_781_8 + 0.119_681 * r) * r) / (1.262_64 + r * (-1.920_21 + r));
    (exp(-0.5 * sqr((cos - mean) / deviation)) / (deviation * TAU.sqrt()) + offset).max(0.0)
}

/// Linearly transformed cosine of the view direction.
///
/// The inverse of the transformation is the matrix `((a, 0, b), (0, a, 0), (0, 0, 1))`, in a frame whose x is the
/// azimuth of `wo`.
struct Cosine {
    a: f32,
    b: f32,
}

impl Cosine {
    fn new(roughness: f32, cos_o: f32) -> Cosine {
        let (x, y) = (cos_o.min(1.0), roughness);
        Cosine {
            a: (2.581_26 * x + 0.813_703 * y) * y / (1.0 + 0.310_327 * sqr(x) + 2.609_94 * x * y),
            b: safe_sqrt(1.0 - x) * (y - 1.0) * y * sqr(y)
                / (0.000_025_405_3 + 1.712_28 * x - 1.715_06 * x * y + 1.341_74 * sqr(y)),
        }
    }

    /// Density of `wi` [1/sr].
    fn pdf(&self, wo: Vec3, wi: Vec3) -> f32 {
        let along = azimuth(wo).dot(wi.truncate());
        let across2 = (wi.truncate().length_squared() - sqr(along)).max(0.0);
        let length2 = sqr(self.a * along + self.b * wi.z) + sqr(self.a) * across2 + sqr(wi.z);
        wi.z * INV_PI * sqr(self.a / length2)
    }

    fn sample(&self, wo: Vec3, u: Vec2) -> Vec3 {
        let w = cosine_hemisphere(u);
        let x = azimuth(wo);
        let across = x.perp() * w.y + x * (w.x - self.b * w.z);
        across.extend(self.a * w.z).normalize()
    }
}

/// Unit vector of the azimuth of `w`; any if `w` is the normal.
fn azimuth(w: Vec3) -> Vec2 {
    w.truncate().try_normalize().unwrap_or(Vec2::X)
}
