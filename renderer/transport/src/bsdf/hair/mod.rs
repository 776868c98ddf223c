//! Hair and fur: a dielectric fibre with the path classes R (reflection), TT (transmission), TRT (one internal
//! reflection) and all higher orders.
//!
//! - z is the normal, x the direction of the fibre from root to tip. The offset h across the fibre, from the middle (0)
//!   to the edges (±1), follows from the azimuth of `wo` about x, as in MaterialX's shaders: triangle strips for fibres
//!   need the normals of a round fibre. Seen from behind, the normal counts as reversed.
//! - Light transmitted by the fibre leaves from its point of incidence, in any direction of the sphere. A fibre has no
//!   sides and f·|cos θi| contains no cosine: it is the published S.
//! - Without absorption the albedo is one. The paper's tilt rotates θi; here it rotates θo, which preserves that (as in
//!   pbrt). The sign is that of Cycles and MaterialX: the scales of positive tilts open towards the tip, and R shifts
//!   to the root.
//! - S is not reciprocal: absorption depends on `wo` alone.
// Chiang et al. 2016, "A Practical and Controllable Hair and Fur Model for Production Path Tracing"; Pharr 2016, "The
// Implementation of a Hair Scattering Model".

mod azimuthal;
mod longitudinal;

use std::f32::consts::PI;

use glam::{Vec2, Vec3};
use half::f16;

use super::fresnel;
use super::lobe_kind::{LobeKind, LobeSample, Side, Spread};
use super::lobe_model::LobeModel;
use longitudinal::Theta;
use renderer_base::color::Rgb;
use renderer_base::math::{ONE_MINUS_EPSILON, asin, atan2, bounded, exp, safe_sqrt, sin, sin_cos, sqr};

/// Number of path classes: R, TT, TRT and all higher orders together.
const PATH_CLASSES: usize = 4;

/// Hair fibre.
///
/// Tints and tilt are stored in half precision, so that they do not enlarge the lobe enum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hair {
    absorption: Rgb,
    eta: f32,
    /// Sine of the tilt of the cuticle scales.
    sin_tilt: f16,
    /// Longitudinal variances of R, TT, TRT.
    variances: [f32; 3],
    /// Azimuthal scales of R, TT, TRT, for logistic distributions.
    scales: [f32; 3],
    tints: [[f16; 3]; 3],
}

/// Parameters of a [`Hair`]; arrays hold R, TT and TRT.
#[derive(Clone, Copy, Debug)]
pub struct HairParameters {
    /// Factors on the light of each path class.
    pub tints: [Rgb; 3],
    /// Index of refraction of the fibre.
    pub ior: f32,
    /// Longitudinal variances [rad²].
    pub variances: [f32; 3],
    /// Azimuthal scales `s` of the paper [rad].
    pub scales: [f32; 3],
    /// Tilt of the scales of the cuticle [rad].
    pub tilt: f32,
    /// Absorption coefficient, per radius of the fibre.
    pub absorption: Rgb,
}

impl HairParameters {
    /// Creates parameters from the paper's roughnesses in `[0,1]`, without tilt and absorption.
    // The ratios of the variances are those of Marschner et al. 2003, "Light Scattering from Human Hair Fibers".
    pub fn of_roughness(longitudinal: f32, azimuthal: f32, ior: f32) -> HairParameters {
        let v = longitudinal::variance(longitudinal);
        HairParameters {
            tints: [Rgb::WHITE; 3],
            ior,
            variances: [v, 0.25 * v, 4.0 * v],
            scales: [azimuthal::scale(azimuthal); 3],
            tilt: 0.0,
            absorption: Rgb::BLACK,
        }
    }

    /// Replaces R's longitudinal variance by that of the roughness `longitudinal`.
    pub fn with_reflection(mut self, longitudinal: f32) -> HairParameters {
        self.variances[0] = longitudinal::variance(longitudinal);
        self
    }
}

