//! Progress callbacks of a render.

use super::{Decision, RenderState};

/// Receives the progress of a render. Called between passes from the thread that started it; `photons` and `print` from
/// any thread.
pub trait Progress: Sync {
    /// `done` of `total` samples of all pixels are taken. The total is what was asked for, or what is expected; a time
    /// limit may end it sooner.
    fn advance(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `done` of `total` photons are shot before samples are taken. There may be several such passes.
    fn photons(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `auto` has chosen an integrator.
    fn decided(&self, decision: &Decision) {
        let _ = decision;
    }

    /// Whether to call `state` now; called after each pass.
    fn wants_state(&self) -> bool {
        false
    }

    /// The intermediate state, if `wants_state` returned `true`. The render waits until it returns.
    fn state(&self, state: &RenderState) {
        let _ = state;
    }

    /// A shader printed something.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
