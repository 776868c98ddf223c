//! Directional lights: parallel light from infinity, or a disk in the sky such as the sun.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::light_sample_context::LightSampleContext;
use super::sample::{LightSample, SampledEmission};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, safe_sqrt, sin, sqr};
use renderer_base::sampling::{cone_solid_angle, uniform_cone, uniform_cone_pdf};

/// Distant light.
#[derive(Clone, Copy, Debug)]
pub struct DirectionalLight {
    /// Propagation direction of the light, unit length; for a disk, that of its centre.
    pub direction: Vec3,
    /// Irradiance of a surface that faces the light [W/m²].
    pub irradiance: Rgb,
    /// Disk in the sky; `None` for parallel light.
    disk: Option<Disk>,
}

/// Disk of uniform radiance in the sky.
#[derive(Clone, Copy, Debug)]
struct Disk {
    /// 1 − cos of the disk's half-angle.
    one_minus_cos: f32,
    /// Radiance [W/sr/m²].
    radiance: Rgb,
}

/// Minimum half-angle of a disk [rad]; `f32` directions do not resolve smaller ones.
const MIN_HALF_ANGLE: f32 = 1e-5;

impl DirectionalLight {
    /// Creates a light that travels along the unit vector `direction`, from a disk of angular diameter `angle` in
    /// `[0,π]` [rad]; parallel light for an angle of 0.
    pub fn new(direction: Vec3, irradiance: Rgb, angle: f32) -> DirectionalLight {
        let half = 0.5 * angle;
        let disk = (half >= MIN_HALF_ANGLE).then(|| Disk {
            one_minus_cos: 2.0 * sqr(sin(0.5 * half)),
            // The integral of the cosine over the disk is π sin².
            radiance: irradiance / (PI * sqr(sin(half))),
        });
        DirectionalLight { direction, irradiance, disk }
    }

    /// Samples a direction towards the light by `u`; returns it with its radiance (irradiance for parallel light) and
    /// its density [1/sr].
    pub(super) fn sample(&self, u: Vec2) -> (Vec3, Rgb, f32) {
        match &self.disk {
            None => (-self.direction, self.irradiance, 1.0),
            Some(disk) => {
                let local = uniform_cone(u, disk.one_minus_cos);
                let wi = Frame::from_normal(-self.direction).to_world(local).normalize();
                (wi, disk.radiance, uniform_cone_pdf(disk.one_minus_cos))
            }
        }
    }

    pub(super) fn sample_li(&self, u: Vec2) -> LightSample {
        let (wi, shine, pdf) = self.sample(u);
        LightSample {
            wi,
            pdf,
            is_delta: self.is_delta(),
            end: None,
            shine: SampledEmission::Known(shine),
        }
    }

    /// Radiance from the unit vector `direction` and the density of sampling it [1/sr].
    #[inline]
    pub(super) fn le_pdf(&self, direction: Vec3) -> (Rgb, f32) {
        match &self.disk {
            // The squared distance to the centre is precise; the cosine is not.
            Some(disk) if (direction + self.direction).length_squared() <= 2.0 * disk.one_minus_cos => {
                (disk.radiance, uniform_cone_pdf(disk.one_minus_cos))
            }
            _ => (Rgb::BLACK, 0.0),
        }
    }

    pub(super) fn is_delta(&self) -> bool {
        self.disk.is_none()
    }

    pub(super) fn irradiance(&self, at: &LightSampleContext) -> f32 {
        let sine = self.disk.map_or(0.0, |disk| safe_sqrt(2.0 * disk.one_minus_cos).min(1.0));
        self.irradiance.luminance() * at.distant_response(-self.direction, sine)
    }

    /// Power through the disk that covers a scene of that radius [W].
    pub(super) fn power(&self, scene_radius: f32) -> Rgb {
        let flux = match &self.disk {
            None => self.irradiance,
            Some(disk) => disk.radiance * cone_solid_angle(disk.one_minus_cos),
        };
        flux * (PI * sqr(scene_radius))
    }
}
