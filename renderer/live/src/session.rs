//! State shared by the renderer and the page: the requested look and the newest picture.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::audience::Audience;
use super::look::Look;
use renderer_base::files::{OverlayFiles, SharedFiles};
use renderer_geometry::camera::Camera;
use renderer_image::Image;
use renderer_support::lock;
use renderer_transport::scene::build::Built;

/// A picture that is shown.
pub(super) struct Shown {
    pub(super) image: Image,
    pub(super) scene: Arc<Built>,
    /// The camera for the whole picture.
    pub(super) camera: Camera,
    /// Samples per pixel.
    pub(super) samples: u64,
    /// Seconds since the change that it follows.
    pub(super) seconds: f64,
    pub(super) is_denoised: bool,
    /// Exposure of the film [stops].
    pub(super) exposure: f32,
}

pub(super) struct RequestedLook {
    /// Number of the change that requested it.
    pub(super) change: u64,
    pub(super) look: Look,
    /// Number of changes of files.
    pub(super) files: u64,
    /// The files of the disk with texts that are not saved.
    pub(super) overlay: SharedFiles,
}

/// State of a session.
#[derive(Clone, Default)]
struct State {
    /// The scene or shader, as the command line names it.
    scene: String,
    look: Look,
    /// Number of the newest request, from 1.
    change: u64,
    /// Number of changes of files.
    files: u64,
    /// Texts that are not saved.
    texts: BTreeMap<PathBuf, Arc<[u8]>>,
    /// Version of the displayed state, increased by a new picture or message.
    number: u64,
    shown: Option<Arc<Shown>>,
    /// Number of the change that it is of.
    shown_change: u64,
    /// Mistakes or warnings.
    words: String,
    /// True if the look cannot be rendered.
    is_wrong: bool,
    /// Parameters and choices, as the page has them.
    choices: Json,
    /// Parameters of a scene's materials, by their names.
    materials: Arc<BTreeMap<String, Json>>,
    /// True if pictures can be denoised.
    can_denoise: bool,
}

/// A page with its renderer.
pub(super) struct Session {
    state: Mutex<State>,
    changed: Condvar,
    /// Set when the picture in flight is out of date.
    stop: AtomicBool,
    audience: Audience,
}

/// Interval of checks whether a browser still waits.
const TICK: Duration = Duration::from_millis(500);

impl Session {
    pub(super) fn new(scene: String, look: Look) -> Session {
        let state = State { scene, look, change: 1, ..State::default() };
        Session {
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            audience: Audience::default(),
        }
    }

