//! How many branches the paths of `path` split into: a short pilot weighs the variance of what precedes the split
//! (camera, light straight from lights) and of what follows it against the costs of both.
//!
//! Measured time would make the image depend on the machine and its load, so cost is counted in rays.
// Bolin & Meyer 1997, "An Error Metric for Monte Carlo Ray Tracing", section 3: the optimal splitting ratio.

use super::RenderSettings;
use super::pilot::Pilot;
use crate::color::Rgb;
use crate::image::Rect;
use crate::integrator::{Collect, Label, PathSettings, Prepared};
use crate::scene::Scene;

/// Distance of the pilot's pixels on small films, so that it takes no longer than one sample of each.
const STEP: u32 = 4;

/// Samples of each of the pilot's pixels.
const SAMPLES: u64 = 8;

/// The most branches, as a power of two: with more, edges and lenses have too few samples.
const MOST: f64 = 2.0;

/// Cost of making a camera ray and adding its sample to the film, in rays.
const CAMERA: f64 = 1.0;

/// Share of the pixels, those of the largest errors, that is left out: a few rare paths must not decide.
const OUTLIERS: f64 = 0.01;

/// The settings with the number of branches that is best, if none is given.
pub(super) fn split(scene: &Scene, settings: &RenderSettings, path: &PathSettings) -> PathSettings {
    PathSettings {
        split: path.split.or_else(|| Some(branches(scene, settings, path))),
        ..*path
    }
}

/// Decides for a render, on the `rayon` pool that it is called in; the same for any number of threads, any crop and any
/// range of samples.
fn branches(scene: &Scene, settings: &RenderSettings, path: &PathSettings) -> u32 {
    if path.depth.is_some_and(|depth| depth <= 2) {
        return 1;
    }
    let in_two = Prepared::Path(PathSettings {
        split: Some(2),
        ..*path
    });
    let film = Rect::of_size(settings.width, settings.height);
    let pilot = Pilot::new(scene, settings, &film, STEP, |sample, context| {
        let mut pixel = Pixel::default();
        for index in 0..SAMPLES {
            let (ray, mut sampler) = sample(index);
            let mut parts = Parts::default();
            in_two.collect(scene, &ray, &mut sampler, context, &mut parts);
            pixel.add(&parts);
        }
        pixel
    });
    let samples = (pilot.pixels.len() as u64 * SAMPLES) as f64;
    let rays = pilot.work.rays() as f64 / samples;
    let split = pilot.pixels.iter().map(|pixel| pixel.split).sum::<f64>() / samples;
    let mean = pilot.pixels.iter().map(Pixel::mean).sum::<f64>() / pilot.pixels.len() as f64;
    let mut errors: Vec<(f64, f64)> = pilot.pixels.iter().map(|pixel| pixel.errors(mean)).collect();
    errors.sort_by(|a, b| a.1.total_cmp(&b.1));
    errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
    let sum = |part: fn(&(f64, f64)) -> f64| errors.iter().map(part).sum::<f64>();
    let (before, after) = (sum(|error| error.0), sum(|error| error.1));
    // Before the split there is the camera's ray, and one to a light.
    let cost_before = 1.0 + split;
    let cost_after = 0.5 * (rays - cost_before);
    let best = (after * (CAMERA + cost_before) / (before.max(1e-3 * after) * cost_after)).sqrt();
    // Sobol' points are spread best over powers of two.
    1 << best.log2().clamp(0.0, MOST).round() as u32
}

/// Luminance of a sample: before the split, and of two branches.
#[derive(Default)]
struct Parts {
    light: [f64; 3],
    part: usize,
}

impl Collect for Parts {
    fn add(&mut self, _: Label, radiance: Rgb) {
        self.light[self.part] += f64::from(radiance.luminance());
    }

    fn next_branch(&mut self) {
        self.part += 1;
    }
}

/// Sums over the samples of a pixel.
#[derive(Default)]
struct Pixel {
    sum: f64,
    squares: f64,
    /// Squares of the differences between both branches.
    differences: f64,
    /// Samples that have been split.
    split: f64,
}

impl Pixel {
    fn add(&mut self, parts: &Parts) {
        let [before, a, b] = parts.light;
        let all = before + a + b;
        if all.is_finite() {
            self.sum += all;
            self.squares += all * all;
            self.differences += (a - b).powi(2);
        }
        self.split += f64::from(parts.part.min(1) as u8);
    }

    fn mean(&self) -> f64 {
        self.sum / SAMPLES as f64
    }

    /// Relative variance of a sample that precedes the split, and that of a single branch, in a picture of this mean.
    fn errors(&self, mean: f64) -> (f64, f64) {
        let n = SAMPLES as f64;
        let scale = 1.0 / (self.mean().powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE);
        let both = (self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0);
        // Each of two branches has half of the light.
        let of_two = self.differences / n;
        (scale * (both - of_two), scale * 2.0 * of_two)
    }
}
