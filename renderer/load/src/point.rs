//! Declarations `light NAME : point { … }` and `light NAME : spot { … }`.

use std::sync::Arc;

use glam::Vec3;
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::{Given, Range};
use super::luminaire::{Aim, read_luminaire};
use super::projector_texture::{HasTexture, TextureBlock, texture_keys};
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_scene::{LightKind, Luminaire, SpotFalloff, SpotSlide};

/// Values of a point or spot light's block.
pub(super) struct PointBlock {
    position: Vec3,
    intensity: Rgb,
    scale: f32,
    /// Luminaire of `profile`.
    luminaire: Option<Given<Arc<Luminaire>>>,
    aim: Aim,
    cutoff: Option<Given<f32>>,
    beam_width: Option<Given<f32>>,
    falloff: Option<Given<SpotFalloff>>,
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
        doc: "radiant intensity (W/sr), of a spot along its axis; with a `profile`, a factor of its intensity, which is in \
              candela at 683 lm/W; 1 by default",
        set: |light, field, context| set(&mut light.intensity, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the intensity; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "profile",
        doc: "an IES file (ANSI/IES LM-63): the intensity of a luminaire in all directions, without the cone of a spot; \
              none by default",
        set: |light, field, context| light.luminaire = field.given(read_luminaire(field, context)),
    },
];

/// Keys of lights with an axis.
pub(super) const AIM: &[Key<PointBlock>] = &[
    Key {
        name: "to",
        doc: "target point",
        set: |light, field, context| light.aim.to = field.given(field.point(context)),
    },
    Key {
        name: "direction",
        doc: "instead of `to`: direction of the axis; (0, -1, 0) by default",
        set: |light, field, context| light.aim.direction = field.given(field.direction(context)),
    },
    Key {
        name: "up",
        doc: "up direction of the image on a wall, or of the luminaire; (0, 1, 0) by default, (0, 0, -1) for a vertical \
              axis",
        set: |light, field, context| light.aim.up = field.given(field.direction(context)),
    },
];

/// Keys of `spot` lights only, without those of their pictures.
pub(super) const SPOT: &[Key<PointBlock>] = &[
    Key {
        name: "cutoff",
        doc: "half-angle in degrees beyond which there is no light; 20 by default",
        set: |light, field, context| {
            light.cutoff = field.given(field.number(context, Range::Between(0.0, 180.0)));
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
            light.falloff = field.given(field.choice(context, &options));
        },
    },
    Key {
        name: "map",
        doc: "a projected image (EXR, HDR, PNG, JPEG), a factor of the intensity, as wide and as high as the cone of \
              `cutoff`, which is then less than 90; none by default",
        set: |light, field, context| light.texture.read_map(field, context),
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
pub(super) fn read_point(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let light = read_keys(declaration, "a point light", &[POINT, AIM], context)?;
    if let Some(luminaire) = &light.luminaire {
        return light.luminaire(luminaire, context);
    }
    for (key, span) in light.aim.given() {
        let error = context.error_at(span, format!("a point light without a `profile` has no `{key}`"));
        context.push(error.hint("its intensity is the same in all directions; a `spot` has a direction"));
    }
    Some(LightKind::Point {
        position: light.position,
        intensity: light.intensity * light.scale,
    })
}

fn read_keys(
    declaration: &Declaration,
    what: &str,
    tables: &[&[Key<PointBlock>]],
    context: &mut LoadContext,
) -> Option<PointBlock> {
    let mut light = PointBlock {
        position: Vec3::ZERO,
        intensity: Rgb::WHITE,
        scale: 1.0,
        luminaire: None,
        aim: Aim::default(),
        cutoff: None,
        beam_width: None,
        falloff: None,
        texture: TextureBlock::default(),
    };
    read_block(body_of(declaration), what, tables, &mut light, context).then_some(light)
}

/// Reads the block of a spot light.
pub(super) fn read_spot(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let light = read_keys(declaration, "a spot light", &[SPOT, SPOT_TEXTURE, POINT, AIM], context)?;
    if let Some(luminaire) = &light.luminaire {
        light.refuse_cone(declaration, context);
        return light.luminaire(luminaire, context);
    }
    let direction = light.aim.axis(light.position, context)?;
    let cutoff = light.cutoff.map_or(20.0, |cutoff| cutoff.value);
    let beam_width = light.beam_width.map_or(0.75 * cutoff, |beam| beam.value);
    if let Some(beam) = light.beam_width
        && beam.value > cutoff
    {
        let message = format!("`beam_width` is {}, more than `cutoff`, {cutoff}", beam.value);
        context.error(beam.span, message);
    }
    let up = light.aim.up_for(direction, context);
    let texture = light.texture.finished().map(|slide| SpotSlide { slide, up });
    if texture.is_some() && cutoff >= 90.0 {
        let message = format!("a spot light with a `map` has a `cutoff` of less than 90, not {cutoff}");
        context.error(declaration.span, message);
    }
    Some(LightKind::Spot {
        position: light.position,
        direction,
        intensity: light.intensity * light.scale,
        cutoff: cutoff.to_radians(),
        beam_width: beam_width.to_radians(),
        falloff: light.falloff.map_or(SpotFalloff::Linear, |falloff| falloff.value),
        slide: texture,
    })
}

impl PointBlock {
    /// Light with a profile.
    fn luminaire(&self, luminaire: &Given<Arc<Luminaire>>, context: &mut LoadContext) -> Option<LightKind> {
        Some(LightKind::Luminaire {
            world_from_light: self.aim.pose(self.position, context)?,
            scale: self.intensity * self.scale,
            luminaire: luminaire.value.clone(),
        })
    }

    /// Reports keys of the cone, which a profile replaces.
    fn refuse_cone(&self, declaration: &Declaration, context: &mut LoadContext) {
        let spans = [
            ("cutoff", self.cutoff.map(|given| given.span)),
            ("beam_width", self.beam_width.map(|given| given.span)),
            ("falloff", self.falloff.map(|given| given.span)),
            ("map", self.texture.is_named().then_some(declaration.span)),
        ];
        for (key, span) in spans {
            if let Some(span) = span {
                let error = context.error_at(span, format!("a light with a `profile` has no `{key}`"));
                context.push(
                    error.hint("the profile has the intensity in all directions; leave one of the two out"),
                );
            }
        }
    }
}
