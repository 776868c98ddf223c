//! Scenes for bare models: declarations of an import, a camera and a light for a model file.

use std::path::Path;

use glam::Vec3;
use shading::syntax::ast::{Declaration, Expr, Name};

use super::lighting::default_light;
use renderer_base::math::atan;
use renderer_geometry::camera::look_at;
use renderer_import::Model;

/// Width and height of the film [pixels], if the model's camera does not say how one is to the other.
const FILM: [u32; 2] = [1280, 720];
/// Tangent of half the field of view, along the smaller side of the film, of the camera that frames a model: 30°.
const HALF_FOV_TAN: f32 = 0.267_949_2;
/// From where it looks, relative to the model: from the front, the right and a little above.
const VIEW: Vec3 = Vec3::new(0.6, 0.4, 1.0);
/// How much room it leaves around the model.
const MARGIN: f32 = 1.08;

/// The import of a model under a name.
pub(super) fn import_declaration(path: &Path, name: &str) -> Declaration {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    Declaration {
        alias: Some(Name::new(name)),
        ..Declaration::named("import", file)
    }
}

/// What the scene of a model has beside its import. It is `lit` when the user brings the light.
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

/// The largest film of so much more width than height that is no larger than the usual one.
fn film_size(aspect: f32) -> [u32; 2] {
    let [width, height] = FILM.map(|side| side as f32);
    let fitted = [width.min(height * aspect), height.min(width / aspect)];
    fitted.map(|side| side.round().max(1.0) as u32)
}

/// Whether a model is small enough for a camera to be placed before it: squares of lengths have to be finite.
pub(super) fn can_be_framed(model: &Model) -> bool {
    const MOST: f32 = 1e18;
    let bounds = model.bounds();
    bounds.is_empty() || bounds.min.abs().max(bounds.max.abs()).max_element() < MOST
}

fn camera(model: &Model) -> Declaration {
    let bounds = model.bounds();
    let center = if bounds.is_empty() {
        Vec3::ZERO
    } else {
        bounds.center()
    };
    let towards = VIEW.normalize();
    let world_from_camera = look_at(center + towards, center, Vec3::Y).unwrap_or_default();
    let camera_from_world = world_from_camera.inverse();
    let view = Silhouette::of(
        model
            .points()
            .map(|p| camera_from_world.transform_vector3(p - center)),
    );
    let middle = center + world_from_camera.transform_vector3(view.middle);
    let from = middle + towards * view.distance;
    let mut camera = Declaration::named("camera", "view").of_kind("perspective");
    camera.set("from", from.to_array());
    camera.set("to", middle.to_array());
    camera.set("fov", 2.0 * atan(HALF_FOV_TAN).to_degrees());
    camera.set("fov_axis", Expr::name("smaller"));
    camera
}

/// What a camera that looks along −z sees of a cloud of points.
struct Silhouette {
    /// Where it has to aim, at depth 0.
    middle: Vec3,
    /// From how far before that everything is in the picture.
    distance: f32,
}

impl Silhouette {
    /// Through each point goes a line of sight at the edge of the picture; where two opposite ones cross the plane of
    /// depth 0 bounds what can be aimed at from a distance.
    fn of(points: impl Iterator<Item = Vec3>) -> Silhouette {
        /// What is seen from nearer is a point.
        const LEAST: f32 = 1e-12;
        let slope = HALF_FOV_TAN / MARGIN;
        let mut high = Vec3::NEG_INFINITY;
        let mut low = Vec3::INFINITY;
        for p in points {
            let spread = Vec3::new(slope * p.z, slope * p.z, 0.0);
            high = high.max(p + spread);
            low = low.min(p - spread);
        }
        if !(high.is_finite() && low.is_finite()) {
            return Silhouette {
                middle: Vec3::ZERO,
                distance: 4.0,
            };
        }
        let half = 0.5 * (high - low).truncate().max_element();
        let middle = (0.5 * (high + low)).with_z(0.0);
        // Not within the model, nor where a single point is.
        let distance = (half / slope).max(high.z + 0.01 * half);
        Silhouette {
            middle,
            distance: if distance > LEAST { distance } else { 4.0 },
        }
    }
}
