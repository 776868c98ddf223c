//! Directional area lights: a rectangle or ellipse that emits parallel light along its normal.

use glam::{Affine3A, Vec2, Vec3};

use super::light_sample_context::LightSampleContext;
use super::sample::{Emission, LightSample, SampledEmission};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd, inverse};
use renderer_base::sampling::disk;
use renderer_scene::Outline;

/// Rectangle or ellipse that emits along its normal only.
#[derive(Clone, Copy, Debug)]
pub struct DirectionalAreaLight {
    world_from_sheet: Affine3A,
    sheet_from_world: Affine3A,
    normal: Vec3,
    half: Vec2,
    outline: Outline,
    irradiance: Rgb,
    /// Area [m²].
    area: f32,
}

impl DirectionalAreaLight {
    /// Creates a light in the plane z = 0 of its own space that emits towards +z and covers `half` to either side of
    /// the origin; `irradiance` is that of a surface that faces it [W/m²].
    pub fn new(
        world_from_sheet: &Affine3A,
        half: Vec2,
        outline: Outline,
        irradiance: Rgb,
    ) -> DirectionalAreaLight {
        let m = world_from_sheet.matrix3;
        let across = Vec3::from(m.x_axis).cross(m.y_axis.into());
        // A mirroring transform keeps the emission on the side of +z.
        let normal = across.normalize() * across.dot(m.z_axis.into()).signum();
        let covered = match outline {
            Outline::Rectangle => 4.0,
            Outline::Disk => std::f32::consts::PI,
        };
        DirectionalAreaLight {
            world_from_sheet: *world_from_sheet,
            sheet_from_world: inverse(world_from_sheet),
            normal,
            half,
            outline,
            irradiance,
            area: across.length() * covered * half.x * half.y,
        }
    }

    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        let origin = Vec3::from(self.world_from_sheet.translation);
        let height = (p - origin).dot(self.normal);
        let foot = p - self.normal * height;
        let local = self.sheet_from_world.transform_point3(foot).truncate() / self.half;
        let covers = match self.outline {
            Outline::Rectangle => local.abs().max_element() <= 1.0,
            Outline::Disk => local.length_squared() <= 1.0,
        };
        // Points in the plane of the light are not lit.
        let error = 8.0 * f32::EPSILON * (p.abs() + origin.abs()).element_sum();
        (covers && height > error).then(|| LightSample {
            wi: -self.normal,
            pdf: 1.0,
            is_delta: true,
            end: Some(RayEnd { p: foot, p_error: error, ng: self.normal }),
            shine: SampledEmission::Known(self.irradiance),
        })
    }

    /// Emits a photon, uniform over the area.
    pub(super) fn emit(&self, u: Vec2) -> Emission {
        let place = match self.outline {
            Outline::Rectangle => 2.0 * u - 1.0,
            Outline::Disk => disk(u),
        };
        let p = self.world_from_sheet.transform_point3((place * self.half).extend(0.0));
        let error = 8.0 * f32::EPSILON * p.abs().element_sum();
        let end = RayEnd { p, p_error: error, ng: self.normal };
        Emission {
            ray: Ray::new(end.ray_origin(self.normal), self.normal),
            surface: None,
            power: self.power(),
        }
    }

    pub(super) fn irradiance(&self, at: &LightSampleContext) -> f32 {
        match self.sample_li(at.p) {
            Some(_) => self.irradiance.luminance() * at.distant_response(-self.normal, 0.0),
            None => 0.0,
        }
    }

    pub(super) fn power(&self) -> Rgb {
        self.irradiance * self.area
    }
}
