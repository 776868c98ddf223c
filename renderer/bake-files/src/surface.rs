//! `kiln bake` of features of surfaces without light: of a scene's own shapes, or from some shapes to others.

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum as _;
use serde_json::{Value, json};
use shading::{Diagnostic, Diagnostics};

use super::folder::{Folder, MANIFEST, SCENE};
use super::images::{COVERAGE, coverage_image};
use super::progress::BakeWatch;
use super::statistics::report;
use super::{feature_image, features, glb, shape_names, unused_flags};
use renderer_bake::{
    BakePhase, BakeProgress, BakedSurface, CageSettings, Feature, FeatureDesc, LowShapes, SurfaceMaps,
    SurfaceSettings, bake_surface,
};
use renderer_cli::{BakeArgs, BakeTarget};
use renderer_geometry::Shape;
use renderer_import::Names;
use renderer_pictures::summary;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::warnings::{self, lost_texels};
use renderer_support::watch::Read;
use renderer_transport::scene::build::{Built, build_for_bake, build_for_surface_bake};

pub(super) fn run(
    args: &BakeArgs,
    interrupt: &Interrupt,
    program: Option<&dyn BakeProgress>,
    read: Read<'_>,
) -> Result<(), Failure> {
    check(args)?;
    let folder = args.output.as_deref().map(Folder::check).transpose()?;
    let Some(folder) = folder else {
        return Err(Failure::of(Diagnostic::error("--part is for bakes of light")));
    };
    let asked = features::asked(args)?;
    let outputs = outputs(args, &asked, &folder)?;

    let start = Instant::now();
    let (mut desc, read_warnings) = args.scene.read(Some("path"), vec![], None)?;
    args.report.print(&read_warnings);
    outputs.check_scene_files(&desc)?;
    desc.ensure_camera();
    let parts = Parts::of(args, &desc)?;
    // Only shadows need lights.
    let build = match asked
        .iter()
        .any(|(_, asked)| matches!(asked, features::RequestedFeature::Shadow(_)))
    {
        true => build_for_bake,
        false => build_for_surface_bake,
    };
    let built =
        build(&parts.high, args.scene.threads(), &features::computed(&asked)).map_err(Failure::Mistakes)?;
    outputs.check_inputs(built.scene.late_files())?;
    read(inputs(&desc, &built));
    let load = start.elapsed();

    let settings = SurfaceSettings {
        scale: args.scale(),
        margin: args.dilation,
        unwrap: !args.no_unwrap,
        features: features::described(args, asked, &built)?,
        seed: args.scene.seed(&desc),
        threads: args.scene.threads(),
    };
    let mut warnings = built.warnings.clone();
    warnings.list.extend(unused_flags::surface_warnings(args));
    let watch = BakeWatch::new(program, args.report.quiet, None);
    let (low, names) = (parts.low(args), &parts.names);
    let baked = bake_surface(&built.scene, low, names, &settings, watch.progress(), interrupt.flag())?;
    let Some(baked) = baked else {
        return Err(interrupt.failure());
    };
    warnings
        .list
        .extend(baked.notes.iter().map(|note| Diagnostic::warning(note.clone())));
    warnings.list.extend(missed(args, &baked.maps, baked.stats.points));
    let shapes = match low {
        LowShapes::Own => built.scene.shapes(),
        LowShapes::Others { shapes, .. } => shapes,
    };
    watch.progress().advance(BakePhase::Files, 0, 0);
    let files = files(args, shapes, &settings, &baked)?;
    interrupt.keep();
    let inputs = inputs(&desc, &built);
    let written = folder.write(&files, &inputs);
    drop(watch);
    // Running shaders read, too.
    read(inputs);
    warnings.list.extend(warnings::of_reports(&baked.reports));
    warnings.list.extend(built.scene.texture_failure().map(lost_texels));
    if !args.report.quiet && written.is_ok() {
        summary::baked(folder.path(), &files, start.elapsed());
    }
    written.and(report(args, &warnings, &baked.stats, load))
}

