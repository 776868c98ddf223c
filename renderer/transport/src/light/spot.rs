//! Spot lights: point lights with a cone, with Mitsuba's or glTF's falloff.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use super::bounds::LightBounds;
use super::point::toward_point;
use super::sample::{Emission, LightSample};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, Ray, asin, cos, safe_sqrt, sin, sqr};
use renderer_base::sampling::uniform_cone;

/// Point light with the intensity `intensity` along an axis and less to the sides.
#[derive(Clone, Copy, Debug)]
pub struct SpotLight {
    /// Position, world space [m].
    pub position: Vec3,
    /// Axis, unit length.
    pub axis: Vec3,
    /// Radiant intensity along the axis [W/sr].
    pub intensity: Rgb,
    /// Falloff towards the edge of the cone.
    pub falloff: Falloff,
}

/// Falloff of a spot light: full intensity inside the inner angle, zero outside the outer angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Falloff {
    /// Linear in the angle between the two half-angles [rad], as in Mitsuba.
    LinearAngle {
        /// Half-angle up to which the intensity is full.
        beam: f32,
        /// Half-angle from which it is zero.
        cutoff: f32,
    },
    /// Squared linear ramp in the cosine between the two half-angles [rad], as in glTF.
    // KHR_lights_punctual, "Inner and Outer Cone Angles".
    SquaredCosine {
        /// Half-angle up to which the intensity is full.
        inner: f32,
        /// Half-angle from which it is zero.
        outer: f32,
    },
}

impl Falloff {
    /// Falloff factor at an angle θ to the axis, given as 1 − cos θ, since cos θ is too imprecise for narrow cones.
    pub fn at(self, one_minus_cos: f32) -> f32 {
        match self {
            Falloff::LinearAngle { beam, cutoff } => ramp(cutoff, beam, angle(one_minus_cos)),
            Falloff::SquaredCosine { inner, outer } => {
                let share = ramp(one_minus_cos_of(outer), one_minus_cos_of(inner), one_minus_cos);
                share * share
            }
        }
    }

    /// Half-angle up to which the intensity is full [rad].
    fn inner(self) -> f32 {
        match self {
            Falloff::LinearAngle { beam, .. } => beam.min(PI),
            Falloff::SquaredCosine { inner, .. } => inner.min(PI),
        }
    }

    /// Half-angle beyond which it is zero [rad].
    fn outer(self) -> f32 {
        match self {
            Falloff::LinearAngle { cutoff, .. } => cutoff.min(PI),
            Falloff::SquaredCosine { outer, .. } => outer.min(PI),
        }
    }

    /// Integral of the falloff over all directions [sr].
    fn solid_angle(self) -> f32 {
        let tau = std::f64::consts::TAU;
        match self {
            // ∫ (c − θ) / (c − b) sin θ dθ from b to c is cos b − (sin c − sin b) / (c − b), and the beam has 1 − cos
            // b.
            Falloff::LinearAngle { beam, cutoff } => {
                let (beam, cutoff) = (f64::from(beam), f64::from(cutoff));
                let (middle, half) = (0.5 * (beam + cutoff), 0.5 * (cutoff - beam));
                let spread = if half > 0.0 { sin(half) / half } else { 1.0 };
                (tau * (1.0 - cos(middle) * spread)) as f32
            }
            // The integral of a squared ramp is a third of its width.
            Falloff::SquaredCosine { inner, outer } => {
                let [inner, outer] = [inner, outer].map(|angle| f64::from(one_minus_cos_of(angle)));
                (tau * (inner + (outer - inner) / 3.0)) as f32
            }
        }
    }
}

/// 1 − cos of an angle, without cancellation.
fn one_minus_cos_of(angle: f32) -> f32 {
    2.0 * sqr(sin(0.5 * angle))
}

/// Angle from 1 − cos θ.
fn angle(one_minus_cos: f32) -> f32 {
    2.0 * asin(safe_sqrt(0.5 * one_minus_cos).min(1.0))
}

/// Linear ramp: 1 up to `one`, 0 from `zero` on; a step if they are equal.
fn ramp(zero: f32, one: f32, x: f32) -> f32 {
    let width = zero - one;
    if width > 0.0 {
        ((zero - x) / width).clamp(0.0, 1.0)
    } else {
        f32::from(u8::from(x <= zero))
    }
}

impl SpotLight {
    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        toward_point(p, self.position, |w| {
            // Half the squared chord between the two directions.
            let one_minus_cos = 0.5 * (w - self.axis).length_squared();
            self.intensity * self.falloff.at(one_minus_cos)
        })
    }

    /// Emits a photon, uniform over the cone.
    pub(super) fn emit(&self, u: Vec2) -> Option<Emission> {
        let one_minus_cos = one_minus_cos_of(self.falloff.outer());
        let local = uniform_cone(u, one_minus_cos);
        let power = self.intensity * (self.falloff.at(u.y * one_minus_cos) * TAU * one_minus_cos);
        let direction = Frame::from_normal(self.axis).to_world(local);
        (!power.is_black()).then(|| Emission {
            ray: Ray::new(self.position, direction),
            surface: None,
            power,
        })
    }

    pub(super) fn bounds(&self) -> LightBounds {
        let (spread, outer) = (self.falloff.inner(), self.falloff.outer());
        LightBounds {
            axis: self.axis,
            spread,
            falloff: (outer - spread).max(0.0),
            ..LightBounds::around(self.position, 0.0, self.intensity.luminance())
        }
    }

    pub(super) fn power(&self) -> Rgb {
        self.intensity * self.falloff.solid_angle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falloffs_meet_their_ends() {
        let linear = Falloff::LinearAngle { beam: 0.2, cutoff: 0.4 };
        let squared = Falloff::SquaredCosine { inner: 0.2, outer: 0.4 };
        for falloff in [linear, squared] {
            assert_eq!(falloff.at(0.0), 1.0);
            assert_eq!(falloff.at(one_minus_cos_of(0.19)), 1.0);
            assert_eq!(falloff.at(one_minus_cos_of(0.41)), 0.0);
            assert_eq!(falloff.at(2.0), 0.0);
        }
        assert!((linear.at(one_minus_cos_of(0.3)) - 0.5).abs() < 1e-5);
        let half = 0.5 * (one_minus_cos_of(0.2) + one_minus_cos_of(0.4));
        assert!((squared.at(half) - 0.25).abs() < 1e-5);
    }

    #[test]
    fn a_hard_cone_has_the_power_of_its_solid_angle() {
        let light = SpotLight {
            position: Vec3::ZERO,
            axis: Vec3::Z,
            intensity: Rgb::WHITE,
            falloff: Falloff::SquaredCosine { inner: 0.5, outer: 0.5 },
        };
        let exact = TAU * (1.0 - 0.5f32.cos());
        assert!(
            (light.power().r / exact - 1.0).abs() < 1e-4,
            "{} is not {exact}",
            light.power().r
        );
    }
}
