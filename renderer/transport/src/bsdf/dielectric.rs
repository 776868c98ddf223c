//! Dielectrics (glass, water): smooth, or rough with microfacets; Fresnel reflection and refraction.

use glam::{Vec2, Vec3};

use super::albedo;
use super::compensation::Compensation;
use super::fresnel;
use super::interface::{Facet, Interface, Split};
use super::lobe_kind::LobeSample;
use super::lobe_model::LobeModel;
use super::lost_light::LostLight;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Reflection and refraction by a dielectric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dielectric {
    ior: f32,
    pub(super) microfacets: Microfacets,
    /// Factor of reflected light; black for refraction only.
    pub reflection: Rgb,
    /// Factor of refracted light; black for reflection only.
    pub transmission: Rgb,
}

/// Difference of the index from one below which refraction is too weak for roughness to be visible.
pub(super) const INDEX_MATCHED: f32 = 1e-3;

/// Returns whether light passes an interface of this index without being bent.
pub fn is_index_matched(ior: f32) -> bool {
    (ior - 1.0).abs() < INDEX_MATCHED
}

impl Dielectric {
    /// Creates a dielectric whose index of refraction on the side of −z is `ior` times that on the side of +z. An `ior`
    /// that is not positive and finite is replaced by 1.
    pub fn new(ior: f32, microfacets: Microfacets) -> Dielectric {
        let ior = if ior > 0.0 && ior.is_finite() { ior.clamp(1e-2, 1e2) } else { 1.0 };
        let microfacets = if is_index_matched(ior) { Microfacets::SMOOTH } else { microfacets };
        Dielectric {
            ior,
            microfacets,
            reflection: Rgb::WHITE,
            transmission: Rgb::WHITE,
        }
    }

    /// Sets the factors of reflected and refracted light.
    pub fn tinted(self, reflection: Rgb, transmission: Rgb) -> Dielectric {
        Dielectric { reflection, transmission, ..self }
    }

    /// Removes transmission.
    pub(super) fn opaque(self) -> Dielectric {
        self.tinted(self.reflection, Rgb::BLACK)
    }

    /// Dielectric that only reflects.
    pub fn reflection_only(ior: f32, microfacets: Microfacets) -> Dielectric {
        Dielectric::new(ior, microfacets).tinted(Rgb::WHITE, Rgb::BLACK)
    }

    /// Dielectric that only refracts.
    pub fn transmission_only(ior: f32, microfacets: Microfacets) -> Dielectric {
        Dielectric::new(ior, microfacets).tinted(Rgb::BLACK, Rgb::WHITE)
    }

    #[inline(always)]
    fn interface(&self, wo: Vec3) -> Interface<'_, Dielectric> {
        Interface {
            microfacets: self.microfacets,
            eta: self.eta(wo.z),
            transmits: self.transmits(),
            facet: self,
        }
    }
}

impl LobeModel for Dielectric {
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

    fn reflects(&self) -> bool {
        !self.reflection.is_black()
    }

    fn transmits(&self) -> bool {
        !self.transmission.is_black()
    }

    fn eta(&self, cos_o: f32) -> f32 {
        if cos_o < 0.0 { 1.0 / self.ior } else { self.ior }
    }

    fn refracts(&self) -> bool {
        self.transmits() && self.ior != 1.0
    }

    fn is_straight(&self) -> bool {
        self.transmits() && is_index_matched(self.ior)
    }

    fn straight(self, _: f32) -> (Rgb, Option<Self>) {
        (self.transmission, None)
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        let f = fresnel::dielectric(cos_o.abs(), self.eta(cos_o));
        self.reflection.lerp(self.transmission, 1.0 - f)
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        let eta = self.eta(wo.z);
        if let Some(lost) = LostLight::of_dielectric(self.microfacets, eta) {
            let reflected = lost.reflected(eta, wo.z.abs());
            return self.reflection.lerp(self.transmission, 1.0 - reflected);
        }
        if let Some(Compensation::General(lobe)) = self.compensation(eta) {
            return lobe.dielectric_albedo(wo);
        }
        if self.transmits() || eta < 1.0 || !self.microfacets.is_isotropic() {
            return self.interface(wo).albedo(wo);
        }
        self.reflection
            * albedo::reflected(self.microfacets, wo, |cos| Rgb::splat(fresnel::dielectric(cos, eta)))
    }

    fn one_sided(self) -> Option<Self> {
        self.reflects().then(|| self.opaque())
    }

    fn compensated(self) -> Dielectric {
        let microfacets = self.microfacets.compensated();
        Dielectric { microfacets, ..self }
    }
}

impl Facet for Dielectric {
    #[inline(always)]
    fn split(&self, cos: f32, eta: f32) -> Split {
        let f = fresnel::dielectric(cos, eta);
        Split {
            reflected: self.reflection * f,
            refracted: self.transmission * (1.0 - f),
        }
    }

    fn compensation(&self, eta: f32) -> Option<Compensation> {
        Compensation::dielectric(self.microfacets, eta, [self.reflection, self.transmission])
    }
}
