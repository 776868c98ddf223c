//! Pilots: a few samples of pixels spread over the film, taken before rendering.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::UVec2;
use rayon::prelude::*;

use crate::integrator::{Context, Stats};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_geometry::camera::CameraRay;
use renderer_image::Rect;

/// Maximum number of pixels of a pilot along the longer side of its rectangle.
const MAX_SIDE: u32 = 40;

/// Maximum number of pixels of a pilot.
pub(super) const MAX_PIXELS: u64 = (MAX_SIDE * MAX_SIDE) as u64;

/// Separates the random numbers of pilots from those of the picture.
const SALT: u64 = 0x70_69_6c_6f_74;

/// The pixels of a pilot: a regular grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelGrid {
    rect: Rect,
    /// Distance of neighbours in pixels.
    step: u32,
}

impl PixelGrid {
    /// Pixels spread over `rect`, at least `step` apart, at most about `most`.
    pub(super) fn new(rect: &Rect, step: u32, most: u64) -> PixelGrid {
        let (width, height) = (rect.width(), rect.height());
        let area = f64::from(width) * f64::from(height);
        let sparse = (area / most.max(1) as f64).sqrt().ceil() as u32;
        let step = width.max(height).div_ceil(MAX_SIDE).max(step).max(sparse);
        PixelGrid { rect: *rect, step }
    }

    fn pixels(self) -> Vec<UVec2> {
        let (width, height) = (self.rect.width(), self.rect.height());
        let corner = UVec2::new(self.rect.x0, self.rect.y0);
        let last = UVec2::new(width, height) - 1;
        (0..height.div_ceil(self.step))
            .flat_map(|y| (0..width.div_ceil(self.step)).map(move |x| UVec2::new(x, y)))
            .map(|cell| corner + (cell * self.step + self.step / 2).min(last))
            .collect()
    }
}

/// Measurements at the pixels of a pilot, and their work.
pub(crate) struct Pilot<T> {
    pub(crate) pixels: Vec<T>,
    pub(crate) work: Stats,
}

impl<T: Send + Default> Pilot<T> {
    /// Measures the pixels of a grid on the current `rayon` pool; the result does not depend on the number of threads. `measure`
    /// receives a function from sample index to camera ray and sampler. If `stop` is set, the result is invalid.
    pub(super) fn new(
        scene: &Scene,
        settings: &RenderSettings,
        grid: PixelGrid,
        stop: &AtomicBool,
        measure: impl Fn(&dyn Fn(u64, &mut Context) -> (CameraRay, Sampler), &mut Context) -> T + Sync,
    ) -> Pilot<T> {
        Pilot::at(scene, settings, &grid.pixels(), |place, sampler, context| {
            if stop.load(Ordering::Relaxed) {
                return T::default();
            }
            let sample =
                |index, context: &mut Context| sample((scene, settings), place, index, *sampler, context);
            measure(&sample, context)
        })
    }
}

impl<T: Send> Pilot<T> {
    /// Measures these pixels. `measure` receives a pixel and the sampler of the pilot.
    pub(crate) fn at(
        scene: &Scene,
        settings: &RenderSettings,
        places: &[UVec2],
        measure: impl Fn(UVec2, &mut Sampler, &mut Context) -> T + Sync,
    ) -> Pilot<T> {
        let rows: Vec<(Vec<T>, Stats)> = places
            .par_chunks(MAX_SIDE as usize)
            .map_init(
                || (Context::new(scene), Sampler::new(settings.seed ^ SALT)),
                |(context, sampler), places| {
                    context.stats = Stats::default();
                    let pixels = places.iter().map(|&place| measure(place, sampler, context));
                    (pixels.collect(), context.stats)
                },
            )
            .collect();
        let mut pilot = Pilot { pixels: vec![], work: Stats::default() };
        for (pixels, work) in rows {
            pilot.pixels.extend(pixels);
            pilot.work.merge(&work);
        }
        pilot
    }
}

/// The camera ray of a sample at a pixel, and the sampler after it.
fn sample(
    (scene, settings): (&Scene, &RenderSettings),
    place: UVec2,
    index: u64,
    mut sampler: Sampler,
    context: &mut Context,
) -> (CameraRay, Sampler) {
    sampler.start(place, index);
    let film = place.as_vec2() + sampler.next_2d();
    let film_sample = settings.sample_at(film, &mut sampler);
    (scene.camera_ray(&settings.camera, &film_sample, &mut context.shading), sampler)
}
