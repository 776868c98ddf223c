//! Who watches a render: the progress bar and, if there is one, the viewer that shows the picture.

use super::preview::Preview;
use super::progress::Bar;
use crate::render::{Decision, Progress, RenderState};

/// All who watch a render.
pub(super) struct Watch<'a> {
    pub(super) bar: &'a Bar,
    pub(super) preview: Option<&'a Preview>,
}

impl Progress for Watch<'_> {
    fn advance(&self, done: u64, total: u64) {
        self.bar.advance(done, total);
    }

    fn photons(&self, done: u64, total: u64) {
        self.bar.photons(done, total);
    }

    fn decided(&self, decision: &Decision) {
        self.bar.decided(decision);
    }

    fn wants_state(&self) -> bool {
        self.preview.is_some_and(Preview::wants_film)
    }

    fn state(&self, state: &RenderState) {
        if let Some(preview) = self.preview {
            preview.show(&state.film);
        }
    }

    fn print(&self, text: &str) {
        self.bar.print(text);
    }
}
