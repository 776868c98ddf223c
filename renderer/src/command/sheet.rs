//! `kiln sheet`: all layers of an image as labelled tiles of one picture.

use renderer_cli::SheetArgs;
use renderer_image::{Image, NamedChannels, WriteOptions, read_channels, write};
use renderer_pictures::layer_view::{LayerView, View, views};
use renderer_pictures::tiles::Tiles;
use renderer_support::Failure;
use renderer_support::outputs::Outputs;

pub(super) fn run(args: &SheetArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::default();
    outputs.image("-o", &args.output)?;
    outputs.check_inputs([&args.image])?;
    let file = read_channels(&args.image)?;
    let views = views(&file);
    let sheet = sheet(&file, &views, |view| view.show(&file, args.exposure, args.tone_map.into()));
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
