//! Shares of light that a smooth interface reflects, for unpolarised light.
//!
//! `cos` is the cosine between the direction of the light and the normal on its side, in `[0,1]`.

use glam::Vec3;

use crate::color::Rgb;
use crate::math::{safe_sqrt, sqr};

/// Reflectance of an interface between dielectrics; `eta` is the index of refraction behind it relative to the side that
/// the light comes from. One under total internal reflection.
// Fresnel's equations, e.g. Born & Wolf, Principles of Optics, section 1.5.2.
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

/// Reflectance of a conductor of index `eta` + i `k` against vacuum, per channel.
pub fn conductor(cos: f32, eta: Rgb, k: Rgb) -> Rgb {
    Rgb::new(
        conductor_channel(cos, eta.r, k.r),
        conductor_channel(cos, eta.g, k.g),
        conductor_channel(cos, eta.b, k.b),
    )
}

// Exact; the arrangement is that of Lazányi & Szirmay-Kalos 2005, "Fresnel Term Approximations for Metals", eq. 1-2.
fn conductor_channel(cos: f32, eta: f32, k: f32) -> f32 {
    let cos2 = sqr(cos.clamp(0.0, 1.0));
    let sin2 = 1.0 - cos2;
    let t0 = sqr(eta) - sqr(k) - sin2;
    let a2_plus_b2 = safe_sqrt(sqr(t0) + 4.0 * sqr(eta) * sqr(k));
    let a = safe_sqrt(0.5 * (a2_plus_b2 + t0));
    let t1 = a2_plus_b2 + cos2;
    let t2 = 2.0 * a * cos;
    let t3 = cos2 * a2_plus_b2 + sqr(sin2);
    let t4 = t2 * sin2;
    // Both denominators vanish only where nothing is refracted or absorbed.
    let perpendicular = if t1 + t2 > 0.0 { (t1 - t2) / (t1 + t2) } else { 1.0 };
    let parallel = if t3 + t4 > 0.0 { (t3 - t4) / (t3 + t4) } else { 1.0 };
    (0.5 * perpendicular * (1.0 + parallel)).clamp(0.0, 1.0)
}

/// Schlick's reflectance between `f0` at normal and `f90` at grazing incidence, with the falloff `exponent` (his is 5).
// Schlick 1994, "An Inexpensive BRDF Model for Physically-based Rendering", eq. 24.
pub fn schlick(cos: f32, f0: Rgb, f90: Rgb, exponent: f32) -> Rgb {
    let x = (1.0 - cos).clamp(0.0, 1.0);
    let falloff = if exponent == 5.0 {
        sqr(sqr(x)) * x
    } else {
        x.powf(exponent)
    };
    f0.lerp(f90, falloff)
}

/// The relative index of refraction of a dielectric that reflects `f0` at normal incidence.
pub fn ior_from_f0(f0: f32) -> f32 {
    let root = safe_sqrt(f0).min(0.99);
    (1.0 + root) / (1.0 - root)
}

/// The direction of `w` reflected about the unit vector `h`.
pub fn reflect(w: Vec3, h: Vec3) -> Vec3 {
    2.0 * w.dot(h) * h - w
}

/// The direction of `w` refracted by an interface of normal `h` on the side of `w`, `eta` as in [`dielectric`]; `None`
/// under total internal reflection.
pub fn refract(w: Vec3, h: Vec3, eta: f32) -> Option<Vec3> {
    let cos = w.dot(h);
    let sin2_t = (1.0 - sqr(cos)).max(0.0) / sqr(eta);
    (sin2_t < 1.0).then(|| (h * (cos / eta - (1.0 - sin2_t).sqrt()) - w / eta).normalize())
}
