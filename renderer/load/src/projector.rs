//! Declarations `light NAME : projector { … }`.

use glam::Affine3A;
use shading::syntax::ast::Declaration;

use super::camera::Placement;
use super::context::LoadContext;
use super::field::Range;
use super::projector_texture::{HasTexture, TextureBlock, texture_keys};
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_geometry::camera::FovAxis;
use renderer_scene::LightKind;

/// Values of a projector's block.
pub(super) struct ProjectorBlock {
    placement: Placement,
    texture: TextureBlock,
    color: Rgb,
    scale: f32,
    fov: f32,
    fov_axis: FovAxis,
}

/// Keys of `projector` lights.
pub(super) const PROJECTOR: &[Key<ProjectorBlock>] = &[
    Key {
        name: "map",
        doc: "the projected image (EXR, HDR, PNG, JPEG); a white square by default",
        set: |light, field, context| light.texture.read_map(field, context),
    },
    Key {
        name: "from",
        doc: "position; (0, 0, 0) by default",
        set: |light, field, context| light.placement.from = field.given(field.point(context)),
    },
    Key {
        name: "to",
        doc: "target point of the middle of the image; along -z by default",
        set: |light, field, context| light.placement.to = field.given(field.point(context)),
    },
    Key {
        name: "up",
        doc: "up direction of the picture; (0, 1, 0) by default",
        set: |light, field, context| light.placement.up = field.given(field.point(context)),
    },
    Key {
        name: "transform",
        doc: "instead of the three: world from light, like a camera that sees the image (it emits along -z, the right \
              of the image is +x, its top +y); reflections apply, scale is ignored",
        set: |light, field, context| light.placement.transform = field.given(field.transform(context)),
    },
    Key {
        name: "fov",
        doc: "angle of the image in degrees; 40 by default",
        set: |light, field, context| set(&mut light.fov, field.number(context, Range::Between(0.0, 180.0))),
    },
    Key {
        name: "fov_axis",
        doc: "axis of `fov`, as for cameras: `x` (the default), `y`, `smaller`, `larger` or `diagonal`",
        set: |light, field, context| set(&mut light.fov_axis, field.choice(context, &FovAxis::NAMED)),
    },
    Key {
        name: "color",
        doc: "factor of the image; 1 by default",
        set: |light, field, context| set(&mut light.color, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "the radiance (W/sr/m2) of a white wall that faces the light at a distance of 1 m, where the image is \
              white; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
];

/// Keys of a projector's picture.
pub(super) const PROJECTOR_TEXTURE: &[Key<ProjectorBlock>] = &texture_keys();

/// Reads the block of a projector.
pub(super) fn read_projector(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let mut light = ProjectorBlock {
        placement: Placement::default(),
        texture: TextureBlock::default(),
        color: Rgb::WHITE,
        scale: 1.0,
        fov: 40.0,
        fov_axis: FovAxis::X,
    };
    let body = body_of(declaration);
    if !read_block(body, "a projector", &[PROJECTOR, PROJECTOR_TEXTURE], &mut light, context) {
        return None;
    }
    let world_from_light: Option<Affine3A> = light.placement.pose("a projector", declaration, context);
    let texture = light.texture.or_white().finished()?;
    Some(LightKind::Projector {
        world_from_light: world_from_light?,
        fov: light.fov.to_radians(),
        fov_axis: light.fov_axis,
        radiance: light.color * light.scale,
        slide: texture,
    })
}

impl HasTexture for ProjectorBlock {
    fn texture(&mut self) -> &mut TextureBlock {
        &mut self.texture
    }
}
