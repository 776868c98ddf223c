//! A picture of a scene, in image files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::{Diagnostic, Diagnostics};

use super::settings::{check_memory, planned};
use crate::command::checkpoint::{Checkpoint, RenderOrigin, resumed_state};
use crate::command::kept_scene::{Described, KeptScene};
use crate::command::passes;
use crate::command::render_observer::RenderObserver;
use crate::command::statistics::Statistics;
use renderer_cli::{ProgressForm, Quality, RenderArgs, RenderRequest};
use renderer_denoise::{Denoiser, Quality as DenoiseQuality};
use renderer_passes::PassSet;
use renderer_pictures::denoising::Denoising;
use renderer_pictures::part::Ranges;
use renderer_pictures::pictures::{Pictures, WrittenPicture};
use renderer_pictures::{brightness, summary};
use renderer_preview::progress::Bar;
use renderer_preview::{Preview, Shown};
use renderer_scene::SceneDesc;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::warnings::unknown_files;
use renderer_support::watch::Read;
use renderer_support::{Failure, print, remark};
use renderer_transport::render::{RenderSettings, RenderState, Rendered, render, resume};
use renderer_transport::scene::Scene;
use renderer_transport::scene::build::Built;

/// Renders one picture. `kept` has the scene of the picture before, and then that of this one. `read` receives the files that
/// were read.
pub(super) fn render_picture(
    args: &RenderArgs,
    kept: &mut KeptScene,
    interrupt: &Arc<Interrupt>,
    read: Read<'_>,
) -> Result<(), Failure> {
    let request = &args.request;
    let (outputs, mut pictures, checkpoint) = outputs(args)?;
    let start = Instant::now();
    let loaded = LoadedScene::read(args, kept, (&outputs, &mut pictures), read)?;
    let LoadedScene { desc, built, passes, load } = loaded;
    let joins = args.checkpoint.is_some() || request.samples.is_some() || !pictures.parts.is_empty();
    let (mut settings, range) = planned(request, &desc, &built, passes, joins)?;
    settings.max_paths_per_ray = checkpoint.as_ref().and_then(Checkpoint::max_paths_per_ray);
    pictures.check_size(settings.rendered())?;
    args.report.print_memory(check_memory(&settings)?);
    let mut warnings = built.warnings.clone();
    warnings
        .list
        .extend(pictures.unused_layers(&settings).into_iter().chain(pictures.unused_exposure()));
    pictures.exposure += desc.film.exposure;
    let origin = RenderOrigin::of(&built.scene, &desc.file, &settings);
    pictures
        .check_existing_parts(&Ranges::of(settings.samples.clone()), |part| origin.identity_beside(part))?;
    let begun = resumed_state(checkpoint.as_ref(), &origin, &range)?;
    let resumed = checkpoint.as_ref().filter(|_| begun.is_some());
    warnings.list.extend(reused(&origin, request, resumed));
    let observed = ObservedRender {
        args,
        scene: &built.scene,
        origin: &origin,
        pictures: &pictures,
        checkpoint: checkpoint.as_ref(),
    };
    let (rendered, preview) = observed.run(begun, interrupt)?;
    if rendered.state.samples.is_empty() {
        return Err(interrupt.failure());
    }
    let inputs = desc.file_system.log();
    // Running shaders read, too.
    read(inputs.iter().cloned().chain(built.scene.late_files()).collect());
    let (written, is_kept) = observed.write(&rendered.state, &inputs);
    // A checkpoint that could not be written is not offered for resumption.
    let checkpoint = checkpoint.filter(|_| is_kept);
    let statistics = Statistics::new(load, &built, &rendered);
    statistics.warn(&built.scene, &mut warnings);
    let images = &pictures.images;
    (warnings.list).extend(brightness::warning(
        &written.image,
        args.exposure,
        desc.film.exposure,
        pictures.tone_map,
        images,
    ));
    // Before anything is printed: the terminal draws it over the last one.
    if let Some(preview) = preview {
        preview.finish(written.image.clone());
    }
    let mut finished = FinishedPicture { written, statistics, state: &rendered.state };
    let placed = finished.report(args, warnings, &inputs, start.elapsed());
    if !interrupt.is_set() {
        return placed;
    }
    if !interrupt.is_old_work() {
        finished.remark_interruption(&settings, checkpoint.as_ref());
        placed.unwrap_or_else(|failure| remark(&failure));
    }
    Err(interrupt.failure())
}

