//! `kiln render`: from a scene file to a picture.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use shading::Diagnostic;

use super::common::failure;
use super::interrupt::Interrupt;
use super::outputs::Outputs;
use super::preview::Preview;
use super::progress::Bar;
use super::statistics::{Stages, Statistics};
use super::watch::Watch;
use super::{Failure, brightness, print, remark, summary};
use crate::cli::{CommonArgs, RenderArgs};
use crate::image::{MetaValue, WriteOptions, has_exposure, write_all, write_whole};
use crate::integrator::Integrator;
use crate::memory;
use crate::render::{RenderSettings, Rendered, render};
use crate::scene::build::{Built, build};
use crate::scene::desc::SceneDesc;

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let common = &args.common;
    let images = images(args);
    let outputs = outputs(args, &images)?;
    let interrupt = Interrupt::catch()?;

    let start = Instant::now();
    let desc = common.load(None, changes(args))?;
    let load = start.elapsed();
    outputs.spare(&desc.files)?;
    let built = build(&desc, args.camera.as_deref(), common.threads()).map_err(failure)?;
    outputs.spare(built.scene.texture_files())?;
    let mut warnings = built.warnings.clone();

    let settings = settings(args, &desc, &built);
    check_photon_map(&settings)?;
    check_memory(common, &settings)?;
    warnings.list.extend(idle_flags(args, &images));
    let bar = Bar::new(&settings, common.quiet, &interrupt);
    let preview = match &args.preview {
        Some(viewer) => Some(Preview::start(viewer, &images[0], bar.remarks())?),
        None => None,
    };
    let watch = Watch {
        bar: &bar,
        preview: preview.as_ref(),
    };
    let rendered = render(&built.scene, &settings, &watch, interrupt.flag())?;
    bar.finish();
    if rendered.state.samples.is_empty() {
        return Err(Failure::Interrupted);
    }

    let image = rendered.state.film.develop();
    let options = WriteOptions {
        exposure: args.exposure,
        metadata: metadata(args, &settings, &rendered),
        ..WriteOptions::default()
    };
    write_all(&images, &image, &options)?;

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
        .extend(brightness::warning(&image, args.exposure, &images));
    if !common.quiet {
        print(&warnings);
        summary::rendered(&images, &image, rendered.state.samples.end, start.elapsed());
    }
    if common.verbose {
        remark(&statistics);
    }
    if let Some(path) = &common.stats {
        write_whole(path, statistics.json(&warnings).as_bytes())?;
    }
    if let Some(preview) = preview {
        preview.finish(image);
    }
    if interrupt.is_set() {
        let (done, all) = (rendered.state.samples.end, settings.samples.end);
        remark(&format!(
            "interrupted after {done} of {all} samples per pixel, which are written"
        ));
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

/// The pictures asked for; without any, the scene's name as PNG in the present directory.
fn images(args: &RenderArgs) -> Vec<PathBuf> {
    if !args.output.is_empty() {
        return args.output.clone();
    }
    let stem = args.common.scene.file_stem().unwrap_or(OsStr::new("kiln"));
    vec![Path::new(stem).with_extension("png")]
}

/// All files that will be written. A render may take a night: what would fail at its end fails now.
fn outputs(args: &RenderArgs, images: &[PathBuf]) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    for path in images {
        outputs.image("-o", path)?;
    }
    if let Some(path) = &args.common.stats {
        outputs.file("--stats", path)?;
    }
    match &args.photon_map {
        // One that is there is read.
        Some(path) if path.is_file() => outputs.add("--photon-map", path)?,
        Some(path) => outputs.file("--photon-map", path)?,
        None => {}
    }
    Ok(outputs)
}

/// What the flags of `render` alone change about the scene.
fn changes(args: &RenderArgs) -> Vec<String> {
    let mut changes = vec![];
    if let Some((width, height)) = args.size {
        changes.push(format!("film.size=({width}, {height})"));
    }
    if let Some([x0, y0, x1, y1]) = args.crop {
        changes.push(format!("film.crop=({x0}, {y0}, {x1}, {y1})"));
    }
    changes
}

fn settings(args: &RenderArgs, desc: &SceneDesc, built: &Built) -> RenderSettings {
    let spp = args.spp.unwrap_or(desc.sampler.spp);
    RenderSettings {
        integrator: built.integrator.with_depth(args.common.depth),
        samples: 0..u64::from(spp),
        seed: args.common.seed(desc),
        threads: args.common.threads(),
        time_limit: args.time,
        photon_map: args.photon_map.clone(),
        ..RenderSettings::new(desc, built)
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

/// Refuses a film or photon maps that memory does not hold.
fn check_memory(common: &CommonArgs, settings: &RenderSettings) -> Result<(), Failure> {
    /// A pixel: its sums in the film and in a tile, and the picture on its way to a file.
    const PIXEL: u64 = 160;
    let (width, height) = match settings.crop {
        Some(crop) => (crop.width(), crop.height()),
        None => (settings.width, settings.height),
    };
    let pixels = u64::from(width) * u64::from(height);
    memory::check(format!("{width} × {height} pixels"), pixels * PIXEL)?;
    memory::check("the photon maps", settings.integrator.memory())?;
    common.announce(pixels * PIXEL + settings.integrator.memory());
    Ok(())
}

/// A warning for each flag that has no effect beside the others.
fn idle_flags(args: &RenderArgs, images: &[PathBuf]) -> Vec<Diagnostic> {
    let mut list = vec![];
    if args.exposure != 0.0 && !images.iter().any(|path| has_exposure(path)) {
        let message = "--exposure has no effect: the picture keeps its radiance";
        list.push(Diagnostic::warning(message).hint("it is for .png and .jpg"));
    }
    list
}

/// What an EXR tells about its making.
fn metadata(args: &RenderArgs, settings: &RenderSettings, rendered: &Rendered) -> Vec<(String, MetaValue)> {
    let text = |s: &str| MetaValue::Text(s.to_owned());
    let decision = &rendered.stats.decision;
    let integrator = decision.map_or(settings.integrator, |decision| decision.integrator);
    vec![
        ("kiln.version".to_owned(), text(env!("CARGO_PKG_VERSION"))),
        (
            "kiln.scene".to_owned(),
            text(&args.common.scene.display().to_string()),
        ),
        ("kiln.seed".to_owned(), text(&settings.seed.to_string())),
        (
            "kiln.samples".to_owned(),
            text(&format!(
                "{}..{}",
                rendered.state.samples.start, rendered.state.samples.end
            )),
        ),
        ("kiln.integrator".to_owned(), text(integrator.name())),
    ]
}
