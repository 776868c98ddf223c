//! Random numbers, directions, transforms and rays for property tests.

use glam::{Affine3A, Mat3, Quat, Vec3};
use renderer::math::Ray;

/// Random numbers in `[0,1)` by SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number in `[0,1)`.
    pub fn uniform(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A random integer in `0..count`.
    pub fn below(&mut self, count: usize) -> usize {
        ((f64::from(self.uniform()) * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// A random number in an interval.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.uniform()
    }

    /// A unit vector, uniform over the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let z = self.between(-1.0, 1.0);
        let (sin, cos) = self.between(0.0, std::f32::consts::TAU).sin_cos();
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * cos, r * sin, z).normalize()
    }

    /// A random number in an interval, uniform in its logarithm.
    pub fn magnitude(&mut self, low: f32, high: f32) -> f32 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// An invertible transform that stretches, rotates, shears, translates and, with probability ½, mirrors.
    pub fn transform(&mut self) -> Affine3A {
        let scale = Vec3::from_array(std::array::from_fn(|_| self.between(0.3, 2.0)));
        let mirror = if self.uniform() < 0.5 {
            Vec3::new(-1.0, 1.0, 1.0)
        } else {
            Vec3::ONE
        };
        let turn = Quat::from_axis_angle(self.direction(), self.between(0.0, 6.0));
        let shear = Mat3::from_cols(Vec3::X, Vec3::new(self.between(-0.5, 0.5), 1.0, 0.0), Vec3::Z);
        let matrix = Mat3::from_quat(turn) * shear * Mat3::from_diagonal(scale * mirror);
        let place = Vec3::from_array(std::array::from_fn(|_| self.between(-5.0, 5.0)));
        Affine3A::from_mat3_translation(matrix, place)
    }

    /// A ray from outside of the ball of `radius` about `center` towards a point in it.
    pub fn ray_at(&mut self, center: Vec3, radius: f32) -> Ray {
        let origin = center + self.direction() * (radius * self.between(1.5, 4.0));
        let target = center + self.direction() * (radius * self.uniform());
        Ray::new(origin, (target - origin).normalize())
    }

    /// A transform for shapes of size 1: scaled to a random size between 1 mm and 100 km, translated by up to 1000
    /// times its size; rotated exactly, arbitrarily or nearly exactly; stretched or mirrored if `uneven`.
    pub fn place(&mut self, number: usize, uneven: bool) -> Affine3A {
        let size = self.magnitude(1e-3, 1e5);
        let turn = match number % 4 {
            0 | 1 => exact_turn(number / 4),
            2 => Mat3::from_quat(Quat::from_axis_angle(self.direction(), self.between(0.0, 6.0))),
            _ => {
                let angle = self.magnitude(1e-8, 1e-1);
                Mat3::from_quat(Quat::from_axis_angle(self.direction(), angle)) * exact_turn(number / 4)
            }
        };
        let far = match number % 3 {
            0 => Vec3::ZERO,
            // In a coordinate plane.
            1 => turn * Vec3::new(self.between(-9.0, 9.0), self.between(-9.0, 9.0), 0.0) * size,
            _ => self.direction() * self.magnitude(1.0, 1e3) * size,
        };
        let stretch = match uneven {
            true => Vec3::new(-1.0, self.magnitude(0.05, 1.0), self.magnitude(0.05, 1.0)),
            false => Vec3::ONE,
        };
        Affine3A::from_mat3_translation(turn * Mat3::from_diagonal(stretch * size), far)
    }
}

/// An exact rotation: it maps the xy plane to a coordinate plane, seen from either side.
pub fn exact_turn(number: usize) -> Mat3 {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z];
    let turns = [[x, y, z], [y, z, x], [z, x, y], [y, x, -z], [z, y, -x], [x, z, -y]];
    let [s, t, n] = turns[number % turns.len()];
    Mat3::from_cols(s, t, n)
}
