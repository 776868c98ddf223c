//! Azimuthal scattering of hair: a logistic distribution of the angle about the fibre, trimmed to one turn.
// Chiang et al. 2016, "A Practical and Controllable Hair and Fur Model for Production Path Tracing", appendix A.

use std::f32::consts::{PI, TAU};

use renderer_base::math::{bounded, exp, ln, sqr};

/// √(π/8): the logistic distribution with this factor on its scale is about as wide as a normal one.
const LOGISTIC_SCALE: f32 = 0.626_657_07;

/// The least scale: narrower lobes are not resolved by `f32`.
const LEAST_SCALE: f32 = 1e-3;

/// The largest: light is as even as can be.
const MOST_SCALE: f32 = 1e3;

/// The scale of a logistic distribution by that of a normal one; of what is not a number, the least.
pub(super) fn logistic_scale(s: f32) -> f32 {
    bounded(LOGISTIC_SCALE * s, LEAST_SCALE, MOST_SCALE)
}

/// The scale `s` of the roughness `beta` in `[0,1]`.
// Chiang et al. 2016, eq. 8.
pub(super) fn scale(beta: f32) -> f32 {
    let beta = bounded(beta, 0.0, 1.0);
    0.265 * beta + 1.194 * sqr(beta) + 5.372 * beta.powi(22)
}

/// The density of an angle `phi` of any size [1/rad].
pub(super) fn density(phi: f32, scale: f32) -> f32 {
    let phi = phi - TAU * (phi * (1.0 / TAU)).round();
    let e = exp(-phi.abs() / scale);
    e / (scale * sqr(1.0 + e) * within(scale))
}

/// An angle in `[-π, π]`.
pub(super) fn sample(scale: f32, u: f32) -> f32 {
    // By the distance from the middle, whose distribution is tanh(x/2s).
    let share = (2.0 * u - 1.0) * within(scale);
    let distance = scale * ln((1.0 + share.abs()) / (1.0 - share.abs()));
    distance.min(PI).copysign(share)
}

/// The share of the distribution within one turn: tanh(π/2s).
fn within(scale: f32) -> f32 {
    let e = exp(-PI / scale);
    (1.0 - e) / (1.0 + e)
}
