//! Fixed-point sums: associative addition, so that results do not depend on order or grouping.

use std::ops::AddAssign;

/// A sum of samples in units of 2⁻⁶⁰.
///
/// A sample is rounded to the nearest unit: exact from 2⁻³⁷ up (24 bits of mantissa), within 2⁻⁶¹ below. Samples beyond
/// [`Fixed::LIMIT`] are clamped to it, so that 2³¹ samples cannot overflow the 128 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fixed(pub i128);

impl Fixed {
    /// Fractional bits.
    pub const FRACTION_BITS: u32 = 60;

    /// The largest sample that counts in full.
    pub const LIMIT: f32 = (1u64 << 36) as f32;

    /// A finite value, clamped to ±[`Fixed::LIMIT`].
    pub fn from_f32(v: f32) -> Fixed {
        Fixed(to_fixed(f64::from(v.clamp(-Fixed::LIMIT, Fixed::LIMIT)), Fixed::FRACTION_BITS))
    }

    /// The sum, to the nearest `f64`.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 * unit(Fixed::FRACTION_BITS)
    }
}

impl AddAssign for Fixed {
    fn add_assign(&mut self, other: Fixed) {
        self.0 += other.0;
    }
}

/// A sum of squared samples in units of 2⁻⁴⁰, good for 2³¹ samples. The square of an `f32` is an `f64` without error;
/// it is taken to the nearest unit and clamped at the square of [`FixedSquare::LIMIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedSquare(pub i128);

impl FixedSquare {
    /// Fractional bits.
    pub const FRACTION_BITS: u32 = 40;

    /// The largest sample whose square counts in full.
    pub const LIMIT: f32 = (1u64 << 27) as f32;

    /// The square of a finite value.
    pub fn of_f32(v: f32) -> FixedSquare {
        let v = f64::from(v.clamp(-FixedSquare::LIMIT, FixedSquare::LIMIT));
        FixedSquare(to_fixed(v * v, FixedSquare::FRACTION_BITS))
    }

    /// The sum, to the nearest `f64`.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 * unit(FixedSquare::FRACTION_BITS)
    }
}

impl AddAssign for FixedSquare {
    fn add_assign(&mut self, other: FixedSquare) {
        self.0 += other.0;
    }
}

/// The nearest multiple of 2^-`bits`, as the number of units; ties away from zero.
fn to_fixed(v: f64, bits: u32) -> i128 {
    // Shifting the mantissa as an integer is exact and a few cycles; `f64 as i128` is a library call.
    const MANTISSA_BITS: u32 = 52;
    let raw = v.abs().to_bits();
    let exponent = (raw >> MANTISSA_BITS) as i32;
    let mantissa = i128::from((raw & ((1 << MANTISSA_BITS) - 1)) | (1 << MANTISSA_BITS));
    // v = mantissa · 2^(exponent − 1075); a denormal `f64` is far below half a unit and becomes zero like the rest.
    let shift = exponent - 1075 + bits as i32;
    let magnitude = match shift {
        0.. => mantissa << shift,
        -64..0 => (mantissa + (1i128 << (-shift - 1))) >> -shift,
        _ => 0,
    };
    if v < 0.0 { -magnitude } else { magnitude }
}

/// 2^-`bits`.
fn unit(bits: u32) -> f64 {
    1.0 / (1u64 << bits) as f64
}
