//! Schlick's generalised interface: reflectances at normal and grazing incidence and an exponent, GGX roughness,
//! and refraction of the rest if wanted. It serves glTF's metallic-roughness materials and artists' mirrors.

use glam::{Vec2, Vec3};

use super::albedo;
use super::dielectric::INDEX_MATCHED;
use super::fresnel;
use super::interface::{Interface, Split};
use super::lobe::LobeSample;
use super::microfacet::Ggx;
use crate::color::Rgb;
use crate::math::{abs_cos_theta, sqr};

/// Reflection, and refraction of what is not reflected; single scattering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schlick {
    /// Reflectance at normal incidence.
    pub f0: Rgb,
    /// Reflectance at grazing incidence.
    pub f90: Rgb,
    /// How late the reflectance goes from one to the other; Schlick's own value is 5.
    pub exponent: f32,
    /// Roughness.
    pub ggx: Ggx,
    /// Factor of reflected light.
    pub reflection: Rgb,
    /// Factor of refracted light; black makes it opaque.
    pub transmission: Rgb,
}

impl Schlick {
    /// An opaque surface with Schlick's exponent that reflects everything at grazing angles.
    pub fn new(f0: Rgb, ggx: Ggx) -> Schlick {
        Schlick {
            f0,
            f90: Rgb::WHITE,
            exponent: 5.0,
            ggx,
            reflection: Rgb::WHITE,
            transmission: Rgb::BLACK,
        }
    }

    /// A mirror: it reflects everything at every angle.
    pub fn mirror(ggx: Ggx) -> Schlick {
        Schlick::new(Rgb::WHITE, ggx)
    }

    pub(super) fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.interface(wo).eval_pdf(wo, wi)
    }

    pub(super) fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        self.interface(wo).sample(wo, u_lobe, u)
    }

    /// The reflectance of a facet for light on the side of `wo`.
    // The formula means the angle on the thinner side, and knows nothing of total internal reflection.
    pub(super) fn fresnel(&self, wo: Vec3, cos: f32) -> Rgb {
        if self.transmits() && wo.z < 0.0 {
            let sin2_outside = (1.0 - sqr(cos)) / sqr(self.eta(wo));
            if sin2_outside >= 1.0 {
                return Rgb::WHITE;
            }
            return fresnel::schlick((1.0 - sin2_outside).sqrt(), self.f0, self.f90, self.exponent);
        }
        fresnel::schlick(cos, self.f0, self.f90, self.exponent)
    }

    /// Index of refraction on the far side relative to the side of `wo`: that of a dielectric of the same `f0`.
    pub(super) fn eta(&self, wo: Vec3) -> f32 {
        let ior = fresnel::ior_from_f0(self.f0.average()).max(1.0 + INDEX_MATCHED);
        if wo.z < 0.0 { 1.0 / ior } else { ior }
    }

    /// The share of light from `wo` that leaves if the surface were smooth.
    pub(super) fn smooth_albedo(&self, wo: Vec3) -> Rgb {
        let f = self.fresnel(wo, abs_cos_theta(wo));
        self.reflection * f + self.transmission * (Rgb::WHITE - f)
    }

    pub(super) fn transmits(&self) -> bool {
        !self.transmission.is_black()
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Rgb {
        if self.transmits() {
            return self.interface(wo).albedo(wo);
        }
        self.reflection * albedo::reflected(self.ggx, wo, |cos| self.fresnel(wo, cos))
    }

    fn interface(&self, wo: Vec3) -> Interface<impl Fn(f32) -> Split> {
        let eta = self.transmits().then(|| self.eta(wo));
        let split = move |cos| {
            let f = self.fresnel(wo, cos);
            Split {
                reflected: self.reflection * f,
                refracted: self.transmission * (Rgb::WHITE - f),
            }
        };
        Interface {
            ggx: self.ggx,
            eta,
            split,
        }
    }
}