    /// The browsers that show the page.
    pub(super) fn audience(&self) -> &Audience {
        &self.audience
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Set when the picture in flight is out of date.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Changes the look and restarts the picture.
    pub(super) fn change(&self, change: impl FnOnce(&mut Look)) {
        let mut state = self.state();
        change(&mut state.look);
        self.begin_anew(state);
    }

    /// A file has changed.
    pub(super) fn change_files(&self) {
        let mut state = self.state();
        state.files += 1;
        self.begin_anew(state);
    }

    /// A text of an editor stands for that of a file; without a text the file is as it is on the disk.
    pub(super) fn change_text(&self, file: PathBuf, text: Option<&str>) {
        let mut state = self.state();
        let before = match text {
            Some(text) => state.texts.insert(file.clone(), text.as_bytes().into()),
            None => state.texts.remove(&file),
        };
        if before.as_ref() != state.texts.get(&file) {
            state.files += 1;
            self.begin_anew(state);
        }
    }

    fn begin_anew(&self, mut state: MutexGuard<'_, State>) {
        state.change += 1;
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The files of the disk with texts that are not saved.
    pub(super) fn overlay(&self) -> SharedFiles {
        self.state().overlay()
    }

    /// Returns whether a change is the newest.
    pub(super) fn is_newest(&self, change: u64) -> bool {
        self.state().change == change
    }

    /// Waits for a change other than `last`, and for a browser that shows it.
    pub(super) fn next_change(&self, last: u64) -> RequestedLook {
        let waiting = self.changed.wait_while(self.state(), |state| state.change == last);
        drop(waiting.unwrap_or_else(PoisonError::into_inner));
        self.audience.wait(|| false);
        let state = self.state();
        self.stop.store(false, Ordering::Relaxed);
        RequestedLook {
            change: state.change,
            look: state.look.clone(),
            files: state.files,
            overlay: state.overlay(),
        }
    }

    /// Tells of the shader and its parameters.
    pub(super) fn set_choices(&self, choices: Json) {
        let mut state = self.state();
        state.choices = choices;
    }

    /// Tells of the materials of a scene.
    pub(super) fn set_materials(&self, materials: BTreeMap<String, Json>) {
        self.state().materials = Arc::new(materials);
    }

    /// Tells that pictures can be denoised.
    pub(super) fn can_denoise(&self) {
        self.state().can_denoise = true;
    }

    /// The parameters of a material.
    pub(super) fn material(&self, name: &str) -> Option<Json> {
        self.state().materials.get(name).cloned()
    }

    /// Shows a picture of a change; a picture with `waits` is dropped if there is a newer change. A noisy picture does
    /// not replace a denoised one of its change. `words` are warnings.
    pub(super) fn show(&self, change: u64, shown: Shown, words: &str, waits: bool) {
        let mut state = self.state();
        let is_clean = state.shown.as_ref().is_some_and(|shown| shown.is_denoised);
        let is_step_back = is_clean && !shown.is_denoised && state.shown_change == change;
        if (state.change == change || !waits) && !is_step_back {
            state.shown_change = change;
            state.shown = Some(Arc::new(shown));
            words.clone_into(&mut state.words);
            state.is_wrong = false;
            state.number += 1;
            self.changed.notify_all();
        }
    }

    /// Reports why there is no picture; the last one stays.
    pub(super) fn refuse(&self, words: &str) {
        let mut state = self.state();
        words.clone_into(&mut state.words);
        state.is_wrong = true;
        state.number += 1;
        self.changed.notify_all();
    }

    /// The newest picture.
    pub(super) fn shown(&self) -> Option<Arc<Shown>> {
        self.state().shown.clone()
    }

    /// The requested values of parameters.
    pub(super) fn look(&self) -> Look {
        self.state().look.clone()
    }

    /// Waits for news after `number`, for at most `patience` and until `is_abandoned`. Returns the state of the page, with the
    /// picture if there are news.
    pub(super) fn news(
        &self,
        number: u64,
        patience: Duration,
        is_abandoned: impl Fn() -> bool,
    ) -> (Json, Option<Arc<Shown>>) {
        let end = Instant::now() + patience;
        let state = loop {
            let tick = TICK.min(end.saturating_duration_since(Instant::now()));
            let waiting = self
                .changed
                .wait_timeout_while(self.state(), tick, |state| state.number <= number);
            let (state, _) = waiting.unwrap_or_else(PoisonError::into_inner);
            if state.number > number || Instant::now() >= end {
                break state;
            }
            drop(state);
            if is_abandoned() {
                break self.state();
            }
        };
        let shown = state.shown.as_ref();
        let is_news = state.number > number;
        let news = json!({
            "scene": state.scene,
            "number": state.number,
            "samples": shown.map(|shown| shown.samples),
            "seconds": shown.map(|shown| shown.seconds),
            "size": shown.map(|shown| [shown.image.width, shown.image.height]),
            "full": shown.map(|shown| shown.camera.view().resolution),
            "words": state.words,
            "wrong": state.is_wrong,
            "choices": state.choices,
            "materials": state.materials.keys().collect::<Vec<_>>(),
            "denoised": shown.map(|shown| shown.is_denoised),
            "denoise": state.can_denoise.then_some(state.look.denoise),
            "params": state.look.params,
            "sets": state.look.values(false),
            "on": state.look.on.as_ref().map(ToString::to_string),
            "show": state.look.show,
        });
        (news, state.shown.clone().filter(|_| is_news))
    }
}

impl State {
    fn overlay(&self) -> SharedFiles {
        let mut files = OverlayFiles::new(SharedFiles::default());
        for (path, bytes) in &self.texts {
            files = files.with(path, bytes.clone());
        }
        SharedFiles::new(files)
    }
}
