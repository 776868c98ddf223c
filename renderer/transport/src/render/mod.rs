//! Rendering: drives samplers, cameras and integrators over the tiles of a film, on all threads.
//!
//! The film depends on scene, settings and sample range only: the same bytes for any number of threads.

mod pilot;
mod progress;
mod sample_density;
mod scheduler;
mod settings;
mod state;
mod tiles;
mod workers;

use std::time::Duration;

use thiserror::Error;

use crate::integrator::photon::PhotonStats;
use crate::integrator::{Branching, PrepareError, Stats};
use crate::material::Report;
use renderer_image::film::FilmError;

pub use pilot::Decision;
pub use progress::{Progress, Silent};
pub use sample_density::MAX_RAYS;
pub use scheduler::{render, resume};
pub use settings::{RenderSettings, SampleUnit};
pub use state::RenderState;
pub use tiles::TILE;

/// Result of a render.
#[derive(Debug)]
pub struct Rendered {
    /// The film and how far it got.
    pub state: RenderState,
    /// Statistics.
    pub stats: RenderStats,
}

/// Statistics of a render.
#[derive(Clone, Debug, Default)]
pub struct RenderStats {
    /// Samples per pixel, without those of earlier runs.
    pub spp: u64,
    /// Number of samples that a camera ray counts as.
    pub samples_per_ray: u64,
    /// Camera rays of all pixels, without those of earlier runs.
    pub samples: u64,
    /// Total time, preparation included.
    pub elapsed: Duration,
    /// Time of the integrator's preparation (photon maps).
    pub preparing: Duration,
    /// The decision of `auto`.
    pub decision: Option<Decision>,
    /// Numbers of branches and light samples, and the use of guides.
    pub branching: Branching,
    /// Light that paths cannot find, where `path` was not the choice of a pilot: its root mean square relative to the
    /// picture, if that is seen.
    pub missing_light: Option<f64>,
    /// Expected error of even samples over that of adaptive ones, where these were chosen.
    pub adaptive_gain: Option<f64>,
    /// Number of threads.
    pub threads: usize,
    /// Rays and shading.
    pub work: Stats,
    /// Statistics of photon maps, summed over all passes.
    pub photons: Option<PhotonStats>,
    /// Run-time errors of shaders, one for each source location.
    pub reports: Vec<Report>,
}

/// Error of a render.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The film cannot be made.
    #[error(transparent)]
    Film(#[from] FilmError),
    /// The integrator cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The observer of the render has given up.
    #[error("the render was given up")]
    GivenUp,
    /// The threads could not be started.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// Error message of the operating system.
        reason: String,
    },
}
