//! How paths are traced, where the integrator's settings do not say: a short pilot weighs variances against costs.
//!
//! - Branches and light samples at the first surface that scatters: the variances of the camera's ray, of a light sample
//!   and of a branch against what each of them costs.
//! - Guides of `photon`: which of both has less variance × cost. Where the sky or near walls light a surface, gather rays
//!   are better off without.
//! - Guides of `path`, where indirect light makes the noise: guides are made of a few photons, and the paths that they guide show
//!   what the same light would have as variance without them. Rare bright paths, which guides find and a pilot of other
//!   paths misses, are counted so.
//!
//! Measured time would make the image depend on the machine and its load, so cost is counted in rays.
// Bolin & Meyer 1997, "An Error Metric for Monte Carlo Ray Tracing", section 3: the optimal splitting ratio.

use super::RenderSettings;
use super::pilot::Pilot;
use super::stratified;
use crate::color::Rgb;
use crate::image::Rect;
use crate::integrator::photon::GuideField;
use crate::integrator::{Collect, Label, Pass, PathSettings, PhotonSettings, Prepared};
use crate::scene::Scene;

/// Distance of the pilot's pixels on small films, so that it takes no longer than one sample of each.
const STEP: u32 = 4;

/// Samples of each of the pilot's pixels.
const SAMPLES: u64 = 8;

/// The numbers of branches and of light samples to choose among. With more, edges and lenses have too few samples; Sobol'
/// points are spread best over powers of two.
const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// Work that counts as the least, relative to it.
const CLOSE: f64 = 1.03;

/// What stratification leaves of the variance of the camera and of light samples in pictures of many samples. Their
/// numbers are the first, and are spread best.
const STRATIFIED: f64 = 0.5;

/// What parts of a sample cost, in rays of plain paths.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// The camera's ray: making it, tracing it, what else is known where it hits, and adding the sample to the film.
    camera: f64,
    /// Choosing a light, a point on it, and the shadow ray.
    light_sample: f64,
    /// A ray of a branch.
    ray: f64,
}

const PLAIN: Costs = Costs {
    camera: 2.0,
    light_sample: 0.9,
    ray: 1.0,
};

const GUIDED: Costs = Costs { ray: 1.3, ..PLAIN };

/// Final gathering looks up the caustic map where the camera's ray hits, and irradiance where a gather ray does.
const GATHERED: Costs = Costs {
    camera: 2.4,
    light_sample: 0.9,
    ray: 1.5,
};

/// A guide is looked up where the camera's ray hits, and sampled by each gather ray.
const GUIDED_GATHERED: Costs = Costs {
    camera: 3.0,
    light_sample: 0.9,
    ray: 2.2,
};

/// The pilot's guides are made of one photon for so many that the picture's are made of, and of so many at most: shaders
/// may be slow.
const FEWER_PHOTONS: u64 = 4;
const MOST_PHOTONS: u64 = 1 << 16;

/// What guided paths lose to uneven numbers: a mixture with a histogram spreads Sobol' points less evenly, which variances
/// of single samples do not tell. Where the pilot finds both alike (cornell_box), guided pictures take 1.4 times the work.
const UNEVEN: f64 = 1.2;

/// Share of the pixels, those of the largest errors, that is left out: a few rare paths must not decide.
const OUTLIERS: f64 = 0.01;

