//! Rendering: from a scene and a camera to a film, on all threads.
//!
//! The film depends on scene, settings and sample range alone: the same bytes for any number of threads.

mod auto;
mod progress;
mod scheduler;
mod tiles;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::camera::Camera;
use crate::film::{Film, FilmError, Filter};
use crate::image::Rect;
use crate::integrator::photon::PhotonStats;
use crate::integrator::{Integrator, PrepareError, Stats};
use crate::material::Report;

pub use auto::Decision;
pub use progress::{Progress, Silent};
pub use scheduler::render;

/// What to render.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// Columns of the whole film.
    pub width: u32,
    /// Rows of the whole film.
    pub height: u32,
    /// The part that is rendered; all of it when `None`.
    pub crop: Option<Rect>,
    /// Whether to keep what the film's variance is computed from.
    pub variance: bool,
    /// The camera, made for this film.
    pub camera: Camera,
    /// The reconstruction filter.
    pub filter: Filter,
    /// Whether samples are taken beyond the borders of what is rendered, as far as the filter reaches.
    pub border: bool,
    /// How light is computed.
    pub integrator: Integrator,
    /// The samples of each pixel, of all that there are.
    pub samples: Range<u64>,
    /// The number that all random numbers follow from.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// When to stop, however many samples there are by then; one at least.
    pub time_limit: Option<Duration>,
    /// Where photon maps are kept from one run to the next.
    pub photon_map: Option<PathBuf>,
}

impl RenderSettings {
    /// What is rendered of the film.
    fn rendered(&self) -> Rect {
        self.crop.unwrap_or(Rect::of_size(self.width, self.height))
    }

    /// How many pixels are rendered.
    fn pixels(&self) -> u64 {
        u64::from(self.rendered().width()) * u64::from(self.rendered().height())
    }

    /// Where on the film samples are taken; everywhere when `None`.
    fn sampled(&self) -> Option<Rect> {
        (!self.border).then(|| self.rendered())
    }
}

/// What came out.
#[derive(Debug)]
pub struct Rendered {
    /// The sums of all samples.
    pub film: Film,
    /// The samples that were taken.
    pub samples: Range<u64>,
    /// What was done.
    pub stats: RenderStats,
}

/// What was done for a picture.
#[derive(Clone, Debug, Default)]
pub struct RenderStats {
    /// Samples a pixel.
    pub spp: u64,
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
