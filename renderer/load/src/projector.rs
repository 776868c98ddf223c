//! Declarations `light NAME : projector { … }`.

use glam::Affine3A;
use shading::syntax::ast::Declaration;

use super::camera::Placement;
use super::context::LoadContext;
use super::field::Range;
use super::slide::{HasSlide, SlideBlock, slide_keys};
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_geometry::camera::FovAxis;
use renderer_scene::LightKind;

/// Values of a projector's block.
pub(super) struct ProjectorBlock {
    placement: Placement,
    slide: SlideBlock,
    color: Rgb,
    scale: f32,
    fov: f32,
    fov_axis: FovAxis,
}

/// Keys of `projector` lights.
pub(super) const PROJECTOR: &[Key<ProjectorBlock>] = &[
    Key {
        name: "map",
        doc: "the picture that it shows (EXR, HDR, PNG, JPEG); a white square by default",
        set: |light, field, context| light.slide.read_map(field, context),
    },
    Key {
        name: "from",
        doc: "where it is; (0, 0, 0) by default",
        set: |light, field, context| light.placement.from = field.given(field.point(context)),
    },
    Key {
        name: "to",
        doc: "a point that the middle of the picture falls on; ahead along -z by default",
        set: |light, field, context| light.placement.to = field.given(field.point(context)),
    },
    Key {
        name: "up",
        doc: "the direction that is up in the picture; (0, 1, 0) by default",
        set: |light, field, context| light.placement.up = field.given(field.point(context)),
    },
    Key {
        name: "transform",
        doc: "instead of the three: world from light, placed as a camera that would see the picture (it shines along -z, \
              the picture's right is +x, its top +y); a mirror is kept, scale is ignored",
        set: |light, field, context| light.placement.transform = field.given(field.transform(context)),
    },
    Key {
        name: "fov",
        doc: "the angle in degrees that the picture fills; 40 by default",
        set: |light, field, context| set(&mut light.fov, field.number(context, Range::Between(0.0, 180.0))),
    },
    Key {
        name: "fov_axis",
        doc: "what `fov` measures, as for cameras: `x` (the default), `y`, `smaller`, `larger` or `diagonal`",
        set: |light, field, context| set(&mut light.fov_axis, field.choice(context, &FovAxis::NAMED)),
    },
    Key {
        name: "color",
        doc: "factor of the picture; 1 by default",
        set: |light, field, context| set(&mut light.color, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "the radiance (W/sr/m2) of a white wall that faces it at a distance of 1 m, where the picture is white; 1 by \
              default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
];

/// Keys of a projector's picture.
pub(super) const PROJECTOR_SLIDE: &[Key<ProjectorBlock>] = &slide_keys();

/// Reads the block of a projector.
pub(super) fn read_projector(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let mut light = ProjectorBlock {
        placement: Placement::default(),
        slide: SlideBlock::default(),
        color: Rgb::WHITE,
        scale: 1.0,
        fov: 40.0,
        fov_axis: FovAxis::X,
    };
    let body = body_of(declaration);
    if !read_block(
        body,
        "a projector",
        &[PROJECTOR, PROJECTOR_SLIDE],
        &mut light,
        context,
    ) {
        return None;
    }
    let world_from_light: Option<Affine3A> = light.placement.pose("a projector", declaration, context);
    let slide = light.slide.or_white().finished()?;
    Some(LightKind::Projector {
        world_from_light: world_from_light?,
        fov: light.fov.to_radians(),
        fov_axis: light.fov_axis,
        radiance: light.color * light.scale,
        slide,
    })
}

impl HasSlide for ProjectorBlock {
    fn slide(&mut self) -> &mut SlideBlock {
        &mut self.slide
    }
}
