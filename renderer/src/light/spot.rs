//! A light without size that shines in a cone.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use super::point::toward_point;
use super::{Emission, LightSample};
use crate::color::Rgb;
use crate::math::{Frame, Ray};
use crate::sampling::uniform_cone;

/// A point that radiates `intensity` along an axis and less to the sides.
#[derive(Clone, Copy, Debug)]
pub struct SpotLight {
    /// Where it is, world space [m].
    pub position: Vec3,
    /// Where it points, unit length.
    pub axis: Vec3,
    /// Radiant intensity along the axis [W/sr].
    pub intensity: Rgb,
    /// How it fades.
    pub falloff: Falloff,
}

/// How a spot fades from its axis: whole inside one angle, nothing outside another.
#[derive(Clone, Copy, Debug)]
pub enum Falloff {
    /// Linear in the angle between the two half-angles [rad], as Mitsuba has it.
    LinearAngle {
        /// Half-angle up to which the intensity is whole.
        beam: f32,
        /// Half-angle from which there is none.
        cutoff: f32,
    },
    /// The square of what is linear in the cosine between the two half-angles [rad], as glTF has it.
    // KHR_lights_punctual, "Inner and Outer Cone Angles".
    SquaredCosine {
        /// Half-angle up to which the intensity is whole.
        inner: f32,
        /// Half-angle from which there is none.
        outer: f32,
    },
}

impl Falloff {
    /// The share of the intensity that is left where the angle to the axis has the cosine `cos`.
    pub fn at(self, cos: f32) -> f32 {
        match self {
            Falloff::LinearAngle { beam, cutoff } => ramp(-cutoff, -beam, -cos.clamp(-1.0, 1.0).acos()),
            Falloff::SquaredCosine { inner, outer } => {
                let share = ramp(outer.cos(), inner.cos(), cos);
                share * share
            }
        }
    }

    /// The half-angle beyond which there is no light [rad].
    fn outer(self) -> f32 {
        match self {
            Falloff::LinearAngle { cutoff, .. } => cutoff,
            Falloff::SquaredCosine { outer, .. } => outer,
        }
    }
}

/// 0 up to `zero`, 1 from `one` on, linear between them; a step where they are the same.
fn ramp(zero: f32, one: f32, x: f32) -> f32 {
    let width = one - zero;
    if width > 0.0 {
        ((x - zero) / width).clamp(0.0, 1.0)
    } else {
        f32::from(u8::from(x >= zero))
    }
}

impl SpotLight {
    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        toward_point(p, self.position, |w| {
            self.intensity * self.falloff.at(w.dot(self.axis))
        })
    }

    /// A photon, uniform over the cone.
    pub(super) fn emit(&self, u: Vec2) -> Option<Emission> {
        let one_minus_cos = 1.0 - self.falloff.outer().min(PI).cos();
        let local = uniform_cone(u, one_minus_cos);
        let power = self.intensity * (self.falloff.at(local.z) * TAU * one_minus_cos);
        let direction = Frame::from_normal(self.axis).to_world(local);
        (!power.is_black()).then(|| Emission {
            ray: Ray::new(self.position, direction),
            power,
        })
    }

    pub(super) fn power(&self) -> Rgb {
        // The integral of the falloff over the cone by the midpoint rule; it serves to weigh lights against each other.
        const STEPS: usize = 64;
        let lowest = self.falloff.outer().min(PI).cos();
        let width = (1.0 - lowest) / STEPS as f32;
        let shares = (0..STEPS).map(|i| self.falloff.at(1.0 - (i as f32 + 0.5) * width));
        self.intensity * (TAU * width * shares.sum::<f32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falloffs_meet_their_ends() {
        let linear = Falloff::LinearAngle {
            beam: 0.2,
            cutoff: 0.4,
        };
        let squared = Falloff::SquaredCosine {
            inner: 0.2,
            outer: 0.4,
        };
        for falloff in [linear, squared] {
            assert_eq!(falloff.at(1.0), 1.0);
            assert_eq!(falloff.at(0.19f32.cos()), 1.0);
            assert_eq!(falloff.at(0.41f32.cos()), 0.0);
            assert_eq!(falloff.at(-1.0), 0.0);
        }
        assert!((linear.at(0.3f32.cos()) - 0.5).abs() < 1e-5);
        let half = 0.5 * (0.2f32.cos() + 0.4f32.cos());
        assert!((squared.at(half) - 0.25).abs() < 1e-5);
    }

    #[test]
    fn a_hard_cone_has_the_power_of_its_solid_angle() {
        let light = SpotLight {
            position: Vec3::ZERO,
            axis: Vec3::Z,
            intensity: Rgb::WHITE,
            falloff: Falloff::SquaredCosine {
                inner: 0.5,
                outer: 0.5,
            },
        };
        let exact = TAU * (1.0 - 0.5f32.cos());
        assert!(
            (light.power().r / exact - 1.0).abs() < 1e-4,
            "{} is not {exact}",
            light.power().r
        );
    }
}
