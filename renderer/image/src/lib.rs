//! Images in memory: `f32` pixels, colour spaces, rectangles and windows; reading and writing of files.
//!
//! - [`Image`] is `f32` data, row-major, row 0 on top, channels interleaved; the meaning of values is given by
//!   [`ColorSpace`] only.
//! - [`read`] turns files into images, [`write`] turns images into files; both pick the format by content or extension.
//! - No content of a file makes a reader panic; every failure is an [`ImageError`] with the path.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod compare;
mod error;
mod exr_channels;
mod exr_header;
mod exr_read;
mod exr_tiles;
mod exr_write;
mod fallback;
mod file_id;
pub mod film;
mod format;
mod hdr_orientation;
mod info;
mod ktx2_write;
mod limit;
mod metadata;
mod named_channels;
mod netpbm;
mod output;
mod output_format;
mod picture;
mod picture_read;
mod raster;
mod read;
mod replace;
mod rewrite;
pub mod texture;
mod tiff_bands;
mod tiff_read;
mod tiff_write;
mod tiled_picture;
mod tone_map;
mod transfer;
mod write;

pub use error::ImageError;
pub use fallback::{numbered, write_elsewhere, write_finished};
pub use file_id::FileId;
pub use format::Format;
pub use info::ImageInfo;
pub use ktx2_write::{Ktx2Compression, encode_ktx2, encode_ktx2_volume};
pub use metadata::MetaValue;
pub use named_channels::NamedChannels;
pub use output::{
    Staged, check_place, check_writable, remove_temporaries, stage, stage_with, sweep_files, write_whole,
    write_whole_with,
};
pub use output_format::{WriteOptions, has_exposure};
pub use picture::{ColorChannels, Picture, PictureInfo, Subimage};
pub use picture_read::{decode_picture, read_info};
pub use raster::{Raster, SampleType, Samples};
pub use read::{decode, read, read_channels, read_from, read_metadata};
pub use rewrite::rewrite;
pub use tiled_picture::TiledPicture;
pub use tone_map::ToneMap;
pub use transfer::{linear_from_srgb, linear_from_srgb8, srgb_from_linear, srgb8_from_linear};
pub use write::{check_size, encode, rgba8, write};

use renderer_base::color::Rgb;

/// Transfer function of an image's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// Linear Rec.709: proportional to light.
    Linear,
    /// Encoded with the sRGB transfer curve (IEC 61966-2-1); alpha is not.
    Srgb,
}

/// A rectangle of pixels: `x0 ≤ x < x1`, `y0 ≤ y < y1`, y downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Leftmost column.
    pub x0: u32,
    /// Topmost row.
    pub y0: u32,
    /// One past the rightmost column.
    pub x1: u32,
    /// One past the bottom row.
    pub y1: u32,
}

impl Rect {
    /// Creates a rectangle of the given size at the origin.
    pub const fn of_size(width: u32, height: u32) -> Rect {
        Rect { x0: 0, y0: 0, x1: width, y1: height }
    }

    /// Columns; 0 when empty.
    pub const fn width(&self) -> u32 {
        self.x1.saturating_sub(self.x0)
    }

    /// Rows; 0 when empty.
    pub const fn height(&self) -> u32 {
        self.y1.saturating_sub(self.y0)
    }

    /// Number of pixels.
    pub const fn area(&self) -> usize {
        self.width() as usize * self.height() as usize
    }

    /// Returns whether the rectangle contains no pixel.
    pub const fn is_empty(&self) -> bool {
        self.width() == 0 || self.height() == 0
    }

    /// Returns whether the rectangle contains the pixel.
    pub const fn contains(&self, x: u32, y: u32) -> bool {
        x >= self.x0 && x < self.x1 && y >= self.y0 && y < self.y1
    }

    /// Returns whether the rectangle contains all of `other`.
    pub const fn encloses(&self, other: &Rect) -> bool {
        other.x0 >= self.x0 && other.y0 >= self.y0 && other.x1 <= self.x1 && other.y1 <= self.y1
    }

    /// Returns the rectangle grown by `by` pixels on each side, saturating at the limits of `u32`.
    #[must_use]
    pub const fn grown(&self, by: u32) -> Rect {
        Rect {
            x0: self.x0.saturating_sub(by),
            y0: self.y0.saturating_sub(by),
            x1: self.x1.saturating_add(by),
            y1: self.y1.saturating_add(by),
        }
    }

