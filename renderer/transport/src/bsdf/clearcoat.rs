//! Clear coat of the principled material: GTR1 microfacets with an index of refraction of 1.5.
//!
//! The coat has a quarter of the strength of a physical interface and lacks the denominator 4·cos θo·cos θi.
// Burley 2012, "Physically-Based Shading at Disney", sections 5.4 to 5.6 and appendix B.

use std::f32::consts::PI;
use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::albedo;
use super::albedo_table::AlbedoTable;
use super::fresnel::{reflect, schlick_weight};
use super::interface::upwards;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::{ln, pow, sqr};
use renderer_base::sampling::sin_cos_turn;

/// Reflectance at normal incidence.
const F0: f32 = 0.04;

/// GGX roughness for masking, independent of the coat's own.
const MASKING_ALPHA: f32 = 0.25;

/// Reflection by the coat, weight one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearcoat {
    alpha: f32,
}

impl Clearcoat {
    /// Creates a coat of roughness `alpha`, clamped to 0.001 to 0.9.
    #[expect(clippy::manual_clamp, reason = "clamp would let what is not a number through")]
    pub fn new(alpha: f32) -> Clearcoat {
        Clearcoat { alpha: alpha.max(0.001).min(0.9) }
    }

    /// Roughness of the highlight.
    pub(super) fn facets(&self) -> Microfacets {
        Microfacets::isotropic(self.alpha)
    }

    /// Fresnel term times masking.
    fn attenuation(&self, wo: Vec3, wi: Vec3, cos: f32) -> f32 {
        let masking = Microfacets::isotropic(MASKING_ALPHA);
        fresnel(cos) * masking.g1(wo) * masking.g1(wi)
    }

    /// Density of microfacet normals [1/sr].
    // Burley 2012, eq. 4; 1 + (α² − 1) cos² is written without cancellation.
    fn d(&self, h: Vec3) -> f32 {
        let alpha2 = sqr(self.alpha);
        (alpha2 - 1.0) / (PI * ln(alpha2) * (sqr(h.x) + sqr(h.y) + alpha2 * sqr(h.z)))
    }

    /// Samples a normal in proportion to its density times cosine.
    // Burley 2012, eq. 5, for the sine.
    fn sample_normal(&self, u: Vec2) -> Vec3 {
        let alpha2 = sqr(self.alpha);
        let sin2 = ((pow(alpha2, 1.0 - u.y) - alpha2) / (1.0 - alpha2)).clamp(0.0, 1.0);
        let (sin_phi, cos_phi) = sin_cos_turn(u.x);
        let sin = sin2.sqrt();
        Vec3::new(sin * cos_phi, sin * sin_phi, (1.0 - sin2).sqrt())
    }
}

impl LobeModel for Clearcoat {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let (wo, wi) = upwards(wo, wi);
        if wo.z <= 0.0 || wi.z <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let h = (wo + wi).normalize_or_zero();
        let cos = wo.dot(h);
        if cos <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let d = self.d(h);
        (
            Rgb::splat(0.25 * d * self.attenuation(wo, wi, cos) * wi.z),
            d * h.z / (4.0 * cos),
        )
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let flipped = wo.z < 0.0;
        let (wo, _) = upwards(wo, wo);
        let mut wi = reflect(wo, self.sample_normal(u));
        // Evaluated with the half vector recomputed from the directions, as `eval` does; its rounding matters at
        // grazing angles.
        let (f, pdf) = self.eval_pdf(wo, wi);
        if flipped {
            wi.z = -wi.z;
        }
        (pdf > 0.0).then(|| LobeSample {
            wi,
            weight: f / pdf,
            pdf,
            kind: LobeKind::reflection(self.facets()),
            eta: 1.0,
        })
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.facets())
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        let cos = cos_o.abs();
        Rgb::splat(fresnel(cos) * sqr(cos))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(ALBEDO.look_up(self.alpha, wo.z.abs()))
    }

    fn has_exact_albedo(&self) -> bool {
        true
    }
}

/// Table of albedos.
static ALBEDO: LazyLock<AlbedoTable> = LazyLock::new(|| {
    AlbedoTable::of(20, |alpha, wo| {
        let coat = Clearcoat::new(alpha);
        albedo::sampled(512, |u| coat.sample(wo, 0.0, u))
    })
});

fn fresnel(cos: f32) -> f32 {
    F0 + (1.0 - F0) * schlick_weight(cos)
}
