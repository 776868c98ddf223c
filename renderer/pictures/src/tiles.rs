//! Labelled tiles of one picture.

use font8x8::legacy::BASIC_LEGACY;

use renderer_base::color::Rgb;
use renderer_image::Image;

/// Greatest width and height of a tile [pixels].
const LARGEST: usize = 480;
/// Smaller images are enlarged to this width, for their labels [pixels].
const SMALLEST: usize = 160;
/// Distance of tiles [pixels].
const GAP: usize = 4;
/// Height of a label [pixels].
const LABEL: usize = 14;
/// Width and height of a letter [pixels].
const LETTER: usize = 8;

const BACKGROUND: Rgb = Rgb::new(0.02, 0.02, 0.02);
const INK: Rgb = Rgb::new(0.8, 0.8, 0.8);

/// A picture of tiles, row by row.
pub struct Tiles {
    sheet: Image,
    scale: TileScale,
    /// Width and height of a tile with its label.
    tile: [usize; 2],
    columns: usize,
}

impl Tiles {
    /// Tiles for `count` images of a size, in rows of `columns`; the default number makes the picture about square.
    pub fn new(width: usize, height: usize, count: usize, columns: Option<usize>) -> Tiles {
        let scale = TileScale::new(width, height);
        let [width, height] = [scale.of(width), scale.of(height) + LABEL];
        let square = || {
            (1..count)
                .find(|columns| columns * width >= count.div_ceil(*columns) * height)
                .unwrap_or(count.max(1))
        };
        let columns = columns.unwrap_or_else(square);
        let size = [columns * (width + GAP) + GAP, count.div_ceil(columns) * (height + GAP) + GAP];
        Tiles {
            sheet: Image::from_fn(size[0], size[1], |_, _| BACKGROUND),
            scale,
            tile: [width, height],
            columns,
        }
    }

    /// Number of letters of a label that fit.
    pub fn letters(&self) -> usize {
        self.tile[0] / LETTER
    }

    /// Draws an image with its label.
    pub fn draw(&mut self, index: usize, image: &Image, label: &str) {
        let at = [
            GAP + index % self.columns * (self.tile[0] + GAP),
            GAP + index / self.columns * (self.tile[1] + GAP),
        ];
        write_label(&mut self.sheet, at, self.tile[0], label);
        self.scale.draw(&mut self.sheet, [at[0], at[1] + LABEL], image);
    }

    /// The picture.
    pub fn finish(self) -> Image {
        self.sheet
    }
}

/// Integer factor by which tiles are smaller or larger than the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TileScale {
    Smaller(usize),
    Larger(usize),
}

impl TileScale {
    fn new(width: usize, height: usize) -> TileScale {
        match width.max(height).div_ceil(LARGEST) {
            0 | 1 => {
                TileScale::Larger(SMALLEST.div_ceil(width.max(1)).clamp(1, LARGEST.div_ceil(height.max(1))))
            }
            factor => TileScale::Smaller(factor),
        }
    }

    /// The length of a side in the tile.
    fn of(self, side: usize) -> usize {
        match self {
            TileScale::Smaller(factor) => side.div_ceil(factor),
            TileScale::Larger(factor) => side * factor,
        }
    }

    /// Draws an image; the pixels of a smaller one are means.
    fn draw(self, sheet: &mut Image, at: [usize; 2], image: &Image) {
        for y in 0..self.of(image.height) {
            for x in 0..self.of(image.width) {
                let color = match self {
                    TileScale::Larger(factor) => image.rgb(x / factor, y / factor),
                    TileScale::Smaller(factor) => mean(image, [x * factor, y * factor], factor),
                };
                sheet.set_rgb(at[0] + x, at[1] + y, color);
            }
        }
    }
}

/// The mean of a square of pixels, as far as it is inside of the image.
fn mean(image: &Image, [x0, y0]: [usize; 2], side: usize) -> Rgb {
    let (x1, y1) = ((x0 + side).min(image.width), (y0 + side).min(image.height));
    let mut sum = Rgb::BLACK;
    for y in y0..y1 {
        for x in x0..x1 {
            sum += image.rgb(x, y);
        }
    }
    sum / ((x1 - x0) * (y1 - y0)) as f32
}

/// Writes the letters of a text that fit into the width.
fn write_label(sheet: &mut Image, [x0, y0]: [usize; 2], width: usize, text: &str) {
    for (index, letter) in text.chars().take(width / LETTER).enumerate() {
        let rows = BASIC_LEGACY.get(letter as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
        for (y, row) in rows.iter().enumerate() {
            for x in (0..LETTER).filter(|x| row >> x & 1 == 1) {
                sheet.set_rgb(x0 + index * LETTER + x, y0 + 2 + y, INK);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_a_size_for_labels() {
        assert_eq!(TileScale::new(640, 360), TileScale::Smaller(2));
        assert_eq!(TileScale::new(480, 480), TileScale::Larger(1));
        assert_eq!(TileScale::new(64, 48), TileScale::Larger(3));
        assert_eq!(TileScale::new(1, 1000), TileScale::Smaller(3));
        assert_eq!(TileScale::Smaller(3).of(10), 4);
    }

    #[test]
    fn pixels_of_smaller_tiles_are_means() {
        let image = Image::from_fn(3, 2, |x, y| Rgb::splat((x + 3 * y) as f32));
        assert_eq!(mean(&image, [0, 0], 2), Rgb::splat(2.0));
        assert_eq!(mean(&image, [2, 0], 2), Rgb::splat(3.5));
    }

    /// The font has the bits of a row from left to right.
    #[test]
    fn letters_are_drawn_upright() {
        let mut sheet = Image::new(16, LABEL, 3);
        write_label(&mut sheet, [0, 0], 16, "L");
        let lit = |x: usize| (0..LABEL).filter(|&y| sheet.rgb(x, y).r > 0.0).count();
        assert!(lit(1) > lit(5), "the stem of an L is on its left");
    }
}
