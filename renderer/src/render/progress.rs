//! Who is told how far a render is.

/// Is told how far a render is, between passes and from the thread that started it, and what shaders print, from any.
pub trait Progress: Sync {
    /// `done` of `total` samples a pixel are taken. The total is what was asked for; a time limit may end it sooner.
    fn advance(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// A shader printed something.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
