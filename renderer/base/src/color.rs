//! Linear Rec.709 colours: radiance, reflectance or weight.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use glam::Vec3;

/// A linear Rec.709 colour. Its quantity (radiance, reflectance, weight) depends on the variable.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rgb {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
}

impl Rgb {
    /// Zero in each channel.
    pub const BLACK: Rgb = Rgb::splat(0.0);
    /// One in each channel.
    pub const WHITE: Rgb = Rgb::splat(1.0);

    /// A colour from its channels.
    pub const fn new(r: f32, g: f32, b: f32) -> Rgb {
        Rgb { r, g, b }
    }

    /// The grey of value `v`.
    pub const fn splat(v: f32) -> Rgb {
        Rgb { r: v, g: v, b: v }
    }

    /// The channels in order.
    pub const fn to_array(self) -> [f32; 3] {
        [self.r, self.g, self.b]
    }

    /// Applies `f` to each channel.
    pub fn map(self, f: impl Fn(f32) -> f32) -> Rgb {
        Rgb::new(f(self.r), f(self.g), f(self.b))
    }

    /// Relative luminance (Rec.709 weights).
    pub fn luminance(self) -> f32 {
        0.2126 * self.r + 0.7152 * self.g + 0.0722 * self.b
    }

    /// Quotient by channel; 0 where the divisor is not positive.
    pub fn ratio(self, divisor: Rgb) -> Rgb {
        let quotient = |a: f32, b: f32| if b > 0.0 { a / b } else { 0.0 };
        Rgb::new(
            quotient(self.r, divisor.r),
            quotient(self.g, divisor.g),
            quotient(self.b, divisor.b),
        )
    }

    /// Returns whether all channels are equal.
    #[inline]
    pub fn is_grey(self) -> bool {
        self.r == self.g && self.g == self.b
    }

    /// Mean of the channels.
    pub fn average(self) -> f32 {
        (self.r + self.g + self.b) * (1.0 / 3.0)
    }

    /// The largest channel.
    pub fn max_component(self) -> f32 {
        self.r.max(self.g).max(self.b)
    }

    /// Returns whether every channel is exactly zero.
    pub fn is_black(self) -> bool {
        self.r == 0.0 && self.g == 0.0 && self.b == 0.0
    }

    /// Returns whether every channel is finite.
    pub fn is_finite(self) -> bool {
        self.r.is_finite() && self.g.is_finite() && self.b.is_finite()
    }

    /// `self` at `t = 0`, `other` at `t = 1`.
    pub fn lerp(self, other: Rgb, t: f32) -> Rgb {
        self * (1.0 - t) + other * t
    }

    /// Each channel clamped to `[lo, hi]`.
    pub fn clamp(self, lo: f32, hi: f32) -> Rgb {
        self.map(|v| v.clamp(lo, hi))
    }
}

impl Rgb {
    /// The bits of its three numbers, for hashes.
    pub fn to_bits(self) -> [u32; 3] {
        [self.r, self.g, self.b].map(f32::to_bits)
    }
}

impl From<[f32; 3]> for Rgb {
    fn from([r, g, b]: [f32; 3]) -> Rgb {
        Rgb { r, g, b }
    }
}

impl From<Vec3> for Rgb {
    fn from(v: Vec3) -> Rgb {
        Rgb::new(v.x, v.y, v.z)
    }
}

macro_rules! componentwise {
    ($($op:ident $f:ident $assign:ident $g:ident $sign:tt)*) => {$(
        impl $op for Rgb {
            type Output = Rgb;
            fn $f(self, o: Rgb) -> Rgb {
                Rgb::new(self.r $sign o.r, self.g $sign o.g, self.b $sign o.b)
            }
        }
        impl $assign for Rgb {
            fn $g(&mut self, o: Rgb) {
                *self = *self $sign o;
            }
        }
    )*};
}
componentwise! { Add add AddAssign add_assign +  Sub sub SubAssign sub_assign -  Mul mul MulAssign mul_assign *  Div div DivAssign div_assign / }

impl Mul<f32> for Rgb {
    type Output = Rgb;
    fn mul(self, s: f32) -> Rgb {
        Rgb::new(self.r * s, self.g * s, self.b * s)
    }
}

impl Mul<Rgb> for f32 {
    type Output = Rgb;
    fn mul(self, c: Rgb) -> Rgb {
        c * self
    }
}

impl MulAssign<f32> for Rgb {
    fn mul_assign(&mut self, s: f32) {
        *self = *self * s;
    }
}

impl Div<f32> for Rgb {
    type Output = Rgb;
    fn div(self, s: f32) -> Rgb {
        self * (1.0 / s)
    }
}

impl DivAssign<f32> for Rgb {
    fn div_assign(&mut self, s: f32) {
        *self = *self / s;
    }
}

impl Neg for Rgb {
    type Output = Rgb;
    fn neg(self) -> Rgb {
        self * -1.0
    }
}

impl Sum for Rgb {
    fn sum<I: Iterator<Item = Rgb>>(iter: I) -> Rgb {
        iter.fold(Rgb::BLACK, Add::add)
    }
}