/// Options that do not go together.
fn check(args: &BakeArgs) -> Result<(), Failure> {
    let refuse = |message: &str, hint: &str| Err(Failure::of(Diagnostic::error(message).hint(hint)));
    if args.target != BakeTarget::Texture {
        return refuse("features of surfaces are baked to a texture", "leave --target out");
    }
    if args.aov.is_empty() {
        return refuse(
            "no light is baked, and --aov names no features",
            "for example: --aov tangent_normal,albedo,roughness,ao",
        );
    }
    if args.pages.is_some() || args.max_size.is_some() {
        return refuse(
            "features of surfaces without light are on one page",
            "leave --pages and --max-size out, or bake light with them",
        );
    }
    if args.checkpoint.is_some() {
        return refuse("--checkpoint is for bakes of light", "leave it out");
    }
    Ok(())
}

fn outputs(
    args: &BakeArgs,
    asked: &[(String, features::RequestedFeature)],
    folder: &Folder,
) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    let others = [COVERAGE, SCENE, MANIFEST].map(str::to_owned);
    for name in features::names(asked).iter().chain(&others) {
        folder.add(name, &mut outputs)?;
    }
    if let Some(path) = &args.report.stats {
        outputs.file("--stats", path)?;
    }
    Ok(outputs)
}

/// The shapes of a bake from some to others.
struct Parts {
    /// The scene of the shapes whose surface is baked.
    high: SceneDesc,
    /// The target shapes, unless they are the source shapes, and their names.
    low: Vec<Shape>,
    names: Vec<String>,
    /// The cages of these, and their names.
    cages: Vec<Shape>,
    cage_names: Vec<String>,
}

impl Parts {
    fn of(args: &BakeArgs, desc: &SceneDesc) -> Result<Parts, Failure> {
        let names_of = |shapes: &[usize]| -> Vec<String> {
            let mut names = Names::default();
            shapes.iter().map(|&shape| names.unique(&desc.shapes[shape].name)).collect()
        };
        if args.from.is_empty() {
            return Ok(Parts {
                high: desc.clone(),
                low: vec![],
                names: names_of(&(0..desc.shapes.len()).collect::<Vec<_>>()),
                cages: vec![],
                cage_names: vec![],
            });
        }
        let [high, low, cages] = Parts::find(args, desc)?;
        let shapes = |list: &[usize]| list.iter().map(|&shape| desc.shapes[shape].build()).collect();
        Ok(Parts {
            low: shapes(&low),
            names: names_of(&low),
            cages: shapes(&cages),
            cage_names: names_of(&cages),
            high: SceneDesc {
                shapes: high.iter().map(|&shape| desc.shapes[shape].clone()).collect(),
                ..desc.clone()
            },
        })
    }

    /// The shapes of `--from`, `--to` and `--cage`.
    fn find(args: &BakeArgs, desc: &SceneDesc) -> Result<[Vec<usize>; 3], Failure> {
        let flags = [("--from", &args.from), ("--to", &args.to), ("--cage", &args.cage)];
        let mut errors = Diagnostics::default();
        let [high, low, cages] = flags.map(|(flag, names)| {
            shape_names::find(desc, flag, names).unwrap_or_else(|found| {
                errors.list.extend(found.list);
                vec![]
            })
        });
        for (shape, flags) in [(&high, "--from and --to"), (&cages, "--cage and --to")]
            .iter()
            .flat_map(|(shapes, flags)| shapes.iter().map(move |shape| (shape, flags)))
            .filter(|(shape, _)| low.contains(shape))
        {
            let name = &desc.shapes[*shape].name;
            errors
                .list
                .push(Diagnostic::error(format!("`{name}` is of {flags}: it cannot be both")));
        }
        if errors.list.is_empty() && !cages.is_empty() && cages.len() != low.len() {
            let message = format!("--cage names {} shapes, and --to {}", cages.len(), low.len());
            let hint = "each shape of --to needs its own cage, in the order of the scene";
            errors.list.push(Diagnostic::error(message).hint(hint));
        }
        if errors.list.is_empty() {
            Ok([high, low, cages])
        } else {
            Err(Failure::Mistakes(errors))
        }
    }

    fn low(&self, args: &BakeArgs) -> LowShapes<'_> {
        if args.from.is_empty() {
            return LowShapes::Own;
        }
        LowShapes::Others {
            shapes: &self.low,
            cage: match args.cage.is_empty() {
                true => CageSettings::Distance(args.cage_distance),
                false => CageSettings::Meshes(&self.cages, &self.cage_names),
            },
        }
    }
}

