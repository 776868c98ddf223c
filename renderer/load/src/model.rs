//! Scenes for bare models: declarations of an import, a camera and a light for a model file.

use std::path::Path;

use glam::Vec3;
use shading::syntax::ast::{Declaration, Expr, Name};

use super::lighting::default_light;
use renderer_base::math::{Bounds, atan, inverse};
use renderer_geometry::camera::look_at;
use renderer_import::Model;

/// Size of the film [pixels], unless the model's camera has an aspect ratio.
const FILM: [u32; 2] = [1280, 720];
/// Tangent of half the field of view (30°) along the smaller side of the film, for the camera that frames a model.
const HALF_FOV_TAN: f32 = 0.267_949_2;
/// Direction from the model to this camera: front, right and slightly above.
const VIEW: Vec3 = Vec3::new(0.6, 0.4, 1.0);
/// Factor of the free space around the subject in the picture.
const MARGIN: f32 = 1.08;

/// Import of a model under a name.
pub(super) fn import_declaration(path: &Path, name: &str) -> Declaration {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    Declaration {
        alias: Some(Name::new(name)),
        ..Declaration::named("import", file)
    }
}

/// Declarations of a model's scene in addition to its import. `lit` is true if the user provides the light.
pub(super) fn surroundings(model: &Model, lit: bool) -> Vec<Declaration> {
    let mut film = Declaration::new("film");
    film.set("size", model.aspect.map_or(FILM, film_size).map(i64::from));
    let mut declarations = vec![film];
    if model.cameras.is_empty() {
        declarations.push(camera(model));
    }
    if !(lit || model.has_light()) {
        declarations.push(default_light());
    }
    declarations
}

/// Largest film of this aspect ratio that fits into the default film.
fn film_size(aspect: f32) -> [u32; 2] {
    let [width, height] = FILM.map(|side| side as f32);
    let fitted = [width.min(height * aspect), height.min(width / aspect)];
    fitted.map(|side| side.round().max(1.0) as u32)
}

/// Returns whether coordinates are small enough for framing the model: squares of lengths must be finite.
pub(super) fn can_be_framed(model: &Model) -> bool {
    const MAX_COORDINATE: f32 = 1e18;
    let bounds = model.bounds();
    bounds.is_empty() || bounds.min.abs().max(bounds.max.abs()).max_element() < MAX_COORDINATE
}

fn camera(model: &Model) -> Declaration {
    let points = model.subject_points();
    let bounds = Bounds::of_points(points.iter().copied());
    let center = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
    let towards = VIEW.normalize();
    let world_from_camera = look_at(center + towards, center, Vec3::Y).unwrap_or_default();
    let camera_from_world = inverse(&world_from_camera);
    let view = Silhouette::of(points.iter().map(|&p| camera_from_world.transform_vector3(p - center)));
    let middle = center + world_from_camera.transform_vector3(view.middle);
    let from = middle + towards * view.distance;
    let mut camera = Declaration::named("camera", "view").of_kind("perspective");
    camera.set("from", from.to_array());
    camera.set("to", middle.to_array());
    camera.set("fov", 2.0 * atan(HALF_FOV_TAN).to_degrees());
    camera.set("fov_axis", Expr::name("smaller"));
    camera
}

/// Bounds of a point cloud as seen by a camera that looks along −z.
struct Silhouette {
    /// Point to aim at, at depth 0.
    middle: Vec3,
    /// Distance from that point at which all points are in the picture.
    distance: f32,
}

impl Silhouette {
    /// Through each point passes a line of sight at the edge of the picture; the intersections of two opposite ones
    /// with the plane of depth 0 bound the points to aim at.
    fn of(points: impl Iterator<Item = Vec3>) -> Silhouette {
        /// Minimum distance; a smaller extent counts as a single point.
        const MIN_DISTANCE: f32 = 1e-12;
        let slope = HALF_FOV_TAN / MARGIN;
        let mut high = Vec3::NEG_INFINITY;
        let mut low = Vec3::INFINITY;
        for p in points {
            let spread = Vec3::new(slope * p.z, slope * p.z, 0.0);
            high = high.max(p + spread);
            low = low.min(p - spread);
        }
        if !(high.is_finite() && low.is_finite()) {
            return Silhouette { middle: Vec3::ZERO, distance: 4.0 };
        }
        let half = 0.5 * (high - low).truncate().max_element();
        let middle = (0.5 * (high + low)).with_z(0.0);
        // Outside of the model, and away from a single point.
        let distance = (half / slope).max(high.z + 0.01 * half);
        Silhouette {
            middle,
            distance: if distance > MIN_DISTANCE { distance } else { 4.0 },
        }
    }
}
