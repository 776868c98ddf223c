//! Transmission through a thin rough sheet: the reflection lobe, mirrored around the straight direction.
//!
//! Light is lost if the transmitted direction is on the outer side of the facet, as in Mitsuba's `principledthin`. The
//! loss depends on which direction is the viewer's, so very rough sheets are not reciprocal. Compensated sheets are
//! reciprocal and lose no light.
// Burley 2015, "Extending the Disney BRDF to a BSDF with Integrated Subsurface Scattering", section 5.3.

use glam::{Vec2, Vec3};

use super::albedo;
use super::compensation::Compensation;
use super::fresnel::{self, reflect};
use super::interface::{Facet, Interface, Split, upwards};
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Thin-sheet transmission, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinTransmission {
    /// Roughness of the sheet.
    pub microfacets: Microfacets,
    ior: f32,
}

impl ThinTransmission {
    /// Creates a sheet with index of refraction `ior`; a value that is not positive and finite is replaced by 1.
    pub fn new(ior: f32, microfacets: Microfacets) -> ThinTransmission {
        let ior = if ior > 0.0 && ior.is_finite() { ior.clamp(1e-2, 1e2) } else { 1.0 };
        ThinTransmission { microfacets, ior }
    }

    /// Transmittance of a facet at an angle with this cosine.
    pub(super) fn passed(&self, cos: f32) -> f32 {
        1.0 - fresnel::dielectric(cos, self.ior)
    }

    /// Interface that reflects; the sheet mirrors its directions.
    fn interface(&self) -> Interface<'_, ThinTransmission> {
        Interface {
            microfacets: self.microfacets,
            eta: 1.0,
            transmits: false,
            facet: self,
        }
    }
}

impl LobeModel for ThinTransmission {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let nothing = (Rgb::BLACK, 0.0);
        let (wo, wi) = upwards(wo, wi);
        if wo.z <= 0.0 || wi.z >= 0.0 || self.microfacets.is_smooth() {
            return nothing;
        }
        let mirrored = wi.with_z(-wi.z);
        if self.microfacets.is_compensated() {
            return self.interface().eval_pdf(wo, mirrored);
        }
        let h = (wo + mirrored).normalize_or_zero();
        let cos = wo.dot(h);
        if cos <= 0.0 || wi.dot(h) >= 0.0 {
            return nothing;
        }
        let pdf = self.microfacets.reflected_pdf(wo, h);
        let passed = self.passed(cos) * self.microfacets.shadowing(wo, mirrored);
        (Rgb::splat(passed * pdf), pdf)
    }

    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        if self.microfacets.is_compensated() {
            let mirrored = self.interface().sample(wo, u_lobe, u)?;
            return Some(LobeSample {
                wi: mirrored.wi.with_z(-mirrored.wi.z),
                kind: LobeKind::transmission(self.microfacets),
                ..mirrored
            });
        }
        let flipped = wo.z < 0.0;
        let (wo, _) = upwards(wo, wo);
        if wo.z <= 0.0 {
            return None;
        }
        let (mirrored, weight, pdf) = if self.microfacets.is_smooth() {
            (reflect(wo, Vec3::Z), self.passed(wo.z), 1.0)
        } else {
            let h = self.microfacets.sample_visible(wo, u);
            let mirrored = reflect(wo, h);
            let cos = wo.dot(h);
            if mirrored.z <= 0.0 || cos <= 0.0 || mirrored.with_z(-mirrored.z).dot(h) >= 0.0 {
                return None;
            }
            let weight = self.passed(cos) * self.microfacets.shadowing(wo, mirrored);
            (mirrored, weight, self.microfacets.reflected_pdf(wo, h))
        };
        let wi = if flipped { mirrored } else { mirrored.with_z(-mirrored.z) };
        (pdf > 0.0 && pdf.is_finite()).then_some(LobeSample {
            wi,
            weight: Rgb::splat(weight),
            pdf,
            kind: LobeKind::transmission(self.microfacets),
            eta: 1.0,
        })
    }

    fn has_choice(&self) -> bool {
        self.microfacets.is_compensated()
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.microfacets)
    }

    fn reflects(&self) -> bool {
        false
    }

    fn transmits(&self) -> bool {
        true
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(self.passed(cos_o.abs()))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        let albedo = match self.microfacets.is_compensated() {
            true => self.interface().albedo(wo).r,
            false => albedo::sampled(64, |u| self.sample(wo, 0.0, u)),
        };
        Rgb::splat(albedo)
    }

    fn one_sided(self) -> Option<Self> {
        None
    }

    fn compensated(self) -> ThinTransmission {
        let microfacets = self.microfacets.compensated();
        ThinTransmission { microfacets, ..self }
    }
}

impl Facet for ThinTransmission {
    fn split(&self, cos: f32, _eta: f32) -> Split {
        Split {
            reflected: Rgb::splat(self.passed(cos)),
            refracted: Rgb::BLACK,
        }
    }

    fn compensation(&self, _eta: f32) -> Option<Compensation> {
        Compensation::metal(self.microfacets, || Rgb::splat(1.0 - fresnel::diffuse(self.ior)))
    }
}
