//! Progress callbacks of a bake.

/// Receives the progress of a bake; called from any thread.
pub trait BakeProgress: Sync {
    /// `done` of `total` photons are shot.
    fn photons(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `done` of `total` texels, vertices or probes are baked.
    fn points(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `done` of `total` texels have their features.
    fn texels(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Something failed that the bake can do without.
    fn warn(&self, text: &str) {
        let _ = text;
    }

    /// A shader printed something.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl BakeProgress for Silent {}
