//! A picture of a scene, in image files.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::command::checkpoint::{Checkpoint, RenderOrigin, resumed_state};
use crate::command::passes;
use crate::command::render_observer::RenderObserver;
use crate::command::statistics::Statistics;
use renderer_base::memory;
use renderer_cli::{ProgressForm, Quality, RenderArgs, RenderRequest};
use renderer_denoise::{Denoiser, Quality as DenoiseQuality};
use renderer_image::film::NoiseGoal;
use renderer_inputs::render_request::MAX_SAMPLES;
use renderer_passes::PassSet;
use renderer_pictures::denoising::Denoising;
use renderer_pictures::part::Ranges;
use renderer_pictures::pictures::Pictures;
use renderer_pictures::{brightness, summary};
use renderer_preview::progress::Bar;
use renderer_preview::{Preview, Shown};
use renderer_scene::SceneDesc;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::warnings::unknown_files;
use renderer_support::watch::Read;
use renderer_support::{Failure, print, remark};
use renderer_transport::integrator::Integrator;
use renderer_transport::render::{RenderSettings, RenderState, Rendered, SampleUnit, render, resume};
use renderer_transport::scene::Scene;
use renderer_transport::scene::build::{Built, build_with_values};

/// Renders one picture. `read` receives the files that were read.
pub(super) fn render_picture(
    args: &RenderArgs,
    interrupt: &Arc<Interrupt>,
    read: Read<'_>,
) -> Result<(), Failure> {
    let (request, report) = (&args.request, &args.report);
    let (outputs, mut pictures, checkpoint) = outputs(args)?;

    let start = Instant::now();
    let (desc, read_warnings) = request.read()?;
    report.print(&read_warnings);
    let load = start.elapsed();
    outputs.check_scene_files(&desc)?;
    let passes = passes::requested(request, &mut pictures, &desc)?;
    let built = build_picture(request, &desc, &passes)?;
    outputs.check_scene_files(&desc)?;
    outputs.check_inputs(built.scene.late_files())?;
    let files = desc.files.iter().cloned().chain(desc.file_system.log());
    read(files.chain(built.scene.late_files()).collect());
    let mut warnings = built.warnings.clone();

    let joins = args.checkpoint.is_some() || request.samples.is_some() || !pictures.parts.is_empty();
    let (mut settings, range) = planned(request, &desc, &built, passes, joins)?;
    warnings.list.extend(pictures.unused_layers(&settings));
    settings.max_paths_per_ray = checkpoint.as_ref().and_then(Checkpoint::max_paths_per_ray);
    pictures.check_size(settings.rendered())?;
    report.print_memory(check_memory(&settings)?);
    warnings.list.extend(pictures.unused_exposure());
    let origin = RenderOrigin::of(&built.scene, &desc.file, &settings);
    pictures
        .check_existing_parts(&Ranges::of(settings.samples.clone()), |part| origin.identity_beside(part))?;
    let begun = resumed_state(checkpoint.as_ref(), &origin, &range)?;
    if origin.computes_names {
        let checkpoint = checkpoint.as_ref().filter(|_| begun.is_some());
        let maps = request.photon_map.as_deref().filter(|path| path.is_file());
        let reused = checkpoint.map(Checkpoint::path).into_iter().chain(maps);
        (warnings.list).extend(reused.map(|path| unknown_files(format!("'{}'", path.display()))));
    }
    let observed = ObservedRender {
        args,
        scene: &built.scene,
        origin: &origin,
        pictures: &pictures,
        checkpoint: checkpoint.as_ref(),
    };
    let (rendered, preview) = observed.run(begun, interrupt)?;
    let state = &rendered.state;
    if state.samples.is_empty() {
        return Err(interrupt.failure());
    }

    let header = origin.header(&state.integrator, state);
    let kept = checkpoint.as_ref().map(|checkpoint| checkpoint.finish(&header, state));
    let inputs = desc.file_system.log();
    // Running shaders read, too.
    read(inputs.iter().cloned().chain(built.scene.late_files()).collect());
    let finish = WriteMode::Final(&inputs);
    let mut written = pictures.write(&state.film, state.noise.as_ref(), &header, &finish);
    // A checkpoint that could not be written is not offered for resumption.
    let checkpoint = checkpoint.filter(|_| matches!(kept, Some(Ok(()))));
    written.files.errors.extend(kept.and_then(Result::err));

    let statistics = Statistics::new(load, &built, &rendered);
    statistics.warn(&built.scene, &mut warnings);
    warnings.list.extend(brightness::warning(
        &written.image,
        args.exposure,
        pictures.tone_map,
        &pictures.images,
    ));
    warnings.list.extend(written.noisy.take());
    warnings.list.append(&mut written.files.kept);
    // Before anything is printed: the terminal draws it over the last one.
    if let Some(preview) = preview {
        preview.finish(written.image.clone());
    }
    if !report.quiet {
        print(&warnings);
        summary::rendered(&written, &state.samples, start.elapsed());
        if let Some(noise) = &statistics.noise {
            summary::open_rounds(noise);
        }
    }
    if report.verbose {
        remark(&statistics);
    }
    if let Some(path) = &report.stats {
        let stats = finish.write_bytes(path, statistics.json(&warnings).as_bytes());
        written.files.errors.extend(stats.err());
    }
    let placed = check_written(&written.files.errors);
    if interrupt.is_old_work() {
        return Err(interrupt.failure());
    }
    if !interrupt.is_set() {
        return placed;
    }
    let done = state.samples.end - settings.samples.start;
    let all = settings.samples.end - settings.samples.start;
    let kept = checkpoint.map_or(String::new(), |checkpoint| {
        format!(", and --resume continues from '{}'", checkpoint.path().display())
    });
    let which = if written.files.written.is_empty() {
        ""
    } else {
        ", which are written"
    };
    remark(&format!("interrupted after {done} of {all} samples per pixel{which}{kept}"));
    if let Err(failure) = placed {
        remark(&failure);
    }
    Err(interrupt.failure())
}

