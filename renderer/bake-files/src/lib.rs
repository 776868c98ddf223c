//! `kiln bake`: bakes a scene into a folder of lightmaps, vertex light or probes.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod appearance;
mod bevy;
mod channel;
mod compact;
mod engine_files;
mod feature_image;
mod features;
mod files;
mod folder;
mod glb;
mod godot;
mod images;
mod kept_light;
mod lights;
mod manifest;
mod model;
mod pages;
mod probes;
mod programs;
mod progress;
mod rounds;
mod scene_model;
mod shape_names;
mod statistics;
mod surface;
mod texture_slot;
mod topology;
mod unlit;
mod unused_flags;
mod viewer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use glam::Vec3;
use shading::Diagnostic;

use self::files::{files, names};
use self::folder::Folder;
use self::progress::BakeWatch;
use self::statistics::report;
use renderer_bake::{
    BakePhase, BakeProgress, BakeSettings, FeatureDesc, Include, LightmapFilter, ProbePlaces,
    SurfaceTextures, Target, backs, bake, check_checkpoint, texture_memory,
};
use renderer_base::files::{read_regular, text_of};
use renderer_base::memory;
use renderer_cli::{BakeArgs, BakeFilter, BakeTarget};
use renderer_denoise::{DenoiseError, Denoiser};
use renderer_import::Names;
use renderer_inputs::shader_file;
use renderer_pictures::summary;
use renderer_scene::SceneDesc;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::warnings::{self, lost_texels, unknown_files};
use renderer_support::watch::{self, Read};
use renderer_support::{Failure, print, remark};
use renderer_transport::integrator::{Integrator, PhotonSettings};
use renderer_transport::scene::build::{Built, build_for_bake};

use scene_model::SceneModel;

/// Runs `kiln bake`.
pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    if !args.watch {
        return run_once(args, &interrupt, None, &|_| ());
    }
    let named = std::iter::once(&args.scene.path).chain(&args.probe_points);
    watch::again(shader_file::files_of(named), &interrupt, |read| {
        rounds::run(args, &interrupt, |round| run_once(round, &interrupt, None, read))?;
        let folder = args.output.as_ref().filter(|_| !args.report.quiet);
        Ok(folder.map(|folder| folder.display().to_string()))
    })
}

/// Bakes once. A program may observe the progress and stop the work; `read` receives the files that were read.
pub fn run_once(
    args: &BakeArgs,
    interrupt: &Arc<Interrupt>,
    program: Option<&dyn BakeProgress>,
    read: Read<'_>,
) -> Result<(), Failure> {
    match args.include.0 {
        Some(include) if args.from.is_empty() => bake_light(args, include, interrupt, program, read),
        _ => surface::run(args, interrupt, program, read),
    }
}

