//! Energy-preserving Oren-Nayar diffuse reflection, with multiple scattering between facets.
// Portsmouth, Kutz & Hill 2025, "EON: A Practical Energy-Preserving Rough Diffuse BRDF", with the fit of the albedo.

use glam::{Vec2, Vec3};

use super::lambert::sample_cosine;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, bounded, same_hemisphere};

/// Rough diffuse reflection with single and multiple scattering; its weight is the albedo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eon {
    roughness: f32,
    /// Factor of single scattering.
    single: f32,
    /// Factor of multiple scattering.
    several: Rgb,
}

impl Eon {
    /// Creates the lobe of a surface with this albedo, which must also be the lobe's weight; `roughness` is in `[0,1]`.
    pub fn new(albedo: Rgb, roughness: f32) -> Eon {
        let roughness = bounded(roughness, 0.0, 1.0);
        let single = 1.0 / (1.0 + (0.5 - 2.0 / 3.0 * INV_PI) * roughness);
        let mean = single * (1.0 + (2.0 / 3.0 - 28.0 / 15.0 * INV_PI) * roughness);
        let several = albedo.map(|rho| {
            let rho = rho.clamp(0.0, 1.0);
            rho * mean / (1.0 - rho * (1.0 - mean)) / (1.0 - mean).max(f32::MIN_POSITIVE)
        });
        Eon { roughness, single, several }
    }

    /// Directional albedo for a direction with this cosine.
    pub(super) fn albedo_at(&self, cos: f32) -> Rgb {
        let single = self.of_single(cos.abs());
        let mean = self.single * (1.0 + (2.0 / 3.0 - 28.0 / 15.0 * INV_PI) * self.roughness);
        Rgb::splat(single) + self.several * ((1.0 - single) * (1.0 - mean))
    }

    /// f·π.
    fn factor(&self, wo: Vec3, wi: Vec3) -> Rgb {
        let (cos_o, cos_i) = (abs_cos_theta(wo), abs_cos_theta(wi));
        let tangential = wo.x * wi.x + wo.y * wi.y;
        let ratio = match tangential > 0.0 {
            true => tangential / cos_o.max(cos_i).max(f32::MIN_POSITIVE),
            false => tangential,
        };
        let single = self.single * (1.0 + self.roughness * ratio);
        let [missing_o, missing_i] = [cos_o, cos_i].map(|cos| (1.0 - self.of_single(cos)).max(0.0));
        Rgb::splat(single) + self.several * (missing_o * missing_i)
    }

    /// Directional albedo of single scattering.
    fn of_single(&self, cos: f32) -> f32 {
        let x = 1.0 - cos.min(1.0);
        let fit = x * (0.057_108_53 + x * (0.491_881_87 + x * (-0.332_181_44 + x * 0.071_443)));
        self.single * (1.0 + self.roughness * fit)
    }
}

impl LobeModel for Eon {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let pdf = abs_cos_theta(wi) * INV_PI;
        (self.factor(wo, wi) * pdf, pdf)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = self.factor(wo, sample.wi);
        Some(sample)
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        self.albedo_at(wo.z)
    }
}
