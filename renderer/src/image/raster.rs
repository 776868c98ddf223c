//! Pixels as a file stores them, before they become `f32`.

use half::f16;

use super::{ColorSpace, Image, Window};

/// The values of a raster, row-major, row 0 on top, channels interleaved.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Eight bits, 255 is 1; sRGB-encoded colour by the custom of such files.
    U8(Vec<u8>),
    /// Sixteen bits, 65535 is 1; sRGB-encoded colour by the custom of such files.
    U16(Vec<u16>),
    /// Half floats, linear.
    F16(Vec<f16>),
    /// Floats, linear.
    F32(Vec<f32>),
}

/// A decoded file with its values as narrow as the file has them; textures keep them so.
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
    /// Where the image lies in a larger one.
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
        let Raster {
            width,
            height,
            channels,
            window,
            ..
        } = self;
        Image {
            width,
            height,
            channels,
            data,
            color_space,
            window,
        }
    }
}
