//! Point lights: isotropic.

use glam::{Vec2, Vec3};

use super::bounds::LightBounds;
use super::sample::{Emission, LightSample, SampledEmission};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampling::uniform_sphere;

/// Isotropic point light.
#[derive(Clone, Copy, Debug)]
pub struct PointLight {
    /// Position, world space [m].
    pub position: Vec3,
    /// Radiant intensity [W/sr].
    pub intensity: Rgb,
}

impl PointLight {
    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        toward_point(p, self.position, |_| self.intensity)
    }

    pub(super) fn emit(&self, u: Vec2) -> Emission {
        Emission {
            ray: Ray::new(self.position, uniform_sphere(u)),
            surface: None,
            power: self.power(),
        }
    }

    pub(super) fn bounds(&self) -> LightBounds {
        LightBounds::around(self.position, 0.0, self.intensity.luminance())
    }

    pub(super) fn power(&self) -> Rgb {
        self.intensity * (4.0 * std::f32::consts::PI)
    }
}

/// Light sample for a point light at `position` with radiant intensity `intensity(w)` towards the unit vector `w`.
pub(super) fn toward_point(
    p: Vec3,
    position: Vec3,
    intensity: impl FnOnce(Vec3) -> Rgb,
) -> Option<LightSample> {
    let to_light = position - p;
    let distance_squared = to_light.length_squared();
    if distance_squared == 0.0 {
        return None;
    }
    let distance = distance_squared.sqrt();
    let wi = to_light / distance;
    let radiance = intensity(-wi) / distance_squared;
    (!radiance.is_black()).then_some(LightSample {
        wi,
        pdf: 1.0,
        is_delta: true,
        end: Some(RayEnd::in_space(position)),
        shine: SampledEmission::Known(radiance),
    })
}
