//! Renders a scene from Rust: reads it with a few changes, builds it, renders it, and writes the picture.
//!
//! ```text
//! cargo run --release --example render -- scenes/cornell_box.kiln cornell.exr
//! ```

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use renderer::image::{WriteOptions, write};
use renderer::render::{Progress, RenderSettings, render};
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};

/// Shows how many samples are taken.
struct Percent;

impl Progress for Percent {
    fn advance(&self, done: u64, total: u64) {
        eprint!("\r{:3.0} %", 100.0 * done as f64 / total as f64);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(scene), Some(picture)) = (args.next(), args.next()) else {
        return Err("usage: render SCENE PICTURE".into());
    };

    // What `--set` changes on the command line. Errors show the place in the file.
    let options = LoadOptions {
        set: vec!["film.size=(256, 256)".to_owned().into()],
        ..LoadOptions::default()
    };
    let (desc, warnings) = load(Path::new(&scene), &options)?;
    eprint!("{warnings}");

    // Compiles the materials and builds lights and acceleration structure, for the first camera, with a thread per core.
    let built = build(&desc, None, 0)?;
    eprint!("{}", built.warnings);

    let samples = 32;
    let settings = RenderSettings {
        samples: 0..samples,
        total: samples,
        ..RenderSettings::new(&desc, &built)
    };
    // Another thread may set the flag: the render then ends early, with the samples that it has.
    let stop = AtomicBool::new(false);
    let rendered = render(&built.scene, &settings, &Percent, &stop)?;
    let stats = &rendered.stats;
    eprintln!(
        "\r{} samples a pixel, {} rays, {:.1} s",
        stats.spp,
        stats.work.rays(),
        stats.elapsed.as_secs_f64()
    );

    // Linear radiance; PNG and JPEG get the sRGB transfer.
    let image = rendered.state.film.develop();
    write(Path::new(&picture), &image, &WriteOptions::default())?;
    Ok(())
}
