//! Named constants of the language: `M_PI` and others.

use std::f32::consts;

/// Constants of the OSL specification.
const CONSTANTS: [(&str, f32); 15] = [
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2PI", consts::TAU),
    ("M_4PI", 4.0 * consts::PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_E", consts::E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
    ("M_1_PI", consts::FRAC_1_PI),
];

pub(super) fn named_constant(name: &str) -> Option<f32> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

pub(super) fn constant_names() -> impl Iterator<Item = &'static str> {
    CONSTANTS.iter().map(|(name, _)| *name)
}
