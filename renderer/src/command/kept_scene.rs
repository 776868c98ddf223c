//! A scene that is kept from one picture to the next, so that it is read and built once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::Diagnostics;

use renderer_cli::RenderRequest;
use renderer_passes::{Pass, PassSet};
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_transport::scene::build::{Built, SceneFrames};

/// The last scene that was rendered, if there is one. Requests that differ in other things than the scene need no reading,
/// and those that differ in the frame reuse what does not change between frames.
#[derive(Debug, Default)]
pub(super) struct KeptScene {
    described: Option<(RenderRequest, Described)>,
    frames: Option<(BuildKey, SceneFrames)>,
}

/// Description of a scene.
#[derive(Clone, Debug)]
pub(super) struct Described {
    pub(super) desc: Arc<SceneDesc>,
    pub(super) warnings: Diagnostics,
    /// Time of reading; 0 for the second request and later.
    pub(super) time: Duration,
    /// True for the first request.
    pub(super) is_new: bool,
}

/// Values that building a scene depends on, except for the frame.
#[derive(Clone, Debug, PartialEq)]
struct BuildKey {
    /// See [`RenderRequest::reading`].
    reading: RenderRequest,
    camera: Option<String>,
    threads: usize,
    shader_values: Vec<Pass>,
}

impl KeptScene {
    /// The description of the requested scene, at the frame of the first request for it.
    ///
    /// # Errors
    /// Mistakes in the scene or in the request.
    pub(super) fn described(&mut self, request: &RenderRequest) -> Result<Described, Failure> {
        let key = request.reading();
        if let Some((_, described)) = self.described.as_ref().filter(|(known, _)| *known == key) {
            return Ok(described.clone());
        }
        // Memory may not hold two scenes.
        *self = KeptScene::default();
        let start = Instant::now();
        let (desc, warnings) = request.read()?;
        let desc = Arc::new(desc);
        let kept = Described { desc, warnings, time: Duration::ZERO, is_new: false };
        self.described = Some((key, kept.clone()));
        Ok(Described { time: start.elapsed(), is_new: true, ..kept })
    }

    /// The requested scene with the shaders for `passes`, and its description at the frame of the request.
    ///
    /// # Errors
    /// Mistakes in the scene or in the request.
    pub(super) fn built(
        &mut self,
        request: &RenderRequest,
        passes: &PassSet,
    ) -> Result<(Arc<SceneDesc>, Arc<Built>), Failure> {
        let desc = self.described(request)?.desc;
        let key = BuildKey {
            reading: request.reading(),
            camera: request.camera.clone(),
            threads: request.scene.threads(),
            shader_values: passes.shader_values(),
        };
        if self.frames.as_ref().is_none_or(|(known, _)| *known != key) {
            self.frames = None;
            let frames = SceneFrames::new(
                SceneDesc::clone(&desc),
                key.camera.as_deref(),
                key.threads,
                &key.shader_values,
            );
            self.frames = Some((key, frames.map_err(Failure::Mistakes)?));
        }
        let (_, frames) = self.frames.as_mut().expect("the scene is built");
        if let Some(at) = request.scene.at {
            let frame = at.frame(desc.film.shutter.fps);
            frames.set_frame(frame).map_err(Failure::Mistakes)?;
        }
        Ok((frames.desc().clone(), frames.built().clone()))
    }
}
