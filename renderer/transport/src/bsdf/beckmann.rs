//! Beckmann microfacet distribution at roughness one: density, masking, visible normal sampling.
//!
//! The functions are not inlined, to keep the GGX code around them small.
//!
//! There are two forms of masking. Evaluation uses Walter's rational fit, as Mitsuba does; the density of sampled
//! normals uses the exact fraction of visible microfacets, from which the fit differs by at most 0.35 %.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use renderer_base::math::{exp, ln, sqr};

/// 1/√π.
const INV_SQRT_PI: f32 = 0.564_189_6;

/// Cosine to the normal below which facets are negligible.
const MIN_FACET_COS: f32 = 1e-6;

/// Density of microfacet normals `h` [1/sr], for roughness `x` and `y` along the tangents.
// Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", eq. 25; anisotropic as in Heitz 2014,
// eq. 79.
#[inline(never)]
pub(super) fn d(x: f32, y: f32, h: Vec3) -> f32 {
    if h.z < MIN_FACET_COS {
        return 0.0;
    }
    let cos2 = sqr(h.z);
    exp(-(sqr(h.x / x) + sqr(h.y / y)) / cos2) / (PI * x * y * sqr(cos2))
}

/// Masking function G1: fraction of the microfacets visible from a stretched direction of any length.
// Walter et al. 2007, eq. 27 and the fit below it.
#[inline(never)]
pub(super) fn g1(w: Vec3) -> f32 {
    let a = w.z.abs() / tangential(w);
    // The comparison sends NaN (a direction of length zero) to 1.
    if a < 1.6 {
        (3.535 * a + 2.181 * sqr(a)) / (1.0 + 2.276 * a + 2.577 * sqr(a))
    } else {
        1.0
    }
}

/// Twice the projected area of the microfacets visible from a stretched direction, per area of the macrosurface.
// cos θ·(1 + Λ) with Heitz 2014, "Understanding the Masking-Shadowing Function", eq. 66.
#[inline(never)]
pub(super) fn twice_projected_area(w: Vec3) -> f32 {
    let sin = tangential(w);
    let a = w.z / sin;
    if a < 6.0 {
        let falloff = exp(-sqr(a));
        w.z * (1.0 + erf(a, falloff)) + INV_SQRT_PI * sin * falloff
    } else {
        2.0 * w.z
    }
}

/// Samples slopes of a microfacet visible from the stretched unit direction `w` above the surface.
// Heitz & d'Eon 2014, "Importance Sampling Microfacet-Based BSDFs using the Distribution of Visible Normals", appendix
// B.
#[inline(never)]
pub(super) fn sample_visible_slopes(w: Vec3, u: Vec2) -> Vec2 {
    let (sin, cos) = (tangential(w), w.z);
    let along = if sin > 0.0 { Vec2::new(w.x, w.y) / sin } else { Vec2::X };
    let slope = sample_slope_towards(sin, cos, u.x);
    along * slope + along.perp() * erf_inv(2.0 * u.y - 1.0)
}

/// Slope s along the viewer's azimuth, with density proportional to (cos − s·sin)·exp(−s²) where that is positive.
// With x = erf(s) the distribution function is cos·(1 + x) + sin/√π·exp(−s²), with the derivative cos − s·sin:
// increasing and concave, so that Newton's steps converge from a bracket.
fn sample_slope_towards(sin: f32, cos: f32, u: f32) -> f32 {
    const STEPS: usize = 12;
    let u = u.clamp(1e-6, 1.0 - 1e-6);
    let cot = (cos / sin).min(6.0);
    let falloff = exp(-sqr(cot));
    let (mut low, mut high) = (-1.0, erf(cot, falloff));
    let total = cos * (1.0 + high) + INV_SQRT_PI * sin * falloff;
    // Solution for a viewer at the horizon.
    let root = (-ln(u)).sqrt();
    let mut x = high - (high - low) * erf(root, u);
    let mut slope = erf_inv(x);
    for _ in 0..STEPS {
        let excess = cos * (1.0 + x) + INV_SQRT_PI * sin * exp(-sqr(slope)) - u * total;
        if excess.abs() < 1e-6 * total {
            break;
        }
        if excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let newton = x - excess / (cos - slope * sin);
        x = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        slope = erf_inv(x);
    }
    slope
}

/// Length of the component in the plane of the surface.
fn tangential(w: Vec3) -> f32 {
    (sqr(w.x) + sqr(w.y)).sqrt()
}

/// Error function of `x` ≥ 0, with an error below 1.5·10⁻⁷; exp(−x²) is passed in.
// Abramowitz & Stegun, "Handbook of Mathematical Functions", 7.1.26.
fn erf(x: f32, exp_minus_x2: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_73, 0.254_829_6];
    1.0 - horner(t, &terms) * t * exp_minus_x2
}

/// Inverse error function, to about the precision of `f32`.
// Giles 2010, "Approximating the erfinv function", table 5.
fn erf_inv(x: f32) -> f32 {
    let x = x.clamp(-1.0 + f32::EPSILON, 1.0 - f32::EPSILON);
    let w = -ln((1.0 - x) * (1.0 + x));
    let factor = if w < 5.0 {
        horner(
            w - 2.5,
            &[
                2.810_226_4e-8,
                3.432_739_4e-7,
                -3.523_387_7e-6,
                -4.391_506_5e-6,
                2.185_808_7e-4,
                -1.253_725e-3,
                -4.177_681_6e-3,
                0.246_640_73,
                1.501_409_4,
            ],
        )
    } else {
        horner(
            w.sqrt() - 3.0,
            &[
                -2.002_142_6e-4,
                1.009_505_6e-4,
                1.349_343_2e-3,
                -3.673_428_4e-3,
                5.739_507_7e-3,
                -7.622_461_3e-3,
                9.438_870_5e-3,
                1.001_674,
                2.832_976_8,
            ],
        )
    };
    factor * x
}

/// Polynomial by Horner's scheme, highest coefficient first.
fn horner(x: f32, coefficients: &[f32]) -> f32 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_and_its_inverse() {
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3)] {
            let y = erf(x, (-x * x).exp());
            assert!((y - expected).abs() < 4e-7, "erf({x}) = {y}");
            assert!((erf_inv(expected) - x).abs() < 1e-5, "{}", erf_inv(expected));
            assert_eq!(erf_inv(-expected), -erf_inv(expected));
        }
    }

    #[test]
    fn fit_of_masking_is_near_the_exact_share() {
        for i in 1..400 {
            let w = Vec3::new(1.0, 0.0, 0.01 * i as f32);
            let exact = 2.0 * w.z / twice_projected_area(w);
            assert!((g1(w) / exact - 1.0).abs() < 3.6e-3, "{w}: {} {exact}", g1(w));
        }
    }
}
