//! Dual numbers: a value with its derivatives in x and y, for forward-mode differentiation.
//!
//! [`Real`] is implemented for `f32` and for [`Dual`]: a generic function over it computes the value only, or the value
//! with its derivatives. The value has the same bits in both cases, because every operation on duals computes it as
//! `f32` does.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with its derivatives in screen space: differences to the next pixel in x and y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual {
    /// Value.
    pub value: f32,
    /// Derivative in x.
    pub dx: f32,
    /// Derivative in y.
    pub dy: f32,
}

/// Number type of differentiable functions: `f32`, or [`Dual`].
///
/// Comparisons and rounding use [`Real::value`]. `T::from(1.0)` is a constant, which has no derivatives.
pub trait Real:
    Copy
    + Default
    + From<f32>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f32, Output = Self>
    + Sub<f32, Output = Self>
    + Mul<f32, Output = Self>
    + Div<f32, Output = Self>
{
    /// Value without derivatives.
    fn value(self) -> f32;

    /// Functions of several numbers, by the chain rule: `values` computes their values, `sloped` each value with its
    /// partial derivatives.
    fn compose_each<const N: usize, const M: usize>(
        of: [Self; N],
        values: impl FnOnce([f32; N]) -> [f32; M],
        sloped: impl FnOnce([f32; N]) -> [(f32, [f32; N]); M],
    ) -> [Self; M];

    /// A function of several numbers: see [`Real::compose_each`].
    #[inline(always)]
    fn compose<const N: usize>(
        of: [Self; N],
        value: impl FnOnce([f32; N]) -> f32,
        sloped: impl FnOnce([f32; N]) -> (f32, [f32; N]),
    ) -> Self {
        let [result] = Self::compose_each(of, |of| [value(of)], |of| [sloped(of)]);
        result
    }

    /// A function `f` of the number, by the chain rule; `slope` is the derivative of `f`, and is called only for duals.
    fn chain(self, f: impl FnOnce(f32) -> f32, slope: impl FnOnce(f32) -> f32) -> Self;

    /// Sine of an angle in radians.
    #[inline(always)]
    fn sin(self) -> Self {
        Self::compose(
            [self],
            |[x]| libm::sinf(x),
            |[x]| {
                let (sin, cos) = libm::sincosf(x);
                (sin, [cos])
            },
        )
    }

    /// Cosine of an angle in radians.
    #[inline(always)]
    fn cos(self) -> Self {
        Self::compose(
            [self],
            |[x]| libm::cosf(x),
            |[x]| {
                let (sin, cos) = libm::sincosf(x);
                (cos, [-sin])
            },
        )
    }

    /// e to the power of the number.
    #[inline(always)]
    fn exp(self) -> Self {
        Self::compose(
            [self],
            |[x]| libm::expf(x),
            |[x]| {
                let e = libm::expf(x);
                (e, [e])
            },
        )
    }

    /// Square root of a non-negative number. Its derivative at zero is zero.
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.chain(f32::sqrt, |x| if x > 0.0 { 0.5 / x.sqrt() } else { 0.0 })
    }

    /// Absolute value; its derivative at zero is 1.
    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(f32::abs, |x| if x < 0.0 { -1.0 } else { 1.0 })
    }
}

impl Real for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }

    #[inline(always)]
    fn compose_each<const N: usize, const M: usize>(
        of: [f32; N],
        values: impl FnOnce([f32; N]) -> [f32; M],
        _: impl FnOnce([f32; N]) -> [(f32, [f32; N]); M],
    ) -> [f32; M] {
        values(of)
    }

    #[inline(always)]
    fn chain(self, f: impl FnOnce(f32) -> f32, _: impl FnOnce(f32) -> f32) -> f32 {
        f(self)
    }
}

impl Dual {
    /// Creates a number with its derivatives.
    #[inline(always)]
    pub fn new(value: f32, dx: f32, dy: f32) -> Dual {
        Dual { value, dx, dy }
    }

    /// Creates three duals from a triple and its derivatives.
    #[inline(always)]
    pub fn triple([value, dx, dy]: [[f32; 3]; 3]) -> [Dual; 3] {
        std::array::from_fn(|i| Dual::new(value[i], dx[i], dy[i]))
    }

    /// Splits duals into triples of values, derivatives in x and derivatives in y.
    #[inline(always)]
    pub fn parts(triple: [Dual; 3]) -> [[f32; 3]; 3] {
        [triple.map(|d| d.value), triple.map(|d| d.dx), triple.map(|d| d.dy)]
    }

    #[inline(always)]
    fn each(self, f: impl Fn(f32) -> f32) -> Dual {
        Dual::new(f(self.value), f(self.dx), f(self.dy))
    }
}

