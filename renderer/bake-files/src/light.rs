//! Bakes of light: lightmaps, light at vertices, probes.

use shading::Diagnostics;

use super::files::{files, names};
use super::job::{Findings, Job, LoadedScene};
use super::scene_model::SceneModel;
use super::statistics::BakeStatistics;
use super::{Failure, engine_files, features, kept_light, lights, model, settings, unused_flags};
use renderer_bake::{BakeSettings, Include, Target, backs, bake, texture_memory};
use renderer_base::memory;
use renderer_import::Names;
use renderer_inputs::bake_request::BakeTarget;
use renderer_passes::Pass;
use renderer_scene::SceneDesc;
use renderer_support::outputs::Outputs;
use renderer_support::warnings::unknown_files;
use renderer_support::{print, remark};
use renderer_transport::scene::build::{Built, build_for_bake};

/// A scene with the lights of a bake.
struct LitScene {
    /// With the baked lights.
    lit: LoadedScene,
    /// With all lights, if only some are baked.
    whole: Option<(SceneDesc, Built)>,
}

impl LitScene {
    fn read(job: &Job<'_>, passes: &[Pass], outputs: &Outputs) -> Result<LitScene, Failure> {
        let request = &job.args.request;
        let desc = job.read_scene("photon", outputs)?;
        let build = |desc: &SceneDesc| build_for_bake(desc, request.scene.threads(), passes);
        let built = build(&desc).map_err(Failure::Mistakes)?;
        if request.lights.is_empty() {
            return Ok(LitScene { lit: job.loaded(desc, built, outputs)?, whole: None });
        }
        let lit = lights::only(&desc, &request.lights).map_err(Failure::Mistakes)?;
        let lit_built = build(&lit).map_err(Failure::Mistakes)?;
        Ok(LitScene {
            lit: job.loaded(lit, lit_built, outputs)?,
            whole: Some((desc, built)),
        })
    }

    /// The scene as a model, for lightmaps of scenes that are no glTF files. Lights that are not baked shine in it.
    fn model(&self, job: &Job<'_>) -> Result<Option<SceneModel>, Failure> {
        let request = &job.args.request;
        if request.target() != BakeTarget::Texture || model::is_gltf(&request.scene.path) {
            return Ok(None);
        }
        let lit = (&self.lit.desc, &self.lit.built);
        let (desc, built) = self.whole.as_ref().map_or(lit, |(desc, built)| (desc, built));
        SceneModel::new(desc, &built.scene, request.textures() > 0).map(Some)
    }
}

/// Bakes light; `None` if only a share of it was baked, into the checkpoint.
pub(super) fn run(job: &Job<'_>, include: Include) -> Result<Option<BakeStatistics>, Failure> {
    let request = &job.args.request;
    let folder = job.folder()?;
    let asked = features::asked(request)?;
    engine_files::check(request)?;
    let outputs = job.outputs(folder.as_ref(), &names(request, &asked))?;
    let scene = LitScene::read(job, &features::computed(&asked), &outputs)?;
    let model = scene.model(job)?;
    let LoadedScene { desc, built, .. } = &scene.lit;
    let features = features::described(request, asked, built)?;
    let mut settings = settings::of(job, include, &scene.lit, features, model.as_ref())?;
    if let Some((_, whole)) = &scene.whole {
        settings.backs = Some(backs(&whole.scene, &settings)?);
    }
    memory::check("the photon maps", settings.integrator.memory())?;
    let mut warnings = built.warnings.clone();
    settings.keep = kept_light::earlier(request, folder.as_ref(), &mut warnings);
    warn(job, &settings, built, &mut warnings);

    let keeps = job.args.checkpoint.is_some().then(|| job.interrupt.clone());
    let watch = job.watch(keeps);
    let baked = bake(
        &built.scene,
        &shape_names(desc),
        &settings,
        watch.progress(),
        job.interrupt.flag(),
    )?;
    let (Some(baked), Some(folder)) = (baked, folder) else {
        drop(watch);
        return unfinished(job, &warnings);
    };
    let findings = Findings {
        warnings,
        notes: &baked.notes,
        reports: &baked.reports,
        stats: baked.stats,
        remark: kept_light::remark(&baked),
    };
    let files =
        |warnings: &mut Diagnostics| files(job.args, &scene.lit, model.as_ref(), &settings, &baked, warnings);
    job.finish(&folder, &scene.lit, watch, findings, files).map(Some)
}

/// Unique names of the shapes: instances of one node share theirs.
fn shape_names(desc: &SceneDesc) -> Vec<String> {
    let mut names = Names::default();
    desc.shapes.iter().map(|shape| names.unique(&shape.name)).collect()
}

/// Warnings before the work, and its memory.
fn warn(job: &Job<'_>, settings: &BakeSettings, built: &Built, warnings: &mut Diagnostics) {
    let (args, request) = (job.args, &job.args.request);
    let resumed = args.checkpoint.as_deref().filter(|path| args.resume && path.exists());
    if let Some(path) = resumed.filter(|_| built.scene.computes_names()) {
        warnings.push(unknown_files(format!("'{}'", path.display())));
    }
    let unused = unused_flags::warnings(request, settings.include, &settings.integrator);
    warnings.list.extend(unused);
    if let Target::Texture { scale, .. } = settings.target
        && let Some((width, height)) = scale.size()
    {
        args.report.print_memory(texture_memory(width, height, settings.order));
    }
}

/// The end of a bake without files: a share of the work, or an interruption.
fn unfinished(job: &Job<'_>, warnings: &Diagnostics) -> Result<Option<BakeStatistics>, Failure> {
    let (args, interrupt) = (job.args, job.interrupt);
    if !args.report.quiet && !interrupt.is_old_work() {
        print(warnings);
    }
    if args.part.is_some() && !interrupt.is_set() {
        return Ok(None);
    }
    if let Some(path) = &args.checkpoint {
        let path = path.display();
        remark(&format!("interrupted; finished work is in '{path}', and --resume continues it"));
    }
    Err(interrupt.failure())
}
