//! A scene that is read once and rendered many times.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use shading::Diagnostics;

use super::picture::Picture;
use super::{Stop, options};
use crate::command::checkpoint::{Origin, begun};
use crate::command::passes;
use crate::command::render::{changes, check_memory, denoising, described, planned};
use crate::command::statistics::Statistics;
use renderer_cli::RenderArgs;
use renderer_passes::PassSet;
use renderer_pictures::denoising::missing_features;
use renderer_pictures::pictures::Pictures;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_support::warnings::lost_texels;
use renderer_transport::render::{Progress, render};
use renderer_transport::scene::build::{Built, build_with_values};

/// A scene: a file, a text, or a unit or group on a stage.
///
/// The scene is kept for the next picture until an option changes it, so another seed or number of samples needs no
/// loading.
#[derive(Debug)]
pub struct Scene {
    path: PathBuf,
    text: Option<Arc<str>>,
    /// Options of all pictures.
    options: Vec<String>,
    described: Mutex<Option<Described>>,
    built: Mutex<Option<(String, Arc<Built>)>>,
}

/// A scene as it was read with some options.
#[derive(Clone, Debug)]
struct Described {
    key: String,
    desc: Arc<SceneDesc>,
    warnings: Diagnostics,
    time: Duration,
}

impl Scene {
    /// Reads the scene or model of a file, or puts the shader of that name on a stage. `options` are those of
    /// `kiln render`, as words such as `--set=film.size=(64, 64)`.
    ///
    /// # Errors
    /// All mistakes in it and in the options.
    pub fn open(path: &Path, options: &[String]) -> Result<Scene, Failure> {
        Scene::new(path, None, options)
    }

    /// Reads the scene from a text. Relative file names start from the folder of `path`, which need not exist; its
    /// extension is the format of the text.
    ///
    /// # Errors
    /// As for [`Scene::open`].
    pub fn from_text(path: &Path, text: &str, options: &[String]) -> Result<Scene, Failure> {
        Scene::new(path, Some(text.into()), options)
    }

    fn new(path: &Path, text: Option<Arc<str>>, options: &[String]) -> Result<Scene, Failure> {
        let scene = Scene {
            path: path.to_owned(),
            text,
            options: options.to_vec(),
            described: Mutex::default(),
            built: Mutex::default(),
        };
        scene.described(&scene.args(&[])?)?;
        Ok(scene)
    }

    /// The file, or the name of the shader.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text, where it is not that of the file.
    pub(super) fn text(&self) -> Option<Arc<str>> {
        self.text.clone()
    }

    /// Options of all pictures.
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Warnings about the scene.
    ///
    /// # Errors
    /// As for [`Scene::open`].
    pub fn warnings(&self) -> Result<Diagnostics, Failure> {
        Ok(self.described(&self.args(&[])?)?.warnings)
    }

    /// The description of the scene.
    ///
    /// # Errors
    /// As for [`Scene::open`].
    pub fn desc(&self) -> Result<Arc<SceneDesc>, Failure> {
        Ok(self.described(&self.args(&[])?)?.desc)
    }

    /// Renders a picture, with further options.
    ///
    /// # Errors
    /// Mistakes in the options or in the scene; [`Failure::Interrupted`] when the work was stopped before there was
    /// anything to see.
    pub fn render(
        &self,
        options: &[String],
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<Picture, Failure> {
        let args = self.args(options)?;
        let Described {
            desc,
            mut warnings,
            time: load,
            ..
        } = self.described(&args)?;
        let mut pictures = Pictures::in_memory(denoising(&args, true));
        pictures.check_denoising()?;
        pictures.hide_features(missing_features(&desc, &args.aov));
        let features = (pictures.denoising.as_ref()).map_or(&[][..], |denoising| &denoising.hidden);
        let asked_for = passes::asked_for(&args, features, &desc)?;
        let built = self.built(&args, &desc, &asked_for)?;
        warnings.list.extend(built.warnings.list.iter().cloned());
        let (settings, asked) = planned(&args, &desc, &built, asked_for, args.samples.is_some())?;
        check_memory(&args.common, &settings)?;
        let origin = Origin::of(&built.scene, &desc.file, &settings);
        begun(None, &origin, &asked)?;
        let rendered = render(&built.scene, &settings, progress, stop.flag())?;
        if rendered.state.samples.is_empty() {
            return Err(stop.interrupt().failure());
        }
        let header = origin.header(&rendered.state.integrator, &rendered.state);
        let developed = pictures.develop(&rendered.state.film, &header);
        let statistics = Statistics::new(load, &built, &rendered);
        statistics.warn(&mut warnings);
        (warnings.list).extend(built.scene.texture_failure().map(lost_texels));
        warnings.list.extend(developed.noisy);
        let read = desc.files.iter().cloned().chain(desc.file_system.log());
        Ok(Picture {
            layered: developed.layered,
            is_denoised: developed.is_denoised,
            film: rendered.state.film,
            noise: rendered.state.noise,
            joins: settings.joins,
            header,
            statistics: statistics.json(&warnings),
            warnings,
            inputs: read.chain(built.scene.late_files()).collect(),
        })
    }

    fn args(&self, options: &[String]) -> Result<RenderArgs, Failure> {
        let mut args = options::render(&self.path, &options::over(&self.options, options))?;
        args.common.text.clone_from(&self.text);
        // Warnings are returned, not printed.
        args.common.quiet = true;
        Ok(args)
    }

    /// The scene with the changes of some options.
    fn described(&self, args: &RenderArgs) -> Result<Described, Failure> {
        let key = description_key(args);
        let mut kept = lock(&self.described);
        if let Some(described) = kept.as_ref().filter(|described| described.key == key) {
            return Ok(described.clone());
        }
        let start = Instant::now();
        let (desc, warnings) = described(args)?;
        let described = Described {
            key,
            desc: Arc::new(desc),
            warnings,
            time: start.elapsed(),
        };
        *kept = Some(described.clone());
        Ok(described)
    }

    fn built(&self, args: &RenderArgs, desc: &SceneDesc, asked_for: &PassSet) -> Result<Arc<Built>, Failure> {
        let values = asked_for.shader_values();
        let key = format!("{} {:?} {values:?}", description_key(args), args.camera);
        let mut kept = lock(&self.built);
        if let Some((_, built)) = kept.as_ref().filter(|(known, _)| *known == key) {
            return Ok(built.clone());
        }
        // Two scenes at once would be one too many for some.
        *kept = None;
        let built = build_with_values(desc, args.camera.as_deref(), args.common.threads(), &values);
        let built = Arc::new(built.map_err(Failure::Mistakes)?);
        *kept = Some((key, built.clone()));
        Ok(built)
    }
}

/// Options that change the description of the scene.
fn description_key(args: &RenderArgs) -> String {
    let common = &args.common;
    let reading = (
        &common.set,
        &common.integrator,
        &common.light,
        &common.source,
        &common.mitsuba,
    );
    let keeping = (common.texture_memory, common.build_quality);
    format!(
        "{reading:?} {keeping:?} {:?} {:?} {:?}",
        changes(args),
        args.stage,
        args.overrides
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
