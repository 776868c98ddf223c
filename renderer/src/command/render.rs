//! `kiln render`: from a scene file to a picture.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use shading::{Diagnostics, Severity};

use super::progress::Bar;
use super::statistics::{Stages, Statistics};
use super::{Failure, brightness, print, remark, summary};
use crate::cli::RenderArgs;
use crate::image::{MetaValue, WriteOptions, check_place, check_writable, write_all, write_whole};
use crate::integrator::Integrator;
use crate::render::{RenderSettings, Rendered, render};
use crate::scene::build::{Built, build};
use crate::scene::desc::SceneDesc;
use crate::scene::load::{LoadOptions, load};

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let outputs = outputs(args);
    // A render may take a night: what would fail at its end fails now.
    for path in &outputs {
        check_writable(path)?;
    }
    // A map that is there is read.
    if let Some(path) = args.photon_map.as_ref().filter(|path| !path.exists()) {
        check_place(path)?;
    }
    let stop = stop_on_interrupt()?;

    let start = Instant::now();
    let desc = describe(args)?;
    let load = start.elapsed();
    let threads = args.threads.unwrap_or(0) as usize;
    let built = build(&desc, args.camera.as_deref(), threads).map_err(failure)?;
    let mut warnings = built.warnings.clone();

    let settings = settings(args, &desc, &built);
    check_photon_map(&settings)?;
    let bar = Bar::new(&settings, args.quiet);
    let rendered = render(&built.scene, &settings, &bar, &stop)?;
    bar.finish();

    let image = rendered.film.develop();
    let options = WriteOptions {
        exposure: args.exposure,
        metadata: metadata(args, &settings, &rendered),
        ..WriteOptions::default()
    };
    write_all(&outputs, &image, &options)?;

    let stages = Stages {
        load,
        compile: built.shaders.elapsed,
        build: built.build,
        render: rendered.stats.elapsed,
    };
    let statistics = Statistics::new(&stages, &built, &rendered);
    statistics.warn(&mut warnings);
    warnings
        .list
        .extend(brightness::warning(&image, args.exposure, &outputs));
    if !args.quiet {
        print(&warnings);
        summary::rendered(&outputs, &image, rendered.samples.end, start.elapsed());
    }
    if args.verbose {
        remark(&statistics);
    }
    if let Some(path) = &args.stats {
        write_whole(path, statistics.json(&warnings).as_bytes())?;
    }
    if stop.load(Ordering::Relaxed) {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

/// The files asked for; without any, the scene's name as PNG in the present directory.
fn outputs(args: &RenderArgs) -> Vec<PathBuf> {
    if !args.output.is_empty() {
        return args.output.clone();
    }
    let stem = args.scene.file_stem().unwrap_or(OsStr::new("kiln"));
    vec![Path::new(stem).with_extension("png")]
}

/// Reads the scene with what the command line changes about it.
fn describe(args: &RenderArgs) -> Result<SceneDesc, Failure> {
    let mut set = args.set.clone();
    if let Some((width, height)) = args.size {
        set.push(format!("film.size=({width}, {height})"));
        // A crop window of the file is one of the file's size.
        set.retain(|change| args.crop.is_none() || !change.starts_with("film.crop"));
    }
    if let Some(kind) = &args.integrator {
        // What else is set is meant for this one.
        set.insert(0, format!("integrator={kind}"));
    }
    if let Some([x0, y0, x1, y1]) = args.crop {
        set.push(format!("film.crop=({x0}, {y0}, {x1}, {y1})"));
    }
    let light = args.light.clone();
    let (desc, warnings) = load(&args.scene, &LoadOptions { set, light }).map_err(failure)?;
    if !args.quiet {
        print(&warnings);
    }
    Ok(desc)
}

pub(super) fn failure(diagnostics: Diagnostics) -> Failure {
    let errors = diagnostics
        .list
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    let plural = if errors == 1 { "" } else { "s" };
    Failure::User(format!(
        "{diagnostics}\n\n{errors} error{plural}; nothing was written"
    ))
}

fn settings(args: &RenderArgs, desc: &SceneDesc, built: &Built) -> RenderSettings {
    let [width, height] = desc.film.size.value;
    let spp = args.spp.unwrap_or(desc.sampler.spp);
    RenderSettings {
        width,
        height,
        crop: desc.film.crop.map(|crop| crop.value),
        variance: false,
        camera: built.camera,
        filter: built.filter.clone(),
        integrator: built.integrator.with_depth(args.depth),
        samples: 0..u64::from(spp),
        seed: args.seed.map_or(desc.sampler.seed, u64::from),
        threads: args.threads.unwrap_or(0) as usize,
        time_limit: args.time,
        photon_map: args.photon_map.clone(),
    }
}

/// A file of photon maps is no use to whoever makes none, or other ones for each sample.
fn check_photon_map(settings: &RenderSettings) -> Result<(), Failure> {
    let keeps = matches!(settings.integrator, Integrator::Photon(photon) if !photon.progressive);
    if settings.photon_map.is_some() && !keeps {
        let message = "error: --photon-map keeps the maps of the `photon` integrator, unless it is progressive\n  \
                       hint: add --integrator photon";
        return Err(Failure::User(message.to_owned()));
    }
    Ok(())
}

/// Ctrl-C ends the pass under way; a second one ends the program.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        remark(&"finishing the samples in flight; press again to stop at once");
    })?;
    Ok(stop)
}

/// What an EXR tells about its making.
fn metadata(args: &RenderArgs, settings: &RenderSettings, rendered: &Rendered) -> Vec<(String, MetaValue)> {
    let text = |s: &str| MetaValue::Text(s.to_owned());
    vec![
        ("kiln.version".to_owned(), text(env!("CARGO_PKG_VERSION"))),
        ("kiln.scene".to_owned(), text(&args.scene.display().to_string())),
        ("kiln.seed".to_owned(), text(&settings.seed.to_string())),
        (
            "kiln.samples".to_owned(),
            text(&format!("{}..{}", rendered.samples.start, rendered.samples.end)),
        ),
        ("kiln.integrator".to_owned(), text(settings.integrator.name())),
    ]
}