/// A render with progress bar, preview, checkpoints and intermediate files.
struct ObservedRender<'a> {
    args: &'a RenderArgs,
    scene: &'a Scene,
    origin: &'a RenderOrigin<'a>,
    pictures: &'a Pictures,
    checkpoint: Option<&'a Checkpoint>,
}

impl ObservedRender<'_> {
    /// Renders, from the state of an earlier run if there is one. Returns the preview, which shows the final picture.
    fn run(
        &self,
        begun: Option<RenderState>,
        interrupt: &Arc<Interrupt>,
    ) -> Result<(Rendered, Option<Preview>), Failure> {
        let ObservedRender { args, pictures, .. } = self;
        let bar = Bar::new(args.report.quiet, interrupt);
        let preview = match &args.preview {
            Some(viewer) => {
                let shown = Shown {
                    output: &pictures.files()[0],
                    exposure: args.exposure,
                    tone_map: pictures.tone_map,
                    clears: args.watch,
                };
                Some(Preview::start(viewer, &shown, &bar)?)
            }
            None => None,
        };
        let mut observer = RenderObserver::new(&bar, self.origin);
        if let Some(preview) = &preview {
            observer.show(preview, pictures);
        }
        if args.progress == Some(ProgressForm::Openjd) {
            observer.report_lines();
        }
        if let Some(checkpoint) = self.checkpoint {
            observer.keep(checkpoint, args.checkpoint_every);
        }
        if let Some(every) = args.write_every {
            observer.write(pictures, every);
        }
        let (settings, stop) = (self.origin.settings, interrupt.flag());
        let rendered = match begun {
            Some(state) => resume(self.scene, settings, state, &observer, stop)?,
            None => render(self.scene, settings, &observer, stop)?,
        };
        bar.finish();
        Ok((rendered, preview))
    }
}

/// Builds the scene of a picture with these passes.
pub(in crate::command) fn build_picture(
    request: &RenderRequest,
    desc: &SceneDesc,
    passes: &PassSet,
) -> Result<Built, Failure> {
    let camera = request.camera.as_deref();
    build_with_values(desc, camera, request.scene.threads(), &passes.shader_values())
        .map_err(Failure::Mistakes)
}

