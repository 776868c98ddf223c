//! Declarations `light NAME : point { … }` and `light NAME : spot { … }`.

use glam::Vec3;
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::{Given, Range};
use super::projector_texture::{HasTexture, TextureBlock, texture_keys, up_for};
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_geometry::camera::look_at;
use renderer_scene::{LightKind, SpotFalloff, SpotSlide};

/// Values of a point or spot light's block.
pub(super) struct PointBlock {
    position: Vec3,
    intensity: Rgb,
    scale: f32,
    to: Option<Given<Vec3>>,
    direction: Option<Given<Vec3>>,
    cutoff: f32,
    beam_width: Option<Given<f32>>,
    falloff: SpotFalloff,
    up: Option<Given<Vec3>>,
    texture: TextureBlock,
}

/// Keys of `point` and `spot` lights.
pub(super) const POINT: &[Key<PointBlock>] = &[
    Key {
        name: "position",
        doc: "position; (0, 0, 0) by default",
        set: |light, field, context| set(&mut light.position, field.point(context)),
    },
    Key {
        name: "intensity",
        doc: "radiant intensity (W/sr), of a spot along its axis; 1 by default",
        set: |light, field, context| set(&mut light.intensity, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the intensity; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
];

/// Keys of `spot` lights only, without those of their pictures.
pub(super) const SPOT: &[Key<PointBlock>] = &[
    Key {
        name: "to",
        doc: "target point",
        set: |light, field, context| light.to = field.given(field.point(context)),
    },
    Key {
        name: "direction",
        doc: "instead of `to`: direction of the axis; (0, -1, 0) by default",
        set: |light, field, context| light.direction = field.given(field.direction(context)),
    },
    Key {
        name: "cutoff",
        doc: "half-angle in degrees beyond which there is no light; 20 by default",
        set: |light, field, context| {
            set(&mut light.cutoff, field.number(context, Range::Between(0.0, 180.0)));
        },
    },
    Key {
        name: "beam_width",
        doc: "half-angle in degrees of full intensity; three quarters of `cutoff` by default",
        set: |light, field, context| {
            light.beam_width = field.given(field.number(context, Range::NotNegative));
        },
    },
    Key {
        name: "falloff",
        doc: "falloff between the two: `linear` in the angle (the default), or `squared_cosine` as in glTF",
        set: |light, field, context| {
            let options = [("linear", SpotFalloff::Linear), ("squared_cosine", SpotFalloff::SquaredCosine)];
            set(&mut light.falloff, field.choice(context, &options));
        },
    },
    Key {
        name: "map",
        doc: "a projected image (EXR, HDR, PNG, JPEG), a factor of the intensity, as wide and as high as the cone of \
              `cutoff`, which is then less than 90; none by default",
        set: |light, field, context| light.texture.read_map(field, context),
    },
    Key {
        name: "up",
        doc: "up direction of the image on a wall; (0, 1, 0) by default, (0, 0, -1) for a vertical axis",
        set: |light, field, context| light.up = field.given(field.direction(context)),
    },
];

/// Keys of a spot light's picture.
pub(super) const SPOT_TEXTURE: &[Key<PointBlock>] = &texture_keys();

impl HasTexture for PointBlock {
    fn texture(&mut self) -> &mut TextureBlock {
        &mut self.texture
    }
}

/// Reads the block of a point light.
pub(super) fn read_point(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let light = read_keys(declaration, "a point light", &[POINT], context);
    LightKind::Point {
        position: light.position,
        intensity: light.intensity * light.scale,
    }
}

fn read_keys(
    declaration: &Declaration,
    what: &str,
    tables: &[&[Key<PointBlock>]],
    context: &mut LoadContext,
) -> PointBlock {
    let mut light = PointBlock {
        position: Vec3::ZERO,
        intensity: Rgb::WHITE,
        scale: 1.0,
        to: None,
        direction: None,
        cutoff: 20.0,
        beam_width: None,
        falloff: SpotFalloff::Linear,
        up: None,
        texture: TextureBlock::default(),
    };
    read_block(body_of(declaration), what, tables, &mut light, context);
    light
}

/// Reads the block of a spot light.
pub(super) fn read_spot(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let before = context.errors();
    let light = read_keys(declaration, "a spot light", &[SPOT, SPOT_TEXTURE, POINT], context);
    if context.errors() > before {
        return None;
    }
    let direction = match light.to {
        Some(to) => {
            let direction = (to.value - light.position).try_normalize();
            if direction.is_none() {
                context.error(to.span, "the spot light is aimed at the point where it is");
            }
            direction?
        }
        None => light.direction.map_or(Vec3::NEG_Y, |direction| direction.value),
    };
    let beam_width = light.beam_width.map_or(0.75 * light.cutoff, |beam| beam.value);
    if let Some(beam) = light.beam_width
        && beam.value > light.cutoff
    {
        context.error(
            beam.span,
            format!("`beam_width` is {}, more than `cutoff`, {}", beam.value, light.cutoff),
        );
    }
    let texture = light.texture.finished().map(|texture| SpotSlide {
        slide: texture,
        up: light.up.map_or(up_for(direction), |up| up.value),
    });
    if texture.is_some() && light.cutoff >= 90.0 {
        let message =
            format!("a spot light with a `map` has a `cutoff` of less than 90, not {}", light.cutoff);
        context.error(declaration.span, message);
    }
    if let Some(up) = light.up
        && look_at(Vec3::ZERO, direction, up.value).is_err()
    {
        context.error(up.span, "`up` is along the axis of the spot light");
    }
    Some(LightKind::Spot {
        position: light.position,
        direction,
        intensity: light.intensity * light.scale,
        cutoff: light.cutoff.to_radians(),
        beam_width: beam_width.to_radians(),
        falloff: light.falloff,
        slide: texture,
    })
}
