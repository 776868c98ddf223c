//! Phong reflection: a power of the cosine to the mirror direction, as OSL's `phong`; reciprocal and energy-conserving.
// Lafortune and Willems 1994, "Using the Modified Phong Reflectance Model for Physically Based Rendering", with the
// normalisation (n + 2) / 2π.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::albedo;
use super::interface::upwards;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, bounded, exp, exp_m1, ln, safe_sqrt};
use renderer_base::sampling::sin_cos_turn;

/// Maximum exponent; larger ones are clamped.
const MAX_EXPONENT: f32 = 1e5;

/// Phong's lobe, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phong {
    exponent: f32,
}

impl Phong {
    /// Creates the lobe for an exponent, clamped to 0 to 10⁵.
    pub fn new(exponent: f32) -> Phong {
        Phong { exponent: bounded(exponent, 0.0, MAX_EXPONENT) }
    }

    /// GGX roughness with about the width of the lobe.
    // Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", section 5.2.
    pub(super) fn facets(&self) -> Microfacets {
        Microfacets::isotropic((2.0 / (self.exponent + 2.0)).sqrt())
    }

    /// f·cos θi over the density.
    fn weight(&self, cos_i: f32) -> f32 {
        (self.exponent + 2.0) / (self.exponent + 1.0) * cos_i
    }
}

impl LobeModel for Phong {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let (wo, wi) = upwards(wo, wi);
        // The cosine of two near directions would be rounded too much for large exponents.
        let cos = 1.0 - 0.5 * f64::from((mirrored(wo) - wi).length_squared());
        if wo.z <= 0.0 || wi.z <= 0.0 || cos <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let power = exp((f64::from(self.exponent) * ln(cos)) as f32);
        let pdf = (self.exponent + 1.0) / (2.0 * PI) * power;
        (Rgb::splat(pdf * self.weight(wi.z)), pdf)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let flipped = wo.z < 0.0;
        let (wo, _) = upwards(wo, wo);
        // cos θ = u^(1/(n + 1)), without cancellation in the sine.
        let power = ln(u.y) / (self.exponent + 1.0);
        let (cos, sin) = (exp(power), safe_sqrt(-exp_m1(2.0 * power)));
        let (sin_phi, cos_phi) = sin_cos_turn(u.x);
        let mut wi = Frame::from_normal(mirrored(wo)).to_world(Vec3::new(sin * cos_phi, sin * sin_phi, cos));
        let (_, pdf) = self.eval_pdf(wo, wi);
        let weight = Rgb::splat(self.weight(wi.z));
        if flipped {
            wi.z = -wi.z;
        }
        (pdf > 0.0).then(|| LobeSample {
            wi,
            weight,
            pdf,
            kind: LobeKind::reflection(self.facets()),
            eta: 1.0,
        })
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.facets())
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(cos_o.abs().max(0.3 * self.facets().mean_alpha()))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(albedo::sampled(64, |u| self.sample(wo, 0.0, u)))
    }
}

/// Mirror direction of `wo`.
fn mirrored(wo: Vec3) -> Vec3 {
    Vec3::new(-wo.x, -wo.y, wo.z)
}
