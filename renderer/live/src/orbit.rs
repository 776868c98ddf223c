//! Camera of the page: the scene's camera, rotated around its target, or around itself in a room.

use glam::{Affine3A, Quat, Vec2, Vec3};
use serde_json::Value as Json;

use renderer_base::math::{Ray, atan2, cos, sin};
use renderer_geometry::camera::Camera;
use renderer_transport::scene::Scene;

/// Rotation and distance of the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orbit {
    /// Turn about the vertical [radians].
    yaw: f32,
    /// Turn upwards [radians].
    pitch: f32,
    /// Factor of the distance.
    distance: f32,
}

impl Default for Orbit {
    fn default() -> Orbit {
        Orbit { yaw: 0.0, pitch: 0.0, distance: 1.0 }
    }
}

impl Orbit {
    /// `[yaw, pitch, distance]`, as far as that is a view.
    pub(super) fn of_json(sent: &Json) -> Option<Orbit> {
        let [yaw, pitch, distance] = sent.as_array()?.as_slice() else {
            return None;
        };
        let number = |value: &Json| value.as_f64().map(|v| v as f32).filter(|v| v.is_finite());
        Some(Orbit {
            yaw: number(yaw)?,
            pitch: number(pitch)?.clamp(-1.5, 1.5),
            distance: number(distance)?.clamp(0.02, 50.0),
        })
    }

    /// Returns whether the camera is that of the scene.
    pub(super) fn is_none(self) -> bool {
        self == Orbit::default()
    }

    /// A camera's matrix, turned. Its height angle stays off the poles.
    pub(super) fn turned(self, world_from_camera: Affine3A, pivot: Pivot) -> Affine3A {
        let right = world_from_camera.transform_vector3(Vec3::X).normalize_or(Vec3::X);
        let back = world_from_camera.transform_vector3(Vec3::Z).normalize_or(Vec3::Z);
        let eye = Vec3::from(world_from_camera.translation);
        let (about, from, sign) = match pivot {
            Pivot::Seen(point) => (point, eye - point, -1.0),
            Pivot::Eye { .. } => (eye, back, 1.0),
        };
        let elevation = atan2(from.y, (from.x * from.x + from.z * from.z).sqrt());
        let pitch = (elevation - sign * self.pitch).clamp(-1.55, 1.55) - elevation;
        let turn = rotation(Vec3::Y, sign * self.yaw) * rotation(right, -pitch);
        let moved = match pivot {
            Pivot::Seen(_) => from * (self.distance - 1.0),
            Pivot::Eye { ahead } => back * ahead * (self.distance - 1.0),
        };
        let centred = Affine3A::from_translation(moved - about) * world_from_camera;
        Affine3A::from_translation(about) * Affine3A::from_quat(turn) * centred
    }
}

/// A turn about an axis of length 1.
fn rotation(axis: Vec3, angle: f32) -> Quat {
    let [x, y, z] = (axis * sin(angle / 2.0)).to_array();
    Quat::from_xyzw(x, y, z, cos(angle / 2.0))
}

/// Centre of a camera's rotation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pivot {
    /// The point that the camera looks at.
    Seen(Vec3),
    /// The camera itself, in a room; the distance of its target is `ahead`.
    Eye { ahead: f32 },
}

impl Pivot {
    /// The centre for the camera of a scene: the point that it looks at, or the camera itself if walls surround it.
    pub(super) fn of(scene: &Scene, camera: &Camera, is_stage: bool) -> Pivot {
        const DEFAULT_DISTANCE: f32 = 5.0;
        const WALLS: usize = 5;
        let [width, height] = camera.view().resolution;
        let middle = Vec2::new(width as f32, height as f32) / 2.0;
        let ray = camera.generate(middle, Vec2::splat(0.5), 0.0).ray;
        let hit = |direction: Vec3| scene.intersect(&Ray { direction, ..ray });
        let ahead = hit(ray.direction).map_or(DEFAULT_DISTANCE, |hit| hit.t);
        let sides = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        if !is_stage && sides.filter(|side| hit(*side).is_some()).count() >= WALLS {
            return Pivot::Eye { ahead };
        }
        Pivot::Seen(scene.host().space().world(ray.origin + ahead * ray.direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_stays_in_the_middle() {
        let camera = Affine3A::from_translation(Vec3::new(0.0, 1.0, 5.0));
        let about = Vec3::new(0.0, 1.0, 0.0);
        let orbit = Orbit { yaw: 0.7, pitch: 0.4, distance: 2.0 };
        let turned = orbit.turned(camera, Pivot::Seen(about));
        let local = turned.inverse().transform_point3(about);
        assert!((local - Vec3::new(0.0, 0.0, -10.0)).length() < 1e-4, "{local}");
        // Up stays up.
        assert!(turned.transform_vector3(Vec3::X).y.abs() < 1e-5);
        assert!(turned.translation.y > 1.0);
        let turned = orbit.turned(camera, Pivot::Eye { ahead: 2.0 });
        let step = turned.translation - camera.translation;
        assert!((step.length() - 2.0).abs() < 1e-5, "{step}");
        assert!(turned.transform_vector3(Vec3::X).y.abs() < 1e-5);
    }
}
