//! Longitudinal scattering of hair: density of the angle θ to the plane across the fibre, for one variance.
//!
//! A von Mises-Fisher distribution on the sphere of directions, averaged about the fibre. The density over θi, weighted
//! by cos θi, integrates to one for any θo and variance.
// d'Eon et al. 2011, "An Energy-Conserving Hair Reflectance Model", eq. 7; sampling by d'Eon, Marschner & Hanika 2013,
// "Importance Sampling for Physically-Based Hair Fiber Models", eq. 6.

use glam::Vec2;

use renderer_base::math::{bounded, exp, exp_m1, ln, safe_sqrt, sqr};
use renderer_base::sampling::sin_cos_turn;

/// Minimum variance; narrower lobes are not resolved by `f32`.
const MIN_VARIANCE: f32 = 1e-6;

/// Maximum variance, at which the distribution is practically uniform.
const MAX_VARIANCE: f32 = 1e4;

/// Angle to the plane across the fibre, in `[-π/2, π/2]`, by sine and cosine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theta {
    pub(super) sin: f32,
    pub(super) cos: f32,
}

impl Theta {
    /// Rotates by the angle with this sine and cosine. Beyond the poles, the result is the angle on the other side of
    /// the fibre.
    pub(super) fn turned(self, (sin, cos): (f32, f32)) -> Theta {
        Theta {
            sin: self.sin * cos + self.cos * sin,
            cos: (self.cos * cos - self.sin * sin).abs(),
        }
    }
}

/// Clamps a variance to the supported range; the minimum for NaN.
pub(super) fn sane_variance(v: f32) -> f32 {
    bounded(v, MIN_VARIANCE, MAX_VARIANCE)
}

/// Variance for the roughness `beta` in `[0,1]`.
// Chiang et al. 2016, eq. 7.
pub(super) fn variance(beta: f32) -> f32 {
    let beta = bounded(beta, 0.0, 1.0);
    sqr(0.726 * beta + 0.812 * sqr(beta) + 3.7 * beta.powi(20))
}

/// Density of `i` given `o`, per radian and cosine of `i`.
pub(super) fn density(o: Theta, i: Theta, v: f32) -> f32 {
    // (cos θi cos θo − sin θi sin θo − 1) / v, without cancellation: the product of I₀ and the exponential stays in
    // range.
    let exponent = -0.5 * (sqr(i.sin + o.sin) + sqr(i.cos - o.cos)) / v;
    scaled_bessel_i0(i.cos * o.cos / v) * exp(exponent) / (v * -exp_m1(-2.0 / v))
}

/// Samples the sine of θi given `o`.
pub(super) fn sample(o: Theta, v: f32, u: Vec2) -> f32 {
    let below = v * -ln(u.x + (1.0 - u.x) * exp(-2.0 / v));
    let below = bounded(below, 0.0, 2.0);
    let (_, cos_phi) = sin_cos_turn(u.y);
    let across = safe_sqrt(below * (2.0 - below)) * cos_phi;
    ((below - 1.0) * o.sin + across * o.cos).clamp(-1.0, 1.0)
}

/// Modified Bessel function I₀ of `x` ≥ 0, times e^−x.
// Abramowitz & Stegun, Handbook of Mathematical Functions, 9.8.1 and 9.8.2: error below 2·10⁻⁷.
fn scaled_bessel_i0(x: f32) -> f32 {
    let polynomial = |t: f32, c: &[f32]| c.iter().rev().fold(0.0, |sum, c| sum * t + c);
    if x < 3.75 {
        const SMALL_X: [f32; 7] =
            [1.0, 3.515_622_9, 3.089_942_5, 1.206_749_2, 0.265_973_2, 0.036_076_8, 0.004_581_3];
        polynomial(sqr(x / 3.75), &SMALL_X) * exp(-x)
    } else {
        const LARGE_X: [f32; 9] = [
            0.398_942_3,
            0.013_285_92,
            0.002_253_19,
            -0.001_575_65,
            0.009_162_81,
            -0.020_577_06,
            0.026_355_37,
            -0.016_476_33,
            0.003_923_77,
        ];
        polynomial(3.75 / x, &LARGE_X) / x.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_function_is_that_of_its_series() {
        // Σ (x/2)^2k / k!², in double precision.
        for x in [0.0f64, 0.3, 1.0, 3.7, 3.8, 12.0, 30.0] {
            let mut term = 1.0;
            let mut sum = 1.0;
            for k in 1..200 {
                term *= (0.5 * x / f64::from(k)).powi(2);
                sum += term;
            }
            let (found, exact) = (scaled_bessel_i0(x as f32), sum * exp(-x));
            assert!((f64::from(found) / exact - 1.0).abs() < 1e-6, "{x}: {found}, not {exact}");
        }
    }

    #[test]
    fn densities_are_normalised() {
        for v in [1e-5f32, 1e-3, 0.02, 0.3, 2.0, 100.0] {
            for degrees in [0.0f32, 40.0, -80.0, 89.5] {
                let (sin, cos) = renderer_base::math::sin_cos(degrees.to_radians());
                const STEPS: usize = 200_000;
                let sum: f64 = (0..STEPS)
                    .map(|k| {
                        let theta = ((k as f64 + 0.5) / STEPS as f64 - 0.5) * std::f64::consts::PI;
                        let (sin_i, cos_i) = renderer_base::math::sin_cos(theta);
                        let i = Theta { sin: sin_i as f32, cos: cos_i as f32 };
                        f64::from(density(Theta { sin, cos }, i, v)) * cos_i
                    })
                    .sum();
                let integral = sum * std::f64::consts::PI / STEPS as f64;
                assert!((integral - 1.0).abs() < 1e-3, "variance {v} at {degrees}°: {integral}");
            }
        }
    }
}
