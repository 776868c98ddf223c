//! Number of samples that fits a time limit, so that pilots and branches suit it. A time limit makes the picture depend on the
//! machine anyway.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::pixels::{MAX_PIXELS, Pilot, PixelGrid};
use crate::integrator::{Integrator, PathSettings, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_image::Rect;

/// Samples of each pixel of the pilot, and number of timings: first lookups create the levels of textures.
const SAMPLES: u64 = 2;
const TIMES: usize = 2;

/// Reduces the total number of samples to those that fit the time limit; removes the limit if all of them fit. Measures plain
/// paths on the current `rayon` pool.
pub(crate) fn fitted(
    scene: &Scene,
    settings: &RenderSettings,
    limit: Duration,
    stop: &AtomicBool,
) -> RenderSettings {
    let path = match settings.integrator {
        Integrator::Path(path) | Integrator::Auto(path) => path,
        Integrator::Photon(photon) => PathSettings { depth: photon.depth, ..PathSettings::default() },
    };
    let paths = Prepared::Path(path).with_counts(1, 1);
    let film = Rect::of_size(settings.width, settings.height);
    let grid = PixelGrid::new(&film, 1, MAX_PIXELS);
    let timed = || {
        let begin = Instant::now();
        let pilot = Pilot::new(scene, settings, grid, stop, |sample, context| {
            let light = (0..SAMPLES).map(|index| {
                let (ray, mut sampler) = sample(index, context);
                paths.li(scene, &ray, &mut sampler, context).luminance()
            });
            light.sum::<f32>()
        });
        begin.elapsed().as_secs_f64() / (pilot.pixels.len().max(1) as u64 * SAMPLES) as f64
    };
    let each = (0..TIMES).map(|_| timed()).fold(f64::INFINITY, f64::min);
    let fit = limit.as_secs_f64() / (each * settings.pixels() as f64);
    let fit = fit as u64;
    RenderSettings {
        total: settings.total.min(fit),
        time_limit: settings.time_limit.filter(|_| fit < settings.total),
        ..settings.clone()
    }
}
