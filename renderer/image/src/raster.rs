//! Decoded pixels in the sample type of their file (8 or 16 bits, half, float).

use half::f16;

use super::{ColorSpace, Image, Rect, Window};

/// Sample type of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// Eight bits, 255 is 1.
    U8,
    /// Sixteen bits, 65535 is 1.
    U16,
    /// Half floats.
    F16,
    /// Floats.
    #[default]
    F32,
    /// Unscaled integers of 32 bits; EXR stores negative ones modulo 2³².
    I32,
}

/// The values of a raster, row-major, row 0 on top, channels interleaved.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// 8 bits, 255 is 1; colour is sRGB-encoded by convention.
    U8(Vec<u8>),
    /// 16 bits, 65535 is 1; colour is sRGB-encoded by convention.
    U16(Vec<u16>),
    /// Half floats, linear.
    F16(Vec<f16>),
    /// Floats, linear.
    F32(Vec<f32>),
}

impl Samples {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Samples::U8(v) => v.len(),
            Samples::U16(v) => v.len(),
            Samples::F16(v) => v.len(),
            Samples::F32(v) => v.len(),
        }
    }

    /// Returns whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `count` zeros of the same sample type.
    pub(super) fn zeros(&self, count: usize) -> Samples {
        match self {
            Samples::U8(_) => Samples::U8(vec![0; count]),
            Samples::U16(_) => Samples::U16(vec![0; count]),
            Samples::F16(_) => Samples::F16(vec![f16::ZERO; count]),
            Samples::F32(_) => Samples::F32(vec![0.0; count]),
        }
    }

    /// Copies the common pixels of two parts of an image, into the channels of `to` from `channel` on; each part is a
    /// rectangle with a number of channels. `false` if the types differ or values are missing.
    pub(super) fn copy_into(
        &self,
        from: (Rect, usize),
        to: &mut Samples,
        into: (Rect, usize),
        channel: usize,
    ) -> bool {
        match (self, to) {
            (Samples::U8(v), Samples::U8(w)) => copy(v, from, w, into, channel),
            (Samples::U16(v), Samples::U16(w)) => copy(v, from, w, into, channel),
            (Samples::F16(v), Samples::F16(w)) => copy(v, from, w, into, channel),
            (Samples::F32(v), Samples::F32(w)) => copy(v, from, w, into, channel),
            _ => false,
        }
    }
}

fn copy<T: Copy>(
    source: &[T],
    (from, count): (Rect, usize),
    target: &mut [T],
    (into, channels): (Rect, usize),
    channel: usize,
) -> bool {
    if source.len() < from.area() * count || target.len() < into.area() * channels {
        return false;
    }
    let (x0, x1) = (from.x0.max(into.x0), from.x1.min(into.x1));
    for y in from.y0.max(into.y0)..from.y1.min(into.y1) {
        for x in x0..x1 {
            let at = |rect: Rect| ((y - rect.y0) * rect.width() + x - rect.x0) as usize;
            let (a, b) = (at(from) * count, at(into) * channels + channel);
            target[b..b + count].copy_from_slice(&source[a..a + count]);
        }
    }
    true
}

/// A decoded file with values in the sample type of the file, as stored by textures.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Columns, at least 1.
    pub width: usize,
    /// Rows, at least 1.
    pub height: usize,
    /// Values per pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
    pub channels: usize,
    /// `height × width × channels` values.
    pub samples: Samples,
    /// Position within a larger image, for a cropped image.
    pub window: Option<Window>,
}

impl Raster {
    /// The colour space that the file's kind implies: integers are sRGB, floats are linear.
    pub fn natural_color_space(&self) -> ColorSpace {
        match self.samples {
            Samples::U8(_) | Samples::U16(_) => ColorSpace::Srgb,
            Samples::F16(_) | Samples::F32(_) => ColorSpace::Linear,
        }
    }

    /// The values as `f32`, integers scaled to `[0,1]`, in the file's own colour space.
    pub fn into_image(self) -> Image {
        let color_space = self.natural_color_space();
        let data = match self.samples {
            Samples::U8(v) => v.into_iter().map(|v| f32::from(v) / 255.0).collect(),
            Samples::U16(v) => v.into_iter().map(|v| f32::from(v) / 65535.0).collect(),
            Samples::F16(v) => v.into_iter().map(f16::to_f32).collect(),
            Samples::F32(v) => v,
        };
        let Raster { width, height, channels, window, .. } = self;
        Image { width, height, channels, data, color_space, window }
    }
}
