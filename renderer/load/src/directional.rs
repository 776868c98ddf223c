//! Declarations `light NAME : directional { … }`.

use glam::Vec3;
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::Range;
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_scene::LightKind;

/// Values of a directional light's block.
pub(super) struct DirectionalBlock {
    direction: Vec3,
    irradiance: Rgb,
    scale: f32,
    angle: f32,
}

/// Keys of `directional` lights.
pub(super) const DIRECTIONAL: &[Key<DirectionalBlock>] = &[
    Key {
        name: "direction",
        doc: "direction of propagation; (0, -1, 0) by default",
        set: |light, field, context| set(&mut light.direction, field.direction(context)),
    },
    Key {
        name: "irradiance",
        doc: "irradiance (W/m2) on a surface that faces the light; 1 by default",
        set: |light, field, context| set(&mut light.irradiance, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the irradiance; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "angle",
        doc: "angular diameter of the light in degrees, as a visible disk that casts soft shadows; the sun has 0.53; \
              0, the default, is parallel light",
        set: |light, field, context| {
            set(&mut light.angle, field.number(context, Range::Within(0.0, 180.0)));
        },
    },
];

/// Reads the block of a directional light.
pub(super) fn read_directional(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = DirectionalBlock {
        direction: Vec3::NEG_Y,
        irradiance: Rgb::WHITE,
        scale: 1.0,
        angle: 0.0,
    };
    read_block(body_of(declaration), "a directional light", &[DIRECTIONAL], &mut light, context);
    LightKind::Directional {
        direction: light.direction,
        irradiance: light.irradiance * light.scale,
        angle: light.angle.to_radians(),
    }
}
