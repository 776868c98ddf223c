//! Diffuse base under a smooth or rough dielectric interface with internal scattering: plastics and varnishes.
//!
//! f = ρ/(1 − ρ·F)·T(wo)·T(wi)/(π·η²), where T is the transmittance of the interface, F its internal diffuse
//! reflectance, and ρ the albedo of the base. Reflection by the interface itself is a separate lobe.

use glam::{Vec2, Vec3};

use super::fresnel;
use super::lambert::sample_cosine;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use super::lost_light::LostLight;
use super::microfacet::Microfacets;
use super::rough_transmission::RoughTransmission;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, same_hemisphere, sqr};

/// White base under an interface; [`CoatedDiffuse::body`] also returns the weight for other albedos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoatedDiffuse {
    interface: Interface,
    /// 1/((1 − F)·η²).
    scale: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Interface {
    /// Smooth interface with this relative index of refraction, inside over outside.
    Smooth(f32),
    Rough(RoughTransmission),
    /// Rough interface that loses no light, with its relative index of refraction.
    Compensated(LostLight, f32),
}

impl Interface {
    #[inline]
    fn transmission(&self, cos: f32) -> f32 {
        match self {
            Interface::Smooth(ior) => 1.0 - fresnel::dielectric(cos, *ior),
            Interface::Rough(rough) => rough.at(cos),
            Interface::Compensated(lost, ior) => 1.0 - lost.reflected(*ior, cos),
        }
    }

    fn mean_transmission(&self) -> f32 {
        match self {
            Interface::Smooth(ior) => 1.0 - fresnel::diffuse(*ior),
            Interface::Rough(rough) => rough.mean(),
            Interface::Compensated(lost, ior) => 1.0 - lost.mean_reflected(*ior),
        }
    }

    /// Reflectance of diffuse light from inside.
    fn internal_reflectance(&self, ior: f32) -> f32 {
        match self {
            Interface::Smooth(ior) => fresnel::diffuse_internal(*ior),
            Interface::Rough(rough) => rough.internal_reflectance(),
            // Transmittance per unit of étendue is the same in both directions.
            Interface::Compensated(..) => 1.0 - self.mean_transmission() / sqr(ior),
        }
    }
}

impl CoatedDiffuse {
    /// Returns the lobe of a base with this albedo under an interface of relative index `ior` (inside over outside, for
    /// both sides), and its weight. If `nonlinear`, the albedo applies at each internal reflection; otherwise once for
    /// all of them. Compensated facets lose no light.
    pub fn body(albedo: Rgb, ior: f32, microfacets: Microfacets, nonlinear: bool) -> (Rgb, CoatedDiffuse) {
        let ior = if ior > 0.0 && ior.is_finite() { ior.clamp(0.1, 10.0) } else { 1.0 };
        let interface = match LostLight::of_dielectric(microfacets, ior) {
            _ if microfacets.is_smooth() => Interface::Smooth(ior),
            Some(lost) => Interface::Compensated(lost, ior),
            None => Interface::Rough(RoughTransmission::new(microfacets, ior)),
        };
        let internal = interface.internal_reflectance(ior);
        let lobe = CoatedDiffuse { interface, scale: 1.0 / ((1.0 - internal) * sqr(ior)) };
        let weight = if nonlinear {
            albedo.map(|a| a * (1.0 - internal) / (1.0 - a * internal).max(1e-3))
        } else {
            albedo
        };
        (weight, lobe)
    }

    /// Directional albedo for a direction with cosine `cos_o`.
    pub(super) fn albedo_at(&self, cos_o: f32) -> f32 {
        self.scale * self.interface.transmission(cos_o.abs()) * self.interface.mean_transmission()
    }

    /// f·π.
    fn factor(&self, wo: Vec3, wi: Vec3) -> f32 {
        let [o, i] = [wo, wi].map(|w| self.interface.transmission(abs_cos_theta(w)));
        self.scale * o * i
    }
}

impl LobeModel for CoatedDiffuse {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let pdf = abs_cos_theta(wi) * INV_PI;
        (Rgb::splat(self.factor(wo, wi) * pdf), pdf)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = Rgb::splat(self.factor(wo, sample.wi));
        Some(sample)
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(self.albedo_at(cos_o))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(self.albedo_at(wo.z))
    }
}
