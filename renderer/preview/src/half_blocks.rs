//! Pictures in text: each character cell holds two pixels, the upper one as its foreground, the lower one as its
//! background.

use std::fmt::Write as _;

use renderer_image::{Image, ToneMap, srgb8_from_linear};

/// Colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TerminalColors {
    /// 24 bits.
    All,
    /// The 256 of xterm: a cube of 6³ and 24 greys.
    Table,
}

/// Exposure and tone curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Development {
    /// Factor of the exposure.
    pub(super) scale: f32,
    pub(super) tone_map: ToneMap,
}

/// The picture in at most the given number of columns and lines, with escape codes of its colours; each line ends with
/// a line feed.
pub(super) fn half_blocks(
    image: &Image,
    [columns, lines]: [usize; 2],
    colors: TerminalColors,
    development: Development,
) -> String {
    let size = fitting([image.width, image.height], [columns, 2 * lines]);
    let pixels = shrunk(image, size, development);
    let mut text = String::new();
    for rows in pixels.chunks(2 * size[0]) {
        let (upper, lower) = rows.split_at(size[0]);
        let mut last = [None; 2];
        for (column, &color) in upper.iter().enumerate() {
            let pair = [Some(color), lower.get(column).copied()];
            for (layer, (color, last)) in pair.into_iter().zip(&mut last).enumerate() {
                if let Some(color) = color.filter(|_| color != *last) {
                    *last = Some(color);
                    text.push_str(&code(color, layer == 1, colors));
                }
            }
            text.push('▀');
        }
        // The rest of the line is cleared.
        text.push_str("\x1b[0m\x1b[K\n");
    }
    text
}

/// The greatest size of the picture's aspect ratio within limits, at most its own.
fn fitting([width, height]: [usize; 2], limits: [usize; 2]) -> [usize; 2] {
    let share = |limit: usize, side: usize| limit.max(1) as f32 / side.max(1) as f32;
    let scale = share(limits[0], width).min(share(limits[1], height)).min(1.0);
    let side = |side: usize, limit: usize| ((side as f32 * scale).round() as usize).clamp(1, limit.max(1));
    [side(width, limits[0]), side(height, limits[1])]
}

/// Means over the pixels of the picture that each smaller pixel covers, as 8-bit sRGB.
fn shrunk(image: &Image, [width, height]: [usize; 2], development: Development) -> Vec<[u8; 3]> {
    let range = |at: usize, count: usize, of: usize| {
        let start = at * of / count;
        start..((at + 1) * of / count).max(start + 1).min(of)
    };
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for row in range(y, height, image.height) {
                for column in range(x, width, image.width) {
                    let color = image.rgb(column, row).to_array();
                    sum = std::array::from_fn(|channel| sum[channel] + color[channel]);
                    count += 1.0;
                }
            }
            let light = sum.map(|v| v / count * development.scale);
            pixels.push(development.tone_map.apply(light).map(srgb8_from_linear));
        }
    }
    pixels
}

/// Escape code of a foreground or background colour.
fn code([r, g, b]: [u8; 3], is_background: bool, colors: TerminalColors) -> String {
    let target = if is_background { 48 } else { 38 };
    let mut code = String::new();
    // Writing to a string cannot fail.
    let _ = match colors {
        TerminalColors::All => write!(code, "\x1b[{target};2;{r};{g};{b}m"),
        TerminalColors::Table => write!(code, "\x1b[{target};5;{}m", nearest([r, g, b])),
    };
    code
}

/// The nearest colour of xterm's table.
fn nearest(color: [u8; 3]) -> u8 {
    const LEVELS: [i32; 6] = [0, 95, 135, 175, 215, 255];
    let color = color.map(i32::from);
    let steps = color.map(|v| (0..6).min_by_key(|&step| (LEVELS[step] - v).abs()).unwrap_or(0));
    let grey = ((color.iter().sum::<i32>() / 3 - 3) / 10).clamp(0, 23);
    let distance = |other: [i32; 3]| -> i32 {
        let squares = color.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
        squares.sum()
    };
    let of_cube = distance(steps.map(|step| LEVELS[step]));
    if distance([8 + 10 * grey; 3]) < of_cube {
        232 + grey as u8
    } else {
        16 + (36 * steps[0] + 6 * steps[1] + steps[2]) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use renderer_base::color::Rgb;

    const PLAIN: Development = Development { scale: 1.0, tone_map: ToneMap::None };

    #[test]
    fn two_rows_are_a_line() {
        let image = Image::from_fn(2, 3, |x, y| Rgb::splat(if (x + y) % 2 == 0 { 1.0 } else { 0.0 }));
        let text = half_blocks(&image, [80, 20], TerminalColors::All, PLAIN);
        let [white, black] = ["255;255;255", "0;0;0"];
        let expected = format!(
            "\x1b[38;2;{white}m\x1b[48;2;{black}m▀\x1b[38;2;{black}m\x1b[48;2;{white}m▀\x1b[0m\x1b[K\n\
             \x1b[38;2;{white}m▀\x1b[38;2;{black}m▀\x1b[0m\x1b[K\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn pictures_fit_and_are_means() {
        assert_eq!(fitting([1280, 720], [80, 44]), [78, 44]);
        assert_eq!(fitting([1280, 720], [80, 200]), [80, 45]);
        assert_eq!(fitting([16, 16], [80, 44]), [16, 16]);
        assert_eq!(fitting([10_000, 1], [80, 44]), [80, 1]);
        let image = Image::from_fn(90, 60, |x, _| Rgb::splat((x % 2) as f32));
        let half = srgb8_from_linear(0.25);
        let development = Development { scale: 0.5, ..PLAIN };
        assert!(shrunk(&image, [45, 30], development).iter().all(|&pixel| pixel == [half; 3]));
    }

    #[test]
    fn tables_have_the_nearest_colour() {
        let colors = [[0, 0, 0], [255, 0, 0], [128, 128, 128], [95, 135, 255], [255, 255, 255]];
        assert_eq!(colors.map(nearest), [16, 196, 244, 69, 231]);
    }
}
