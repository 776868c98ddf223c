//! The film: exact fixed-point sums of samples by pixel, with variance, crop, and development into an image.
//!
//! - Sums are fixed-point integers ([`Fixed`]): the order of samples and their grouping into tiles, threads or part
//!   files does not change a bit.
//! - A sample belongs to one pixel; the reconstruction filter is importance-sampled ([`Filter`]).
//! - A sample that is not finite is dropped and counted; a pixel's value is the mean of those kept.

mod filter;
mod fixed;
mod kernel;
mod layers;
mod noise;
mod tile;

pub use filter::{Filter, FilterSample, FilterWindow};
pub use fixed::{Fixed, FixedSquare};
pub use kernel::FilterShape;
pub use layers::{FilmLayout, Layers, Weights};
pub use noise::{BlockNoise, NoiseGoal, NoiseMap, NoiseSummary, NoiseTile, PixelNoise, PixelPlan};
pub use tile::{FilmCounts, FilmTile, PixelSum};

use crate::{Image, Rect, Window};

/// Error in the parameters of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilmError {
    /// A side is zero.
    #[error("the film has no pixels ({width}×{height})")]
    Empty {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// More pixels than the limit.
    #[error(
        "the film is too large ({width}×{height}; at most {} pixels)",
        Film::MAX_PIXELS
    )]
    TooLarge {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The crop rectangle holds no pixel.
    #[error("the crop {},{},{},{} holds no pixel: it is X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1", .crop.x0, .crop.y0, .crop.x1, .crop.y1)]
    EmptyCrop {
        /// The rectangle.
        crop: Rect,
    },
    /// The crop rectangle reaches beyond the film.
    #[error("the crop {},{},{},{} reaches beyond the film of {width}×{height} pixels", .crop.x0, .crop.y0, .crop.x1, .crop.y1)]
    CropOutside {
        /// The rectangle.
        crop: Rect,
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
}

/// The sums of all samples of an image, or of a cropped part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    width: u32,
    height: u32,
    pixels: FilmTile,
}

impl Film {
    /// The most pixels a film has: 16k × 16k.
    pub const MAX_PIXELS: u64 = 1 << 28;

    /// An empty film of `width` × `height` pixels of which the rectangle `crop` (all of it when `None`) is kept.
    /// `layout` defines the additional sums.
    ///
    /// # Errors
    /// When film or crop are empty, the film is too large, or the crop reaches beyond it.
    pub fn new(width: u32, height: u32, crop: Option<Rect>, layout: FilmLayout) -> Result<Film, FilmError> {
        if width == 0 || height == 0 {
            return Err(FilmError::Empty { width, height });
        }
        let whole = Rect::of_size(width, height);
        let crop = crop.unwrap_or(whole);
        if crop.is_empty() {
            return Err(FilmError::EmptyCrop { crop });
        }
        if !whole.encloses(&crop) {
            return Err(FilmError::CropOutside { crop, width, height });
        }
        if crop.area() as u64 > Film::MAX_PIXELS {
            return Err(FilmError::TooLarge { width, height });
        }
        Ok(Film { width, height, pixels: FilmTile::new(crop, layout) })
    }

    /// Columns of the whole film.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of the whole film.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The part that is kept, in pixels of the whole film.
    pub fn crop(&self) -> Rect {
        self.pixels.rect()
    }

    /// An empty tile for the pixels of `rect`, to be filled by one thread and then merged.
    pub fn tile(&self, rect: Rect) -> FilmTile {
        FilmTile::new(rect, self.pixels.layout())
    }

    /// The kept part cut into tiles of at most `size` × `size` pixels, row by row.
    ///
    /// # Panics
    /// When `size` is zero.
    pub fn tiles(&self, size: u32) -> Vec<Rect> {
        self.crop().tiles(size)
    }

    /// Adds a tile's sums.
    ///
    /// # Panics
    /// When the tile reaches beyond the kept part.
    pub fn merge(&mut self, tile: &FilmTile) {
        self.pixels.merge(tile);
    }

    /// Moves a tile's sums into the film.
    ///
    /// # Panics
    /// When the tile reaches beyond the kept part.
    pub fn take(&mut self, tile: &mut FilmTile) {
        self.pixels.merge(tile);
        tile.clear();
    }

