//! Numbers of branches and light samples at the first scattering vertex, from the variances and costs of the parts of a sample.
//!
//! Measured time would make the image depend on the machine and its load, so cost is counted in rays.
// Bolin & Meyer 1997, "An Error Metric for Monte Carlo Ray Tracing", section 3: the optimal splitting ratio.

use std::f64::consts::SQRT_2;
use std::sync::atomic::AtomicBool;

use super::pixels::{Pilot, PixelGrid};
use crate::integrator::{Contribution, Prepared, RadianceSink};
use crate::radiance::BranchEvent;
use crate::render::RenderSettings;
use crate::render::settings::MAX_BRANCHES;
use crate::scene::Scene;
use renderer_base::color::Rgb;

/// Distance of the pilot's pixels on small films; the pilot then costs no more than one sample per pixel.
pub(super) const STEP: u32 = 4;

/// Samples of each of the pilot's pixels.
pub(super) const SAMPLES: u64 = 8;

/// Candidate numbers of branches and light samples. With more, edges and lenses have too few samples; Sobol' points are
/// distributed best over powers of two.
const COUNTS: [u32; 4] = [1, 2, 4, MAX_BRANCHES as u32];

/// Work that counts as minimal, relative to the minimum.
pub(super) const TOLERANCE: f64 = 1.03;

/// The tolerance for branches of paths: over five rooms modelled by others and four shipped scenes, pictures needed 0.8 to 1.4
/// times the predicted work, 1.1 in the mean.
pub(super) const PATH_TOLERANCE: f64 = 1.1;

/// Share of the variance of camera rays and light samples that remains with stratification; they use the first dimensions of
/// the sampler.
const STRATIFIED_VARIANCE: f64 = 0.5;

/// Share of the pixels with the largest errors, which are excluded: a few rare paths must not decide.
pub(super) const OUTLIERS: f64 = 0.01;

/// Costs of the parts of a sample, in rays of plain paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Camera ray: generation, tracing, lookups at its hit, and film.
    camera: f64,
    /// Light sample with its shadow ray.
    light_sample: f64,
    /// Ray of a branch.
    ray: f64,
}

/// Medians over the shipped scenes and eight rooms modelled by others: camera rays and their shadow rays are coherent, rays of
/// branches are not.
pub(super) const PLAIN: Costs = Costs { camera: 1.3, light_sample: 0.5, ray: 1.0 };

pub(super) const GUIDED: Costs = Costs { ray: 1.3, ..PLAIN };

/// Final gathering: a caustic lookup at the camera ray's hit, an irradiance lookup at each gather ray's hit.
pub(super) const GATHERED: Costs = Costs { camera: 2.4, light_sample: 0.9, ray: 1.5 };

/// Guided gathering: a guide lookup at the camera ray's hit, guide sampling for each gather ray.
pub(super) const GUIDED_GATHERED: Costs = Costs { camera: 3.0, light_sample: 0.9, ray: 2.2 };

/// Numbers of branches and light samples at the first scattering vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) branches: u32,
    pub(super) light_samples: u32,
}

/// Relative variances of the parts of a sample, and their costs in rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    /// Variance of the camera ray.
    pub(super) camera: f64,
    /// Variance of a light sample.
    pub(super) light_sample: f64,
    /// Variance of a branch.
    pub(super) branch: f64,
    /// Variance of a branch that guides remove.
    spared: f64,
    cost_of_camera: f64,
    cost_of_light_sample: f64,
    cost_of_branch: f64,
}

/// Measures paths of two light samples and two branches.
pub(super) fn measured(
    scene: &Scene,
    settings: &RenderSettings,
    grid: PixelGrid,
    in_two: &Prepared,
    stop: &AtomicBool,
) -> Pilot<Pixel> {
    Pilot::new(scene, settings, grid, stop, |sample, context| {
        let mut pixel = Pixel::default();
        for index in 0..SAMPLES {
            let (ray, mut sampler) = sample(index, context);
            let mut parts = Parts::default();
            in_two.trace(scene, &ray, &mut sampler, context, &mut parts);
            pixel.add(&parts);
        }
        pixel
    })
}

/// Events that the samples of a pilot find if there are this many; rarer ones are estimated from photons.
const FOUND_EVENTS: f64 = 100.0;

