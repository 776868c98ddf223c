//! Disney (Burley) diffuse with flatness, and sheen: lobes of the principled material.
//!
//! Diffuse reflection with retro-reflection by roughness, blended with a flatter approximation of subsurface
//! scattering. The model does not conserve energy: the albedo reaches 1.56 for rough surfaces at grazing incidence. A
//! limited lobe is divided by the larger of the albedos of both directions if that exceeds one, which conserves energy
//! and keeps reciprocity.
// Burley 2012, "Physically-Based Shading at Disney", section 5.3; in the form of Burley 2015, "Extending the Disney BRDF to a
// BSDF with Integrated Subsurface Scattering", eq. 4.

use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::fresnel::schlick_weight;
use super::lambert::sample_cosine;
use super::lobe_kind::{LobeKind, LobeSample};
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, cos, safe_sqrt, same_hemisphere, sqr};

/// Burley's diffuse reflection, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burley {
    /// Perceptual roughness √α; controls the strength of retro-reflection.
    pub roughness: f32,
    /// Weight of the subsurface approximation against the diffuse term.
    pub flatness: f32,
    /// True if it reflects no more light than arrives.
    pub is_limited: bool,
}

/// Number of cosines of the table of albedos.
const COSINES: usize = 64;

/// Roughnesses of the table: the albedo is a polynomial of degree two of the roughness, and linear in the flatness.
const ROUGHNESSES: [f32; 3] = [0.0, 0.5, 1.0];

/// Albedos of the published model by cosine, flatness 0 and 1, and roughness.
static ALBEDOS: LazyLock<[[[f32; 3]; 2]; COSINES]> = LazyLock::new(|| {
    std::array::from_fn(|cosine| {
        let cos = cosine as f32 / (COSINES - 1) as f32;
        [0.0, 1.0].map(|flatness| {
            ROUGHNESSES.map(|roughness| {
                let published = Burley {
                    roughness,
                    flatness,
                    is_limited: false,
                };
                published.integrated(cos)
            })
        })
    })
});

impl Burley {
    pub(super) fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let pdf = abs_cos_theta(wi) * INV_PI;
        (Rgb::splat(self.factor(wo, wi) * pdf), pdf)
    }

    pub(super) fn sample(&self, wo: Vec3, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = Rgb::splat(self.factor(wo, sample.wi));
        Some(sample)
    }

    /// f·π.
    fn factor(&self, wo: Vec3, wi: Vec3) -> f32 {
        let published = self.published(wo, wi);
        if !self.is_limited {
            return published;
        }
        let [o, i] = [wo, wi].map(|w| self.limit(abs_cos_theta(w)));
        published / o.max(i)
    }

    /// Albedo of the published model for a direction with this cosine, at least 1; 1 if the lobe is not limited.
    fn limit(&self, cos: f32) -> f32 {
        if !self.is_limited {
            return 1.0;
        }
        let scaled = cos.min(1.0) * (COSINES - 1) as f32;
        let cell = (scaled as usize).min(COSINES - 2);
        let r = self.roughness;
        // Lagrange's polynomial through the three roughnesses.
        let shares = [
            (r - 0.5) * (r - 1.0) * 2.0,
            r * (1.0 - r) * 4.0,
            r * (r - 0.5) * 2.0,
        ];
        let at = |cell: usize| {
            let [plain, flat] =
                ALBEDOS[cell].map(|values| (0..3).map(|i| shares[i] * values[i]).sum::<f32>());
            plain + (flat - plain) * self.flatness
        };
        let (low, high) = (at(cell), at(cell + 1));
        (low + (high - low) * (scaled - cell as f32)).max(1.0)
    }

    /// f·π of the published model.
    fn published(&self, wo: Vec3, wi: Vec3) -> f32 {
        // 2·roughness·cos² of the angle between each direction and the half vector.
        let retro = self.roughness * (1.0 + wo.dot(wi));
        self.mix(abs_cos_theta(wo), abs_cos_theta(wi), retro, sqr(retro))
    }

    /// f·π, or its mean over azimuths if `retro` and `retro2` are the means of the retro-reflection and of its square.
    fn mix(&self, cos_o: f32, cos_i: f32, retro: f32, retro2: f32) -> f32 {
        let (o, i) = (schlick_weight(cos_o), schlick_weight(cos_i));
        let diffuse = (1.0 - 0.5 * o) * (1.0 - 0.5 * i) + retro * (o + i - o * i) + retro2 * o * i;
        if self.flatness == 0.0 {
            return diffuse;
        }
        // Hanrahan-Krueger subsurface approximation (flattened): 1 + (F90 − 1)·weight for both directions, where F90 is
        // retro/2.
        let (excess, excess2) = (0.5 * retro - 1.0, 0.25 * retro2 - retro + 1.0);
        let fss = 1.0 + excess * (o + i) + excess2 * o * i;
        let flat = 1.25 * (fss * (1.0 / (cos_o + cos_i).max(1e-6) - 0.5) + 0.5);
        diffuse + (flat - diffuse) * self.flatness
    }

    /// Directional albedo for `wo`.
    pub(super) fn albedo(&self, wo: Vec3) -> f32 {
        self.integrated(abs_cos_theta(wo).min(1.0))
    }

    /// Directional albedo for a direction with this cosine.
    fn integrated(&self, cos_o: f32) -> f32 {
        let limit = self.limit(cos_o);
        let at = |cos_i: f32| {
            let along = 1.0 + cos_o * cos_i;
            let across2 = 0.5 * (1.0 - sqr(cos_o)) * (1.0 - sqr(cos_i));
            let retro2 = sqr(self.roughness) * (sqr(along) + across2);
            let value = self.mix(cos_o, cos_i, self.roughness * along, retro2);
            2.0 * cos_i * value / limit.max(self.limit(cos_i))
        };
        gauss(at)
    }
}

