//! PilotResult of branches, light samples and guides by short pilots, where the integrator's settings leave them open.
//!
//! - Branches and light samples at the first surface that scatters: see `branches.rs`.
//! - Guides of `photon`: the variant with less variance × cost. Where the sky or near walls light a surface, gather rays
//!   are better without guides.
//! - Guides of `path`, where indirect light dominates the noise: guides are made of a few photons, and guided paths show
//!   the variance that the same light would have without guides. This includes rare bright paths, which guides find and
//!   an unguided pilot misses. The variance of caustics that both miss is estimated from photons.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::branches::{
    Counts, Errors, GATHERED, GUIDED, GUIDED_GATHERED, OUTLIERS, PATH_TOLERANCE, PLAIN, Pixel, SAMPLES, STEP,
    TOLERANCE, measured, relative,
};
use super::caustics;
use super::pixels::Pilot;
use super::result::ChosenSettings;
use super::stratified;
use super::time_limit::is_below;
use crate::integrator::photon::{GuideField, Photons};
use crate::integrator::{Pass, PathSettings, PhotonSettings, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_image::Rect;

/// The guides of the pilot use 1 / `PHOTON_RATIO` of the photons of the picture, at most `MAX_PHOTONS`: shaders may be slow.
const PHOTON_RATIO: u64 = 4;
const MAX_PHOTONS: u64 = 1 << 16;

/// Cost of a photon stored for guides, in camera rays of plain paths, as in veach-ajar by Bitterli.
const PHOTON_COST: f64 = 3.0;

/// Cost of a photon stored in a caustic map, in the same unit; most photons are not stored.
const CAUSTIC_PHOTON_COST: f64 = 10.0;

/// Maximum share of a time limit for a trial of guides or caustics.
const MAX_TRIAL_SHARE: f64 = 0.03;

/// Minimum number of paths within a time limit for pilots, which cost as much as several ten thousand paths.
const MIN_PATHS: u64 = 500_000;

/// Ratio of the variance of branches to the rest above which guides are tried at any cost: 5 and 16 in two rooms where guides do
/// not pay, 900 in veach-ajar, where they do.
const DOMINANT_VARIANCE: f64 = 50.0;

/// Maximum ratio of the measured work of guided paths to that of plain paths. It is 1.5 in veach-ajar and cornell_spheres, where
/// guides pay, and 3 to 7 in five scenes with lights behind glass, where the predicted gain was 3 to 13 and the true one 0.8.
const MAX_WORK_RATIO: f64 = 2.5;

/// Factor of the work of guided paths for their worse stratification: a mixture with a histogram distributes Sobol' points less
/// uniformly, which variances of single samples do not show. If the pilot finds equal work (cornell_box), guided pictures take
/// 1.4 times the work.
const STRATIFICATION_LOSS: f64 = 1.2;

/// Chooses the numbers of branches and light samples and the guides that the settings leave open, on the current `rayon` pool.
/// The result does not depend on threads, crop and range of samples.
pub(super) fn choose_settings(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> ChosenSettings<PathSettings> {
    let reaches = |segments| path.depth.is_none_or(|depth| depth >= segments);
    if !reaches(2) || is_below(MIN_PATHS, settings) {
        return ChosenSettings::given(path.without_pilots());
    }
    if path.split.is_some() && path.light_samples.is_some() && path.guide.is_some() {
        return ChosenSettings::given(*path);
    }
    let pilots = Pilots { scene, settings, path, pass, begin: Instant::now() };
    let plain = pilots.paths(false);
    let guided = match path.guide {
        Some(guide) => guide.then(|| pilots.paths(true).errors),
        None if reaches(3) => pilots.guided(&plain),
        None => None,
    };
    let errors = guided.as_ref().unwrap_or(&plain.errors);
    let counts = pilots.counts(errors);
    let most = settings.max_paths_per_ray();
    ChosenSettings {
        settings: PathSettings {
            split: Some(counts.branches),
            light_samples: Some(counts.light_samples),
            guide: Some(guided.is_some()),
            ..*path
        },
        paths_per_ray: errors.paths(counts, path.split, path.light_samples, most),
    }
}

/// Context of the pilots of `path`.
struct Pilots<'a> {
    scene: &'a Scene,
    settings: &'a RenderSettings,
    path: &'a PathSettings,
    pass: &'a Pass<'a>,
    begin: Instant,
}

/// Paths of a pilot and their variances.
struct PilotPaths {
    paths: Prepared,
    pilot: Pilot<Pixel>,
    errors: Errors,
}

impl Pilots<'_> {
    /// Measures paths with or without guides.
    fn paths(&self, guide: bool) -> PilotPaths {
        let in_two = PathSettings {
            split: Some(2),
            light_samples: Some(2),
            guide: Some(guide),
            ..*self.path
        };
        let paths = prepare(self.scene, &in_two, self.pass);
        let pilot = measured(self.scene, self.settings, &paths, self.pass.stop);
        let errors = Errors::of(&pilot, if guide { GUIDED } else { PLAIN });
        PilotPaths { paths, pilot, errors }
    }

    /// The best numbers of branches and light samples.
    fn counts(&self, errors: &Errors) -> Counts {
        errors.best(
            self.path.split,
            self.path.light_samples,
            self.settings.max_branches(),
            PATH_TOLERANCE,
        )
    }

    /// Variances of guided paths, if these reach an error in less time.
    fn guided(&self, plain: &PilotPaths) -> Option<Errors> {
        let (branch, rest) = (plain.errors.branch, plain.errors.camera + plain.errors.light_sample);
        let mut guided = None;
        let is_cheap = self.share(PHOTON_COST * pilot_photons(self.pass) as f64) < MAX_TRIAL_SHARE;
        if branch > rest && (is_cheap || branch > DOMINANT_VARIANCE * rest) {
            let tried = self.paths(true);
            let unguided = tried.errors.without_guides(&plain.errors);
            let left = 1.0 - self.share_of_photons(&tried.paths);
            let (work, of_plain) = (self.work(&tried.errors), self.work(&plain.errors));
            if STRATIFICATION_LOSS * work < left * self.work(&unguided) && work < MAX_WORK_RATIO * of_plain {
                return Some(tried.errors);
            }
            guided = Some(tried);
        }
        if self.is_late()
            || self.share(CAUSTIC_PHOTON_COST * caustics::DETECTION_PHOTONS as f64) > MAX_TRIAL_SHARE
        {
            return None;
        }
        let few = self.caustics(caustics::DETECTION_PHOTONS)?;
        if self.is_late() || 2.0 * self.of_caustics(plain, &few) <= branch.max(rest) || self.is_late() {
            return None;
        }
        let many = self.caustics(caustics::MEASUREMENT_PHOTONS)?;
        let of_plain = self.of_caustics(plain, &many);
        if of_plain <= branch.max(rest) {
            return None;
        }
        let guided = guided.unwrap_or_else(|| self.paths(true));
        let of_guided = guided.errors.with_branch(self.of_caustics(&guided, &many));
        // Rare paths have no stratification to lose.
        (self.work(&of_guided) < self.work(&plain.errors.with_branch(of_plain))).then_some(of_guided)
    }

    /// Returns whether the trials have used their share of the time limit.
    fn is_late(&self) -> bool {
        self.settings
            .deciding_limit()
            .is_some_and(|limit| self.begin.elapsed() > limit.mul_f64(MAX_TRIAL_SHARE))
    }

    /// Share of the time limit for `cost` camera rays of plain paths; 0 without a limit.
    fn share(&self, cost: f64) -> f64 {
        // The number of samples in the settings fits the limit.
        let whole = self.settings.total as f64 * self.settings.pixels() as f64;
        match self.settings.deciding_limit() {
            Some(_) => cost / whole,
            None => 0.0,
        }
    }

    /// Share of the time limit for the photons of the picture's guides, extrapolated from those of `tried`; 0 without a limit.
    fn share_of_photons(&self, tried: &Prepared) -> f64 {
        let (Some(limit), Some(stats)) = (self.settings.deciding_limit(), tried.photons()) else {
            return 0.0;
        };
        let more = GuideField::photons(self.pass) as f64 / stats.stored[0].max(1) as f64;
        more * (stats.shooting + stats.building).as_secs_f64() / limit.as_secs_f64()
    }

    /// Traces `count` photons of caustics; `None` if there are no caustics.
    fn caustics(&self, count: u64) -> Option<Box<Photons>> {
        caustics::photons(self.scene, self.path, self.pass, count)
    }

    /// Relative variance of caustics in a branch of these paths.
    fn of_caustics(&self, of: &PilotPaths, maps: &Photons) -> f64 {
        let film = Rect::of_size(self.settings.width, self.settings.height);
        let variances =
            caustics::variances(self.scene, self.settings, (&film, STEP), (&of.paths, maps), self.pass.stop);
        relative(&of.pilot.pixels, &variances)
    }

    fn work(&self, errors: &Errors) -> f64 {
        errors.work(self.counts(errors))
    }
}