/// Fibre as seen from one direction.
struct ViewedFibre {
    theta: Theta,
    /// Angle about the fibre from the normal to the viewer, at the point of incidence.
    gamma_o: f32,
    /// Angle γ after refraction.
    gamma_t: f32,
    /// Attenuation of each path class.
    attenuation: [Rgb; PATH_CLASSES],
}

impl Hair {
    /// Creates a fibre; parameters out of range are clamped.
    pub fn new(parameters: &HairParameters) -> Hair {
        let half = PI / 2.0;
        Hair {
            absorption: parameters.absorption.map(|a| bounded(a, 0.0, 1e6)),
            eta: bounded(parameters.ior, 1e-2, 1e2),
            sin_tilt: f16::from_f32(sin(bounded(parameters.tilt, -half, half))),
            variances: parameters.variances.map(longitudinal::sane_variance),
            scales: parameters.scales.map(azimuthal::logistic_scale),
            tints: parameters
                .tints
                .map(|tint| tint.to_array().map(|t| f16::from_f32(bounded(t, 0.0, 6e4)))),
        }
    }

    /// Density of a direction for one path class [1/sr].
    fn density(&self, path: usize, viewed: &ViewedFibre, i: Theta, phi: f32) -> f32 {
        let about = match path {
            3 => 0.5 / PI,
            _ => azimuthal::density(phi - viewed.exit_angle(path), self.scales[path]),
        };
        let tilted = viewed.theta.turned(self.tilt(path));
        longitudinal::density(tilted, i, self.variance(path)) * about
    }

    fn variance(&self, path: usize) -> f32 {
        self.variances[path.min(2)]
    }

    /// Sine and cosine of the angle by which the scales rotate the viewer for a path class: 2α, −α, −4α, 0.
    fn tilt(&self, path: usize) -> (f32, f32) {
        let double = |(sin, cos): (f32, f32)| (2.0 * sin * cos, sqr(cos) - sqr(sin));
        let sin_tilt = self.sin_tilt.to_f32();
        let once = (sin_tilt, safe_sqrt(1.0 - sqr(sin_tilt)));
        match path {
            0 => double(once),
            1 => (-once.0, once.1),
            2 => {
                let (sin, cos) = double(double(once));
                (-sin, cos)
            }
            _ => (0.0, 1.0),
        }
    }

    fn tint(&self, path: usize) -> Rgb {
        Rgb::from(self.tints[path.min(2)].map(f16::to_f32))
    }

    /// Computes the fibre's parameters as seen from `wo`.
    fn viewed(&self, wo: Vec3) -> ViewedFibre {
        let theta = Theta { sin: wo.x, cos: (sqr(wo.y) + sqr(wo.z)).sqrt() };
        let near = 1f32.copysign(wo.z);
        // h = sin γo = −y/cos θo, and the index of the cross section is √(η² − sin² θo)/cos θo: Marschner et al. 2003.
        let sin_gamma_t = (-near * wo.y / safe_sqrt(sqr(self.eta) - sqr(wo.x)).max(1e-6)).clamp(-1.0, 1.0);
        let cos_theta_t = safe_sqrt(1.0 - sqr(wo.x / self.eta)).max(1e-6);
        let path_length = 2.0 * safe_sqrt(1.0 - sqr(sin_gamma_t)) / cos_theta_t;
        ViewedFibre {
            theta,
            gamma_o: atan2(-near * wo.y, wo.z.abs()),
            gamma_t: asin(sin_gamma_t),
            // cos θo cos γo = |z|.
            attenuation: self.attenuation(fresnel::dielectric(wo.z.abs(), self.eta), path_length),
        }
    }

