//! A light so far away that its rays are parallel.

use std::f32::consts::PI;

use glam::Vec3;

use super::{LightSample, Shine};
use crate::color::Rgb;
use crate::math::sqr;

/// Parallel light.
#[derive(Clone, Copy, Debug)]
pub struct DirectionalLight {
    /// Where the light goes, unit length.
    pub direction: Vec3,
    /// Irradiance of a surface that faces it [W/m²].
    pub irradiance: Rgb,
}

impl DirectionalLight {
    pub(super) fn sample_li(&self) -> LightSample {
        LightSample {
            wi: -self.direction,
            pdf: 1.0,
            is_delta: true,
            end: None,
            shine: Shine::Known(self.irradiance),
        }
    }

    /// What passes through the disk that hides a scene of that radius.
    pub(super) fn power(&self, scene_radius: f32) -> Rgb {
        self.irradiance * (PI * sqr(scene_radius))
    }
}
