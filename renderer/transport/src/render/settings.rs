//! Render settings: film size, camera, filter, integrator, sample range, time limit, threads.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use glam::{UVec2, Vec2};

use crate::integrator::{Integrator, PathSettings};
use crate::passes::PassPlan;
use crate::scene::build::Built;
use renderer_base::sampler::Sampler;
use renderer_geometry::SHUTTER_OPEN;
use renderer_geometry::camera::{Camera, FilmSample};
use renderer_image::Rect;
use renderer_image::film::{FilmLayout, Filter, FilterSample, FilterWindow, NoiseGoal};
use renderer_scene::{SceneDesc, ShutterTiming};

/// Settings of a render.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// Columns of the whole film.
    pub width: u32,
    /// Rows of the whole film.
    pub height: u32,
    /// Rendered part; the whole film if `None`.
    pub crop: Option<Rect>,
    /// True if sums of squares are kept, for the variance.
    pub variance: bool,
    /// The passes of the picture, if there are any.
    pub passes: Option<Arc<PassPlan>>,
    /// Camera, for this film.
    pub camera: Camera,
    /// True if the scene or the camera moves, so that each sample has a time.
    pub is_moving: bool,
    /// Distribution of those times.
    pub shutter: ShutterTiming,
    /// The reconstruction filter.
    pub filter: Filter,
    /// True if samples are also taken outside the rendered part, up to the filter's radius.
    pub border: bool,
    /// The integrator.
    pub integrator: Integrator,
    /// Range of sample numbers to take at each pixel, of `total`.
    pub samples: Range<u64>,
    /// Total number of samples per pixel, of which others may be taken by other runs.
    pub total: u64,
    /// Unit of the sample counts.
    pub unit: SampleUnit,
    /// Maximum number of paths that a camera ray counts as, in the render that this one continues; from `total` if `None`.
    pub max_paths_per_ray: Option<u64>,
    /// True if noisier pixels have more rays per sample.
    pub adaptive: bool,
    /// Adaptive sampling towards a goal: the error to reach; `None` for the same number of samples at every pixel.
    pub noise: Option<NoiseGoal>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// Time limit; at least one sample per pixel is taken.
    pub time_limit: Option<Duration>,
    /// File of the photon maps, reused between runs; a time limit then does not reduce them.
    pub photon_map: Option<PathBuf>,
    /// True if the samples will be merged with those of other runs; a time limit then does not reduce the photon maps.
    pub joins: bool,
}

/// Unit of the number of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleUnit {
    /// Camera rays, regardless of branches and light samples.
    #[default]
    CameraRay,
    /// Paths, as in renderers whose paths do not branch: a camera ray whose branches and light samples cost as much as `n`
    /// paths counts as `n` samples, and a render of `total` samples costs about `total` paths per pixel. Renders towards a
    /// noise goal count camera rays.
    Path,
}

/// Maximum number of branches and light samples.
pub(super) const MAX_BRANCHES: u64 = 8;

/// Minimum number of camera rays per pixel with branches, for edges and lenses.
const MIN_RAYS: u64 = 8;

impl RenderSettings {
    /// Number of paths, if each camera ray counts as one.
    pub(super) fn paths(&self) -> u64 {
        self.total.saturating_mul(self.pixels())
    }

    /// Time limit that influences choices; `None` for samples that are merged with those of other runs, whose choices must be
    /// equal.
    pub(super) fn deciding_limit(&self) -> Option<Duration> {
        self.time_limit.filter(|_| !self.joins)
    }

    /// Maximum number of paths that a camera ray counts as, a power of two.
    pub fn max_paths_per_ray(&self) -> u64 {
        match self.unit {
            SampleUnit::CameraRay => 1,
            SampleUnit::Path if self.noise.is_some() => 1,
            SampleUnit::Path => {
                let fits = self.max_paths_per_ray.unwrap_or(self.total / MIN_RAYS);
                1 << fits.clamp(1, MAX_BRANCHES).ilog2()
            }
        }
    }

    /// Maximum number of branches and light samples for pilots.
    pub(super) fn max_branches(&self) -> u32 {
        match self.max_paths_per_ray() {
            1 if self.unit == SampleUnit::CameraRay || self.noise.is_some() => MAX_BRANCHES as u32,
            most => most as u32,
        }
    }

    /// The settings in a scene's description, with one thread per core.
    pub fn new(desc: &SceneDesc, built: &Built) -> RenderSettings {
        RenderSettings {
            crop: desc.film.crop.map(|crop| crop.value),
            filter: built.filter.clone(),
            border: desc.film.border,
            integrator: built.integrator,
            samples: 0..u64::from(desc.sampler.spp),
            total: u64::from(desc.sampler.spp),
            seed: desc.frame_seed(None),
            adaptive: desc.sampler.adaptive,
            is_moving: built.scene.is_moving() || built.camera.is_moving(),
            shutter: desc.film.shutter_timing.clone(),
            ..RenderSettings::of_camera(built.camera.clone(), desc.film.size.value)
        }
    }

    /// One sample of each pixel by the path tracer, with a filter of one pixel, on all cores.
    pub fn of_camera(camera: Camera, [width, height]: [u32; 2]) -> RenderSettings {
        RenderSettings {
            width,
            height,
            crop: None,
            variance: false,
            passes: None,
            is_moving: camera.is_moving(),
            shutter: ShutterTiming::default(),
            camera,
            filter: Filter::pixel(),
            border: true,
            integrator: Integrator::Path(PathSettings::default()),
            samples: 0..1,
            total: 1,
            unit: SampleUnit::CameraRay,
            max_paths_per_ray: None,
            adaptive: true,
            noise: None,
            seed: 0,
            threads: 0,
            time_limit: None,
            photon_map: None,
            joins: false,
        }
    }

    /// Additional data of the film.
    pub(super) fn layout(&self) -> FilmLayout {
        let layout = self.passes.as_ref().map_or(FilmLayout::default(), |plan| plan.layout());
        FilmLayout { variance: self.variance || layout.variance, ..layout }
    }

    /// The rendered rectangle of the film.
    pub fn rendered(&self) -> Rect {
        self.crop.unwrap_or(Rect::of_size(self.width, self.height))
    }

    /// Number of rendered pixels.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.rendered().width()) * u64::from(self.rendered().height())
    }

    /// Samples the film about a pixel; returns the sample with the filter weight.
    #[inline(always)]
    pub(super) fn film_sample(
        &self,
        pixel: UVec2,
        window: &FilterWindow,
        sampler: &mut Sampler,
    ) -> (FilmSample, f32) {
        let center = pixel.as_vec2() + 0.5;
        let FilterSample { offset, weight } = self.filter.sample_within(window, sampler.next_2d());
        (self.sample_at(center + offset, sampler), weight)
    }

    /// Samples the lens and the time at a film point [pixels]. A scene without motion consumes no number for the time.
    #[inline(always)]
    pub(super) fn sample_at(&self, point: Vec2, sampler: &mut Sampler) -> FilmSample {
        let lens_u = sampler.next_2d();
        let time = match self.is_moving {
            true => self.shutter.time(sampler.next_1d(), point.y / self.height as f32),
            false => SHUTTER_OPEN,
        };
        FilmSample { point, lens_u, time }
    }

    /// Part of the film in which samples are taken; `None` for everywhere.
    pub(super) fn sampled(&self) -> Option<Rect> {
        (!self.border).then(|| self.rendered())
    }
}
