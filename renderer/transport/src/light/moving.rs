//! Moving lights: lights that are not shapes, with a pose over the shutter interval.
//!
//! The light is described in its own space; points and directions are transformed by the pose at the time of a sample.
//! Poses are rigid, so that densities and radiance do not change.

use std::hash::{Hash, Hasher};

use glam::Vec3;

use super::bounds::LightBounds;
use super::sample::{Emission, EmissionBounds, LightSample, LightViewer};
use renderer_base::math::{Ray, RayEnd};
use renderer_geometry::camera::{Pose, PoseMotion};

/// Light with a pose over the shutter interval.
#[derive(Clone, Debug)]
pub struct Moving<L> {
    /// The light in its own space.
    light: L,
    motion: PoseMotion,
}

impl<L> Moving<L> {
    /// Moves a light, given in its own space.
    pub fn new(light: L, motion: PoseMotion) -> Moving<L> {
        Moving { light, motion }
    }

    /// The light in its own space.
    pub(crate) fn light(&self) -> &L {
        &self.light
    }

    /// Another light with the same motion.
    pub(super) fn with_light(&self, light: L) -> Moving<L> {
        Moving { light, motion: self.motion.clone() }
    }

    /// Adds the bits of the motion to a hash.
    pub(super) fn hash_motion(&self, hasher: &mut impl Hasher) {
        for x in self.motion.keys().iter().flat_map(|key| key.matrix().to_cols_array()) {
            x.to_bits().hash(hasher);
        }
    }

    /// Pose of the light for a viewer, and the viewer in the space of the light.
    pub(super) fn viewer(&self, viewer: &LightViewer) -> (Pose, LightViewer) {
        let pose = self.motion.at(viewer.time);
        (pose, LightViewer { p: pose.local_point(viewer.p), ..*viewer })
    }

    /// Pose of the light at a time, and the target of photons in the space of the light.
    pub(super) fn target(&self, target: EmissionBounds, time: f32) -> (Pose, EmissionBounds) {
        let pose = self.motion.at(time);
        (pose, EmissionBounds { center: pose.local_point(target.center), ..target })
    }

    /// A point in the space of the light when the shutter opens.
    pub(super) fn point_at_opening(&self, p: Vec3) -> Vec3 {
        self.motion.open().local_point(p)
    }

    /// Bounds over the shutter interval of a light with these bounds in its own space.
    pub(super) fn bounds(&self, bounds: &LightBounds) -> LightBounds {
        let placed = |pose: &Pose| LightBounds {
            center: pose.point(bounds.center),
            axis: pose.vector(bounds.axis),
            ..*bounds
        };
        let keys = self.motion.keys().iter().map(placed);
        let union = keys.reduce(|all, key| all.union(&key)).unwrap_or(*bounds);
        LightBounds { intensity: bounds.intensity, ..union }
    }
}

/// A sample in the space of a light transformed to the world.
pub(super) fn placed_sample(pose: &Pose, sample: LightSample) -> LightSample {
    LightSample {
        wi: pose.vector(sample.wi),
        end: sample.end.map(|end| RayEnd {
            p: pose.point(end.p),
            p_error: end.p_error,
            ng: pose.vector(end.ng),
        }),
        ..sample
    }
}

/// A photon in the space of a light transformed to the world.
pub(super) fn placed_emission(pose: &Pose, emission: Emission) -> Emission {
    let ray = Ray {
        origin: pose.point(emission.ray.origin),
        direction: pose.vector(emission.ray.direction),
        ..emission.ray
    };
    Emission { ray, ..emission }
}