    /// Attenuation of each path class, for the reflectance of the interface and a path length through the fibre
    /// [radii].
    // Chiang et al. 2016, section 3; the last is the sum of a geometric series.
    fn attenuation(&self, reflectance: f32, path_length: f32) -> [Rgb; PATH_CLASSES] {
        let passed = self.absorption.map(|a| exp(-a * path_length));
        let transmitted = passed * sqr(1.0 - reflectance);
        let inside = passed * reflectance;
        let rest = transmitted * inside * inside.map(|share| share / (1.0 - share).max(f32::EPSILON));
        let paths = [Rgb::splat(reflectance), transmitted, transmitted * inside, rest];
        std::array::from_fn(|path| paths[path] * self.tint(path))
    }
}

impl LobeModel for Hair {
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let viewed = self.viewed(wo);
        let i = Theta { sin: wi.x, cos: (sqr(wi.y) + sqr(wi.z)).sqrt() };
        let phi = atan2(wo.y * wi.z - wo.z * wi.y, wo.y * wi.y + wo.z * wi.z);
        let (mut f, mut pdf, mut total) = (Rgb::BLACK, 0.0, 0.0);
        for path in 0..PATH_CLASSES {
            let attenuation = viewed.attenuation[path];
            let likelihood = attenuation.average();
            let density = self.density(path, &viewed, i, phi);
            f += attenuation * density;
            pdf += likelihood * density;
            total += likelihood;
        }
        (f, if total > 0.0 { pdf / total } else { 0.0 })
    }

    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        let viewed = self.viewed(wo);
        let (path, u_lobe) = viewed.choose(u_lobe)?;
        let tilted = viewed.theta.turned(self.tilt(path));
        let sin_i = longitudinal::sample(tilted, self.variance(path), Vec2::new(u.x, u_lobe));
        let cos_i = safe_sqrt(1.0 - sqr(sin_i));
        let (sin_phi, cos_phi) = sin_cos(match path {
            3 => 2.0 * PI * u.y,
            _ => viewed.exit_angle(path) + azimuthal::sample(self.scales[path], u.y),
        });
        // Azimuth of the viewer, rotated by φ.
        let across = Vec2::new(wo.y, wo.z).try_normalize().unwrap_or(Vec2::Y);
        let wi = Vec3::new(
            sin_i,
            cos_i * (across.x * cos_phi - across.y * sin_phi),
            cos_i * (across.x * sin_phi + across.y * cos_phi),
        );
        let (f, pdf) = self.eval_pdf(wo, wi);
        (pdf > 0.0).then(|| LobeSample {
            wi,
            weight: f * (1.0 / pdf),
            pdf,
            kind: LobeKind { side: Side::of(wo.z * wi.z), spread: Spread::Glossy },
            eta: 1.0,
        })
    }

    fn has_choice(&self) -> bool {
        true
    }

    fn transmits(&self) -> bool {
        true
    }

    fn is_fibre(&self) -> bool {
        true
    }

    fn spread(&self) -> Spread {
        Spread::Glossy
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        self.albedo(Vec3::new(0.0, safe_sqrt(1.0 - sqr(cos_o)), cos_o))
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        self.viewed(wo).attenuation.into_iter().sum()
    }
}

impl ViewedFibre {
    /// Angle about the fibre from the viewer to the exit direction of a path class without roughness.
    // Marschner et al. 2003, section 4.
    fn exit_angle(&self, path: usize) -> f32 {
        let p = path as f32;
        2.0 * p * self.gamma_t - 2.0 * self.gamma_o + p * PI
    }

    /// Selects a path class in proportion to its attenuation; also returns the rescaled `u`.
    fn choose(&self, mut u: f32) -> Option<(usize, f32)> {
        let likelihoods = self.attenuation.map(Rgb::average);
        let total: f32 = likelihoods.iter().sum();
        let mut chosen = None;
        u *= total;
        for (path, likelihood) in likelihoods.into_iter().enumerate().filter(|(_, l)| *l > 0.0) {
            chosen = Some((path, (u / likelihood).clamp(0.0, ONE_MINUS_EPSILON)));
            if u < likelihood {
                break;
            }
            u -= likelihood;
        }
        chosen
    }
}
