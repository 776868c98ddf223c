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
    exp(x) = libm::expf, libm::exp;
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
