//! A model file without a scene: a text that frames and lights it, which is then read like any other.

use std::fmt::Write as _;
use std::path::Path;

use glam::Vec3;

use crate::camera::look_at;
use crate::math::Bounds;
use crate::scene::import::Model;
use crate::scene::text::quote;

/// Tangent of half the field of view, along the smaller side of the film, of the camera that frames a model: 30°.
const HALF_FOV_TAN: f32 = 0.267_949_2;
/// From where it looks, relative to the model: from the front, the right and a little above.
const VIEW: Vec3 = Vec3::new(0.6, 0.4, 1.0);
/// How much room it leaves around the model.
const MARGIN: f32 = 1.08;

/// The scene of a model: its name is that of the import.
pub(super) fn scene_text(path: &Path, name: &str, model: &Model) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut text = format!("import {} as {name};\n\nfilm {{ size = (1280, 720); }}\n", quote(&file));
    if model.cameras.is_empty() {
        text.push_str(&camera_text(&model.bounds()));
    }
    if !model.has_light() {
        text.push_str("light surroundings : environment { color = 1; }\n");
    }
    text
}

fn camera_text(bounds: &Bounds) -> String {
    let (center, corners) = match bounds.radius() {
        r if r > 0.0 => (bounds.center(), bounds.corners()),
        // A model that is a point, or nothing.
        _ => (Vec3::ZERO, [Vec3::ONE; 8]),
    };
    let towards = VIEW.normalize();
    // The nearest distance from which every corner is within the field of view.
    let camera_from_world = look_at(center + towards, center, Vec3::Y).map(|pose| pose.inverse()).unwrap_or_default();
    let distance = corners
        .into_iter()
        .map(|corner| camera_from_world.transform_vector3(corner - center))
        .map(|p| p.z + MARGIN * p.x.abs().max(p.y.abs()) / HALF_FOV_TAN)
        .fold(0.0f32, f32::max);
    let from = center + towards * distance;
    let mut text = String::from("camera view : perspective {\n");
    // Writing to a string does not fail.
    let _ = writeln!(text, "    from = {}; to = {};", tuple(from), tuple(center));
    let fov = 2.0 * HALF_FOV_TAN.atan().to_degrees();
    let _ = writeln!(text, "    fov = {fov:?}; fov_axis = smaller;\n}}");
    text
}

/// A vector as the language reads it, to the last digit.
fn tuple(v: Vec3) -> String {
    format!("({:?}, {:?}, {:?})", v.x, v.y, v.z)
}
