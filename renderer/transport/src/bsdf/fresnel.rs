//! Fresnel reflectance of smooth interfaces for unpolarised light: dielectric, conductor, Schlick, diffuse averages.
//!
//! `cos` is the cosine between the direction of the light and the normal on its side, in `[0,1]`.

use glam::{Vec3, Vec3A};

use renderer_base::color::Rgb;
use renderer_base::math::{pow, safe_sqrt, sqr};

/// Reflectance of an interface between dielectrics. `eta` is the index of refraction behind the interface relative to
/// the incident side. Returns 1 under total internal reflection.
// Fresnel's equations, e.g. Born & Wolf, Principles of Optics, section 1.5.2.
#[inline(always)]
pub fn dielectric(cos: f32, eta: f32) -> f32 {
    let sin2_t = (1.0 - sqr(cos)) / sqr(eta);
    if sin2_t >= 1.0 || cos <= 0.0 {
        return 1.0;
    }
    let cos_t = (1.0 - sin2_t).sqrt();
    let parallel = (eta * cos - cos_t) / (eta * cos + cos_t);
    let perpendicular = (cos - eta * cos_t) / (cos + eta * cos_t);
    0.5 * (sqr(parallel) + sqr(perpendicular))
}

/// Reflectance of an interface between dielectrics for diffuse illumination; `eta` as in [`dielectric`].
pub fn diffuse(eta: f32) -> f32 {
    if eta < 1.0 {
        return diffuse_internal(1.0 / eta);
    }
    // d'Eon & Irving 2011, "A Quantized-Diffusion Model for Rendering Translucent Materials", eq. 16; error below 0.2
    // %.
    let x = 1.0 / eta;
    let terms = [-1.36881, 4.98554, -7.80989, 6.75335, -3.4793, 0.919317];
    terms.into_iter().fold(0.0f32, |sum, c| sum * x + c).max(0.0)
}

/// Reflectance for diffuse light from inside a body of index `ior`, inside over outside.
// Transmittance per unit of étendue is the same in both directions; étendue is n² times as large inside.
pub fn diffuse_internal(ior: f32) -> f32 {
    if ior < 1.0 {
        return diffuse(1.0 / ior);
    }
    1.0 - (1.0 - diffuse(ior)) / sqr(ior)
}

/// Reflectance of a conductor of index `eta` + i `k` against vacuum, per channel.
// Exact, as arranged by Lazányi & Szirmay-Kalos 2005, "Fresnel Term Approximations for Metals", eq. 1-2. The channels
// are computed as a vector: square roots and divisions are most of the work.
#[inline(always)]
pub fn conductor(cos: f32, eta: Rgb, k: Rgb) -> Rgb {
    if cos <= MIN_COS {
        return Rgb::WHITE;
    }
    let squared = |c: Rgb| {
        let c = Vec3A::new(c.r, c.g, c.b).min(Vec3A::splat(MAX_INDEX));
        c * c
    };
    let (eta2, k2) = (squared(eta), squared(k));
    let cos2 = sqr(cos.min(1.0));
    let sin2 = 1.0 - cos2;
    let t0 = eta2 - k2 - sin2;
    let a2_plus_b2 = (t0 * t0 + 4.0 * eta2 * k2).sqrt();
    let a = (0.5 * (a2_plus_b2 + t0)).max(Vec3A::ZERO).sqrt();
    let (t1, t2) = (a2_plus_b2 + cos2, 2.0 * cos * a);
    let (t3, t4) = (cos2 * a2_plus_b2 + sqr(sin2), t2 * sin2);
    let perpendicular = (t1 - t2) / (t1 + t2);
    // Avoids division by zero for an index of zero.
    let parallel = (t3 - t4) / (t3 + t4).max(Vec3A::splat(f32::MIN_POSITIVE));
    let reflectance = 0.5 * perpendicular * (1.0 + parallel);
    Rgb::from(Vec3::from(reflectance.clamp(Vec3A::ZERO, Vec3A::ONE)))
}

/// Mean cosine of diffuse light: the reflectance there is about the mean reflectance.
pub const MEAN_COS: f32 = 2.0 / 3.0;

/// Cosine below which all light is reflected; its square would underflow.
const MIN_COS: f32 = 1e-9;

/// Larger indices are clamped.
const MAX_INDEX: f32 = 1e4;

/// Schlick reflectance between `f0` at normal and `f90` at grazing incidence, with the falloff `exponent` (5 in the
/// paper).
// Schlick 1994, "An Inexpensive BRDF Model for Physically-based Rendering", eq. 24.
#[inline(always)]
pub fn schlick(cos: f32, f0: Rgb, f90: Rgb, exponent: f32) -> Rgb {
    let falloff = if exponent == 5.0 {
        schlick_weight(cos)
    } else {
        pow((1.0 - cos).clamp(0.0, 1.0), exponent)
    };
    f0.lerp(f90, falloff)
}

/// Interpolation weight of Schlick's reflectance with exponent 5: 0 at normal, 1 at grazing incidence.
#[inline(always)]
pub fn schlick_weight(cos: f32) -> f32 {
    let x = (1.0 - cos).clamp(0.0, 1.0);
    sqr(sqr(x)) * x
}

/// Relative index of refraction of a dielectric with reflectance `f0` at normal incidence.
pub fn ior_from_f0(f0: f32) -> f32 {
    let root = safe_sqrt(f0).min(0.99);
    (1.0 + root) / (1.0 - root)
}

/// Reflects `w` about the unit vector `h`.
#[inline(always)]
pub fn reflect(w: Vec3, h: Vec3) -> Vec3 {
    2.0 * w.dot(h) * h - w
}

/// Refracts `w` at an interface with normal `h` on the side of `w`; `eta` as in [`dielectric`]. Returns `None` under
/// total internal reflection.
#[inline(always)]
pub fn refract(w: Vec3, h: Vec3, eta: f32) -> Option<Vec3> {
    let cos = w.dot(h);
    let sin2_t = (1.0 - sqr(cos)).max(0.0) / sqr(eta);
    (sin2_t < 1.0).then(|| (h * (cos / eta - (1.0 - sin2_t).sqrt()) - w / eta).normalize())
}

/// Reflectance for light that facets of reflectance `f` scatter at least twice. The fraction `lost` of each scattering
/// event meets further facets.
#[inline(always)]
pub(super) fn multiple_reflectance(f: f32, lost: f32) -> f32 {
    (sqr(f) * (1.0 - lost) / (1.0 - f * lost).max(1e-6)).clamp(0.0, 1.0)
}
