//! A scene that is read once and rendered many times.

use std::sync::{Arc, Mutex};

use shading::Diagnostics;

use super::Stop;
use super::picture::Picture;
use crate::command::checkpoint::{RenderOrigin, resumed_state};
use crate::command::kept_scene::{Described, KeptScene};
use crate::command::passes;
use crate::command::render::{check_memory, denoising, planned};
use crate::command::statistics::Statistics;
use renderer_cli::{RenderRequest, SceneRequest, StageArgs};
use renderer_pictures::pictures::Pictures;
use renderer_scene::SceneDesc;
use renderer_support::{Failure, lock};
use renderer_transport::render::{Progress, render};

/// A scene: a file, a text, or a unit or group on a stage.
///
/// The scene is kept for the next picture until a value that changes it differs, so another seed or number of samples
/// needs no loading.
#[derive(Debug)]
pub struct Scene {
    /// The scene and its stage, without values of pictures.
    request: RenderRequest,
    kept: Mutex<KeptScene>,
}

impl Scene {
    /// Reads the scene or model of a file or text, or puts the shader of that name on a stage.
    ///
    /// # Errors
    /// All mistakes in the scene and in the request.
    pub fn open(scene: SceneRequest, stage: StageArgs) -> Result<Scene, Failure> {
        let request = RenderRequest { scene, stage, ..RenderRequest::default() };
        request.check()?;
        let scene = Scene { request, kept: Mutex::default() };
        lock(&scene.kept).described(&scene.request)?;
        Ok(scene)
    }

    /// The request that the scene was opened with.
    pub fn request(&self) -> &SceneRequest {
        &self.request.scene
    }

    /// Warnings about the scene.
    ///
    /// # Errors
    /// As for [`Scene::open`].
    pub fn warnings(&self) -> Result<Diagnostics, Failure> {
        Ok(lock(&self.kept).described(&self.request)?.warnings)
    }

    /// The description of the scene.
    ///
    /// # Errors
    /// As for [`Scene::open`].
    pub fn desc(&self) -> Result<Arc<SceneDesc>, Failure> {
        Ok(lock(&self.kept).described(&self.request)?.desc)
    }

    /// Renders a picture. Values of `picture` replace those of the scene; its file, sources and stage are the scene's.
    ///
    /// # Errors
    /// Mistakes in the request or in the scene; [`Failure::Interrupted`] if the work was stopped before the first sample.
    pub fn render(
        &self,
        picture: &RenderRequest,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<Picture, Failure> {
        picture.check()?;
        let request = self.request.of_picture(picture);
        let mut kept = lock(&self.kept);
        let Described { desc, mut warnings, time: load, .. } = kept.described(&request)?;
        let mut pictures = Pictures::in_memory(denoising(&request, true));
        pictures.check_denoising()?;
        let passes = passes::requested(&request, &mut pictures, &desc)?;
        let (desc, built) = kept.built(&request, &passes)?;
        // Another picture of the scene can start.
        drop(kept);
        warnings.list.extend(built.warnings.list.iter().cloned());
        let (settings, range) = planned(&request, &desc, &built, passes, request.samples.is_some())?;
        check_memory(&settings)?;
        let origin = RenderOrigin::of(&built.scene, &desc.file, &settings);
        resumed_state(None, &origin, &range)?;
        let rendered = render(&built.scene, &settings, progress, stop.flag())?;
        if rendered.state.samples.is_empty() {
            return Err(stop.interrupt().failure());
        }
        let header = origin.header(&rendered.state.integrator, &rendered.state);
        let developed = pictures.develop(&rendered.state.film, &header);
        let statistics = Statistics::new(load, &built, &rendered);
        statistics.warn(&built.scene, &mut warnings);
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
}