impl Real for Dual {
    #[inline(always)]
    fn value(self) -> f32 {
        self.value
    }

    #[inline(always)]
    fn compose_each<const N: usize, const M: usize>(
        of: [Dual; N],
        _: impl FnOnce([f32; N]) -> [f32; M],
        sloped: impl FnOnce([f32; N]) -> [(f32, [f32; N]); M],
    ) -> [Dual; M] {
        let sloped = sloped(of.map(|x| x.value));
        let mut results = [Dual::default(); M];
        for (result, (value, slopes)) in results.iter_mut().zip(sloped) {
            *result = Dual::from(value);
            for (x, slope) in of.into_iter().zip(slopes) {
                result.dx += slope * x.dx;
                result.dy += slope * x.dy;
            }
        }
        results
    }

    #[inline(always)]
    fn chain(self, f: impl FnOnce(f32) -> f32, slope: impl FnOnce(f32) -> f32) -> Dual {
        let slope = slope(self.value);
        Dual::new(f(self.value), slope * self.dx, slope * self.dy)
    }
}

impl From<f32> for Dual {
    #[inline(always)]
    fn from(value: f32) -> Dual {
        Dual::new(value, 0.0, 0.0)
    }
}

impl Neg for Dual {
    type Output = Dual;

    #[inline(always)]
    fn neg(self) -> Dual {
        self.each(|x| -x)
    }
}

impl Add for Dual {
    type Output = Dual;

    #[inline(always)]
    fn add(self, b: Dual) -> Dual {
        Dual::new(self.value + b.value, self.dx + b.dx, self.dy + b.dy)
    }
}

impl Sub for Dual {
    type Output = Dual;

    #[inline(always)]
    fn sub(self, b: Dual) -> Dual {
        Dual::new(self.value - b.value, self.dx - b.dx, self.dy - b.dy)
    }
}

impl Mul for Dual {
    type Output = Dual;

    #[inline(always)]
    fn mul(self, b: Dual) -> Dual {
        Dual::new(
            self.value * b.value,
            self.value * b.dx + self.dx * b.value,
            self.value * b.dy + self.dy * b.value,
        )
    }
}

impl Div for Dual {
    type Output = Dual;

    #[inline(always)]
    fn div(self, b: Dual) -> Dual {
        let value = self.value / b.value;
        Dual::new(value, (self.dx - value * b.dx) / b.value, (self.dy - value * b.dy) / b.value)
    }
}

impl Add<f32> for Dual {
    type Output = Dual;

    #[inline(always)]
    fn add(self, b: f32) -> Dual {
        Dual { value: self.value + b, ..self }
    }
}

impl Sub<f32> for Dual {
    type Output = Dual;

    #[inline(always)]
    fn sub(self, b: f32) -> Dual {
        Dual { value: self.value - b, ..self }
    }
}

impl Mul<f32> for Dual {
    type Output = Dual;

    #[inline(always)]
    fn mul(self, b: f32) -> Dual {
        self.each(|x| x * b)
    }
}

impl Div<f32> for Dual {
    type Output = Dual;

    #[inline(always)]
    fn div(self, b: f32) -> Dual {
        self.each(|x| x / b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test function that uses all operations.
    fn mixture<T: Real>(x: T, y: T) -> T {
        let a = (x * y - x / (y + 3.0)).sin() * 0.5 + y.cos();
        let b = (a * a + 1.0).sqrt() - (-x).exp();
        (b - 2.0).abs() / 3.0 - (T::from(1.0) - x)
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let dual = mixture(Dual::new(0.7, 1.0, 0.0), Dual::new(1.3, 0.0, 1.0));
        assert_eq!(dual.value, mixture(0.7_f32, 1.3));
        let h = 1e-2;
        let dx = (mixture(0.7 + h, 1.3) - mixture(0.7 - h, 1.3)) / (2.0 * h);
        let dy = (mixture(0.7, 1.3 + h) - mixture(0.7, 1.3 - h)) / (2.0 * h);
        assert!((dual.dx - dx).abs() < 1e-3, "{dual:?} {dx}");
        assert!((dual.dy - dy).abs() < 1e-3, "{dual:?} {dy}");
    }

    #[test]
    fn kinks_have_no_nan() {
        assert_eq!(Dual::new(0.0, 1.0, 2.0).sqrt(), Dual::default());
        assert_eq!(Dual::new(0.0, 1.0, 2.0).abs(), Dual::new(0.0, 1.0, 2.0));
        assert_eq!(Dual::new(-1.0, 1.0, 2.0).abs(), Dual::new(1.0, -1.0, -2.0));
    }
}
