//! The sRGB transfer function (IEC 61966-2-1:1999) and its inverse.

use std::sync::LazyLock;

use renderer_base::math::pow;

/// The light of an encoded value; odd about zero, so that out-of-range values survive a round trip.
pub fn linear_from_srgb(v: f32) -> f32 {
    let a = v.abs();
    let linear = if a <= 0.04045 {
        a / 12.92
    } else {
        pow((a + 0.055) / 1.055, 2.4)
    };
    linear.copysign(v)
}

/// The encoded value of light; odd about zero.
pub fn srgb_from_linear(v: f32) -> f32 {
    let a = v.abs();
    let encoded = if a <= 0.003_130_8 {
        a * 12.92
    } else {
        1.055 * pow(a, 1.0 / 2.4) - 0.055
    };
    encoded.copysign(v)
}

/// The light of an 8-bit encoded value, by table.
pub fn linear_from_srgb8(v: u8) -> f32 {
    static TABLE: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|i| linear_from_srgb(i as f32 / 255.0)));
    TABLE[v as usize]
}

/// The nearest 8-bit encoded value of light; below 0, above 1 and not-a-number give the ends (0 for the last).
pub fn srgb8_from_linear(v: f32) -> u8 {
    // The conversion saturates and takes NaN to zero.
    (srgb_from_linear(v.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8
}
