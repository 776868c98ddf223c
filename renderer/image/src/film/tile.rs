//! Film tiles: pixel sums of a rectangle, filled by one thread and then merged.

use super::{FilmLayout, Fixed, FixedSquare, Layers};
use crate::Rect;
use renderer_base::color::Rgb;

/// The samples of one pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelSum {
    /// Sum of the samples per channel.
    pub rgb: [Fixed; 3],
    /// Number of samples.
    pub count: u32,
}

impl PixelSum {
    /// The mean of the samples; black without any.
    pub fn mean(&self) -> [f32; 3] {
        let n = f64::from(self.count.max(1));
        self.rgb.map(|sum| (sum.to_f64() / n) as f32)
    }

    /// The sum of the samples of both.
    #[must_use]
    pub fn with(mut self, other: &PixelSum) -> PixelSum {
        self.count += other.count;
        self.rgb.iter_mut().zip(other.rgb).for_each(|(sum, v)| *sum += v);
        self
    }

    /// The variance of the mean, given the sums of squares; zero with fewer than two samples.
    pub fn variance_of_mean(&self, squares: &[FixedSquare; 3]) -> [f32; 3] {
        let n = f64::from(self.count);
        if self.count < 2 {
            return [0.0; 3];
        }
        std::array::from_fn(|c| {
            let mean = self.rgb[c].to_f64() / n;
            let variance = (squares[c].to_f64() - n * mean * mean) / (n - 1.0);
            // Rounding of the squares can make it slightly negative.
            (variance.max(0.0) / n) as f32
        })
    }
}

/// Counts of the samples of a film or tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilmCounts {
    /// Samples added, those not finite left out.
    pub samples: u64,
    /// Samples dropped because a channel was infinite or not a number.
    pub non_finite: u64,
    /// Samples with a channel beyond [`Fixed::LIMIT`], counted at the limit.
    pub saturated: u64,
}

/// The sums of a rectangle of pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmTile {
    rect: Rect,
    sums: Vec<PixelSum>,
    squares: Option<Vec<[FixedSquare; 3]>>,
    layers: Option<Layers>,
    counts: FilmCounts,
}

impl FilmTile {
    /// An empty tile; `layout` defines the additional sums.
    pub fn new(rect: Rect, layout: FilmLayout) -> FilmTile {
        let area = rect.area();
        FilmTile {
            rect,
            sums: vec![PixelSum::default(); area],
            squares: layout.variance.then(|| vec![Default::default(); area]),
            layers: layout.has_layers().then(|| Layers::new(area, &layout)),
            counts: FilmCounts::default(),
        }
    }

    /// A tile from stored sums; `None` when their number is not that of the pixels.
    pub fn from_parts(
        rect: Rect,
        sums: Vec<PixelSum>,
        squares: Option<Vec<[FixedSquare; 3]>>,
        layers: Option<Layers>,
        counts: FilmCounts,
    ) -> Option<FilmTile> {
        let fits = sums.len() == rect.area() && squares.as_ref().is_none_or(|s| s.len() == rect.area());
        fits.then_some(FilmTile { rect, sums, squares, layers, counts })
    }

    /// Rectangle of the tile, in pixels of the whole film.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// The sums, row by row.
    pub fn sums(&self) -> &[PixelSum] {
        &self.sums
    }

    /// The sums of the pixel at column `x`, row `y` of the whole film.
    ///
    /// # Panics
    /// If the pixel is outside the tile.
    pub fn sum(&self, x: u32, y: u32) -> &PixelSum {
        &self.sums[self.index(x, y)]
    }

    /// The sums of squares, row by row, if kept.
    pub fn squares(&self) -> Option<&[[FixedSquare; 3]]> {
        self.squares.as_deref()
    }

    /// Additional sums besides the picture.
    pub fn layout(&self) -> FilmLayout {
        FilmLayout {
            variance: self.squares.is_some(),
            channels: self.layers.as_ref().map_or(0, |layers| layers.channels),
            identifiers: self.layers.as_ref().map_or(0, |layers| layers.kinds),
        }
    }

    /// The layers, if any are kept; pixels row by row.
    pub fn layers(&self) -> Option<&Layers> {
        self.layers.as_ref()
    }

