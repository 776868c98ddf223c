//! Moving lights: lights that are not shapes, with a pose over the shutter interval.
//!
//! The light is described in its own space; points and directions are transformed by the pose at the time of a sample.
//! Poses are rigid, so that densities and radiance do not change.

use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use super::Light;
use super::bounds::LightBounds;
use super::light_sample_context::LightSampleContext;
use super::sample::{Emission, EmissionBounds, LightSample, LightViewer, PrimarySample};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_geometry::camera::{Pose, PoseMotion};

/// Light with a pose over the shutter interval.
#[derive(Clone, Debug)]
pub struct MovingLight {
    /// The light in its own space; not an area light.
    light: Light,
    motion: PoseMotion,
}

impl MovingLight {
    /// Moves a light, given in its own space.
    pub fn new(light: Light, motion: PoseMotion) -> MovingLight {
        MovingLight { light, motion }
    }

    /// Another light with the same motion.
    #[must_use]
    pub(crate) fn with_light(&self, light: Light) -> MovingLight {
        MovingLight { light, motion: self.motion.clone() }
    }

    /// The light in its own space.
    pub(super) fn light(&self) -> &Light {
        &self.light
    }

    /// Returns whether the light is an environment.
    pub(crate) fn is_environment(&self) -> bool {
        matches!(self.light, Light::Environment(_) | Light::Portals(_))
    }

    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        self.light.hash_bits(hasher);
        for x in self.motion.keys().iter().flat_map(|key| key.matrix().to_cols_array()) {
            x.to_bits().hash(hasher);
        }
    }

    pub(super) fn sample_li(&self, viewer: &LightViewer, u_primitive: f64, u: Vec2) -> Option<LightSample> {
        let pose = self.motion.at(viewer.time);
        let local = LightViewer { p: pose.local_point(viewer.p), ..*viewer };
        let sample = self.light.sample_li(&local, 0, u_primitive, u)?;
        Some(LightSample {
            wi: pose.vector(sample.wi),
            end: sample.end.map(|end| RayEnd {
                p: pose.point(end.p),
                p_error: end.p_error,
                ng: pose.vector(end.ng),
            }),
            ..sample
        })
    }

    pub(super) fn le_pdf(&self, viewer: &LightViewer, direction: Vec3) -> (Rgb, f32) {
        let pose = self.motion.at(viewer.time);
        let local = LightViewer { p: pose.local_point(viewer.p), ..*viewer };
        self.light.le_pdf(&local, pose.local_vector(direction))
    }

    pub(super) fn emit(
        &self,
        target: EmissionBounds,
        sample: &PrimarySample,
        context: &mut ShadingContext,
    ) -> Option<Emission> {
        let pose = self.motion.at(sample.time);
        let target = EmissionBounds { center: pose.local_point(target.center), ..target };
        let emission = self.light.emit(target, sample, context)?;
        let ray = Ray {
            origin: pose.point(emission.ray.origin),
            direction: pose.vector(emission.ray.direction),
            ..emission.ray
        };
        Some(Emission { ray, ..emission })
    }

    /// Estimated irradiance of a light outside the light tree [W/m²]: from all directions, as the light may turn.
    pub(super) fn irradiance(&self, at: &LightSampleContext) -> f32 {
        self.light
            .irradiance(&LightSampleContext::in_space(self.motion.open().local_point(at.p)))
    }

    /// Bounds over the shutter interval.
    pub(super) fn bounds(&self) -> Option<LightBounds> {
        let bounds = self.light.bounds(0)?;
        let placed = |pose: &Pose| LightBounds {
            center: pose.point(bounds.center),
            axis: pose.vector(bounds.axis),
            ..bounds
        };
        let keys = self.motion.keys().iter().map(placed);
        let union = keys.reduce(|all, key| LightBounds { intensity: bounds.intensity, ..all.union(&key) })?;
        Some(union)
    }
}