/// Prepares paths for a pilot from settings without open choices.
pub(super) fn prepare(scene: &Scene, path: &PathSettings, pass: &Pass<'_>) -> Prepared {
    if path.guide != Some(true) {
        return Prepared::Path(*path);
    }
    let field = GuideField::prepare(path, scene, pass, pilot_photons(pass));
    Prepared::Guided(*path, Box::new(field))
}

/// Number of photons of the pilot's guides.
fn pilot_photons(pass: &Pass<'_>) -> u64 {
    (GuideField::photons(pass) / PHOTON_RATIO).min(MAX_PHOTONS)
}

/// Chooses the numbers of gather rays and light samples and the guides that the settings leave open. Progressive passes have one
/// of each: they shoot photons for every sample, which cost more. With a time limit, the variances of the parts of samples
/// decide; else pictures of several samples, which take longer.
pub(crate) fn with_counts(
    scene: &Scene,
    settings: &RenderSettings,
    photon: &PhotonSettings,
    maps: Prepared,
    stop: &AtomicBool,
) -> ChosenSettings<Prepared> {
    let gathers = photon.show.is_none() && !photon.progressive && photon.gather != Some(0);
    let is_open = photon.gather.is_none() || photon.light_samples.is_none() || photon.guide.is_none();
    if !gathers || !is_open || photon.depth == Some(1) {
        return ChosenSettings::given(maps);
    }
    let mut maps = maps.with_counts(2, 2);
    let guides = [(false, GATHERED), (true, GUIDED_GATHERED)];
    let of_guides = guides
        .into_iter()
        .filter(|(guide, _)| photon.guide.is_none_or(|given| given == *guide));
    let mut errors = vec![];
    for (guide, costs) in of_guides {
        maps = maps.with_guides(guide);
        errors.push((guide, Errors::of(&measured(scene, settings, &maps, stop), costs)));
    }
    // Guided and unguided rays each have best counts; both pairs are measured for both, since stratification differs.
    let counts = |errors: &Errors| {
        errors.best(photon.gather, photon.light_samples, settings.max_branches(), TOLERANCE)
    };
    let mut all: Vec<Counts> = errors.iter().map(|(_, errors)| counts(errors)).collect();
    all.dedup();
    let most = settings.max_paths_per_ray();
    let measures = settings.deciding_limit().is_none();
    let mut best: Option<(f64, bool, Counts, u64)> = None;
    for (guide, errors) in &errors {
        for &counts in &all {
            let work = if measures {
                maps = maps.with_guides(*guide).with_counts(counts.branches, counts.light_samples);
                errors.cost(counts) * relative_variance(scene, settings, &maps, stop)
            } else {
                errors.work(counts)
            };
            if best.is_none_or(|(least, ..)| TOLERANCE * work < least) {
                let paths = errors.paths(counts, photon.gather, photon.light_samples, most);
                best = Some((work, *guide, counts, paths));
            }
        }
    }
    let Some((_, guide, counts, paths_per_ray)) = best else {
        return ChosenSettings::given(maps);
    };
    let settings = maps.with_guides(guide).with_counts(counts.branches, counts.light_samples);
    ChosenSettings { settings, paths_per_ray }
}

/// Relative variance of samples in pictures of several, without the pixels of the largest errors.
fn relative_variance(
    scene: &Scene,
    settings: &RenderSettings,
    prepared: &Prepared,
    stop: &AtomicBool,
) -> f64 {
    let film = Rect::of_size(settings.width, settings.height);
    let pixels = stratified::sample(scene, settings, (&film, STEP), SAMPLES, prepared, stop).pixels;
    let mean = pixels.iter().map(|pixel| pixel.mean).sum::<f64>() / pixels.len() as f64;
    let relative = |pixel: &stratified::Pixel| {
        pixel.variance / (pixel.mean.powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE)
    };
    let mut errors: Vec<f64> = pixels.iter().map(relative).collect();
    errors.sort_by(f64::total_cmp);
    errors.truncate(errors.len() - (errors.len() as f64 * OUTLIERS) as usize);
    errors.iter().sum()
}