/// A warning for each file that an earlier run wrote and this one reuses, if its textures may have changed since.
fn reused(
    origin: &RenderOrigin<'_>,
    request: &RenderRequest,
    resumed: Option<&Checkpoint>,
) -> Vec<Diagnostic> {
    let maps = request.photon_map.as_deref().filter(|path| path.is_file());
    let files = resumed.map(Checkpoint::path).into_iter().chain(maps);
    let files = files.filter(|_| origin.computes_names);
    files.map(|path| unknown_files(format!("'{}'", path.display()))).collect()
}

/// A scene with the passes of a picture.
struct LoadedScene {
    desc: Arc<SceneDesc>,
    built: Arc<Built>,
    passes: PassSet,
    /// Time of reading.
    load: Duration,
}

impl LoadedScene {
    fn read(
        args: &RenderArgs,
        kept: &mut KeptScene,
        (outputs, pictures): (&Outputs, &mut Pictures),
        read: Read<'_>,
    ) -> Result<LoadedScene, Failure> {
        let Described { desc, warnings, time: load, has_new_warnings } = kept.described(&args.request)?;
        if has_new_warnings {
            args.report.print(&warnings);
        }
        outputs.check_scene_files(&desc)?;
        let passes = passes::requested(&args.request, pictures, &desc)?;
        let (desc, built) = kept.built(&args.request, &passes)?;
        outputs.check_scene_files(&desc)?;
        outputs.check_inputs(built.scene.late_files())?;
        let files = desc.files.iter().cloned().chain(desc.file_system.log());
        read(files.chain(built.scene.late_files()).collect());
        Ok(LoadedScene { desc, built, passes, load })
    }
}

/// A picture whose files are written.
struct FinishedPicture<'a> {
    written: WrittenPicture,
    statistics: Statistics,
    state: &'a RenderState,
}

impl FinishedPicture<'_> {
    /// Prints warnings and statistics, and returns whether all files are in their places.
    fn report(
        &mut self,
        args: &RenderArgs,
        mut warnings: Diagnostics,
        inputs: &[PathBuf],
        elapsed: Duration,
    ) -> Result<(), Failure> {
        let FinishedPicture { written, statistics, state } = self;
        warnings.list.extend(written.noisy.take());
        warnings.list.append(&mut written.files.kept);
        if !args.report.quiet {
            print(&warnings);
            summary::rendered(written, &state.samples, elapsed);
            if let Some(noise) = &statistics.noise {
                summary::open_rounds(noise);
            }
        }
        if args.report.verbose {
            remark(statistics);
        }
        if let Some(path) = &args.report.stats {
            let text = statistics.json(&warnings);
            let stats = WriteMode::Final(inputs).write_bytes(path, text.as_bytes());
            written.files.errors.extend(stats.err());
        }
        check_written(&written.files.errors)
    }

    /// Reports how much is done, and that `checkpoint` has it.
    fn remark_interruption(&self, settings: &RenderSettings, checkpoint: Option<&Checkpoint>) {
        let done = self.state.samples.end - settings.samples.start;
        let all = settings.samples.end - settings.samples.start;
        let kept = checkpoint.map_or(String::new(), |checkpoint| {
            format!(", and --resume continues from '{}'", checkpoint.path().display())
        });
        let which = match self.written.files.written.is_empty() {
            true => "",
            false => ", which are written",
        };
        remark(&format!("interrupted after {done} of {all} samples per pixel{which}{kept}"));
    }
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
                    exposure: pictures.exposure,
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

    /// Writes the picture and the checkpoint; returns whether there is a checkpoint.
    fn write(&self, state: &RenderState, inputs: &[PathBuf]) -> (WrittenPicture, bool) {
        let header = self.origin.header(&state.integrator, state);
        let kept = self.checkpoint.map(|checkpoint| checkpoint.finish(&header, state));
        let finish = WriteMode::Final(inputs);
        let mut written = self.pictures.write(&state.film, state.noise.as_ref(), &header, &finish);
        let is_kept = matches!(kept, Some(Ok(())));
        written.files.errors.extend(kept.and_then(Result::err));
        (written, is_kept)
    }
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