/// Settings of the render, and the requested range of samples. `joins` is true if the samples are merged with those of
/// other runs.
pub(in crate::command) fn planned(
    request: &RenderRequest,
    desc: &SceneDesc,
    built: &Built,
    passes: PassSet,
    joins: bool,
) -> Result<(RenderSettings, Range<u64>), Failure> {
    let (mut settings, range) = settings(request, desc, built, joins)?;
    settings.passes = passes::plan(request, passes, built, &settings)?;
    let hides = desc.film.transparent || request.transparent;
    settings.integrator = settings.integrator.with_hidden_background(hides);
    check_photon_map(&settings)?;
    Ok((settings, range))
}

/// The requested image files; by default the scene's name as PNG in the working folder.
pub(super) fn images(args: &RenderArgs) -> Vec<PathBuf> {
    if !args.output.is_empty() {
        return args.output.clone();
    }
    let stem = args.request.scene.path.file_stem().unwrap_or(OsStr::new("kiln"));
    vec![Path::new(stem).with_extension("png")]
}

/// The output files, checked now so that a long render does not fail at its end.
fn outputs(args: &RenderArgs) -> Result<(Outputs, Pictures, Option<Checkpoint>), Failure> {
    let mut outputs = Outputs::default();
    let mut pictures = Pictures::new(&images(args), args.exposure, &mut outputs)?;
    pictures.tone_map = args.tone_map.into();
    pictures.denoising = denoising(&args.request, !pictures.images.is_empty());
    pictures.is_shown = args.preview.is_some();
    pictures.check_denoising()?;
    let checkpoint = Checkpoint::new(args, &mut outputs)?;
    if let Some(path) = &args.report.stats {
        outputs.file("--stats", path)?;
    }
    match &args.request.photon_map {
        // An existing file is read.
        Some(path) if path.is_file() => outputs.add("--photon-map", path)?,
        Some(path) => outputs.file("--photon-map", path)?,
        None => {}
    }
    Ok((outputs, pictures, checkpoint))
}

/// Denoising of the images, if any. `--quality draft` denoises if the library is installed and there are images.
pub(in crate::command) fn denoising(request: &RenderRequest, has_images: bool) -> Option<Denoising> {
    let is_draft = request.quality == Some(Quality::Draft) && has_images;
    let quality = match request.denoise {
        Some(quality) => quality.into(),
        None if is_draft && Denoiser::open(1).is_ok() => DenoiseQuality::Fast,
        None => return None,
    };
    Some(Denoising::new(quality, request.scene.threads()))
}

/// Minimum samples per pixel with `--noise`, unless `--min-spp` is given.
const MIN_SAMPLES: u32 = 16;

/// Minimum samples per pixel of a draft.
const MIN_DRAFT_SAMPLES: u32 = 4;

/// Maximum number of paths of a draft, but for the minimum of each pixel: a few seconds on two cores.
const MAX_DRAFT_PATHS: u64 = 1 << 19;

/// The error to reach, if one is requested, and the bounds of the samples per pixel.
fn noise_goal(request: &RenderRequest, pixels: u64) -> Option<NoiseGoal> {
    let (min_samples, max_samples) = match request.quality {
        Some(Quality::Draft) => {
            let fit = MAX_DRAFT_PATHS / pixels.max(1);
            (MIN_DRAFT_SAMPLES, fit.clamp(u64::from(MIN_DRAFT_SAMPLES), MAX_SAMPLES))
        }
        _ => (MIN_SAMPLES, MAX_SAMPLES),
    };
    Some(NoiseGoal {
        error: request.noise()?,
        // The first round is measured in four batches.
        min_samples: u64::from(request.min_spp.unwrap_or(min_samples)).next_multiple_of(4),
        max_samples: request.spp.map_or(max_samples, u64::from),
    })
}

