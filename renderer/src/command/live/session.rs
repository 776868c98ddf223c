//! What the renderer and the page share: the look that is asked for, and the newest picture.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::look::Look;
use renderer_geometry::camera::Camera;
use renderer_image::Image;
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
}

/// What is known of a look.
#[derive(Clone, Default)]
struct State {
    look: Look,
    /// Number of the change that is asked for, from 1.
    change: u64,
    /// Number of what is shown; another picture or other words have a higher one.
    number: u64,
    shown: Option<Arc<Shown>>,
    /// Mistakes or warnings.
    words: String,
    /// True if the look cannot be rendered.
    is_wrong: bool,
    /// Parameters and choices, as the page has them.
    choices: Json,
}

/// A page with its renderer.
pub(super) struct Session {
    state: Mutex<State>,
    changed: Condvar,
    /// Set when the picture in flight is out of date.
    stop: AtomicBool,
}

impl Session {
    pub(super) fn new(look: Look) -> Session {
        let state = State {
            look,
            change: 1,
            ..State::default()
        };
        Session {
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Set when the picture in flight is out of date.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Changes the look; the picture begins anew, also if a file has changed instead.
    pub(super) fn begin_anew(&self, change: impl FnOnce(&mut Look)) {
        let mut state = self.state();
        change(&mut state.look);
        state.change += 1;
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Waits for another change than the one with that number; returns its number and the look.
    pub(super) fn next_change(&self, last: u64) -> (u64, Look) {
        let waiting = self
            .changed
            .wait_while(self.state(), |state| state.change == last);
        let state = waiting.unwrap_or_else(PoisonError::into_inner);
        self.stop.store(false, Ordering::Relaxed);
        (state.change, state.look.clone())
    }

    /// Tells of the shader and its parameters.
    pub(super) fn set_choices(&self, choices: Json) {
        let mut state = self.state();
        state.choices = choices;
    }

    /// Shows a picture of a change, unless there is a newer change. `words` are warnings.
    pub(super) fn show(&self, change: u64, shown: Shown, words: &str) {
        let mut state = self.state();
        if state.change == change {
            state.shown = Some(Arc::new(shown));
            words.clone_into(&mut state.words);
            state.is_wrong = false;
            state.number += 1;
            self.changed.notify_all();
        }
    }

    /// Says why there is no picture; the last one stays.
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

    /// The values of parameters that are asked for.
    pub(super) fn look(&self) -> Look {
        self.state().look.clone()
    }

    /// Waits for something newer than `number`, or some seconds; returns what the page shows.
    pub(super) fn news(&self, number: u64, patience: Duration) -> Json {
        let waiting = self
            .changed
            .wait_timeout_while(self.state(), patience, |state| state.number <= number);
        let (state, _) = waiting.unwrap_or_else(PoisonError::into_inner);
        let shown = state.shown.as_ref();
        json!({
            "number": state.number,
            "samples": shown.map(|shown| shown.samples),
            "seconds": shown.map(|shown| shown.seconds),
            "size": shown.map(|shown| [shown.image.width, shown.image.height]),
            "words": state.words,
            "wrong": state.is_wrong,
            "choices": state.choices,
            "params": state.look.params,
            "on": state.look.on.as_ref().map(ToString::to_string),
            "show": state.look.show,
        })
    }
}