/// Least value of a contribution that is so rare that the samples of a pilot of these pixels miss it, although it matters for
/// the mean.
pub(super) fn rare_radiance(brightness: &[f64]) -> f64 {
    brightness.iter().sum::<f64>() * SAMPLES as f64 / FOUND_EVENTS
}

/// Sum of variances relative to the brightness of the pixels.
pub(super) fn relative(brightness: &[f64], variances: &[f64]) -> f64 {
    let mean = mean_of(brightness);
    let pixels = brightness.iter().zip(variances);
    pixels.map(|(&pixel, variance)| scale(pixel, mean) * variance).sum()
}

fn mean_of(brightness: &[f64]) -> f64 {
    brightness.iter().sum::<f64>() / brightness.len().max(1) as f64
}

/// Factor from the variance of a pixel to its relative variance, in a picture with this mean.
fn scale(pixel: f64, mean: f64) -> f64 {
    1.0 / (pixel.powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE)
}

impl Pilot<Pixel> {
    /// Mean luminance of each pixel.
    pub(super) fn brightness(&self) -> Vec<f64> {
        self.pixels.iter().map(Pixel::mean).collect()
    }
}

impl Errors {
    /// Relative variances of a pilot of [`measured`], with these costs of the parts.
    pub(super) fn of(pilot: &Pilot<Pixel>, costs: Costs) -> Errors {
        Errors::relative_to(&pilot.brightness(), pilot, costs)
    }

    /// Variances relative to this brightness of the pixels.
    pub(super) fn relative_to(brightness: &[f64], pilot: &Pilot<Pixel>, costs: Costs) -> Errors {
        let samples = (pilot.pixels.len() as u64 * SAMPLES) as f64;
        let rays = pilot.work.rays() as f64 / samples;
        let continued = (pilot.work.indirect_rays + pilot.work.gather_rays) as f64 / samples;
        let split = pilot.pixels.iter().map(|pixel| pixel.split).sum::<f64>() / samples;
        let mean = mean_of(brightness);
        let pixels = pilot.pixels.iter().zip(brightness);
        let mut errors: Vec<[f64; 4]> = pixels.map(|(pixel, &of)| pixel.errors(scale(of, mean))).collect();
        let after_camera = |error: &[f64; 4]| error[1] + error[2];
        errors.sort_by(|a, b| after_camera(a).total_cmp(&after_camera(b)));
        errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
        let [camera, light_sample, branch, spared] =
            std::array::from_fn(|part| errors.iter().map(|error| error[part]).sum::<f64>());
        Errors {
            camera: (STRATIFIED_VARIANCE * camera).max(1e-3 * (light_sample + branch)),
            light_sample: STRATIFIED_VARIANCE * light_sample,
            branch,
            spared,
            cost_of_camera: costs.camera,
            cost_of_light_sample: costs.light_sample * split,
            // The other rays are the camera ray and the shadow rays of light samples.
            cost_of_branch: costs.ray * (0.5 * (rays - 1.0) - split).max(0.5 * continued),
        }
    }

    /// Estimated errors of the same light without guides, at the cost of the branches of `plain`.
    pub(super) fn without_guides(self, plain: &Errors) -> Errors {
        Errors {
            branch: (self.branch + self.spared).max(0.0),
            cost_of_branch: plain.cost_of_branch,
            ..self
        }
    }

    /// Raises the variance of a branch to at least `least`.
    pub(super) fn with_branch(self, least: f64) -> Errors {
        Errors { branch: self.branch.max(least), ..self }
    }

    /// Chooses the open numbers, up to `most`, for minimum work within the tolerance `close`; prefers small numbers.
    pub(super) fn best(
        &self,
        branches: Option<u32>,
        light_samples: Option<u32>,
        most: u32,
        close: f64,
    ) -> Counts {
        let allowed = || COUNTS.into_iter().filter(|&count| count <= most).collect();
        let given = |count: Option<u32>| count.map_or_else(allowed, |count| vec![count]);
        let light_samples = given(light_samples);
        let all = given(branches).into_iter().flat_map(|branches| {
            light_samples
                .iter()
                .map(move |&light_samples| Counts { branches, light_samples })
        });
        let all: Vec<Counts> = all.collect();
        let least = all.iter().map(|counts| self.work(*counts)).fold(f64::INFINITY, f64::min);
        // Negated, so that work that is not finite is within the tolerance.
        let is_far = |counts: &Counts| self.work(*counts) > close * least;
        let size = |counts: &&Counts| counts.branches + counts.light_samples;
        *all.iter()
            .filter(|counts| !is_far(counts))
            .min_by_key(size)
            .expect("the least is close to itself")
    }

