//! Disney (Burley) diffuse with flatness, and sheen: lobes of the principled material.
//!
//! Diffuse reflection with retro-reflection by roughness, blended with a flatter approximation of subsurface
//! scattering. The model does not conserve energy: the albedo is 1.56 for rough surfaces at grazing incidence, and 0.5
//! for smooth ones. A lossless lobe is the model times one factor per direction, such that the albedo is one and f is
//! reciprocal.
// Burley 2012, "Physically-Based Shading at Disney", section 5.3; in the form of Burley 2015, "Extending the Disney
// BRDF to a BSDF with Integrated Subsurface Scattering", eq. 4.

use std::sync::LazyLock;

use glam::{Vec2, Vec3};

use super::fresnel::schlick_weight;
use super::lambert::sample_cosine;
use super::lobe_kind::{LobeKind, LobeSample};
use super::lobe_model::LobeModel;
use super::quadrature::cell;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, bounded, cos, safe_sqrt, same_hemisphere, sqr};

/// Burley's diffuse reflection, colour one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burley {
    /// Perceptual roughness √α; controls the strength of retro-reflection.
    pub roughness: f32,
    /// Weight of the subsurface approximation against the diffuse term.
    pub flatness: f32,
    /// True if it reflects all light.
    pub is_lossless: bool,
}

/// Number of cosines of the table of factors, equidistant in the root of the cosine.
const COSINES: usize = 32;

/// Number of roughnesses and of flatnesses of the table.
const ROUGHNESSES: usize = 9;
const FLATNESSES: usize = 5;

/// Factors of a lossless lobe by cosine.
type Factors = [f32; COSINES];

static FACTORS: LazyLock<[[Factors; ROUGHNESSES]; FLATNESSES]> = LazyLock::new(|| {
    let share = |index: usize, count: usize| index as f32 / (count - 1) as f32;
    std::array::from_fn(|flatness| {
        std::array::from_fn(|roughness| {
            let model = Burley {
                roughness: share(roughness, ROUGHNESSES),
                flatness: share(flatness, FLATNESSES),
                is_lossless: false,
            };
            model.balanced()
        })
    })
});

impl Burley {
    /// f·π.
    fn factor(&self, wo: Vec3, wi: Vec3) -> f32 {
        let published = self.published(wo, wi);
        if !self.is_lossless {
            return published;
        }
        let [o, i] = [wo, wi].map(|w| self.balance(abs_cos_theta(w)));
        published * o * i
    }

    /// Factor of a lossless lobe for a direction with this cosine.
    fn balance(&self, cos: f32) -> f32 {
        let (row, of_row) = cell(bounded(cos.min(1.0).sqrt(), 0.0, 1.0), COSINES);
        let (column, of_column) = cell(bounded(self.roughness, 0.0, 1.0), ROUGHNESSES);
        let (layer, of_layer) = cell(bounded(self.flatness, 0.0, 1.0), FLATNESSES);
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let along = |factors: &Factors| mix(factors[row], factors[row + 1], of_row);
        let of_flatness = |factors: &[Factors; ROUGHNESSES]| {
            mix(along(&factors[column]), along(&factors[column + 1]), of_column)
        };
        mix(of_flatness(&FACTORS[layer]), of_flatness(&FACTORS[layer + 1]), of_layer)
    }

    /// Factors a(cos) for which f·a(cos θo)·a(cos θi) has the albedo one for each direction.
    // Sinkhorn & Knopp 1967, "Concerning Nonnegative Matrices and Doubly Stochastic Matrices", with symmetric steps.
    fn balanced(&self) -> Factors {
        const STEPS: usize = 40;
        let mut factors = [1.0; 8];
        for _ in 0..STEPS {
            let albedos = NODES.map(|(root, _)| self.balanced_albedo(sqr(root), &factors));
            for (factor, albedo) in factors.iter_mut().zip(albedos) {
                *factor = (*factor / albedo).sqrt();
            }
        }
        std::array::from_fn(|row| {
            let cos = sqr(row as f32 / (COSINES - 1) as f32);
            1.0 / self.balanced_albedo(cos, &factors)
        })
    }

    /// Albedo for a direction with this cosine if light of the cosines of [`NODES`] has these factors.
    fn balanced_albedo(&self, cos_o: f32, factors: &[f32; 8]) -> f32 {
        let terms = NODES.into_iter().zip(factors).map(|((root, weight), factor)| {
            // The integral of 2·cos over the cosine, by its root.
            4.0 * root * sqr(root) * weight * factor * self.averaged(cos_o, sqr(root))
        });
        terms.sum()
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
    pub(super) fn reflectance(&self, wo: Vec3) -> f32 {
        if self.is_lossless {
            return 1.0;
        }
        let cos_o = abs_cos_theta(wo).min(1.0);
        gauss(|cos_i| 2.0 * cos_i * self.averaged(cos_o, cos_i))
    }

    /// f·π of the published model, averaged over azimuths.
    fn averaged(&self, cos_o: f32, cos_i: f32) -> f32 {
        let along = 1.0 + cos_o * cos_i;
        let across2 = 0.5 * (1.0 - sqr(cos_o)) * (1.0 - sqr(cos_i));
        let retro2 = sqr(self.roughness) * (sqr(along) + across2);
        self.mix(cos_o, cos_i, self.roughness * along, retro2)
    }
}

impl LobeModel for Burley {
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

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(self.reflectance(wo))
    }
}

/// Burley's sheen: forward-scattered grazing light of cloth, colour one. f is the Schlick weight of the angle to the
/// half vector, without a factor 1/π.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheen;

impl Sheen {
    /// Directional albedo for `wo`.
    pub(super) fn reflectance(&self, wo: Vec3) -> f32 {
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

impl LobeModel for Sheen {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if !same_hemisphere(wo, wi) {
            return (Rgb::BLACK, 0.0);
        }
        let cos = abs_cos_theta(wi);
        (Rgb::splat(value(wo.dot(wi)) * cos), cos * INV_PI)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let mut sample = sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)?;
        sample.weight = Rgb::splat(value(wo.dot(sample.wi)) / INV_PI);
        Some(sample)
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        Rgb::splat(0.09 * sqr(1.0 - cos_o.abs().min(1.0)))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        Rgb::splat(self.reflectance(wo))
    }
}

/// f of the sheen for two directions with this cosine between them.
fn value(cos: f32) -> f32 {
    schlick_weight(safe_sqrt(0.5 * (1.0 + cos)))
}

/// Nodes and weights of the Gauss-Legendre rule over `[0,1]` with eight nodes.
const NODES: [(f32, f32); 8] = {
    const HALF: [(f32, f32); 4] = [
        (0.183_434_64, 0.362_683_8),
        (0.525_532_4, 0.313_706_65),
        (0.796_666_5, 0.222_381_04),
        (0.960_289_9, 0.101_228_54),
    ];
    let mut nodes = [(0.0, 0.0); 8];
    let mut i = 0;
    while i < 4 {
        let (x, weight) = HALF[i];
        nodes[2 * i] = (0.5 - 0.5 * x, 0.5 * weight);
        nodes[2 * i + 1] = (0.5 + 0.5 * x, 0.5 * weight);
        i += 1;
    }
    nodes
};

/// Integral over `[0,1]` by the Gauss-Legendre rule with eight nodes.
fn gauss(f: impl Fn(f32) -> f32) -> f32 {
    let both = |pair: &[(f32, f32)]| pair[0].1 * (f(pair[0].0) + f(pair[1].0));
    NODES.chunks(2).map(both).sum()
}
