//! Declarations `light NAME : studio { … }`: three soft boxes in a dim room, as an environment map for models of any
//! size.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Mat3, Vec3};
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::environment::rotation;
use super::field::Range;
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_base::math::{cos, sin};
use renderer_image::Image;
use renderer_scene::LightKind;
use renderer_scene::MapRows;

/// Values of a studio's block.
pub(super) struct StudioBlock {
    scale: f32,
    rotate: Mat3,
}

/// Keys of `studio` lights.
pub(super) const STUDIO: &[Key<StudioBlock>] = &[
    Key {
        name: "scale",
        doc: "a factor; at 1, the default, white that faces the key light is nearly white in the picture",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "rotate",
        doc: "rotation: degrees about +y, or a transform that rotates; by default for objects that face +z",
        set: |light, field, context| set(&mut light.rotate, rotation(field, context)),
    },
];

/// Reads the block of a studio.
pub(super) fn read_studio(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = StudioBlock { scale: 1.0, rotate: Mat3::IDENTITY };
    read_block(body_of(declaration), "a studio light", &[STUDIO], &mut light, context);
    LightKind::Environment {
        map: Some(Arc::new(map())),
        radiance: Rgb::splat(light.scale),
        world_from_map: light.rotate,
        rows: MapRows::Centers,
        portals: vec![],
    }
}

/// Square light that faces the origin.
struct SoftBox {
    /// Direction from the origin to its centre.
    towards: Vec3,
    /// Tangent of its angular half-width.
    half: f32,
    /// Radiance [W/sr/m²].
    radiance: f32,
}

/// Portrait lighting of an object that faces +z: a key light from the upper front left, a weaker fill light from the
/// right, and a rim light from behind.
const BOXES: [SoftBox; 3] = [
    SoftBox {
        towards: Vec3::new(-0.7, 0.7, 0.8),
        half: 0.45,
        radiance: 6.0,
    },
    SoftBox { towards: Vec3::new(1.0, 0.25, 0.5), half: 0.5, radiance: 1.2 },
    SoftBox {
        towards: Vec3::new(0.5, 0.8, -1.0),
        half: 0.35,
        radiance: 4.0,
    },
];

/// Radiance of the room from straight below and from straight above [W/sr/m²].
const ROOM: [f32; 2] = [0.08, 0.25];

/// Width of a soft box's smooth edge, relative to its half-width.
const EDGE: f32 = 0.1;

/// Returns the environment map of the studio.
pub(super) fn map() -> Image {
    const ROWS: usize = 128;
    Image::from_fn(2 * ROWS, ROWS, |column, row| {
        let theta = (row as f32 + 0.5) / ROWS as f32 * PI;
        let phi = (column as f32 + 0.5) / (2 * ROWS) as f32 * TAU;
        let direction = Vec3::new(sin(phi) * sin(theta), cos(theta), -cos(phi) * sin(theta));
        let [below, above] = ROOM;
        let room = below + (above - below) * (0.5 + 0.5 * direction.y);
        let boxes: f32 = BOXES.iter().map(|light| light.seen_along(direction)).sum();
        Rgb::splat(room + boxes)
    })
}

impl SoftBox {
    fn seen_along(&self, direction: Vec3) -> f32 {
        let axis = self.towards.normalize();
        let cos = direction.dot(axis);
        if cos <= 0.0 {
            return 0.0;
        }
        let right = axis.cross(Vec3::Y).normalize();
        let at = direction / cos;
        let from_axis = at.dot(right).abs().max(at.dot(axis.cross(right)).abs());
        let t = ((self.half - from_axis) / (EDGE * self.half)).clamp(0.0, 1.0);
        self.radiance * t * t * (3.0 - 2.0 * t)
    }
}
