//! Conductors (metals): smooth, or rough with microfacets; exact Fresnel equations for a complex index of refraction.

use glam::{Vec2, Vec3};

use super::albedo;
use super::compensation::Compensation;
use super::fresnel;
use super::interface::{Facet, Interface, Split};
use super::lobe_kind::LobeSample;
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Reflection by a conductor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conductor {
    /// Real part of the index of refraction, per channel.
    pub eta: Rgb,
    /// Imaginary part of the index of refraction, per channel.
    pub k: Rgb,
    /// Roughness.
    pub microfacets: Microfacets,
}

impl Conductor {
    #[inline(always)]
    pub(super) fn fresnel(&self, cos: f32) -> Rgb {
        fresnel::conductor(cos, self.eta, self.k)
    }

    #[inline(always)]
    fn interface(&self) -> Interface<'_, Conductor> {
        Interface {
            microfacets: self.microfacets,
            eta: 1.0,
            transmits: false,
            facet: self,
        }
    }
}

impl LobeModel for Conductor {
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

    fn compensated(self) -> Conductor {
        let microfacets = self.microfacets.compensated();
        Conductor { microfacets, ..self }
    }
}

impl Facet for Conductor {
    #[inline(always)]
    fn split(&self, cos: f32, _eta: f32) -> Split {
        Split { reflected: self.fresnel(cos), refracted: Rgb::BLACK }
    }

    fn compensation(&self, _eta: f32) -> Option<Compensation> {
        Compensation::metal(self.microfacets, || self.fresnel(fresnel::MEAN_COS))
    }
}
