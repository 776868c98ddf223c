//! `kiln image`: converts an image, or a layer of an EXR, to another format.

use shading::Diagnostic;

use renderer_cli::ImageArgs;
use renderer_image::{WriteOptions, has_exposure, read, read_channels, write};
use renderer_pictures::layer_view::views;
use renderer_support::Failure;
use renderer_support::outputs::Outputs;

pub(super) fn run(args: &ImageArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::default();
    outputs.image("-o", &args.output)?;
    outputs.check_inputs([&args.image])?;
    let options = WriteOptions {
        exposure: args.exposure,
        tone_map: args.tone_map.into(),
        ..WriteOptions::default()
    };
    let Some(layer) = &args.layer else {
        return Ok(write(&args.output, &read(&args.image)?.into_linear(), &options)?);
    };
    let file = read_channels(&args.image)?;
    let views = views(&file);
    let Some(view) = views.iter().find(|view| view.name == *layer) else {
        let message = format!("'{}' has no layer `{layer}`", args.image.display());
        let known: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
        let diagnostic = Diagnostic::error(message).nearest(layer, known.iter().copied());
        return Err(Failure::of(diagnostic.hint(format!("its layers are: {}", known.join(", ")))));
    };
    if has_exposure(&args.output) {
        let shown = view.show(&file, Some(args.exposure), args.tone_map.into());
        return Ok(write(&args.output, &shown.image, &WriteOptions::default())?);
    }
    let (image, channel_names) = view.values(&file);
    let options = WriteOptions { channel_names, ..options };
    Ok(write(&args.output, &image, &options)?)
}
