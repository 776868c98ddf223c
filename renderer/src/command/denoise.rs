//! `kiln denoise`: removes the noise of a picture and its layers.

use std::path::Path;
use std::time::Instant;

use renderer_cli::DenoiseArgs;
use renderer_denoise::{Denoiser, fetch};
use renderer_image::{Image, ImageError, SampleType, WriteOptions, read, read_channels, read_info, write};
use renderer_pictures::denoising::{FEATURES, denoise, is_denoised};
use renderer_pictures::layers::Layered;
use renderer_pictures::pictures::is_exr;
use renderer_pictures::summary;
use renderer_support::outputs::Outputs;
use renderer_support::{Failure, remark};

pub(super) fn run(args: &DenoiseArgs) -> Result<(), Failure> {
    if args.fetch {
        let library = fetch()?;
        if !args.quiet {
            remark(&format!("Open Image Denoise is in {}", library.display()));
        }
    }
    let Some(path) = &args.image else {
        return Ok(());
    };
    let start = Instant::now();
    let mut outputs = Outputs::default();
    for output in &args.output {
        outputs.image("-o", output)?;
    }
    outputs.check_inputs([path])?;
    let denoiser = Denoiser::open(args.threads.unwrap_or(0) as usize)?;
    let layered = read_layered(path)?;
    if is_denoised(&layered) {
        return Err(Failure::User(format!(
            "error: '{}' is denoised already: it has a layer `noisy`",
            path.display()
        )));
    }
    let Some(denoised) = denoise(&layered, &denoiser, args.quality.into())? else {
        return Err(Failure::User(format!("error: '{}' has no channels R, G and B", path.display())));
    };
    for output in &args.output {
        write_layered(output, &denoised, args)?;
    }
    if !args.quiet {
        if !has_features(&layered) {
            remark(&format!(
                "warning: '{}' has no layers albedo and N, which keep textures and edges sharp\n  \
                 hint: `kiln render --aov albedo --aov N` writes them",
                path.display()
            ));
        }
        remark(&format!("denoised in {}", summary::time(start.elapsed())));
    }
    Ok(())
}

fn has_features(layered: &Layered) -> bool {
    FEATURES.iter().all(|(layer, channels)| {
        let name = format!("{layer}.{}", channels[0]);
        layered.names.contains(&name)
    })
}

/// The channels of a file with their sample types; colours of formats other than EXR are made linear.
fn read_layered(path: &Path) -> Result<Layered, ImageError> {
    let info = read_info(path)?;
    let is_named = info.channels.iter().any(|(name, _)| name == "R");
    if info.format != renderer_image::Format::Exr || !is_named {
        let picture = read(path)?.into_linear();
        return Ok(match picture.channels {
            3 => Layered::of(picture),
            _ => of_channels(picture),
        });
    }
    let file = read_channels(path)?;
    let mut image = Image {
        window: file.window,
        ..Image::new(file.width, file.height, file.planes.len())
    };
    for (channel, (_, plane)) in file.planes.iter().enumerate() {
        for (pixel, &value) in image.data.chunks_exact_mut(file.planes.len()).zip(plane) {
            pixel[channel] = value;
        }
    }
    let samples_of = |name: &String| {
        let found = info.channels.iter().find(|(known, _)| known == name);
        found.map_or(SampleType::F32, |(_, samples)| *samples)
    };
    Ok(Layered {
        picture: read(path)?,
        samples: file.planes.iter().map(|(name, _)| samples_of(name)).collect(),
        names: file.planes.into_iter().map(|(name, _)| name).collect(),
        metadata: file.metadata,
        image,
    })
}

/// A picture of other channels than three.
fn of_channels(picture: Image) -> Layered {
    let usual: &[&str] = match picture.channels {
        1 => &["Y"],
        2 => &["Y", "A"],
        _ => &["R", "G", "B", "A"],
    };
    let name = |channel: usize| {
        let usual = usual.get(channel);
        usual.map_or_else(|| format!("channel{channel}"), |&name| name.to_owned())
    };
    Layered {
        image: picture.clone(),
        names: (0..picture.channels).map(name).collect(),
        samples: vec![SampleType::F32; picture.channels],
        metadata: vec![],
        picture,
    }
}

fn write_layered(path: &Path, layered: &Layered, args: &DenoiseArgs) -> Result<(), ImageError> {
    let options = WriteOptions {
        exposure: args.exposure,
        tone_map: args.tone_map.into(),
        ..WriteOptions::default()
    };
    if !is_exr(path) {
        return write(path, &layered.picture, &options);
    }
    let options = WriteOptions {
        channel_names: layered.names.clone(),
        channel_samples: layered.samples.clone(),
        metadata: layered.metadata.clone(),
        ..options
    };
    write(path, &layered.image, &options)
}
