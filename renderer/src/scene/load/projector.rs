//! Declarations `light NAME : projector { … }`, and images of spot lights.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use shading::syntax::ast::Declaration;

use super::camera::Placement;
use super::context::LoadContext;
use super::field::{Field, Range};
use super::radiance_map::read_image;
use super::table::{Key, body_of, read_block, set};
use crate::camera::FovAxis;
use crate::color::Rgb;
use crate::image::{ColorSpace, Image};
use crate::light::{Interpolation, SlideLookup, SlideWrap};
use crate::scene::desc::{LightKind, SlideDesc};

/// What the keys of a picture set.
#[derive(Default)]
pub(super) struct SlideBlock {
    /// Whether a picture is named, be it one that can be read or not.
    is_named: bool,
    map: Option<Image>,
    is_raw: bool,
    lookup: SlideLookup,
}

/// What the block of a projector sets.
pub(super) struct ProjectorBlock {
    placement: Placement,
    slide: SlideBlock,
    color: Rgb,
    scale: f32,
    fov: f32,
    fov_axis: FovAxis,
}

/// What `wrap` does.
pub(super) const WRAP: &str = "what is beyond the borders of the picture: `clamp` (its border, the default), `repeat` (the \
                               picture again) or `mirror` (the picture in a mirror)";

/// What `interpolation` does.
pub(super) const INTERPOLATION: &str =
    "what is between the picture's texels: `linear` (the default) or `closest`";

/// What `colorspace` does.
pub(super) const COLOR_SPACE: &str = "what the picture's numbers are: `auto` for what its file says (the default), or `raw` for shares of light as they are";

/// What `s_of_uv` does.
pub(super) const S_OF_UV: &str = "where in the picture, from its left, is what is at `(u, v)` of all that is shown, from the \
                                  left and the top: the product with `(u, v, 1)`; (1, 0, 0) by default";

/// What `t_of_uv` does.
pub(super) const T_OF_UV: &str = "the same from the picture's top; (0, 1, 0) by default";

/// The keys of `projector` lights.
pub(super) const PROJECTOR: &[Key<ProjectorBlock>] = &[
    Key {
        name: "map",
        doc: "the picture that it shows (EXR, HDR, PNG, JPEG); a white square by default",
        set: |light, field, context| light.slide.read_map(field, context),
    },
    Key {
        name: "colorspace",
        doc: COLOR_SPACE,
        set: |light, field, context| light.slide.read_color_space(field, context),
    },
    Key {
        name: "wrap",
        doc: WRAP,
        set: |light, field, context| light.slide.read_wrap(field, context),
    },
    Key {
        name: "interpolation",
        doc: INTERPOLATION,
        set: |light, field, context| light.slide.read_interpolation(field, context),
    },
    Key {
        name: "s_of_uv",
        doc: S_OF_UV,
        set: |light, field, context| light.slide.read_row(0, field, context),
    },
    Key {
        name: "t_of_uv",
        doc: T_OF_UV,
        set: |light, field, context| light.slide.read_row(1, field, context),
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
    if !read_block(body, "a projector", &[PROJECTOR], &mut light, context) {
        return None;
    }
    let world_from_light: Option<Affine3A> = light.placement.pose("a projector", declaration, context);
    if !light.slide.is_named {
        light.slide.map = Some(Image::from_fn(1, 1, |_, _| Rgb::WHITE));
    }
    let slide = light.slide.finished()?;
    Some(LightKind::Projector {
        world_from_light: world_from_light?,
        fov: light.fov.to_radians(),
        fov_axis: light.fov_axis,
        radiance: light.color * light.scale,
        slide,
    })
}

impl SlideBlock {
    pub(super) fn read_map(&mut self, field: Field<'_>, context: &mut LoadContext) {
        self.is_named = true;
        self.map = read_image(field, context);
    }

    pub(super) fn read_color_space(&mut self, field: Field<'_>, context: &mut LoadContext) {
        set(
            &mut self.is_raw,
            field.choice(context, &[("auto", false), ("raw", true)]),
        );
    }

    pub(super) fn read_wrap(&mut self, field: Field<'_>, context: &mut LoadContext) {
        let wraps = [
            ("clamp", SlideWrap::Clamp),
            ("repeat", SlideWrap::Repeat),
            ("mirror", SlideWrap::Mirror),
        ];
        set(&mut self.lookup.wrap, field.choice(context, &wraps));
    }

    pub(super) fn read_interpolation(&mut self, field: Field<'_>, context: &mut LoadContext) {
        let kinds = [
            ("linear", Interpolation::Linear),
            ("closest", Interpolation::Closest),
        ];
        set(&mut self.lookup.interpolation, field.choice(context, &kinds));
    }

    /// Sets how a coordinate in the picture, the first or the second, follows from those in the window.
    pub(super) fn read_row(&mut self, row: usize, field: Field<'_>, context: &mut LoadContext) {
        let Some(factors) = field.point(context) else {
            return;
        };
        let place = &mut self.lookup.picture_from_window;
        place.matrix2.x_axis[row] = factors.x;
        place.matrix2.y_axis[row] = factors.y;
        place.translation[row] = factors.z;
    }

    /// The picture, if one is given.
    pub(super) fn finished(self) -> Option<SlideDesc> {
        let SlideBlock { lookup, is_raw, .. } = self;
        self.map.map(|mut map| {
            if is_raw {
                map.color_space = ColorSpace::Linear;
            }
            let map = Arc::new(map.into_linear());
            SlideDesc { map, lookup }
        })
    }
}

/// The direction that is up in the picture of a spot that shines along `direction`, where none is given: +y, or −z for one
/// that shines straight up or down.
pub(super) fn up_for(direction: Vec3) -> Vec3 {
    if direction.cross(Vec3::Y).length_squared() > 1e-8 {
        Vec3::Y
    } else {
        Vec3::NEG_Z
    }
}
