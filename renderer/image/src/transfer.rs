//! The sRGB transfer function (IEC 61966-2-1:1999) and its inverse.

use std::sync::LazyLock;

use renderer_base::math::pow;

/// Decodes an encoded value; odd about zero, so that out-of-range values survive a round trip.
pub fn linear_from_srgb(v: f32) -> f32 {
    let a = v.abs();
    let linear = if a <= 0.04045 { a / 12.92 } else { pow((a + 0.055) / 1.055, 2.4) };
    linear.copysign(v)
}

/// Encodes a linear value; odd about zero.
pub fn srgb_from_linear(v: f32) -> f32 {
    let a = v.abs();
    let encoded = if a <= 0.003_130_8 {
        a * 12.92
    } else {
        1.055 * pow(a, 1.0 / 2.4) - 0.055
    };
    encoded.copysign(v)
}

/// Decodes an 8-bit encoded value by table.
pub fn linear_from_srgb8(v: u8) -> f32 {
    linear_of_srgb8()[v as usize]
}

/// Linear values of the 8-bit encoded values.
#[inline]
pub(crate) fn linear_of_srgb8() -> &'static [f32; 256] {
    static TABLE: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|i| linear_from_srgb(i as f32 / 255.0)));
    &TABLE
}

/// The nearest 8-bit encoding of a linear value, clamped to `[0,1]`; NaN gives 0.
pub fn srgb8_from_linear(v: f32) -> u8 {
    static ENCODER: LazyLock<Srgb8Encoder> = LazyLock::new(Srgb8Encoder::new);
    ENCODER.encode(v)
}

/// The nearest encoded value, computed by the curve.
fn srgb8_by_curve(v: f32) -> u8 {
    (srgb_from_linear(v) * 255.0 + 0.5) as u8
}

/// Encoder of 8-bit values by table, since the curve needs two transcendental functions for each value.
struct Srgb8Encoder {
    /// Smallest linear value of each encoded value; infinite at the end.
    least: [f32; 257],
    /// Encoded value at the start of each of equal steps of linear values.
    start: [u8; STEPS + 1],
}

/// Number of steps, which are finer than those of the encoded value nearly everywhere.
const STEPS: usize = 4096;

impl Srgb8Encoder {
    fn new() -> Srgb8Encoder {
        let mut least = [f32::INFINITY; 257];
        least[0] = 0.0;
        for code in 1..=255 {
            // Positive floats are in the order of their bits.
            let (mut below, mut above) = (0, 1f32.to_bits());
            while above - below > 1 {
                let middle = below.midpoint(above);
                match srgb8_by_curve(f32::from_bits(middle)) < code {
                    true => below = middle,
                    false => above = middle,
                }
            }
            least[usize::from(code)] = f32::from_bits(above);
        }
        let start = std::array::from_fn(|step| srgb8_by_curve(step as f32 / STEPS as f32));
        Srgb8Encoder { least, start }
    }

    #[inline]
    fn encode(&self, v: f32) -> u8 {
        // Not-a-number is no larger than zero.
        let v = if v > 0.0 { v.min(1.0) } else { 0.0 };
        let mut code = self.start[(v * STEPS as f32) as usize];
        while v >= self.least[usize::from(code) + 1] {
            code += 1;
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoder_follows_the_curve() {
        let all = (0..=1f32.to_bits()).step_by(997);
        for v in all.map(f32::from_bits).chain((1..=255).map(linear_from_srgb8)) {
            assert_eq!(srgb8_from_linear(v), srgb8_by_curve(v), "{v}");
        }
        assert_eq!([-1.0, f32::NAN, -0.0].map(srgb8_from_linear), [0; 3]);
        assert_eq!([1.0, 2.0, f32::INFINITY].map(srgb8_from_linear), [255; 3]);
    }
}