/// The note about texels for which rays found nothing.
fn missed(args: &BakeArgs, maps: &SurfaceMaps, texels: usize) -> Option<Diagnostic> {
    let backs = match maps.backs {
        0 => String::new(),
        backs => format!(", {backs} of them but backs"),
    };
    let message = format!(
        "the rays of {} of {texels} texels found nothing{backs}; these are filled from their neighbours",
        maps.missed
    );
    let hint = match (2 * maps.backs > maps.missed, args.cage.is_empty()) {
        (true, true) => "a greater --cage-distance, if the shapes of --from are not inside out",
        (true, false) => "the cage is to lie outside of the shapes of --from, if these are not inside out",
        (false, true) => "a greater --cage-distance finds surfaces farther away",
        (false, false) => "a cage that is farther away finds more",
    };
    (maps.missed > 0).then(|| Diagnostic::warning(message).hint(hint))
}

/// The files that a bake reads or may read.
fn inputs(desc: &SceneDesc, built: &Built) -> Vec<PathBuf> {
    let read = desc.files.iter().cloned().chain(desc.file_system.log());
    read.chain(built.scene.late_files()).collect()
}

/// The files of a bake, ready to be written.
fn files(
    args: &BakeArgs,
    shapes: &[Shape],
    settings: &SurfaceSettings,
    baked: &BakedSurface,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let maps = &baked.maps;
    let size = (maps.width, maps.height);
    let mut files = features::files(size, &maps.features, &settings.features)?;
    let coverage = coverage_image(size, |x, y| maps.coverage[(y * maps.width + x) as usize]);
    files.push((COVERAGE.to_owned(), feature_image::png(&coverage)?));
    let textures = feature_image::textures(size, &maps.features, &settings.features)?;
    let material = material(maps, &settings.features);
    files.push((SCENE.to_owned(), glb::of_surface(shapes, maps, &textures, &material)?));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let text = manifest(args, settings, maps, &names);
    files.push((MANIFEST.to_owned(), text));
    Ok(files)
}

/// Properties of a glTF material other than its textures.
fn material(maps: &SurfaceMaps, features: &[FeatureDesc]) -> Value {
    let mut opacities = features.iter().zip(&maps.features);
    let opacity = opacities.find(|(desc, _)| matches!(desc.feature, Feature::Opacity));
    let has_holes = opacity.is_some_and(|(_, map)| {
        let of_surface = map.values.iter().zip(&maps.coverage);
        let mut seen = of_surface.filter(|(_, coverage)| **coverage == renderer_bake::Coverage::Covered);
        seen.any(|(value, _)| value.luminance() < 0.999)
    });
    if has_holes { json!({ "alphaMode": "BLEND" }) } else { json!({}) }
}

fn manifest(args: &BakeArgs, settings: &SurfaceSettings, maps: &SurfaceMaps, files: &[&str]) -> Vec<u8> {
    let objects = maps.objects.iter().map(|object| {
        json!({
            "name": object.name,
            "rect": [object.rect.x0, object.rect.y0, object.rect.x1, object.rect.y1],
        })
    });
    let features = settings.features.iter().zip(&maps.features).map(|(desc, map)| {
        let covered = map.values.iter().zip(&maps.coverage);
        let covered = covered.filter(|(_, coverage)| **coverage == renderer_bake::Coverage::Covered);
        let range = covered.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, most], (value, _)| {
            [value.to_array().into_iter().fold(least, f32::min), most.max(value.max_component())]
        });
        let mut said = json!({ "file": features::file(&desc.name), "range": range });
        if let Some(rays) = desc.feature.rays() {
            said["samples"] = json!(rays.samples);
            said["reach"] = json!(rays.reach);
        }
        (desc.name.clone(), said)
    });
    let value = json!({
        "kiln": env!("CARGO_PKG_VERSION"),
        "scene": args.scene.path.display().to_string(),
        "target": args.target.to_possible_value().map(|value| value.get_name().to_owned()),
        "complete": true,
        "files": files,
        "settings": {
            "from": args.from,
            "to": args.to,
            "cage": args.cage,
            "cage_distance": args.cage_distance,
            "seed": settings.seed,
        },
        "atlas": {
            "width": maps.width,
            "height": maps.height,
            "texels_per_unit": maps.density,
            "dilation": maps.margin,
            "coordinates": if maps.in_place { "TEXCOORD_0" } else { "TEXCOORD_1" },
            "features": features.collect::<serde_json::Map<_, _>>(),
            "missed_texels": maps.missed,
            "objects": objects.collect::<Vec<_>>(),
        },
    });
    format!("{value:#}\n").into_bytes()
}