    /// Returns the intersection of both rectangles.
    #[must_use]
    pub fn and(&self, other: &Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Splits the rectangle into tiles of at most `size` × `size` pixels, in row-major order.
    ///
    /// # Panics
    /// When `size` is zero.
    pub fn tiles(&self, size: u32) -> Vec<Rect> {
        let Rect { x0, y0, x1, y1 } = *self;
        let cut = |x: u32, y: u32| Rect {
            x0: x,
            y0: y,
            x1: x.saturating_add(size).min(x1),
            y1: y.saturating_add(size).min(y1),
        };
        let columns = || (x0..x1).step_by(size as usize);
        (y0..y1)
            .step_by(size as usize)
            .flat_map(|y| columns().map(move |x| cut(x, y)))
            .collect()
    }

    /// Iterates over the pixels in row-major order.
    pub fn pixels(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let Rect { x0, y0, x1, y1 } = *self;
        (y0..y1).flat_map(move |y| (x0..x1).map(move |x| (x, y)))
    }
}

/// Position of an image in a larger one: EXR's data window within its display window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Column of the image's first column, relative to the whole's.
    pub x: i32,
    /// Row of the image's first row, relative to the whole's.
    pub y: i32,
    /// Width of the whole [pixels].
    pub full_width: u32,
    /// Height of the whole [pixels].
    pub full_height: u32,
}

/// A picture in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Values per pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha, or any number of other quantities.
    pub channels: usize,
    /// The values, row-major, row 0 on top: `height × width × channels`.
    pub data: Vec<f32>,
    /// Transfer function of the values.
    pub color_space: ColorSpace,
    /// Position of the image in a larger one; `None` if it is not part of one.
    pub window: Option<Window>,
}

impl Image {
    /// A linear image of zeros.
    pub fn new(width: usize, height: usize, channels: usize) -> Image {
        let data = vec![0.0; width * height * channels];
        Image {
            width,
            height,
            channels,
            data,
            color_space: ColorSpace::Linear,
            window: None,
        }
    }

    /// A linear RGB image whose pixel at column `x` and row `y` is `f(x, y)`.
    pub fn from_fn(width: usize, height: usize, mut f: impl FnMut(usize, usize) -> Rgb) -> Image {
        let mut image = Image::new(width, height, 3);
        for y in 0..height {
            for x in 0..width {
                image.set_rgb(x, y, f(x, y));
            }
        }
        image
    }

    /// The values of a pixel.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn pixel(&self, x: usize, y: usize) -> &[f32] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) outside the image");
        let start = (y * self.width + x) * self.channels;
        &self.data[start..start + self.channels]
    }

    /// The values of a pixel, mutable.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn pixel_mut(&mut self, x: usize, y: usize) -> &mut [f32] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) outside the image");
        let start = (y * self.width + x) * self.channels;
        &mut self.data[start..start + self.channels]
    }

    /// The colour of a pixel, as stored; grey is repeated in all three channels.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn rgb(&self, x: usize, y: usize) -> Rgb {
        match *self.pixel(x, y) {
            [r, g, b, ..] => Rgb::new(r, g, b),
            [grey, ..] => Rgb::splat(grey),
            [] => Rgb::BLACK,
        }
    }

    /// Sets the first three channels of a pixel (only the first if there are fewer).
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn set_rgb(&mut self, x: usize, y: usize, color: Rgb) {
        let pixel = self.pixel_mut(x, y);
        let used = if pixel.len() < 3 { pixel.len().min(1) } else { 3 };
        pixel[..used].copy_from_slice(&color.to_array()[..used]);
    }

    /// Returns the image with the channels of another image appended.
    ///
    /// # Panics
    /// When the other image is of another size.
    #[must_use]
    pub fn with_channels(&self, other: &Image) -> Image {
        assert_eq!((self.width, self.height), (other.width, other.height), "sizes differ");
        let pairs = self
            .data
            .chunks_exact(self.channels)
            .zip(other.data.chunks_exact(other.channels));
        Image {
            channels: self.channels + other.channels,
            data: pairs.flat_map(|(a, b)| a.iter().chain(b)).copied().collect(),
            ..self.clone()
        }
    }

    /// Number of leading colour channels; the others are alpha or other quantities.
    pub fn color_channels(&self) -> usize {
        if self.channels < 3 { self.channels.min(1) } else { 3 }
    }

    /// Converts the image to linear Rec.709.
    pub fn into_linear(mut self) -> Image {
        match self.color_space {
            ColorSpace::Linear => {}
            ColorSpace::Srgb => {
                let color = self.color_channels();
                for pixel in self.data.chunks_exact_mut(self.channels.max(1)) {
                    pixel[..color].iter_mut().for_each(|v| *v = linear_from_srgb(*v));
                }
                self.color_space = ColorSpace::Linear;
            }
        }
        self
    }

    /// Number of values that are infinite or NaN.
    pub fn non_finite(&self) -> usize {
        self.data.iter().filter(|v| !v.is_finite()).count()
    }
}
