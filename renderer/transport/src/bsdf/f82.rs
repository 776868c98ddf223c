//! Metals by artistic Fresnel: Schlick's reflectance with an edge tint at about 82°, as Cycles' `microfacet_f82_tint`.
// Kutz, Hašan and Edmondson 2021, "Novel Aspects of the Adobe Standard Material"; the correction is that of
// Lazányi and Szirmay-Kalos 2005, "Fresnel Term Approximations for Metals".

use glam::{Vec2, Vec3};

use super::albedo;
use super::compensation::Compensation;
use super::fresnel;
use super::interface::{Facet, Interface, Split};
use super::lobe_kind::LobeSample;
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Cosine at which the tint applies: Lazányi's correction is largest there.
const EDGE_COS: f32 = 1.0 / 7.0;

/// Reflection by a metal of reflectance `f0` and an edge tint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct F82 {
    f0: Rgb,
    /// Coefficient of Lazányi's correction.
    loss: Rgb,
    microfacets: Microfacets,
}

impl F82 {
    /// Creates a metal that reflects `f0` along the normal, `tint` times Schlick's reflectance at 82°, and everything
    /// at grazing incidence.
    pub fn new(f0: Rgb, tint: Rgb, microfacets: Microfacets) -> F82 {
        let edge = fresnel::schlick(EDGE_COS, f0, Rgb::WHITE, 5.0);
        F82 {
            f0,
            loss: edge * (Rgb::WHITE - tint) / correction(EDGE_COS),
            microfacets,
        }
    }

    /// Reflectance of a facet.
    #[inline(always)]
    pub(super) fn fresnel(&self, cos: f32) -> Rgb {
        let schlick = fresnel::schlick(cos, self.f0, Rgb::WHITE, 5.0);
        (schlick - self.loss * correction(cos)).clamp(0.0, 1.0)
    }

    /// Reflectance for diffuse light.
    // Integrals of 2·cos times Schlick's weight and Lazányi's correction; F82 is at most 1, but not clamped below 0.
    fn diffuse_fresnel(&self) -> Rgb {
        let schlick = self.f0.lerp(Rgb::WHITE, 1.0 / 21.0);
        (schlick - self.loss * (1.0 / 126.0)).clamp(0.0, 1.0)
    }

    #[inline(always)]
    fn interface(&self) -> Interface<'_, F82> {
        Interface {
            microfacets: self.microfacets,
            eta: 1.0,
            transmits: false,
            facet: self,
        }
    }
}

impl LobeModel for F82 {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.interface().eval_pdf(wo, wi)
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        self.interface().sample(wo, u_lobe, u)
    }

    fn has_choice(&self) -> bool {
        self.microfacets.is_compensated()
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.microfacets)
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        self.fresnel(cos_o.abs())
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        if !self.microfacets.is_isotropic() {
            return self.interface().albedo(wo);
        }
        let albedo = albedo::reflected(self.microfacets, wo, |cos| self.fresnel(cos));
        let several = self.compensation(1.0);
        albedo + several.map_or(Rgb::BLACK, |lobe| lobe.albedo(wo))
    }

    fn compensated(self) -> F82 {
        let microfacets = self.microfacets.compensated();
        F82 { microfacets, ..self }
    }
}

impl Facet for F82 {
    #[inline(always)]
    fn split(&self, cos: f32, _eta: f32) -> Split {
        Split { reflected: self.fresnel(cos), refracted: Rgb::BLACK }
    }

    fn compensation(&self, _eta: f32) -> Option<Compensation> {
        Compensation::metal(self.microfacets, || self.diffuse_fresnel())
    }
}

/// Shape of Lazányi's correction: cos·(1 − cos)⁶.
#[inline(always)]
fn correction(cos: f32) -> f32 {
    cos * (1.0 - cos).max(0.0) * fresnel::schlick_weight(cos)
}
