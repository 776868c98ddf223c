//! `kiln sheet`: all layers of an image as labelled tiles of one picture.

use super::Failure;
use super::layer_view::{LayerView, View, views};
use super::outputs::Outputs;
use super::tiles::Tiles;
use crate::cli::SheetArgs;
use renderer_image::{Image, NamedChannels, WriteOptions, read_channels, write};

pub(super) fn run(args: &SheetArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::default();
    outputs.image("-o", &args.output)?;
    outputs.spare([&args.image])?;
    let file = read_channels(&args.image)?;
    let views = views(&file);
    let sheet = sheet(&file, &views, |view| {
        view.show(&file, args.exposure, args.tone_map.into())
    });
    Ok(write(&args.output, &sheet, &WriteOptions::default())?)
}

/// The sheet of all layers.
fn sheet(file: &NamedChannels, views: &[LayerView], show: impl Fn(&LayerView) -> View) -> Image {
    let mut tiles = Tiles::new(file.width, file.height, views.len(), None);
    for (index, view) in views.iter().enumerate() {
        let shown = show(view);
        let label = match shown.exposure {
            0.0 => view.name.clone(),
            stops => format!("{} {stops:+} stops", view.name),
        };
        tiles.draw(index, &shown.image, &label);
    }
    tiles.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

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