    /// Variance times cost of samples with these numbers of branches and light samples.
    pub(super) fn work(&self, counts: Counts) -> f64 {
        self.variance(counts) * self.cost(counts)
    }

    /// Variance of a sample.
    pub(super) fn variance(&self, counts: Counts) -> f64 {
        let [branches, light_samples] = [counts.branches, counts.light_samples].map(f64::from);
        self.camera + self.light_sample / light_samples + self.branch / branches
    }

    /// Number of paths that a camera ray with these branches and light samples counts as: a power of two up to `most`,
    /// near its cost relative to that of a ray with a single one of each, or with the given numbers.
    pub(super) fn paths(
        &self,
        counts: Counts,
        branches: Option<u32>,
        light_samples: Option<u32>,
        most: u64,
    ) -> u64 {
        let plain = Counts {
            branches: branches.unwrap_or(1),
            light_samples: light_samples.unwrap_or(1),
        };
        let ratio = self.cost(counts) / self.cost(plain);
        let powers = (0..=most.ilog2()).map(|power| 1 << power);
        // Halfway between two powers by their ratio.
        powers
            .take_while(|&power| power == 1 || ratio * SQRT_2 >= power as f64)
            .last()
            .unwrap_or(1)
    }

    /// Cost of a sample in rays.
    pub(super) fn cost(&self, counts: Counts) -> f64 {
        let [branches, light_samples] = [counts.branches, counts.light_samples].map(f64::from);
        self.cost_of_camera + self.cost_of_light_sample * light_samples + self.cost_of_branch * branches
    }
}

/// Luminance of the parts of a sample: camera ray, two light samples, two branches.
#[derive(Default)]
struct Parts {
    light: [f64; 5],
    part: usize,
    spared: f64,
}

/// Index of the first branch.
const BRANCH: usize = 3;

impl RadianceSink for Parts {
    fn add(&mut self, label: Contribution, radiance: Rgb) {
        let luminance = f64::from(radiance.luminance());
        self.light[self.part] += luminance;
        self.spared += luminance * luminance * f64::from(label.guide_pdf_ratio - 1.0);
    }

    fn branch(&mut self, event: BranchEvent) {
        match event {
            BranchEvent::NextLightSample => self.part += 1,
            BranchEvent::NextBranch => self.part = (self.part + 1).max(BRANCH),
            BranchEvent::Fork | BranchEvent::EndFork { .. } => {}
        }
    }
}

/// Sums over the samples of a pixel.
#[derive(Default)]
pub(super) struct Pixel {
    sum: f64,
    squares: f64,
    /// Squared differences of the light samples.
    light_differences: f64,
    /// Squared differences of the branches.
    differences: f64,
    /// Squares removed by guides. With BSDF sampling alone the same light would be rarer and brighter by the guide's
    /// density ratio, so its expected square would be larger by that ratio.
    spared: f64,
    /// Number of samples with a split.
    split: f64,
}

impl Pixel {
    fn add(&mut self, parts: &Parts) {
        let [_, light_a, light_b, a, b] = parts.light;
        let all = parts.light.iter().sum::<f64>();
        if all.is_finite() {
            self.sum += all;
            self.squares += all * all;
            self.light_differences += (light_a - light_b).powi(2);
            self.differences += (a - b).powi(2);
            self.spared += parts.spared;
        }
        self.split += f64::from(parts.part.min(1) as u8);
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / SAMPLES as f64
    }

    /// Variances times `scale`: of the camera ray, a light sample, a branch, and the part of the branch that guides remove.
    fn errors(&self, scale: f64) -> [f64; 4] {
        let n = SAMPLES as f64;
        let all = (self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0);
        // Each of the two has half of the light.
        let [light_samples, branches] = [self.light_differences, self.differences].map(|squares| squares / n);
        let camera = all - light_samples - branches;
        [camera, 2.0 * light_samples, 2.0 * branches, 2.0 * self.spared / n].map(|part| scale * part)
    }
}
