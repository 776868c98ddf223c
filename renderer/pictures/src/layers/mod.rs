//! Layers of a finished picture: from the sums of a film to channels with their names.

mod cryptomatte;
mod develop;
mod layered;

pub use develop::{LayerError, develop};
pub use layered::Layered;
