//! Settings of a render.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use crate::camera::Camera;
use crate::film::{Filter, NoiseGoal};
use crate::image::Rect;
use crate::integrator::{Integrator, PathSettings};
use crate::scene::build::Built;
use crate::scene::desc::SceneDesc;

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
    /// How many samples a pixel there are in all, of which others may be taken elsewhere.
    pub total: u64,
    /// Until which error samples are taken, and where more of them; the same number everywhere when `None`.
    pub noise: Option<NoiseGoal>,
    /// The number that all random numbers follow from.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// When to stop, however many samples there are by then; one at least.
    pub time_limit: Option<Duration>,
    /// Where photon maps are kept from one run to the next.
    pub photon_map: Option<PathBuf>,
    /// Whether samples will be joined with others: then a time limit does not make photon maps smaller.
    pub joins: bool,
}

impl RenderSettings {
    /// What a scene's own description asks for, on all cores.
    pub fn new(desc: &SceneDesc, built: &Built) -> RenderSettings {
        RenderSettings {
            crop: desc.film.crop.map(|crop| crop.value),
            filter: built.filter.clone(),
            border: desc.film.border,
            integrator: built.integrator,
            samples: 0..u64::from(desc.sampler.spp),
            total: u64::from(desc.sampler.spp),
            seed: desc.sampler.seed,
            ..RenderSettings::of_camera(built.camera, desc.film.size.value)
        }
    }

    /// One sample of each pixel by the path tracer, with a filter of one pixel, on all cores.
    pub fn of_camera(camera: Camera, [width, height]: [u32; 2]) -> RenderSettings {
        RenderSettings {
            width,
            height,
            crop: None,
            variance: false,
            camera,
            filter: Filter::pixel(),
            border: true,
            integrator: Integrator::Path(PathSettings::default()),
            samples: 0..1,
            total: 1,
            noise: None,
            seed: 0,
            threads: 0,
            time_limit: None,
            photon_map: None,
            joins: false,
        }
    }

    /// What is rendered of the film.
    pub(crate) fn rendered(&self) -> Rect {
        self.crop.unwrap_or(Rect::of_size(self.width, self.height))
    }

    /// How many pixels are rendered.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.rendered().width()) * u64::from(self.rendered().height())
    }

    /// Where on the film samples are taken; everywhere when `None`.
    pub(super) fn sampled(&self) -> Option<Rect> {
        (!self.border).then(|| self.rendered())
    }
}