fn bake_light(
    args: &BakeArgs,
    include: Include,
    interrupt: &Arc<Interrupt>,
    program: Option<&dyn BakeProgress>,
    read: Read<'_>,
) -> Result<(), Failure> {
    let folder = args.output.as_deref().map(Folder::check).transpose()?;
    let asked = features::asked(args)?;
    engine_files::check(args)?;
    let outputs = outputs(args, &asked, folder.as_ref())?;

    let start = Instant::now();
    let (mut desc, read_warnings) = args.scene.read(Some("photon"), vec![], None)?;
    args.report.print(&read_warnings);
    outputs.check_inputs(&args.probe_points)?;
    outputs.check_scene_files(&desc)?;
    desc.ensure_camera();
    let build = |desc: &SceneDesc| {
        build_for_bake(desc, args.scene.threads(), &features::computed(&asked)).map_err(Failure::Mistakes)
    };
    let mut built = build(&desc)?;
    // With all light, if only some is baked.
    let mut whole = None;
    if !args.lights.is_empty() {
        let lit = lights::only(&desc, &args.lights).map_err(Failure::Mistakes)?;
        let of_lit = build(&lit)?;
        whole = Some((std::mem::replace(&mut desc, lit), std::mem::replace(&mut built, of_lit)));
    }
    outputs.check_scene_files(&desc)?;
    outputs.check_inputs(built.scene.late_files())?;
    read(inputs(args, &desc, &built));
    let load = start.elapsed();

    // Instances of one node share their name.
    let mut names = Names::default();
    let names: Vec<String> = desc.shapes.iter().map(|shape| names.unique(&shape.name)).collect();
    let textured = args.textures > 0;
    let model = (args.target == BakeTarget::Texture && !model::is_gltf(&args.scene.path))
        .then(|| {
            // Lamps that are not baked shine in the model.
            let (desc, built) = whole.as_ref().map_or((&desc, &built), |(desc, built)| (desc, built));
            SceneModel::new(desc, &built.scene, textured)
        })
        .transpose()?;
    let textures = textures(args, model.as_ref());
    let mut settings = BakeSettings {
        target: target(args, &desc, features::described(args, asked, &built)?, textures)?,
        sides: args.sides,
        backs: None,
        include,
        order: args.order,
        samples: args.samples,
        integrator: integrator(args, &built),
        seed: args.scene.seed(&desc),
        threads: args.scene.threads(),
        checkpoint: args.checkpoint.clone(),
        resume: args.resume,
        share: args.part,
        keep: None,
    };
    if let Some((_, whole)) = &whole {
        settings.backs = Some(backs(&whole.scene, &settings)?);
    }
    memory::check("the photon maps", settings.integrator.memory())?;
    let mut warnings = built.warnings.clone();
    settings.keep = kept_light::earlier(args, folder.as_ref(), &mut warnings);
    let resumed = args.checkpoint.as_deref().filter(|path| args.resume && path.exists());
    if let Some(path) = resumed.filter(|_| built.scene.computes_names()) {
        warnings.push(unknown_files(format!("'{}'", path.display())));
    }
    warnings
        .list
        .extend(unused_flags::warnings(args, include, &settings.integrator));
    if let Target::Texture { scale, .. } = settings.target
        && let Some((width, height)) = scale.size()
    {
        args.report.print_memory(texture_memory(width, height, args.order));
    }
    let keeps = args.checkpoint.is_some().then_some(interrupt);
    let watch = BakeWatch::new(program, args.report.quiet, keeps.cloned());
    let baked = bake(&built.scene, &names, &settings, watch.progress(), interrupt.flag())?;
    let (Some(baked), Some(folder)) = (baked, folder) else {
        drop(watch);
        if !args.report.quiet && !interrupt.is_old_work() {
            print(&warnings);
        }
        if args.part.is_some() && !interrupt.is_set() {
            return Ok(());
        }
        if let Some(path) = &args.checkpoint {
            let path = path.display();
            remark(&format!("interrupted; finished work is in '{path}', and --resume continues it"));
        }
        return Err(interrupt.failure());
    };

    watch.progress().advance(BakePhase::Files, 0, 0);
    let files = files(args, &desc, &built, model.as_ref(), &settings, &baked, &mut warnings)?;
    // The results are complete, so an interruption no longer discards them.
    interrupt.keep();
    let inputs = inputs(args, &desc, &built);
    // Running shaders read, too.
    read(inputs.clone());
    let written = folder.write(&files, &inputs);
    drop(watch);
    for note in &baked.notes {
        warnings.push(Diagnostic::warning(note.clone()));
    }
    warnings.list.extend(warnings::of_reports(&baked.reports));
    warnings.list.extend(built.scene.texture_failure().map(lost_texels));
    if !args.report.quiet && written.is_ok() {
        if let Some(text) = kept_light::remark(&baked) {
            remark(&text);
        }
        summary::baked(folder.path(), &files, start.elapsed());
    }
    written.and(report(args, &warnings, &baked.stats, load))
}