/// Burley's sheen: forward-scattered grazing light of cloth, colour one. f is the Schlick weight of the angle to the
/// half vector, without a factor 1/π.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheen;

impl Sheen {
    pub(super) fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let cos = abs_cos_theta(wi);
        (Rgb::splat(value(wo.dot(wi)) * cos), cos * INV_PI)
    }

    pub(super) fn sample(&self, wo: Vec3, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = Rgb::splat(value(wo.dot(sample.wi)) / INV_PI);
        Some(sample)
    }

    /// Fast approximation of [`Sheen::albedo`]: 0.09 at grazing incidence.
    pub(super) fn estimate(&self, cos_o: f32) -> f32 {
        0.09 * sqr(1.0 - cos_o.abs().min(1.0))
    }

    /// Directional albedo for `wo`.
    pub(super) fn albedo(&self, wo: Vec3) -> f32 {
        const AZIMUTHS: usize = 8;
        let cos_o = abs_cos_theta(wo).min(1.0);
        let at = |cos_i: f32| {
            let across = safe_sqrt((1.0 - sqr(cos_o)) * (1.0 - sqr(cos_i)));
            let azimuth = |k: usize| {
                let cos = cos((k as f32 + 0.5) * std::f32::consts::PI / AZIMUTHS as f32);
                value(cos_o * cos_i + across * cos)
            };
            2.0 * cos_i / INV_PI * (0..AZIMUTHS).map(azimuth).sum::<f32>() / AZIMUTHS as f32
        };
        gauss(at)
    }
}

/// f of the sheen for two directions with this cosine between them.
fn value(cos: f32) -> f32 {
    schlick_weight(safe_sqrt(0.5 * (1.0 + cos)))
}

/// Integral over `[0,1]` by the Gauss-Legendre rule with eight nodes.
fn gauss(f: impl Fn(f32) -> f32) -> f32 {
    const HALF: [(f32, f32); 4] = [
        (0.183_434_64, 0.362_683_8),
        (0.525_532_4, 0.313_706_65),
        (0.796_666_5, 0.222_381_04),
        (0.960_289_9, 0.101_228_54),
    ];
    let both = |(x, w): (f32, f32)| 0.5 * w * (f(0.5 - 0.5 * x) + f(0.5 + 0.5 * x));
    HALF.into_iter().map(both).sum()
}
