//! Pictures of projectors and spot lights: the keys that both kinds of light share.

use std::sync::Arc;

use super::context::LoadContext;
use super::field::Field;
use super::radiance_map::read_image;
use super::table::{Key, set};
use renderer_base::color::Rgb;
use renderer_image::{ColorSpace, Image};
use renderer_scene::SlideDesc;
use renderer_scene::{Interpolation, SlideLookup, SlideWrap};

/// Values of a picture's keys.
#[derive(Default)]
pub(super) struct TextureBlock {
    /// True if a picture is named, even if it could not be read.
    is_named: bool,
    map: Option<Image>,
    is_raw: bool,
    lookup: SlideLookup,
}

/// Block that contains the keys of a picture.
pub(super) trait HasTexture {
    fn texture(&mut self) -> &mut TextureBlock;
}

/// Keys for the lookup of a picture.
pub(super) const fn texture_keys<B: HasTexture>() -> [Key<B>; 5] {
    [
        Key {
            name: "colorspace",
            doc: "colour space of the image: `auto`, that of the file (the default), or `raw`, linear values",
            set: |light, field, context| light.texture().read_color_space(field, context),
        },
        Key {
            name: "wrap",
            doc: "wrap mode beyond the border of the image: `clamp` (its border, the default), `repeat` or `mirror`",
            set: |light, field, context| light.texture().read_wrap(field, context),
        },
        Key {
            name: "interpolation",
            doc: "interpolation between texels: `linear` (the default) or `closest`",
            set: |light, field, context| light.texture().read_interpolation(field, context),
        },
        Key {
            name: "s_of_uv",
            doc: "coordinate s of the image, from its left, at `(u, v)` of the projected window, from its left and \
                  top: the dot product with `(u, v, 1)`; (1, 0, 0) by default",
            set: |light, field, context| light.texture().read_row(0, field, context),
        },
        Key {
            name: "t_of_uv",
            doc: "coordinate t of the image, from its top, likewise; (0, 1, 0) by default",
            set: |light, field, context| light.texture().read_row(1, field, context),
        },
    ]
}

impl TextureBlock {
    pub(super) fn read_map(&mut self, field: Field<'_>, context: &mut LoadContext) {
        self.is_named = true;
        self.map = read_image(field, context);
    }

    fn read_color_space(&mut self, field: Field<'_>, context: &mut LoadContext) {
        set(&mut self.is_raw, field.choice(context, &[("auto", false), ("raw", true)]));
    }

    fn read_wrap(&mut self, field: Field<'_>, context: &mut LoadContext) {
        let wraps =
            [("clamp", SlideWrap::Clamp), ("repeat", SlideWrap::Repeat), ("mirror", SlideWrap::Mirror)];
        set(&mut self.lookup.wrap, field.choice(context, &wraps));
    }

    fn read_interpolation(&mut self, field: Field<'_>, context: &mut LoadContext) {
        let kinds = [("linear", Interpolation::Linear), ("closest", Interpolation::Closest)];
        set(&mut self.lookup.interpolation, field.choice(context, &kinds));
    }

    /// Reads one row, 0 or 1, of the transform from the window to the picture.
    fn read_row(&mut self, row: usize, field: Field<'_>, context: &mut LoadContext) {
        let Some(factors) = field.point(context) else {
            return;
        };
        let place = &mut self.lookup.picture_from_window;
        place.matrix2.x_axis[row] = factors.x;
        place.matrix2.y_axis[row] = factors.y;
        place.translation[row] = factors.z;
    }

    /// Returns whether a picture is named.
    pub(super) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Adds a white square if no picture is named.
    pub(super) fn or_white(self) -> TextureBlock {
        if self.is_named {
            return self;
        }
        TextureBlock { map: Some(Image::from_fn(1, 1, |_, _| Rgb::WHITE)), ..self }
    }

    /// Returns the picture, if one is given.
    pub(super) fn finished(self) -> Option<SlideDesc> {
        let TextureBlock { lookup, is_raw, .. } = self;
        self.map.map(|mut map| {
            if is_raw {
                map.color_space = ColorSpace::Linear;
            }
            let map = Arc::new(map.into_linear());
            SlideDesc { map, lookup }
        })
    }
}
