//! `kiln bake` of features of surfaces without light: of a scene's own shapes, or from some shapes to others.

use serde_json::{Value, json};
use shading::{Diagnostic, Diagnostics};

use super::folder::{MANIFEST, SCENE};
use super::images::{COVERAGE, coverage_image};
use super::job::{Findings, Job};
use super::statistics::BakeStatistics;
use super::{feature_image, features, glb, shape_names, unused_flags};
use renderer_bake::{
    BakedSurface, CageSettings, Feature, FeatureDesc, LowShapes, SurfaceMaps, SurfaceSettings, bake_surface,
};
use renderer_cli::BakeArgs;
use renderer_geometry::Shape;
use renderer_import::Names;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget};
use renderer_inputs::names::name_of;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_transport::scene::build::{build_for_bake, build_for_surface_bake};

/// Bakes features of surfaces.
pub(super) fn run(job: &Job<'_>) -> Result<BakeStatistics, Failure> {
    let request = &job.args.request;
    check(job.args)?;
    let folder = job.folder()?;
    let Some(folder) = folder else {
        return Err(Failure::of(Diagnostic::error("--part is for bakes of light")));
    };
    let asked = features::asked(request)?;
    let mut names = features::names(&asked);
    names.extend([COVERAGE, SCENE, MANIFEST].map(str::to_owned));
    let outputs = job.outputs(Some(&folder), &names)?;
    let desc = job.read_scene("path", &outputs)?;
    let parts = Parts::of(request, &desc)?;
    // Only shadows need lights.
    let build = match asked
        .iter()
        .any(|(_, asked)| matches!(asked, features::RequestedFeature::Shadow(_)))
    {
        true => build_for_bake,
        false => build_for_surface_bake,
    };
    let built = build(&parts.high, request.scene.threads(), &features::computed(&asked));
    let scene = job.loaded(desc, built.map_err(Failure::Mistakes)?, &outputs)?;
    let built = &scene.built;
    let settings = SurfaceSettings {
        scale: request.scale(),
        margin: request.dilation,
        unwrap: !request.no_unwrap,
        features: features::described(request, asked, built)?,
        seed: request.scene.seed(&scene.desc),
        threads: request.scene.threads(),
    };
    let watch = job.watch(None);
    let low = parts.low(request);
    let flag = job.interrupt.flag();
    let baked = bake_surface(&built.scene, low, &parts.names, &settings, watch.progress(), flag)?;
    let baked = baked.ok_or_else(|| job.interrupt.failure())?;
    let mut warnings = built.warnings.clone();
    warnings.list.extend(unused_flags::surface_warnings(request));
    warnings.list.extend(missed(request, &baked.maps, baked.stats.points));
    let shapes = match low {
        LowShapes::Own => built.scene.shapes(),
        LowShapes::Others { shapes, .. } => shapes,
    };
    let findings = Findings {
        warnings,
        notes: &baked.notes,
        reports: &baked.reports,
        stats: baked.stats,
        remark: None,
    };
    job.finish(&folder, &scene, watch, findings, |_| files(request, shapes, &settings, &baked))
}

/// Options that do not go together.
fn check(args: &BakeArgs) -> Result<(), Failure> {
    let refuse = |message: &str, hint: &str| Err(Failure::of(Diagnostic::error(message).hint(hint)));
    if args.request.target() != BakeTarget::Texture {
        return refuse("features of surfaces are baked to a texture", "leave --target out");
    }
    if args.request.aov.is_empty() {
        return refuse(
            "no light is baked, and --aov names no features",
            "for example: --aov tangent_normal,albedo,roughness,ao",
        );
    }
    if args.request.pages.is_some() || args.request.max_size.is_some() {
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
    fn of(request: &BakeRequest, desc: &SceneDesc) -> Result<Parts, Failure> {
        let names_of = |shapes: &[usize]| -> Vec<String> {
            let mut names = Names::default();
            shapes.iter().map(|&shape| names.unique(&desc.shapes[shape].name)).collect()
        };
        if request.from.is_empty() {
            return Ok(Parts {
                high: desc.clone(),
                low: vec![],
                names: names_of(&(0..desc.shapes.len()).collect::<Vec<_>>()),
                cages: vec![],
                cage_names: vec![],
            });
        }
        let [high, low, cages] = Parts::find(request, desc)?;
        let shapes = |list: &[usize]| {
            list.iter()
                .map(|&shape| desc.shapes[shape].build(&desc.film.shutter.instant()))
                .collect()
        };
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
    fn find(request: &BakeRequest, desc: &SceneDesc) -> Result<[Vec<usize>; 3], Failure> {
        let flags = [("--from", &request.from), ("--to", &request.to), ("--cage", &request.cage)];
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

    fn low(&self, request: &BakeRequest) -> LowShapes<'_> {
        if request.from.is_empty() {
            return LowShapes::Own;
        }
        LowShapes::Others {
            shapes: &self.low,
            cage: match request.cage.is_empty() {
                true => CageSettings::Distance(request.cage_distance),
                false => CageSettings::Meshes(&self.cages, &self.cage_names),
            },
        }
    }
}

/// The note about texels for which rays found nothing.
fn missed(request: &BakeRequest, maps: &SurfaceMaps, texels: usize) -> Option<Diagnostic> {
    let backs = match maps.backs {
        0 => String::new(),
        backs => format!(", {backs} of them but backs"),
    };
    let message = format!(
        "the rays of {} of {texels} texels found nothing{backs}; these are filled from their neighbours",
        maps.missed
    );
    let hint = match (2 * maps.backs > maps.missed, request.cage.is_empty()) {
        (true, true) => "a greater --cage-distance, if the shapes of --from are not inside out",
        (true, false) => "the cage is to lie outside of the shapes of --from, if these are not inside out",
        (false, true) => "a greater --cage-distance finds surfaces farther away",
        (false, false) => "a cage that is farther away finds more",
    };
    (maps.missed > 0).then(|| Diagnostic::warning(message).hint(hint))
}

/// The files of a bake, ready to be written.
fn files(
    request: &BakeRequest,
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
    let text = manifest(request, settings, maps, &names);
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

fn manifest(
    request: &BakeRequest,
    settings: &SurfaceSettings,
    maps: &SurfaceMaps,
    files: &[&str],
) -> Vec<u8> {
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
        "scene": request.scene.path.display().to_string(),
        "target": name_of(&request.target()),
        "complete": true,
        "files": files,
        "settings": {
            "from": request.from,
            "to": request.to,
            "cage": request.cage,
            "cage_distance": request.cage_distance,
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