/// The settings with the numbers of branches and light samples and the guides that are best, where they are not given.
/// Decides on the `rayon` pool that it is called in; the same for any number of threads, any crop and any range of
/// samples.
pub(super) fn chosen(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> PathSettings {
    let reaches = |segments| path.depth.is_none_or(|depth| depth >= segments);
    if !reaches(2) {
        return PathSettings {
            split: path.split.or(Some(1)),
            light_samples: path.light_samples.or(Some(1)),
            guide: path.guide.or(Some(false)),
            ..*path
        };
    }
    if path.split.is_some() && path.light_samples.is_some() && path.guide.is_some() {
        return *path;
    }
    let in_two = PathSettings {
        split: Some(2),
        light_samples: Some(2),
        ..*path
    };
    let plain = Errors::new(scene, settings, &Prepared::Path(in_two), PLAIN);
    let counts = |errors: &Errors| errors.best(path.split, path.light_samples);
    let guided = || {
        let guided = PathSettings {
            guide: Some(true),
            ..in_two
        };
        let guided = Errors::new(scene, settings, &prepare(scene, &guided, pass), GUIDED);
        let unguided = Errors {
            branch: (guided.branch + guided.spared).max(0.0),
            cost_of_branch: plain.cost_of_branch,
            ..guided
        };
        let pays = UNEVEN * guided.work(counts(&guided)) < unguided.work(counts(&unguided));
        (pays || path.guide.is_some()).then(|| counts(&guided))
    };
    let is_indirect = plain.branch > plain.camera + plain.light_sample;
    let asks_for_guides = path.guide.unwrap_or(reaches(3) && is_indirect);
    let guided = asks_for_guides.then(guided).flatten();
    let counts = guided.unwrap_or_else(|| counts(&plain));
    PathSettings {
        split: Some(counts.branches),
        light_samples: Some(counts.light_samples),
        guide: Some(guided.is_some()),
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

/// Photon maps with the numbers of gather rays and light samples and the guides that are best, where their settings do not
/// give them. Progressive passes take one of each: they have photons of their own for every sample, which cost more.
pub(super) fn with_counts(
    scene: &Scene,
    settings: &RenderSettings,
    photon: &PhotonSettings,
    maps: Prepared,
) -> Prepared {
    let gathers = photon.show.is_none() && !photon.progressive && photon.gather != Some(0);
    let is_open = photon.gather.is_none() || photon.light_samples.is_none() || photon.guide.is_none();
    if !gathers || !is_open || photon.depth == Some(1) {
        return maps;
    }
    let mut maps = maps.with_counts(2, 2);
    let guides = [(false, GATHERED), (true, GUIDED_GATHERED)];
    let of_guides = guides
        .into_iter()
        .filter(|(guide, _)| photon.guide.is_none_or(|given| given == *guide));
    let mut errors = vec![];
    for (guide, costs) in of_guides {
        maps = maps.with_guides(guide);
        errors.push((guide, Errors::new(scene, settings, &maps, costs)));
    }
    // What is best for the one may be better for the other, too, by what stratification leaves.
    let counts = |errors: &Errors| errors.best(photon.gather, photon.light_samples);
    let mut all: Vec<Counts> = errors.iter().map(|(_, errors)| counts(errors)).collect();
    all.dedup();
    let mut best: Option<(f64, bool, Counts)> = None;
    for (guide, errors) in &errors {
        for &counts in &all {
            maps = maps
                .with_guides(*guide)
                .with_counts(counts.branches, counts.light_samples);
            let work = errors.cost(counts) * relative_variance(scene, settings, &maps);
            if best.is_none_or(|(least, ..)| CLOSE * work < least) {
                best = Some((work, *guide, counts));
            }
        }
    }
    let Some((_, guide, counts)) = best else {
        return maps;
    };
    maps.with_guides(guide)
        .with_counts(counts.branches, counts.light_samples)
}

/// The relative variance of samples in pictures of many, but for a share of the pixels.
fn relative_variance(scene: &Scene, settings: &RenderSettings, prepared: &Prepared) -> f64 {
    let film = Rect::of_size(settings.width, settings.height);
    let pixels = stratified::sample(scene, settings, &film, STEP, SAMPLES, prepared).pixels;
    let mean = pixels.iter().map(|pixel| pixel.mean).sum::<f64>() / pixels.len() as f64;
    let relative = |pixel: &stratified::Pixel| {
        pixel.variance / (pixel.mean.powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE)
    };
    let mut errors: Vec<f64> = pixels.iter().map(relative).collect();
    errors.sort_by(f64::total_cmp);
    errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
    errors.iter().sum()
}

/// How many of each there are at the first surface that scatters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    branches: u32,
    light_samples: u32,
}

/// The relative variances of the parts of a sample, and their costs in rays.
#[derive(Clone, Copy, Debug)]
struct Errors {
    /// What the camera's ray brings, whatever follows.
    camera: f64,
    /// One light sample.
    light_sample: f64,
    /// One branch.
    branch: f64,
    /// Variance of a branch that guides spare.
    spared: f64,
    cost_of_camera: f64,
    cost_of_light_sample: f64,
    cost_of_branch: f64,
}

impl Errors {
    /// Measures paths of two light samples and two branches.
    fn new(scene: &Scene, settings: &RenderSettings, in_two: &Prepared, costs: Costs) -> Errors {
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
        let continued = (pilot.work.indirect_rays + pilot.work.gather_rays) as f64 / samples;
        let split = pilot.pixels.iter().map(|pixel| pixel.split).sum::<f64>() / samples;
        let mean = pilot.pixels.iter().map(Pixel::mean).sum::<f64>() / pilot.pixels.len() as f64;
        let mut errors: Vec<[f64; 4]> = pilot.pixels.iter().map(|pixel| pixel.errors(mean)).collect();
        let after_camera = |error: &[f64; 4]| error[1] + error[2];
        errors.sort_by(|a, b| after_camera(a).total_cmp(&after_camera(b)));
        errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
        let [camera, light_sample, branch, spared] =
            std::array::from_fn(|part| errors.iter().map(|error| error[part]).sum::<f64>());
        Errors {
            camera: (STRATIFIED * camera).max(1e-3 * (light_sample + branch)),
            light_sample: STRATIFIED * light_sample,
            branch,
            spared,
            cost_of_camera: costs.camera,
            cost_of_light_sample: costs.light_sample * split,
            // Besides these there are the camera's ray and one to a light for each of the light samples, but for those
            // that no light can come from.
            cost_of_branch: costs.ray * (0.5 * (rays - 1.0) - split).max(0.5 * continued),
        }
    }

    /// The numbers with the least work, where none are given; the smallest of those that come close.
    fn best(&self, branches: Option<u32>, light_samples: Option<u32>) -> Counts {
        let given = |count: Option<u32>| count.map_or(COUNTS.to_vec(), |count| vec![count]);
        let light_samples = given(light_samples);
        let all = given(branches).into_iter().flat_map(|branches| {
            light_samples.iter().map(move |&light_samples| Counts {
                branches,
                light_samples,
            })
        });
        let all: Vec<Counts> = all.collect();
        let least = all
            .iter()
            .map(|counts| self.work(*counts))
            .fold(f64::INFINITY, f64::min);
        // Written so that a number that is not finite is close to any.
        let is_far = |counts: &Counts| self.work(*counts) > CLOSE * least;
        let size = |counts: &&Counts| counts.branches + counts.light_samples;
        *all.iter()
            .filter(|counts| !is_far(counts))
            .min_by_key(size)
            .expect("the least is close to itself")
    }

    /// Variance times cost of samples of so many branches and light samples.
    fn work(&self, counts: Counts) -> f64 {
        let [branches, light_samples] = [counts.branches, counts.light_samples].map(f64::from);
        let variance = self.camera + self.light_sample / light_samples + self.branch / branches;
        variance * self.cost(counts)
    }

    /// The cost of such a sample in rays.
    fn cost(&self, counts: Counts) -> f64 {
        let [branches, light_samples] = [counts.branches, counts.light_samples].map(f64::from);
        self.cost_of_camera + self.cost_of_light_sample * light_samples + self.cost_of_branch * branches
    }
}

/// Luminance of the parts of a sample: what the camera's ray brings, of two light samples, and of two branches.
#[derive(Default)]
struct Parts {
    light: [f64; 5],
    part: usize,
    spared: f64,
}

/// The first of the two branches.
const BRANCH: usize = 3;

impl Collect for Parts {
    fn add(&mut self, label: Label, radiance: Rgb) {
        let luminance = f64::from(radiance.luminance());
        self.light[self.part] += luminance;
        self.spared += luminance * luminance * f64::from(label.preference - 1.0);
    }

    fn next_light_sample(&mut self) {
        self.part += 1;
    }

    fn next_branch(&mut self) {
        self.part = (self.part + 1).max(BRANCH);
    }
}

/// Sums over the samples of a pixel.
#[derive(Default)]
struct Pixel {
    sum: f64,
    squares: f64,
    /// Squares of the differences between both light samples.
    light_differences: f64,
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

    fn mean(&self) -> f64 {
        self.sum / SAMPLES as f64
    }

    /// Relative variances in a picture of this mean: of what the camera's ray brings, of a single light sample, of a
    /// single branch, and what guides spare of it.
    fn errors(&self, mean: f64) -> [f64; 4] {
        let n = SAMPLES as f64;
        let scale = 1.0 / (self.mean().powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE);
        let all = (self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0);
        // Each of the two has half of the light.
        let [light_samples, branches] = [self.light_differences, self.differences].map(|squares| squares / n);
        let camera = all - light_samples - branches;
        [camera, 2.0 * light_samples, 2.0 * branches, 2.0 * self.spared / n].map(|part| scale * part)
    }
}
