//! Oren-Nayar rough diffuse reflection (qualitative model), as OSL's `oren_nayar`.
// Oren & Nayar 1994, "Generalization of Lambert's Reflectance Model", eq. 30.

use glam::{Vec2, Vec3};

use super::lambert::sample_cosine;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, acos, safe_sqrt, same_hemisphere, sqr};

/// Rough diffuse reflection. If the model would reflect more light than arrives (σ below 0.33 at grazing angles), it is
/// scaled down as a whole, by 1.6 % at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrenNayar {
    a: f32,
    b: f32,
}

impl OrenNayar {
    /// Creates the lobe; `sigma` is the standard deviation of the facets' slope angle [rad], 0 is Lambert's model.
    pub fn new(sigma: f32) -> OrenNayar {
        let sigma2 = if sigma > 0.0 { sqr(sigma.min(1e4)) } else { 0.0 };
        let a = 1.0 - 0.5 * sigma2 / (sigma2 + 0.33);
        let b = 0.45 * sigma2 / (sigma2 + 0.09);
        // The albedo increases with the angle up to a + b/2: see `OrenNayar::albedo`.
        let scale = 1.0 / (a + 0.5 * b).max(1.0);
        OrenNayar { a: a * scale, b: b * scale }
    }

    /// Directional albedo for `wo`: the integral of [`OrenNayar::factor`] times cos θi / π.
    // Over φ the positive part of the cosine integrates to 2; over θi the two cases of tan β split at θo.
    pub(super) fn reflectance(&self, wo: Vec3) -> f32 {
        let cos = abs_cos_theta(wo).min(1.0);
        let sin = safe_sqrt(1.0 - sqr(cos));
        let below = 0.5 * (acos(cos) - sin * cos);
        let above = cos * (1.0 + sin + sqr(sin)) / (3.0 * (1.0 + sin));
        self.a + 2.0 * INV_PI * self.b * sin * (below + above)
    }

    /// f·π. The product cos φ · sin α · tan β is that of the tangential components over the larger cosine.
    fn factor(&self, wo: Vec3, wi: Vec3) -> f32 {
        let tangential = wo.x * wi.x + wo.y * wi.y;
        let greater = abs_cos_theta(wo).max(abs_cos_theta(wi));
        if tangential > 0.0 && greater > 0.0 {
            self.a + self.b * tangential / greater
        } else {
            self.a
        }
    }
}

impl LobeModel for OrenNayar {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let pdf = abs_cos_theta(wi) * INV_PI;
        (Rgb::splat(self.factor(wo, wi) * pdf), pdf)
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = Rgb::splat(self.factor(wo, sample.wi));
        Some(sample)
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(self.reflectance(wo))
    }
}
