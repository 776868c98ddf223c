//! Subsurface scattering: random walks in the medium below a surface.
//!
//! The lobe holds the parameters of the medium and samples a direction into it. Where the walk leaves the object,
//! Lambert's lobe scatters the path.

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeKind, LobeSample, Spread};
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;
use renderer_base::math::{bounded, exp, safe_sqrt, sqr};
use renderer_base::sampling::{cosine_hemisphere, cosine_hemisphere_pdf};

/// Random walk below a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subsurface {
    albedo: Rgb,
    radius: Rgb,
    anisotropy: f32,
    entry: Entry,
}

/// How a path enters the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    /// In any direction, in proportion to the cosine.
    Diffuse,
    /// Half of the paths are refracted by facets of α 1 and this relative index, the others enter as above.
    Refracted(f32),
}

/// Maximum magnitude of the mean cosine.
const MAX_ANISOTROPY: f32 = 0.99;

/// Maximum single-scattering albedo, so that walks end.
const MAX_SINGLE_ALBEDO: f32 = 0.999_999;

/// Maximum extinction [1/m]: in denser media light leaves at its entry, and products of densities stay finite.
const MAX_EXTINCTION: f32 = 1e15;

impl Subsurface {
    /// Medium with the multiple-scattering albedo `albedo`, the mean free path `radius` [m] and the mean cosine
    /// `anisotropy`. Values are clamped to their ranges.
    pub fn new(albedo: Rgb, radius: Rgb, anisotropy: f32) -> Subsurface {
        Subsurface {
            albedo: albedo.map(|v| bounded(v, 0.0, 1.0)),
            radius: radius.map(|v| bounded(v, 0.0, f32::MAX)),
            anisotropy: bounded(anisotropy, -MAX_ANISOTROPY, MAX_ANISOTROPY),
            entry: Entry::Diffuse,
        }
    }

    /// As [`Subsurface::new`], below a rough surface with this relative index of refraction.
    pub fn refracted(self, eta: f32) -> Subsurface {
        Subsurface { entry: Entry::Refracted(bounded(eta, 1.01, 3.8)), ..self }
    }

    /// Skin: below a rough surface with this relative index of refraction; `radius` [m] is the diffusion length instead
    /// of the mean free path.
    pub fn skin(albedo: Rgb, radius: Rgb, anisotropy: f32, eta: f32) -> Subsurface {
        let lengths = albedo.map(|c| diffusion_rate(bounded(c, 0.0, 1.0), bounded(eta, 1.01, 3.8)));
        Subsurface::new(albedo, radius * lengths, anisotropy).refracted(eta)
    }

    /// Multiple-scattering albedo.
    pub fn diffuse_albedo(&self) -> Rgb {
        self.albedo
    }

    /// Returns whether light leaves at its entry.
    pub fn is_flat(&self) -> bool {
        self.radius.is_black()
    }

    /// Mean cosine of scattering.
    pub fn anisotropy(&self) -> f32 {
        self.anisotropy
    }

    /// Single-scattering albedo.
    // d'Eon, "A Hitchhiker's Guide to Multiple Scattering", eq. 53.7: the inverse of a half space's albedo.
    pub fn single_albedo(&self) -> Rgb {
        self.albedo.map(|c| {
            let s = 4.09712 + 4.20863 * c - (9.59217 + 41.6808 * c + 17.7126 * sqr(c)).sqrt();
            ((1.0 - sqr(s)) / (1.0 - self.anisotropy * sqr(s))).clamp(0.0, MAX_SINGLE_ALBEDO)
        })
    }

    /// Extinction coefficient [1/m].
    pub fn extinction(&self) -> Rgb {
        self.radius.map(|radius| (1.0 / radius).min(MAX_EXTINCTION))
    }
}

impl LobeModel for Subsurface {
    fn eval_pdf(&self, _: Vec3, _: Vec3) -> (Rgb, f32) {
        (Rgb::BLACK, 0.0)
    }

    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        let down = match self.entry {
            Entry::Refracted(eta) if u.x < 0.5 => refracted(wo, eta, u.with_x(2.0 * u.x)),
            Entry::Refracted(_) => -cosine_hemisphere(u.with_x(2.0 * u.x - 1.0)),
            Entry::Diffuse => -cosine_hemisphere(u),
        };
        let wi = if wo.z < 0.0 { down.with_z(-down.z) } else { down };
        Some(LobeSample {
            wi,
            weight: Rgb::WHITE,
            pdf: cosine_hemisphere_pdf(down.z.abs()),
            kind: LobeKind::SUBSURFACE,
            eta: 1.0,
        })
    }

    fn spread(&self) -> Spread {
        Spread::Subsurface
    }

    fn estimate(&self, _: f32) -> Rgb {
        self.albedo
    }

    fn albedo(&self, _: Vec3) -> Rgb {
        self.albedo
    }
}

/// Decay rate with depth of a half space of this albedo, in inverse mean free paths.
// Jensen et al. 2001, "A Practical Model for Subsurface Light Transport", eq. 15, solved for the albedo by halving.
fn diffusion_rate(albedo: f32, eta: f32) -> f32 {
    let reflected = -1.44 / sqr(eta) + 0.71 / eta + 0.668 + 0.0636 * eta;
    let a = (1.0 + reflected) / (1.0 - reflected);
    let rate = |single: f32| safe_sqrt(3.0 * (1.0 - single));
    let diffuse = |single: f32| {
        let s = rate(single);
        0.5 * single * (1.0 + exp(-4.0 / 3.0 * a * s)) * exp(-s)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        match diffuse(middle) < albedo {
            true => low = middle,
            false => high = middle,
        }
    }
    rate(low)
}

/// Refracts `wo` downwards at a visible facet of α 1.
fn refracted(wo: Vec3, eta: f32, u: Vec2) -> Vec3 {
    let up = wo.with_z(wo.z.abs());
    let h = Microfacets::isotropic(1.0).sample_visible(up, u);
    let cos = up.dot(h).max(0.0);
    let inside = safe_sqrt(1.0 - (1.0 - sqr(cos)) / sqr(eta));
    (h * (cos / eta - inside) - up * (1.0 / eta)).normalize_or(-Vec3::Z)
}
