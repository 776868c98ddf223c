//! Metallic-roughness approximation of a BSDF (glTF), for viewers that do not run shaders.

use glam::Vec3;

use super::{Bsdf, Lobe, LobePart, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_base::math::sqr;

/// Reflectance at normal incidence of dielectrics in glTF.
const F0: f32 = 0.04;
/// Mean direction of a viewer, with cosine 2/3: the reflectance of rough diffuse lobes there is nearly their mean.
const OBLIQUE: Vec3 = Vec3::new(0.745_356, 0.0, 0.666_667);

/// Parameters of the model, seen straight on: glTF 2.0, section 3.9.2, and `KHR_materials_transmission`, `_ior` and
/// `_specular`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetallicRoughness {
    /// Colour of diffuse reflection, metal, and transmission.
    pub base_color: Rgb,
    /// Fraction of metal.
    pub metallic: f32,
    /// Square root of the microfacets' α.
    pub roughness: f32,
    /// Transmitted fraction of the light that is not reflected.
    pub transmission: f32,
    /// Index of refraction; 1.5 without transmission.
    pub ior: f32,
    /// Strength of dielectric reflection: 1 for a reflectance of 0.04.
    pub specular: f32,
}

/// Sums of albedos by kind of lobe.
#[derive(Default)]
struct AlbedoSums {
    diffuse: Rgb,
    specular: Rgb,
    transmitted: Rgb,
    /// α of the strongest narrow lobe, and its albedo.
    alpha: (f32, f32),
    eta: f32,
}

impl Bsdf {
    /// Parameters of the model for a viewer straight above. Base colour and metal are found from the diffuse and
    /// specular reflectance as for `KHR_materials_pbrSpecularGlossiness`.
    pub fn metallic_roughness(&self) -> MetallicRoughness {
        let mut sums = AlbedoSums { eta: 1.5, ..AlbedoSums::default() };
        for weighted in self.scattering_lobes() {
            let wo = match weighted.lobe {
                // These lobes are brighter at an angle than from above; the model's diffuse reflection is constant.
                Lobe::OrenNayar(_) | Lobe::Eon(_) => OBLIQUE,
                _ => weighted.frame.to_local(self.wo),
            };
            sums.add(weighted, weighted.weight * weighted.lobe.albedo(wo));
        }
        sums.solve()
    }
}

impl AlbedoSums {
    fn add(&mut self, weighted: &WeightedLobe, albedo: Rgb) {
        if weighted.traits.part == LobePart::Diffuse {
            self.diffuse += albedo;
            return;
        }
        let cos_o = 1.0;
        let reflected = match &weighted.lobe {
            lobe if !weighted.traits.transmits => {
                let share = if let Lobe::Sheen(_) = lobe { 0.0 } else { 1.0 };
                albedo * share
            }
            Lobe::ThinTransmission(_) => Rgb::BLACK,
            lobe => {
                self.eta = lobe.eta(cos_o);
                let f0 = sqr((self.eta - 1.0) / (self.eta + 1.0));
                albedo * f0
            }
        };
        self.specular += reflected;
        if weighted.traits.transmits {
            self.transmitted += albedo - reflected;
        }
        let strength = albedo.luminance();
        if strength > self.alpha.1 {
            let microfacets = weighted.lobe.microfacets();
            let alpha = match microfacets {
                Some(microfacets) if !weighted.traits.specular => microfacets.mean_alpha().min(1.0),
                _ if weighted.traits.specular => 0.0,
                _ => 1.0,
            };
            self.alpha = (alpha, strength);
        }
    }

    fn solve(self) -> MetallicRoughness {
        let body = self.diffuse + self.transmitted;
        let specular = self.specular.max_component();
        let metallic = metallic(body.luminance(), self.specular.luminance(), specular);
        let dielectric = body * ((1.0 - specular).max(0.0) / (1.0 - F0) / (1.0 - metallic).max(1e-6));
        let metal = (self.specular - Rgb::splat(F0 * (1.0 - metallic))) * (1.0 / metallic.max(1e-6));
        let mixed = dielectric * (1.0 - sqr(metallic)) + metal * sqr(metallic);
        let limited = |v: f32| if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 };
        // A dielectric keeps its diffuse colour: the model scales it by the light that the interface does not reflect,
        // and `specular` is separate.
        let under = body * (1.0 / (1.0 - specular).max(1e-6));
        let base_color = if metallic < 1e-3 { under } else { mixed };
        let share = self.transmitted.luminance() / body.luminance().max(1e-6);
        MetallicRoughness {
            base_color: base_color.map(limited),
            metallic: limited(metallic),
            roughness: match self.alpha.1 > 0.0 {
                true => limited(self.alpha.0.sqrt()),
                false => 1.0,
            },
            transmission: limited(share),
            ior: if self.eta >= 1.0 { self.eta } else { 1.0 / self.eta },
            specular: limited(self.specular.luminance() / F0),
        }
    }
}

/// Fraction of metal for reflectances: the root of the quadratic equation of `KHR_materials_pbrSpecularGlossiness`,
/// appendix.
fn metallic(diffuse: f32, specular: f32, strongest: f32) -> f32 {
    if specular <= F0 {
        return 0.0;
    }
    let b = diffuse * (1.0 - strongest).max(0.0) / (1.0 - F0) + specular - 2.0 * F0;
    let c = F0 - specular;
    let root = (sqr(b) - 4.0 * F0 * c).max(0.0).sqrt();
    ((root - b) / (2.0 * F0)).clamp(0.0, 1.0)
}
