//! Projector lights: point lights that emit through an image; also spot lights with an image.

use std::f32::consts::PI;
use std::hash::{Hash, Hasher};

use glam::{Affine3A, Vec2, Vec3};

use super::bounds::LightBounds;
use super::point::toward_point;
use super::projector_texture::ProjectorTexture;
use super::sample::{Emission, LightSample};
use super::spot::Falloff;
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, atan, sin, sqr};
use renderer_geometry::camera::{CameraError, Pose};

/// Point light with an image.
#[derive(Clone, Debug)]
pub struct ProjectorLight {
    /// Pose as of a camera: −z ahead, +y up and +x to the right of the projected picture.
    pose: Pose,
    /// Half the width and height of the picture at distance 1.
    half: Vec2,
    texture: ProjectorTexture,
    beam: Beam,
    /// Luminance of the power [W].
    power: f32,
}

/// Intensity for a white texel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beam {
    /// Scaled so that a white diffuse wall that faces the light at distance 1 has the radiance `radiance` everywhere
    /// [W/sr/m²].
    Wall {
        /// Radiance of the wall.
        radiance: Rgb,
    },
    /// Intensity of a spot light.
    Spot {
        /// Radiant intensity along the axis [W/sr].
        intensity: Rgb,
        /// Angular falloff.
        falloff: Falloff,
    },
}

impl ProjectorLight {
    /// Creates a projector with the pose of a camera that would see the image; scale is ignored. `half` is half the
    /// width and height of the image at distance 1.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn new(
        world_from_light: &Affine3A,
        half: Vec2,
        texture: ProjectorTexture,
        beam: Beam,
    ) -> Result<ProjectorLight, CameraError> {
        let mut light = ProjectorLight {
            pose: Pose::new(world_from_light)?,
            half,
            texture,
            beam,
            power: 0.0,
        };
        light.power = light.integrated();
        Ok(light)
    }

    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        toward_point(p, self.pose.position(), |w| self.intensity(self.pose.local_vector(w)))
    }

    /// Samples a photon in proportion to the image's luminance.
    pub(super) fn emit(&self, u: Vec2) -> Option<Emission> {
        let sample = self.texture.sample(u);
        let local = self.toward(sample.uv);
        let power = self.intensity(local) * (self.solid_angle_of_square(local) / sample.pdf);
        (power.is_finite() && !power.is_black()).then(|| Emission {
            ray: Ray::new(self.pose.position(), self.pose.vector(local)),
            surface: None,
            power,
        })
    }

    pub(super) fn bounds(&self) -> LightBounds {
        let spread = atan(self.half.length());
        LightBounds {
            axis: self.pose.vector(-Vec3::Z),
            spread,
            falloff: 0.0,
            ..LightBounds::around(self.pose.position(), 0.0, self.power / (PI * sqr(sin(spread))))
        }
    }

    pub(super) fn power(&self) -> f32 {
        self.power
    }

    /// Adds the light's emission to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        format!("{:?} {:?} {:?}", self.pose, self.half, self.beam).hash(hasher);
        self.texture.hash_bits(hasher);
    }

    /// Radiant intensity towards a unit vector in light space [W/sr].
    fn intensity(&self, local: Vec3) -> Rgb {
        let cos = -local.z;
        let uv = 0.5 + 0.5 * Vec2::new(local.x, -local.y) / (cos * self.half);
        let inside = uv.cmpge(Vec2::ZERO).all() && uv.cmple(Vec2::ONE).all();
        if cos <= 0.0 || !inside {
            return Rgb::BLACK;
        }
        match self.beam {
            // The irradiance is π times the radiance of a white wall; at distance 1/cos it is cos³ times the intensity.
            Beam::Wall { radiance } => self.texture.at(uv) * radiance * (PI / (cos * cos * cos)),
            Beam::Spot { intensity, falloff } => {
                // Half the squared chord to the axis.
                let one_minus_cos = 0.5 * (sqr(local.x) + sqr(local.y) + sqr(local.z + 1.0));
                match falloff.at(one_minus_cos) {
                    0.0 => Rgb::BLACK,
                    share => self.texture.at(uv) * intensity * share,
                }
            }
        }
    }

    /// Unit vector in light space towards a point of the picture.
    fn toward(&self, uv: Vec2) -> Vec3 {
        let p = (2.0 * uv - 1.0) * self.half;
        Vec3::new(p.x, -p.y, -1.0).normalize()
    }

    /// Solid angle per area of the unit square of the image, in this direction [sr].
    fn solid_angle_of_square(&self, local: Vec3) -> f32 {
        4.0 * self.half.x * self.half.y * local.z.abs().powi(3)
    }

    /// Integral of the luminance of the intensity over all directions, by the midpoint rule with cells of at most a
    /// texel.
    fn integrated(&self) -> f32 {
        let [width, height] = self.texture.cells().map(|side| side * (128u32.div_ceil(side)).max(2));
        let mut sum = 0.0;
        for y in 0..height {
            for x in 0..width {
                let uv = (Vec2::new(x as f32, y as f32) + 0.5) / Vec2::new(width as f32, height as f32);
                let local = self.toward(uv);
                sum += f64::from(self.intensity(local).luminance() * self.solid_angle_of_square(local));
            }
        }
        (sum / (f64::from(width) * f64::from(height))) as f32
    }
}