    /// Adds the sums of another film: other samples of the same picture, or of a crop inside this one.
    ///
    /// # Panics
    /// When the other film is of another size or keeps pixels that this one does not.
    pub fn merge_film(&mut self, other: &Film) {
        assert_eq!(
            (self.width, self.height),
            (other.width, other.height),
            "films of different pictures"
        );
        self.pixels.merge(&other.pixels);
    }

    /// The sums, for part files.
    pub fn sums(&self) -> &FilmTile {
        &self.pixels
    }

    /// The sums, to add samples without a tile in between.
    pub fn sums_mut(&mut self) -> &mut FilmTile {
        &mut self.pixels
    }

    /// Counts of samples added, dropped and clamped.
    pub fn counts(&self) -> FilmCounts {
        self.pixels.counts()
    }

    /// Counts samples that were added elsewhere.
    pub fn count(&mut self, counts: &FilmCounts) {
        self.pixels.count(counts);
    }

    /// Additional sums besides the picture.
    pub fn layout(&self) -> FilmLayout {
        self.pixels.layout()
    }

    /// Develops the image: the mean of each pixel's samples, linear RGB; black without samples. A cropped image keeps
    /// its window in the whole.
    pub fn develop(&self) -> Image {
        self.image_of(PixelSum::mean)
    }

    /// The picture of a tile with the film's samples and those that are in the tile alone.
    ///
    /// # Panics
    /// When the tile reaches beyond the kept part.
    pub fn develop_with(&self, tile: &FilmTile) -> Image {
        let rect = tile.rect();
        let mut image = Image::new(rect.width() as usize, rect.height() as usize, 3);
        let sums = rect.pixels().zip(tile.sums());
        for (pixel, ((x, y), sum)) in image.data.chunks_exact_mut(3).zip(sums) {
            pixel.copy_from_slice(&self.pixels.sum(x, y).with(sum).mean());
        }
        image
    }

    /// Returns the number of samples of each pixel, as an image of one channel.
    pub fn sample_counts(&self) -> Image {
        let crop = self.crop();
        let mut image = Image::new(crop.width() as usize, crop.height() as usize, 1);
        for (pixel, sum) in image.data.iter_mut().zip(self.pixels.sums()) {
            *pixel = sum.count as f32;
        }
        image.window = self.window();
        image
    }

    /// The variance of each pixel's mean per channel (sample variance over the number of samples), linear RGB; zero
    /// where there are fewer than two samples. `None` when sums of squares were not kept.
    pub fn variance(&self) -> Option<Image> {
        let squares = self.pixels.squares()?;
        let mut i = 0;
        Some(self.image_of(|sum| {
            i += 1;
            sum.variance_of_mean(&squares[i - 1])
        }))
    }

    /// The image of the mean values, from sums and counts, row by row.
    pub fn develop_layer(
        &self,
        channels: usize,
        mut value: impl FnMut(usize, &PixelSum, &mut [f32]),
    ) -> Image {
        let crop = self.crop();
        let mut image = Image::new(crop.width() as usize, crop.height() as usize, channels);
        let pixels = image.data.chunks_exact_mut(channels).zip(self.pixels.sums());
        pixels.enumerate().for_each(|(index, (pixel, sum))| value(index, sum, pixel));
        image.window = self.window();
        image
    }

    fn image_of(&self, mut value: impl FnMut(&PixelSum) -> [f32; 3]) -> Image {
        let crop = self.crop();
        let mut image = Image::new(crop.width() as usize, crop.height() as usize, 3);
        for (pixel, sum) in image.data.chunks_exact_mut(3).zip(self.pixels.sums()) {
            pixel.copy_from_slice(&value(sum));
        }
        image.window = self.window();
        image
    }

    /// The window of a crop in the whole film.
    fn window(&self) -> Option<Window> {
        let crop = self.crop();
        (crop != Rect::of_size(self.width, self.height)).then(|| Window {
            x: crop.x0.cast_signed(),
            y: crop.y0.cast_signed(),
            full_width: self.width,
            full_height: self.height,
        })
    }
}