/// Settings of the render, and the requested range of samples. With `--noise` the render also includes the samples
/// before that range.
fn settings(
    request: &RenderRequest,
    desc: &SceneDesc,
    built: &Built,
    joins: bool,
) -> Result<(RenderSettings, Range<u64>), Failure> {
    let total = u64::from(request.spp.unwrap_or(desc.sampler.spp));
    if let (Some(least), Some(most)) = (request.min_spp, request.spp)
        && least > most
    {
        return Err(Failure::User(format!(
            "error: --min-spp {least} is above --spp {most}, the most that a pixel gets"
        )));
    }
    let base = RenderSettings::new(desc, built);
    let pixels = u64::from(base.rendered().width()) * u64::from(base.rendered().height());
    let noise = noise_goal(request, pixels);
    let all = noise.map_or(total, |goal| goal.max_samples);
    let (first, end) = request.samples.unwrap_or((0, all));
    if end > all {
        return Err(Failure::User(format!(
            "error: --samples {first}..{end} asks for more than the {all} samples of a pixel\n  \
             hint: say how many there are in all, with --spp"
        )));
    }
    if let Some(goal) = &noise {
        check_rounds(goal, &(first..end))?;
    }
    let mut integrator = built.integrator.with_depth(request.scene.depth);
    if request.quality == Some(Quality::Draft) {
        integrator = integrator.for_draft();
    }
    let settings = RenderSettings {
        integrator,
        samples: if noise.is_some() { 0..end } else { first..end },
        total,
        unit: SampleUnit::Path,
        noise,
        seed: request.scene.seed(desc),
        threads: request.scene.threads(),
        time_limit: request.time,
        photon_map: request.photon_map.clone(),
        joins,
        ..base
    };
    Ok((settings, first..end))
}

/// Adaptive sampling redistributes samples at the ends of rounds: ranges of --noise begin and end there.
fn check_rounds(goal: &NoiseGoal, asked: &Range<u64>) -> Result<(), Failure> {
    for bound in [asked.start, asked.end] {
        let (before, after) = goal.rounds_about(bound);
        if bound > 0 && before != after {
            let ends = match before {
                0 => format!("the first round ends after {after} samples"),
                _ => format!("the nearest rounds end after {before} and {after} samples"),
            };
            return Err(Failure::User(format!(
                "error: --samples {}..{}: {bound} is not an end of a round of --noise\n  hint: {ends}",
                asked.start, asked.end
            )));
        }
    }
    Ok(())
}

/// A file of photon maps needs an integrator that makes the maps once.
fn check_photon_map(settings: &RenderSettings) -> Result<(), Failure> {
    let hint = match settings.integrator {
        Integrator::Photon(photon) if photon.progressive => "leave integrator.progressive at false",
        Integrator::Photon(_) => return Ok(()),
        Integrator::Path(_) | Integrator::Auto(_) => "add --integrator photon",
    };
    if settings.photon_map.is_none() {
        return Ok(());
    }
    Err(Failure::User(format!(
        "error: --photon-map keeps the maps of the `photon` integrator, unless it is progressive\n  hint: {hint}"
    )))
}

/// Checks that the film and the photon maps fit into memory, and returns their size [bytes].
pub(in crate::command) fn check_memory(settings: &RenderSettings) -> Result<u64, Failure> {
    /// A pixel: its sums in the film and in a tile, and the picture on its way to a file.
    const PIXEL: u64 = 160;
    /// Identifiers of a pixel, about.
    const COVERING: usize = 4;
    let layers = settings.passes.as_ref().map_or(0, |plan| plan.layout().bytes(COVERING));
    let pixel = PIXEL + 3 * layers as u64;
    let (width, height) = match settings.crop {
        Some(crop) => (crop.width(), crop.height()),
        None => (settings.width, settings.height),
    };
    let pixels = u64::from(width) * u64::from(height);
    memory::check(format!("{width} × {height} pixels"), pixels * pixel)?;
    memory::check("the photon maps", settings.integrator.memory())?;
    Ok(pixels * pixel + settings.integrator.memory())
}
