//! Declarations `light NAME : directional_area { … }`.

use glam::{Affine3A, Vec2};
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::Range;
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_scene::LightKind;
use renderer_scene::Outline;

/// Values of a directional area light's block.
pub(super) struct DirectionalAreaBlock {
    transform: Affine3A,
    size: Vec2,
    outline: Outline,
    irradiance: Rgb,
    scale: f32,
}

/// Keys of `directional_area` lights.
pub(super) const DIRECTIONAL_AREA: &[Key<DirectionalAreaBlock>] = &[
    Key {
        name: "size",
        doc: "extent in x and y, one number or two (m); 2 by default",
        set: |light, field, context| set(&mut light.size, field.size2(context)),
    },
    Key {
        name: "outline",
        doc: "`rectangle` (the default), or `disk`, the ellipse that touches its sides",
        set: |light, field, context| {
            let outlines = [("rectangle", Outline::Rectangle), ("disk", Outline::Disk)];
            set(&mut light.outline, field.choice(context, &outlines));
        },
    },
    Key {
        name: "transform",
        doc: "world from light, which is in the plane z = 0 about the origin and emits towards +z; none by default",
        set: |light, field, context| set(&mut light.transform, field.transform(context)),
    },
    Key {
        name: "irradiance",
        doc: "irradiance (W/m2) on a surface that faces the light, straight in front of it; 1 by default",
        set: |light, field, context| set(&mut light.irradiance, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the irradiance; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
];

/// Reads the block of a directional area light.
pub(super) fn read_directional_area(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = DirectionalAreaBlock {
        transform: Affine3A::IDENTITY,
        size: Vec2::splat(2.0),
        outline: Outline::Rectangle,
        irradiance: Rgb::WHITE,
        scale: 1.0,
    };
    let body = body_of(declaration);
    read_block(body, "a directional area light", &[DIRECTIONAL_AREA], &mut light, context);
    LightKind::DirectionalArea {
        world_from_sheet: light.transform,
        size: light.size,
        outline: light.outline,
        irradiance: light.irradiance * light.scale,
    }
}
