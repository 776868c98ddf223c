//! How the paths of `path` are traced, where its settings do not say: a short pilot weighs variances against costs.
//!
//! - Branches: the variance of what precedes the split (camera, light straight from lights) and of what follows it
//!   against the costs of both.
//! - Guides, where indirect light makes the noise: guides are made of a few photons, and the paths that they guide show
//!   what the same light would have as variance without them. Rare bright paths, which guides find and a pilot of other
//!   paths misses, are counted so.
//!
//! Measured time would make the image depend on the machine and its load, so cost is counted in rays.
// Bolin & Meyer 1997, "An Error Metric for Monte Carlo Ray Tracing", section 3: the optimal splitting ratio.

use super::RenderSettings;
use super::pilot::Pilot;
use crate::color::Rgb;
use crate::image::Rect;
use crate::integrator::photon::GuideField;
use crate::integrator::{Collect, Label, Pass, PathSettings, Prepared};
use crate::scene::Scene;

/// Distance of the pilot's pixels on small films, so that it takes no longer than one sample of each.
const STEP: u32 = 4;

/// Samples of each of the pilot's pixels.
const SAMPLES: u64 = 8;

/// The most branches: with more, edges and lenses have too few samples.
const MOST: u32 = 4;

/// Cost of making a camera ray and adding its sample to the film, in rays.
const CAMERA: f64 = 1.0;

/// Cost of a guided ray, in rays.
const GUIDED: f64 = 1.3;

/// The pilot's guides are made of one photon for so many that the picture's are made of, and of so many at most: shaders
/// may be slow.
const FEWER_PHOTONS: u64 = 4;
const MOST_PHOTONS: u64 = 1 << 16;

/// Share of the pixels, those of the largest errors, that is left out: a few rare paths must not decide.
const OUTLIERS: f64 = 0.01;

/// The settings with the branches and guides that are best, where they are not given. Decides on the `rayon` pool that
/// it is called in; the same for any number of threads, any crop and any range of samples.
pub(super) fn chosen(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> PathSettings {
    if path.depth.is_some_and(|depth| depth <= 2) {
        return PathSettings {
            split: path.split.or(Some(1)),
            guide: path.guide.or(Some(false)),
            ..*path
        };
    }
    if path.split.is_some() && path.guide.is_some() {
        return *path;
    }
    let in_two = PathSettings {
        split: Some(2),
        ..*path
    };
    let plain = Errors::new(scene, settings, &Prepared::Path(in_two), 1.0);
    let split = path.split.unwrap_or_else(|| plain.best_split());
    let guides_pay = || {
        let guided = PathSettings {
            guide: Some(true),
            ..in_two
        };
        let guided = Errors::new(scene, settings, &prepare(scene, &guided, pass), GUIDED);
        let unguided = Errors {
            before: guided.before,
            after: guided.after + guided.spared,
            ..plain
        };
        guided.work(split) < unguided.work(split)
    };
    PathSettings {
        split: Some(split),
        guide: path
            .guide
            .or_else(|| Some(plain.best_split() == MOST && guides_pay())),
        ..*path
    }
}

/// Paths for a pilot, as settings without choices left ask for them.
pub(super) fn prepare(scene: &Scene, path: &PathSettings, pass: &Pass<'_>) -> Prepared {
    if path.guide != Some(true) {
        return Prepared::Path(*path);
    }
    // No deadline: what a pilot chooses must not depend on the machine's load.
    let pass = Pass { until: None, ..*pass };
    let photons = (GuideField::photons(&pass) / FEWER_PHOTONS).min(MOST_PHOTONS);
    Prepared::Guided(*path, Box::new(GuideField::prepare(path, scene, &pass, photons)))
}

/// The relative variance of a sample and its cost in rays: of what precedes the split, and of a branch that follows.
#[derive(Clone, Copy, Debug)]
struct Errors {
    before: f64,
    after: f64,
    /// Variance of a branch that guides spare.
    spared: f64,
    cost_before: f64,
    cost_after: f64,
}

impl Errors {
    /// Measures paths of two branches; `ray` is the cost of a ray.
    fn new(scene: &Scene, settings: &RenderSettings, in_two: &Prepared, ray: f64) -> Errors {
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
        let mut errors: Vec<[f64; 3]> = pilot.pixels.iter().map(|pixel| pixel.errors(mean)).collect();
        errors.sort_by(|[_, a, _], [_, b, _]| a.total_cmp(b));
        errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
        let [before, after, spared] =
            std::array::from_fn(|part| errors.iter().map(|error| error[part]).sum::<f64>());
        // Before the split there is the camera's ray, and one to a light.
        let rays_before = 1.0 + split;
        Errors {
            before: before.max(1e-3 * after),
            after,
            spared,
            cost_before: CAMERA + rays_before,
            cost_after: ray * 0.5 * (rays - rays_before),
        }
    }

    /// The number of branches with the least work.
    fn best_split(&self) -> u32 {
        let best = (self.after * self.cost_before / (self.before * self.cost_after)).sqrt();
        // Sobol' points are spread best over powers of two.
        1 << best.log2().clamp(0.0, f64::from(MOST.ilog2())).round() as u32
    }

    /// Variance times cost of samples of so many branches.
    fn work(&self, split: u32) -> f64 {
        let split = f64::from(split);
        (self.before + self.after / split) * (self.cost_before + self.cost_after * split)
    }
}

/// Luminance of a sample: before the split, and of two branches.
#[derive(Default)]
struct Parts {
    light: [f64; 3],
    part: usize,
    spared: f64,
}

impl Collect for Parts {
    fn add(&mut self, label: Label, radiance: Rgb) {
        let luminance = f64::from(radiance.luminance());
        self.light[self.part] += luminance;
        self.spared += luminance * luminance * f64::from(label.preference - 1.0);
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
    /// Squares that guides spare: by BSDF sampling alone the light of a path is as many times brighter and rarer as guides
    /// prefer it, so that its expected square is so many times larger.
    spared: f64,
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
            self.spared += parts.spared;
        }
        self.split += f64::from(parts.part.min(1) as u8);
    }

    fn mean(&self) -> f64 {
        self.sum / SAMPLES as f64
    }

    /// Relative variance of a sample that precedes the split, that of a single branch, and what guides spare of it, in a
    /// picture of this mean.
    fn errors(&self, mean: f64) -> [f64; 3] {
        let n = SAMPLES as f64;
        let scale = 1.0 / (self.mean().powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE);
        let both = (self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0);
        // Each of two branches has half of the light.
        let of_two = self.differences / n;
        [both - of_two, 2.0 * of_two, 2.0 * self.spared / n].map(|part| scale * part)
    }
}
