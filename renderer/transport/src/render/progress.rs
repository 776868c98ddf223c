//! Progress callbacks of a render.

use super::{Decision, RenderState};
use renderer_image::film::{Film, FilmTile};

/// Observer of a render. Progress of samples is reported between passes, from the thread that started the render;
/// progress of photons, finished tiles and printed text are reported from any thread.
pub trait Progress: Sync {
    /// `done` of `total` samples of all pixels are taken. The total is the requested or the expected number; a time
    /// limit may end the render sooner.
    fn advance(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `done` of `total` photons are shot before the samples. There may be several such passes.
    fn photons(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `auto` has chosen an integrator.
    fn decided(&self, decision: &Decision) {
        let _ = decision;
    }

    /// Returns whether `tile` is to be called for the tiles of the current pass. Called from any thread, once per tile.
    fn wants_tiles(&self) -> bool {
        false
    }

    /// A tile of the current pass is finished; the film does not yet contain its samples. Other threads continue.
    fn tile(&self, film: &Film, tile: &FilmTile) {
        let _ = (film, tile);
    }

    /// Returns whether `state` is to be called now. Called after each pass.
    fn wants_state(&self) -> bool {
        false
    }

    /// The intermediate state, if `wants_state` returned `true`. The render waits until it returns.
    fn state(&self, state: &RenderState) {
        let _ = state;
    }

    /// Returns whether the picture is no longer needed; the render then ends as soon as possible, with
    /// [`RenderError::GivenUp`](super::RenderError::GivenUp). Called from any thread, once per tile.
    fn gives_up(&self) -> bool {
        false
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
