//! Elementary functions with the same bits on every system. The standard library uses the C library, whose last bits
//! depend on its version and on the processor; these functions are plain Rust. Operations that IEEE 754 rounds exactly
//! (`sqrt`, `floor` …) stay methods; `clippy.toml` forbids the others.

use glam::{Mat3, Vec2, Vec3};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($x:ident),+) = $single:expr, $double:expr;)*) => {
        /// Argument types of these functions: `f32` and `f64`.
        pub trait Float: Copy {
            $($(#[$doc])* fn $name($($x: Self),+) -> Self;)*

            /// Sine and cosine of an angle in radians.
            fn sin_cos(angle: Self) -> (Self, Self);
        }

        impl Float for f32 {
            $(#[inline] fn $name($($x: f32),+) -> f32 { $single($($x),+) })*

            #[inline]
            fn sin_cos(angle: f32) -> (f32, f32) {
                libm::sincosf(angle)
            }
        }

        impl Float for f64 {
            $(#[inline] fn $name($($x: f64),+) -> f64 { $double($($x),+) })*

            #[inline]
            fn sin_cos(angle: f64) -> (f64, f64) {
                libm::sincos(angle)
            }
        }

        $($(#[$doc])*
        #[inline]
        pub fn $name<F: Float>($($x: F),+) -> F {
            F::$name($($x),+)
        })*
    };
}

functions! {
    /// Sine of an angle in radians.
    sin(angle) = libm::sinf, libm::sin;
    /// Cosine of an angle in radians.
    cos(angle) = libm::cosf, libm::cos;
    /// Tangent of an angle in radians.
    tan(angle) = libm::tanf, libm::tan;
    /// Arc sine [radians]; NaN outside of `[-1, 1]`.
    asin(x) = libm::asinf, libm::asin;
    /// Arc cosine [radians]; NaN outside of `[-1, 1]`.
    acos(x) = libm::acosf, libm::acos;
    /// Arc tangent [radians].
    atan(x) = libm::atanf, libm::atan;
    /// Angle of `(x, y)` [radians], in `[-π, π]`.
    atan2(y, x) = libm::atan2f, libm::atan2;
    /// e to the power of `x`.
    exp(x) = expf, libm::exp;
    /// `exp(x) - 1`, exact for small `x`.
    exp_m1(x) = libm::expm1f, libm::expm1;
    /// 2 to the power of `x`.
    exp2(x) = libm::exp2f, libm::exp2;
    /// Natural logarithm.
    ln(x) = libm::logf, libm::log;
    /// Logarithm to base 2.
    log2(x) = libm::log2f, libm::log2;
    /// `x` ≥ 0 to the power of `y`.
    pow(x, y) = powf, libm::pow;
    /// Cube root.
    cbrt(x) = libm::cbrtf, libm::cbrt;
    /// Length of `(x, y)`, without overflow.
    hypot(x, y) = libm::hypotf, libm::hypot;
}

/// Sine and cosine of an angle in radians.
#[inline]
pub fn sin_cos<F: Float>(angle: F) -> (F, F) {
    F::sin_cos(angle)
}

/// The unit vector at an angle in radians from +x.
#[inline]
pub fn unit_vector(angle: f32) -> Vec2 {
    let (sin, cos) = sin_cos(angle);
    Vec2::new(cos, sin)
}

/// The rotation by an angle in radians about +y.
pub fn rotation_y(angle: f32) -> Mat3 {
    let (sin, cos) = sin_cos(angle);
    Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::Y, Vec3::new(sin, 0.0, cos))
}

/// Exponential function, correctly rounded but for one of 500 arguments, which differ in the last bit.
///
/// In double precision, e^x = 2^k e^r with |r| ≤ ln 2 / 2 and a polynomial for e^r, whose relative error is below 3e-10.
#[inline]
fn expf(x: f32) -> f32 {
    /// The sum of this number and a small one is rounded to an integer, which the last bits contain.
    const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
    let x = f64::from(x.clamp(-105.0, 90.0));
    let shifted = x * std::f64::consts::LOG2_E + TO_INTEGER;
    let r = x - (shifted - TO_INTEGER) * std::f64::consts::LN_2;
    let series = [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
        .into_iter()
        .fold(1.0 / 40320.0, |sum, factorial| sum * r + 1.0 / factorial);
    // Adding k to the exponent multiplies by 2^k.
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52)) as f32
}

/// Power of a non-negative base, computed in double precision: `libm::powf` needs twice the time.
#[inline]
fn powf(x: f32, y: f32) -> f32 {
    if x == 1.0 || y == 0.0 {
        return 1.0;
    }
    libm::exp2(f64::from(y) * libm::log2(f64::from(x))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_rounded_from_double_precision() {
        let exact = |x: f32| libm::exp(f64::from(x)) as f32;
        for x in [0.0, -0.0, 1e-40, f32::NEG_INFINITY, f32::INFINITY, 88.8, -87.5, -103.9, -104.1] {
            assert_eq!(exp(x), exact(x), "{x}");
        }
        assert!(exp(f32::NAN).is_nan());
        let arguments = (0..400_000).map(|index| -105.0 + 195.0 * index as f32 / 400_000.0);
        let wrong = arguments.filter(|&x| exp(x) != exact(x)).inspect(|&x| {
            assert!(
                (f64::from(exp(x)) / f64::from(exact(x)) - 1.0).abs() < 1.3e-7 || x < -87.0,
                "{x}"
            );
        });
        assert!(wrong.count() < 800);
    }

    #[test]
    fn powers_are_those_of_ieee_754() {
        for x in [0.0, 1e-40, 0.5, 0.999_999, 1.0, 7.0, f32::INFINITY] {
            for y in [0.0, 0.2, 1.0 / 2.4, 1.0, 2.4, 5.0, 1e3, 1e30, f32::INFINITY] {
                for y in [y, -y] {
                    let (found, exact) = (pow(x, y), f64::from(x).powf(f64::from(y)) as f32);
                    let apart = found.to_bits().abs_diff(exact.to_bits());
                    assert!(apart <= 1, "{x} to the power of {y}: {found}, not {exact}");
                }
            }
        }
        assert!(pow(f32::NAN, 2.0).is_nan());
    }
}