    /// Counts of samples added, dropped and clamped.
    pub fn counts(&self) -> FilmCounts {
        self.counts
    }

    /// Adds a sample of radiance to the pixel at column `x`, row `y` of the whole film. A sample that is not finite is
    /// dropped and counted.
    ///
    /// # Panics
    /// If the pixel is outside the tile.
    pub fn add(&mut self, x: u32, y: u32, sample: Rgb) {
        let i = self.index(x, y);
        if !sample.is_finite() {
            self.counts.non_finite += 1;
            return;
        }
        let channels = sample.to_array();
        self.counts.samples += 1;
        self.counts.saturated += u64::from(channels.iter().any(|v| v.abs() > Fixed::LIMIT));
        let sum = &mut self.sums[i];
        sum.count += 1;
        for (sum, v) in sum.rgb.iter_mut().zip(channels) {
            *sum += Fixed::from_f32(v);
        }
        if let Some(squares) = &mut self.squares {
            for (sum, v) in squares[i].iter_mut().zip(channels) {
                *sum += FixedSquare::of_f32(v);
            }
        }
    }

    /// Adds a sample with the values of its layers: by channel, and weights as kind, identifier, weight. A sample that is
    /// not finite is dropped with its layers; a value of a layer that is not finite counts as 0.
    ///
    /// # Panics
    /// If the pixel is outside the tile, or the tile has no layers.
    pub fn add_with(
        &mut self,
        x: u32,
        y: u32,
        sample: Rgb,
        values: &[f32],
        identified: &[(usize, u32, f32)],
    ) {
        self.add(x, y, sample);
        if sample.is_finite() {
            let pixel = self.index(x, y);
            let layers = self.layers.as_mut().expect("the tile has layers");
            let not_finite = layers.add(pixel, values, identified);
            self.counts.non_finite += u64::from(not_finite > 0);
        }
    }

    /// Adds the sums of a tile inside this one. Squares are kept only if both tiles have them.
    ///
    /// # Panics
    /// When the other tile reaches beyond this one.
    pub fn merge(&mut self, other: &FilmTile) {
        assert!(
            self.rect.encloses(&other.rect),
            "tile {:?} reaches beyond {:?}",
            other.rect,
            self.rect
        );
        self.count(&other.counts);
        if other.squares.is_none() {
            self.squares = None;
        }
        let width = other.rect.width() as usize;
        for (row, y) in (other.rect.y0..other.rect.y1).enumerate() {
            let theirs = row * width..(row + 1) * width;
            let start = self.index(other.rect.x0, y);
            let ours = start..start + width;
            let pairs = self.sums[ours.clone()].iter_mut().zip(&other.sums[theirs.clone()]);
            for (sum, added) in pairs {
                *sum = sum.with(added);
            }
            if let (Some(squares), Some(added)) = (&mut self.squares, &other.squares) {
                for (square, added) in squares[ours].iter_mut().zip(&added[theirs]) {
                    square.iter_mut().zip(added).for_each(|(sum, &v)| *sum += v);
                }
            }
            if let (Some(layers), Some(added)) = (&mut self.layers, &other.layers) {
                for column in 0..width {
                    layers.merge_pixel(start + column, added, row * width + column);
                }
            }
        }
    }

    /// Counts samples that were added elsewhere.
    pub(super) fn count(&mut self, counts: &FilmCounts) {
        self.counts.samples += counts.samples;
        self.counts.non_finite += counts.non_finite;
        self.counts.saturated += counts.saturated;
    }

    /// Forgets all samples.
    pub fn clear(&mut self) {
        self.sums.fill(PixelSum::default());
        if let Some(squares) = &mut self.squares {
            squares.fill(Default::default());
        }
        if let Some(layers) = &mut self.layers {
            layers.clear();
        }
        self.counts = FilmCounts::default();
    }

    fn index(&self, x: u32, y: u32) -> usize {
        assert!(self.rect.contains(x, y), "pixel ({x}, {y}) outside {:?}", self.rect);
        (y - self.rect.y0) as usize * self.rect.width() as usize + (x - self.rect.x0) as usize
    }
}
