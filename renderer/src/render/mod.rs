//! Rendering: from a scene and a camera to a film, on all threads.
//!
//! The film depends on scene, settings and sample range alone: the same bytes for any number of threads.

mod auto;
mod progress;
mod scheduler;
mod settings;
mod state;
mod tiles;
mod workers;

use std::time::Duration;

use thiserror::Error;

use crate::film::FilmError;
use crate::integrator::photon::PhotonStats;
use crate::integrator::{PrepareError, Stats};
use crate::material::Report;

pub use auto::Decision;
pub use progress::{Progress, Silent};
pub use scheduler::{render, resume};
pub use settings::RenderSettings;
pub use state::RenderState;
pub(crate) use tiles::TILE;

/// What came out.
#[derive(Debug)]
pub struct Rendered {
    /// The render as far as it has come.
    pub state: RenderState,
    /// What was done.
    pub stats: RenderStats,
}

/// What was done for a picture.
#[derive(Clone, Debug, Default)]
pub struct RenderStats {
    /// Samples a pixel, but those of earlier runs.
    pub spp: u64,
    /// Samples of all pixels, but those of earlier runs.
    pub samples: u64,
    /// How long it took, preparations included.
    pub elapsed: Duration,
    /// How much of that the integrator's preparations took.
    pub preparing: Duration,
    /// What the pilot of `auto` has told.
    pub decision: Option<Decision>,
    /// Threads that worked.
    pub threads: usize,
    /// Rays and shading.
    pub work: Stats,
    /// What was done for photon maps, all passes together.
    pub photons: Option<PhotonStats>,
    /// What went wrong in shaders, each place once.
    pub reports: Vec<Report>,
}

/// Why nothing could be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The film cannot be made.
    #[error(transparent)]
    Film(#[from] FilmError),
    /// The integrator cannot have what it needs.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// There are no threads.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// What the system said.
        reason: String,
    },
}
