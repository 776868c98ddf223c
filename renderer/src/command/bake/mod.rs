//! `kiln bake`: from a scene file to a folder of lightmaps.

mod channel;
mod folder;
mod glb;
mod images;
mod manifest;
mod probes;
mod progress;
mod statistics;

use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use glam::Vec3;
use shading::{Diagnostic, Diagnostics};

use self::folder::Folder;
use self::manifest::Manifest;
use self::progress::Bar;
use super::render::{failure, stop_on_interrupt};
use super::{Failure, print, remark};
use crate::bake::{BakeSettings, Baked, ProbePlaces, Product, Scale, Target, bake};
use crate::cli::{BakeArgs, BakeTarget};
use crate::image::{check_writable, write_whole};
use crate::integrator::{Integrator, PhotonSettings};
use crate::scene::build::{Built, build};
use crate::scene::desc::SceneDesc;
use crate::scene::load::{LoadOptions, load};

/// Names of files that are no images.
const SCENE: &str = "scene.glb";
const PROBES: &str = "probes.json";
const MANIFEST: &str = "bake.json";

/// Texels along a side where nothing is said about it.
const RESOLUTION: u32 = 512;

pub(super) fn run(args: &BakeArgs) -> Result<(), Failure> {
    // A bake may take a night: what would fail at its end fails now.
    let folder = Folder::check(&args.output)?;
    if let Some(path) = &args.stats {
        check_folder_of(path)?;
    }
    let target = target(args)?;
    let stop = stop_on_interrupt()?;

    let start = Instant::now();
    let options = LoadOptions {
        set: args.set.clone(),
    };
    let (mut desc, load_warnings) = load(&args.scene, &options).map_err(failure)?;
    desc.ensure_camera();
    if !args.quiet {
        print(&load_warnings);
    }
    let threads = args.threads.unwrap_or(0) as usize;
    let built = build(&desc, None, threads).map_err(failure)?;
    let load = start.elapsed();

    let names: Vec<String> = desc.shapes.iter().map(|shape| shape.name.clone()).collect();
    let settings = BakeSettings {
        target,
        sides: args.sides,
        include: args.include,
        order: args.order,
        samples: args.samples,
        integrator: integrator(args, &built),
        seed: args.seed.map_or(desc.sampler.seed, u64::from),
        threads,
        checkpoint: args.checkpoint.clone(),
        resume: args.resume,
        scene_key: scene_key(&desc),
    };
    let bar = Bar::new(args.quiet);
    let baked = bake(&built.scene, &names, &settings, &bar, &stop)?;
    bar.finish();
    let Some(baked) = baked else {
        debug_assert!(stop.load(Ordering::Relaxed));
        return Err(Failure::Interrupted);
    };

    let files = files(args, &built, &settings, &baked)?;
    folder.write(&files, &inputs(args, &desc, &built))?;
    let mut warnings = built.warnings.clone();
    for note in &baked.notes {
        warnings.push(Diagnostic::warning(note.clone()));
    }
    for report in &baked.reports {
        warnings.push(Diagnostic::warning(report.to_string()));
    }
    report(args, &warnings, &baked, load)
}

/// The files that were read, as far as they are known: they are not removed.
fn inputs(args: &BakeArgs, desc: &SceneDesc, built: &Built) -> Vec<PathBuf> {
    let textures = built.scene.texture_files().map(Path::to_owned);
    let files = [args.scene.clone(), desc.file.clone()].into_iter();
    files.chain(args.probe_points.clone()).chain(textures).collect()
}

/// The files of a bake, ready to be written.
fn files(
    args: &BakeArgs,
    built: &Built,
    settings: &BakeSettings,
    baked: &Baked,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let manifest = Manifest {
        args,
        settings,
        baked,
    };
    let mut files = match &baked.product {
        Product::Texture(map) => {
            let mut files = images::files(map, args.layout)?;
            files.push((SCENE.to_owned(), glb::of_lightmap(&built.scene, map)?));
            files
        }
        Product::Vertex(light) => vec![(SCENE.to_owned(), glb::of_vertices(&built.scene, light)?)],
        Product::Probes(probes) => vec![(PROBES.to_owned(), probes::json(probes))],
    };
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let text = manifest.json(&names);
    files.push((MANIFEST.to_owned(), text));
    Ok(files)
}

fn report(
    args: &BakeArgs,
    warnings: &Diagnostics,
    baked: &Baked,
    load: std::time::Duration,
) -> Result<(), Failure> {
    if !args.quiet {
        print(warnings);
    }
    if args.verbose {
        remark(&statistics::text(baked, load));
    }
    if let Some(path) = &args.stats {
        write_whole(path, statistics::json(baked, load, warnings).as_bytes())?;
    }
    Ok(())
}

fn target(args: &BakeArgs) -> Result<Target, Failure> {
    Ok(match args.target {
        BakeTarget::Texture => Target::Texture {
            scale: match (args.texels_per_unit, args.resolution) {
                (Some(density), Some(side)) => Scale::Both(density, side),
                (Some(density), None) => Scale::Density(density),
                (None, side) => Scale::Resolution(side.unwrap_or(RESOLUTION)),
            },
            margin: args.dilation,
            denoise: args.denoise,
            unwrap: !args.no_unwrap,
        },
        BakeTarget::Vertex => Target::Vertex,
        BakeTarget::Probes => Target::Probes(match &args.probe_points {
            Some(path) => ProbePlaces::Points(read_points(path)?),
            None => ProbePlaces::Grid(args.probe_spacing),
        }),
    })
}

/// What computes light: in one pass, and all of it.
fn integrator(args: &BakeArgs, built: &Built) -> Integrator {
    match built.integrator.with_depth(args.depth) {
        Integrator::Photon(photon) => Integrator::Photon(PhotonSettings {
            progressive: false,
            show: None,
            ..photon
        }),
        path @ Integrator::Path(_) => path,
    }
}

/// A number that follows from the texts of a scene.
fn scene_key(desc: &SceneDesc) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(format!("{:?}", desc.sources).as_bytes());
    hasher.finish()
}

/// Points from a text: three numbers a line, parted by blanks or commas; `#` begins a comment.
fn read_points(path: &Path) -> Result<Vec<Vec3>, Failure> {
    let at = |reason: String| {
        Failure::User(format!(
            "error: cannot use the points of '{}': {reason}",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|e| at(e.to_string()))?;
    let mut points = vec![];
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let numbers: Option<Vec<f32>> = line
            .split([' ', '\t', ','])
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().ok().filter(|v: &f32| v.is_finite()))
            .collect();
        match numbers.as_deref() {
            Some([]) => {}
            Some(&[x, y, z]) => points.push(Vec3::new(x, y, z)),
            _ => return Err(at(format!("line {} is not three numbers", number + 1))),
        }
    }
    if points.is_empty() {
        return Err(at("it has none".to_owned()));
    }
    Ok(points)
}

/// Checks that a file may be put beside `path`.
fn check_folder_of(path: &Path) -> Result<(), Failure> {
    // Any image's name does.
    check_writable(&path.with_extension("png")).map_err(Failure::from)
}
