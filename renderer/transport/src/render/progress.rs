//! Progress callbacks of a render.

use super::{Decision, RenderState};
use renderer_image::film::{Film, FilmTile};

/// Is told how far a render is, between passes and from the thread that started it; how far a photon pass is, which tiles
/// are finished and what shaders print, from any.
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

    /// Whether tiles are wanted as they are finished in a pass. It is asked from any thread, once a tile.
    fn wants_tiles(&self) -> bool {
        false
    }

    /// A tile is finished in the pass under way: it has samples that the film has not. Other threads go on meanwhile.
    fn tile(&self, film: &Film, tile: &FilmTile) {
        let _ = (film, tile);
    }

    /// Whether the picture is wanted now. It is asked after each pass.
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