/// The files that a bake reads or may read.
fn inputs(args: &BakeArgs, desc: &SceneDesc, built: &Built) -> Vec<PathBuf> {
    let named = desc.files.iter().chain(&args.probe_points).cloned();
    let read = named.chain(desc.file_system.log());
    read.chain(built.scene.late_files()).collect()
}

/// The output files, checked now so that a long bake does not fail at its end.
fn outputs(
    args: &BakeArgs,
    asked: &[(String, features::RequestedFeature)],
    folder: Option<&Folder>,
) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    if let Some(folder) = folder {
        for name in names(args, asked) {
            folder.add(&name, &mut outputs)?;
        }
    }
    if let Some(path) = &args.report.stats {
        outputs.file("--stats", path)?;
    }
    if let Some(path) = &args.checkpoint {
        check_checkpoint(path, args.resume)?;
        outputs.add("--checkpoint", path)?;
    }
    Ok(outputs)
}

/// Features for the textures of models.
fn textures(args: &BakeArgs, model: Option<&SceneModel>) -> SurfaceTextures {
    let mut features = model.map_or(vec![], SceneModel::features);
    if args.unlit {
        features.extend(unlit::features());
    }
    SurfaceTextures {
        // Without its own textures, `unlit.glb` uses those of the lightmap.
        resolution: args.textures.max(1),
        features,
    }
}

/// The filter of `--denoise`. A damaged library is reported before light is gathered.
fn lightmap_filter(args: &BakeArgs) -> Result<LightmapFilter, Failure> {
    let open = || Denoiser::open(1).map(|_| LightmapFilter::Learned);
    Ok(match args.denoise {
        None => LightmapFilter::None,
        Some(BakeFilter::Bilateral) => LightmapFilter::Bilateral,
        Some(BakeFilter::Oidn) => open()?,
        Some(BakeFilter::Auto) => match open() {
            Err(DenoiseError::Missing) => LightmapFilter::Bilateral,
            opened => opened?,
        },
    })
}

fn target(
    args: &BakeArgs,
    desc: &SceneDesc,
    features: Vec<FeatureDesc>,
    textures: SurfaceTextures,
) -> Result<Target, Failure> {
    Ok(match args.target {
        BakeTarget::Texture => Target::Texture {
            scale: args.scale(),
            margin: args.atlas_dilation(),
            denoise: lightmap_filter(args)?,
            unwrap: !args.no_unwrap,
            topologies: topology::of_shapes(desc),
            features,
            textures,
        },
        BakeTarget::Vertex => Target::Vertex,
        BakeTarget::Probes => Target::Probes(match &args.probe_points {
            Some(path) => ProbePlaces::Points(read_points(path)?),
            None => ProbePlaces::Grid(args.probe_spacing),
        }),
    })
}

/// The integrator of a bake: a single photon pass, all components of light, `photon` in place of `auto`.
fn integrator(args: &BakeArgs, built: &Built) -> Integrator {
    match built.integrator.with_depth(args.scene.depth) {
        Integrator::Photon(photon) => {
            Integrator::Photon(PhotonSettings { progressive: false, show: None, ..photon })
        }
        // Baked light is indirect, for which photon maps are efficient.
        Integrator::Auto(path) => {
            Integrator::Photon(PhotonSettings { depth: path.depth, ..PhotonSettings::default() })
        }
        path @ Integrator::Path(_) => path,
    }
}

/// Points from a text: three numbers a line, parted by blanks or commas; `#` begins a comment.
fn read_points(path: &Path) -> Result<Vec<Vec3>, Failure> {
    let at = |reason: String| {
        Failure::User(format!("error: cannot use the points of '{}': {reason}", path.display()))
    };
    let bytes = read_regular(path).map_err(|e| at(e.to_string()))?;
    let mut points = vec![];
    for (number, line) in text_of(&bytes).lines().enumerate() {
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
