//! Azimuthal scattering of hair: trimmed logistic distribution of the angle about the fibre.
// Chiang et al. 2016, "A Practical and Controllable Hair and Fur Model for Production Path Tracing", appendix A.

use std::f32::consts::{PI, TAU};

use renderer_base::math::{bounded, exp, ln, sqr};

/// √(π/8): scale factor that gives the logistic distribution about the width of a normal distribution.
const LOGISTIC_SCALE: f32 = 0.626_657_07;

/// Minimum scale; narrower lobes are not resolved by `f32`.
const MIN_SCALE: f32 = 1e-3;

/// Maximum scale, at which the distribution is practically uniform.
const MAX_SCALE: f32 = 1e3;

/// Scale of the logistic distribution for that of a normal distribution, clamped; the minimum for NaN.
pub(super) fn logistic_scale(s: f32) -> f32 {
    bounded(LOGISTIC_SCALE * s, MIN_SCALE, MAX_SCALE)
}

/// Scale `s` for the roughness `beta` in `[0,1]`.
// Chiang et al. 2016, eq. 8.
pub(super) fn scale(beta: f32) -> f32 {
    let beta = bounded(beta, 0.0, 1.0);
    0.265 * beta + 1.194 * sqr(beta) + 5.372 * beta.powi(22)
}

/// Density of an angle `phi` of any magnitude [1/rad].
pub(super) fn density(phi: f32, scale: f32) -> f32 {
    let phi = phi - TAU * (phi * (1.0 / TAU)).round();
    let e = exp(-phi.abs() / scale);
    e / (scale * sqr(1.0 + e) * within(scale))
}

/// Samples an angle in `[-π, π]`.
pub(super) fn sample(scale: f32, u: f32) -> f32 {
    // Inverts the distribution of the distance from the mean, tanh(x/2s).
    let share = (2.0 * u - 1.0) * within(scale);
    let distance = scale * ln((1.0 + share.abs()) / (1.0 - share.abs()));
    distance.min(PI).copysign(share)
}

/// Probability mass within one turn: tanh(π/2s).
fn within(scale: f32) -> f32 {
    let e = exp(-PI / scale);
    (1.0 - e) / (1.0 + e)
}
