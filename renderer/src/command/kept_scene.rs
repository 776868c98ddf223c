//! A scene that is kept from one picture to the next, so that it is read and built once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::Diagnostics;

use renderer_cli::RenderRequest;
use renderer_passes::{Pass, PassSet};
use renderer_scene::{FrameTime, SceneDesc};
use renderer_support::Failure;
use renderer_transport::scene::build::{Built, SceneFrames};

/// The last scene that was rendered, if there is one. Requests that differ in other things than the scene need no reading,
/// and those that differ in the frame reuse what does not change between frames.
#[derive(Debug, Default)]
pub(super) struct KeptScene {
    described: Option<(ReadKey, Described)>,
    frames: Option<(BuildKey, SceneFrames)>,
}

/// Description of a scene.
#[derive(Clone, Debug)]
pub(super) struct Described {
    pub(super) desc: Arc<SceneDesc>,
    pub(super) warnings: Diagnostics,
    /// Time of reading; 0 for the second request and later.
    pub(super) time: Duration,
    /// True unless the request before had the same warnings.
    pub(super) has_new_warnings: bool,
}

/// Values that reading a scene depends on.
#[derive(Clone, Debug, PartialEq)]
struct ReadKey {
    /// See [`RenderRequest::reading`].
    reading: RenderRequest,
    /// The frame, if values of the scene depend on it: [`SceneDesc::has_animated_values`].
    at: Option<FrameTime>,
}

/// Values that building a scene depends on, except for frames that differ only in transforms and vertices.
#[derive(Clone, Debug, PartialEq)]
struct BuildKey {
    read: ReadKey,
    camera: Option<String>,
    threads: usize,
    shader_values: Vec<Pass>,
}

impl ReadKey {
    /// Key of a request whose scene is `desc` at some frame.
    fn new(request: &RenderRequest, desc: &SceneDesc) -> ReadKey {
        let at = request.scene.at.filter(|_| desc.has_animated_values);
        ReadKey { reading: request.reading(), at }
    }
}

impl BuildKey {
    /// Returns whether the scene of this key differs in the values of its frame only.
    fn is_other_frame_of(&self, other: &BuildKey) -> bool {
        let read = ReadKey { at: other.read.at, ..self.read.clone() };
        BuildKey { read, ..self.clone() } == *other
    }
}

impl KeptScene {
    /// The description of the requested scene, at the frame of the first request for it.
    ///
    /// # Errors
    /// Mistakes in the scene or in the request.
    pub(super) fn described(&mut self, request: &RenderRequest) -> Result<Described, Failure> {
        let known = self.described.as_ref();
        if let Some((_, described)) = known.filter(|(key, of)| *key == ReadKey::new(request, &of.desc)) {
            return Ok(described.clone());
        }
        let is_other_frame = known.is_some_and(|(key, _)| key.reading == request.reading());
        let reported = known.map(|(_, described)| described.warnings.clone());
        if !is_other_frame {
            // Memory may not hold two scenes.
            *self = KeptScene::default();
        }
        let start = Instant::now();
        let (desc, warnings) = request.read()?;
        let desc = Arc::new(desc);
        let has_new_warnings = reported.as_ref() != Some(&warnings);
        let kept = Described {
            desc,
            warnings,
            time: Duration::ZERO,
            has_new_warnings: false,
        };
        self.described = Some((ReadKey::new(request, &kept.desc), kept.clone()));
        Ok(Described { time: start.elapsed(), has_new_warnings, ..kept })
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
            read: ReadKey::new(request, &desc),
            camera: request.camera.clone(),
            threads: request.scene.threads(),
            shader_values: passes.shader_values(),
        };
        if self.frames.as_ref().is_none_or(|(known, _)| *known != key) {
            let known = self.frames.take().filter(|(known, _)| known.is_other_frame_of(&key));
            let new = SceneDesc::clone(&desc);
            let frames = match known {
                Some((_, frames)) => frames.with_values(new, &key.shader_values),
                None => SceneFrames::new(new, key.camera.as_deref(), key.threads, &key.shader_values),
            };
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
