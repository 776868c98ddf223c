//! Custom cameras: a shader computes the rays; the description holds the lens settings that it may read.

use glam::{Vec2, Vec3};

use super::aperture::Aperture;
use super::error::CameraError;
use super::lens::LocalRay;
use renderer_base::color::Rgb;

/// Lens settings of a custom camera, for its shader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CustomLens {
    /// Width and height of the sensor [mm].
    pub sensor: Vec2,
    /// Aperture of the lens.
    pub aperture: Aperture,
    /// Focus distance [m].
    pub focus_distance: f32,
}

impl CustomLens {
    pub(super) fn new(
        film: Vec2,
        sensor_width: f32,
        aperture: Aperture,
        focus_distance: f32,
    ) -> Result<CustomLens, CameraError> {
        if !(sensor_width > 0.0 && sensor_width.is_finite()) {
            return Err(CameraError::Width { width: sensor_width });
        }
        aperture.check()?;
        if !(focus_distance > 0.0 && focus_distance.is_finite()) {
            return Err(CameraError::Focus { distance: focus_distance });
        }
        let sensor = Vec2::new(sensor_width, sensor_width * film.y / film.x);
        Ok(CustomLens { sensor, aperture, focus_distance })
    }

    /// Point of the aperture for a random point in `[0,1)²` [m].
    pub fn aperture_position(&self, lens_u: Vec2) -> Vec2 {
        self.aperture.sample(lens_u)
    }
}

/// A ray of a camera shader, in the space of its outputs: +x right, +y up, +z ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShaderRay {
    /// Origin [m].
    pub position: Vec3,
    /// Direction, of any length; there is no ray if it is zero.
    pub direction: Vec3,
    /// Factor of the radiance; there is no ray if it is black.
    pub throughput: Rgb,
}

impl ShaderRay {
    /// Returns whether there is a ray: one with a direction and a throughput, of finite numbers.
    pub fn is_valid(&self) -> bool {
        let length = self.direction.length();
        let throughput = Vec3::from_array(self.throughput.to_array());
        length > 0.0
            && length.is_finite()
            && self.position.is_finite()
            && throughput.is_finite()
            && throughput.max_element() > 0.0
    }

    /// The ray in camera space, with its differences to the rays `right` and `below` at `step` pixels; those that are
    /// invalid give no difference.
    pub(super) fn local(&self, right: &ShaderRay, below: &ShaderRay, step: f32) -> LocalRay {
        let direction = self.direction.normalize();
        let change = |to: &ShaderRay| match to.is_valid() {
            true => [
                ahead(to.position - self.position) / step,
                ahead(to.direction.normalize() - direction) / step,
            ],
            false => [Vec3::ZERO; 2],
        };
        let ([origin_dx, direction_dx], [origin_dy, direction_dy]) = (change(right), change(below));
        LocalRay {
            origin: ahead(self.position),
            direction: ahead(direction),
            origin_dx,
            origin_dy,
            direction_dx,
            direction_dy,
            ..LocalRay::AXIS
        }
    }
}

/// Converts a vector from the space of shader outputs to camera space.
fn ahead(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, -v.z)
}
