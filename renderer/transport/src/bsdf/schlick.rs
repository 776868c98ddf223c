//! Generalised Schlick interface: reflectance by f0, f90 and exponent, rough or smooth, with optional refraction
//! (glTF).

use glam::{Vec2, Vec3};

use super::albedo;
use super::compensation::Compensation;
use super::dielectric::INDEX_MATCHED;
use super::facet_albedo::transmittance_factors;
use super::fresnel;
use super::interface::{Facet, Interface, Split};
use super::lobe_kind::LobeSample;
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::sqr;

/// Generalised Schlick reflection, and refraction of the remainder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schlick {
    /// Reflectance at normal incidence.
    pub f0: Rgb,
    /// Reflectance at grazing incidence.
    pub f90: Rgb,
    /// Falloff exponent; 5 in Schlick's paper.
    pub exponent: f32,
    /// Roughness.
    pub microfacets: Microfacets,
    /// Factor of reflected light.
    pub reflection: Rgb,
    /// Factor of refracted light; black for an opaque surface.
    pub transmission: Rgb,
}

impl Schlick {
    /// Creates an opaque surface with exponent 5 that reflects everything at grazing angles.
    pub fn new(f0: Rgb, microfacets: Microfacets) -> Schlick {
        Schlick {
            f0,
            f90: Rgb::WHITE,
            exponent: 5.0,
            microfacets,
            reflection: Rgb::WHITE,
            transmission: Rgb::BLACK,
        }
    }

    /// Creates a mirror: it reflects everything at every angle.
    pub fn mirror(microfacets: Microfacets) -> Schlick {
        Schlick::new(Rgb::WHITE, microfacets)
    }

    /// Reflectance of a facet; `eta` as in [`Facet::split`], below one only inside a refracting surface.
    // The angle is that on the less dense side; total internal reflection is not modelled.
    #[inline(always)]
    fn fresnel(&self, cos: f32, eta: f32) -> Rgb {
        if eta >= 1.0 {
            return fresnel::schlick(cos, self.f0, self.f90, self.exponent);
        }
        let cos2_outside = 1.0 - (1.0 - sqr(cos)) / sqr(eta);
        if cos2_outside > 0.0 {
            fresnel::schlick(cos2_outside.sqrt(), self.f0, self.f90, self.exponent)
        } else {
            Rgb::WHITE
        }
    }

    #[inline(never)]
    fn transmitting_compensation(&self, eta: f32) -> Option<Compensation> {
        let transmittance = |cos: f32| (Rgb::WHITE - self.fresnel(cos, 1.0)).clamp(0.0, 1.0);
        let factors = transmittance_factors(eta, transmittance);
        let tints = [self.reflection, self.transmission];
        Compensation::transmitting(self.microfacets, eta, factors, tints)
    }

    #[inline(always)]
    fn interface(&self, wo: Vec3) -> Interface<'_, Schlick> {
        let transmits = self.transmits();
        Interface {
            microfacets: self.microfacets,
            eta: if transmits { self.eta(wo.z) } else { 1.0 },
            transmits,
            facet: self,
        }
    }
}

impl LobeModel for Schlick {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.interface(wo).eval_pdf(wo, wi)
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        self.interface(wo).sample(wo, u_lobe, u)
    }

    fn has_choice(&self) -> bool {
        true
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.microfacets)
    }

    fn transmits(&self) -> bool {
        !self.transmission.is_black()
    }

    fn eta(&self, cos_o: f32) -> f32 {
        if !self.transmits() {
            return 1.0;
        }
        let ior = fresnel::ior_from_f0(self.f0.average()).max(1.0 + INDEX_MATCHED);
        if cos_o < 0.0 { 1.0 / ior } else { ior }
    }

    fn refracts(&self) -> bool {
        self.transmits()
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        let split = self.split(cos_o.abs(), self.eta(cos_o));
        split.reflected + split.refracted
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        if self.transmits()
            && let Some(Compensation::General(lobe)) = self.compensation(self.eta(wo.z))
        {
            return lobe.dielectric_albedo(wo);
        }
        if self.transmits() || !self.microfacets.is_isotropic() {
            return self.interface(wo).albedo(wo);
        }
        let albedo = albedo::reflected(self.microfacets, wo, |cos| self.fresnel(cos, 1.0));
        let several = self.compensation(1.0);
        self.reflection * albedo + several.map_or(Rgb::BLACK, |lobe| lobe.albedo(wo))
    }

    fn one_sided(self) -> Option<Self> {
        let transmission = Rgb::BLACK;
        Some(Schlick { transmission, ..self })
    }

    fn compensated(self) -> Schlick {
        let microfacets = self.microfacets.compensated();
        Schlick { microfacets, ..self }
    }
}

impl Facet for Schlick {
    #[inline(always)]
    fn split(&self, cos: f32, eta: f32) -> Split {
        let f = self.fresnel(cos, eta);
        Split {
            reflected: self.reflection * f,
            refracted: self.transmission * (Rgb::WHITE - f),
        }
    }

    fn compensation(&self, eta: f32) -> Option<Compensation> {
        if self.transmits() {
            return self.transmitting_compensation(eta);
        }
        let color = || self.reflection * self.fresnel(fresnel::MEAN_COS, 1.0);
        Compensation::metal(self.microfacets, color)
    }
}
