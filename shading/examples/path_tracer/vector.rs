//! Vectors, and random numbers.

use std::f32::consts::TAU;
use std::ops::{Add, Mul, Sub};

/// Random numbers (SplitMix64, Steele et al. 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(pixel: u64) -> Random {
        let mut random = Random(pixel);
        random.0 = random.bits();
        random
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `[0, 1)`.
    pub(super) fn next(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a direction, uniform on the sphere.
    pub(super) fn direction(&mut self) -> V {
        let (z, phi) = (1.0 - 2.0 * self.next(), TAU * self.next());
        let r = (1.0 - z * z).max(0.0).sqrt();
        V([r * phi.cos(), r * phi.sin(), z])
    }
}

/// A vector, or linear RGB.
#[derive(Clone, Copy, Debug)]
pub(super) struct V(pub(super) [f32; 3]);

impl V {
    pub(super) fn dot(self, other: V) -> f32 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    pub(super) fn unit(self) -> V {
        self * (1.0 / self.dot(self).sqrt())
    }

    pub(super) fn mirrored(self, n: V) -> V {
        self - n * (2.0 * self.dot(n))
    }

    pub(super) fn luminance(self) -> f32 {
        self.dot(V([0.2126, 0.7152, 0.0722]))
    }
}

impl Add for V {
    type Output = V;
    fn add(self, other: V) -> V {
        V(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for V {
    type Output = V;
    fn sub(self, other: V) -> V {
        V(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Mul for V {
    type Output = V;
    fn mul(self, other: V) -> V {
        V(std::array::from_fn(|i| self.0[i] * other.0[i]))
    }
}

impl Mul<f32> for V {
    type Output = V;
    fn mul(self, factor: f32) -> V {
        V(self.0.map(|x| x * factor))
    }
}
