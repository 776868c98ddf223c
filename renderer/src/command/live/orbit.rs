//! The view: the scene's camera, turned about what it looks at.

use glam::{Affine3A, Quat, Vec3};
use serde_json::Value as Json;

use renderer_base::math::atan2;

/// How a camera is turned about a point.
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
        Orbit {
            yaw: 0.0,
            pitch: 0.0,
            distance: 1.0,
        }
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

    /// Returns whether the camera stays where the scene has it.
    pub(super) fn is_none(self) -> bool {
        self == Orbit::default()
    }

    /// A camera's matrix, turned about a point that it looks at. Its height angle stays off the poles.
    pub(super) fn turned(self, world_from_camera: Affine3A, about: Vec3) -> Affine3A {
        let from = Vec3::from(world_from_camera.translation) - about;
        let right = world_from_camera.transform_vector3(Vec3::X).normalize_or(Vec3::X);
        let elevation = atan2(from.y, (from.x * from.x + from.z * from.z).sqrt());
        let pitch = (elevation + self.pitch).clamp(-1.55, 1.55) - elevation;
        let turn = Quat::from_rotation_y(-self.yaw) * Quat::from_axis_angle(right, -pitch);
        let nearer = Affine3A::from_translation(from * (self.distance - 1.0));
        let centred = Affine3A::from_translation(-about) * world_from_camera;
        Affine3A::from_translation(about) * Affine3A::from_quat(turn) * nearer * centred
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_stays_in_the_middle() {
        let camera = Affine3A::from_translation(Vec3::new(0.0, 1.0, 5.0));
        let about = Vec3::new(0.0, 1.0, 0.0);
        let orbit = Orbit {
            yaw: 0.7,
            pitch: 0.4,
            distance: 2.0,
        };
        let turned = orbit.turned(camera, about);
        let local = turned.inverse().transform_point3(about);
        assert!((local - Vec3::new(0.0, 0.0, -10.0)).length() < 1e-4, "{local}");
        // Up stays up.
        assert!(turned.transform_vector3(Vec3::X).y.abs() < 1e-5);
        assert!(turned.translation.y > 1.0);
    }
}
