//! Numbers of branches and light samples, and guides, by short pilots, where the integrator's settings leave them open.
//!
//! - Branches and light samples at the first surface that scatters: see `branches.rs`.
//! - Guides of `path`, where indirect light dominates the noise: guides are made of a few photons, and guided paths show
//!   the variance that the same light would have without guides. This includes rare bright paths, which guides find and
//!   an unguided pilot misses. The variance of caustics that both miss is estimated from photons.

use std::sync::atomic::AtomicBool;

use super::branches::{
    Counts, Errors, GATHERED, GUIDED, GUIDED_GATHERED, PATH_TOLERANCE, PLAIN, Pixel, SAMPLES, STEP,
    TOLERANCE, measured, rare_radiance, relative,
};
use super::budget::Budget;
use super::caustics;
use super::pixels::{Pilot, PixelGrid};
use super::result::ChosenSettings;
use crate::integrator::photon::{GuideField, Photons};
use crate::integrator::{Pass, PathSettings, PhotonSettings, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_image::Rect;

/// Cost of a sample with two branches and two light samples, in paths.
const PATH_SAMPLE: f64 = 2.5;

/// Cost of a sample with two gather rays and two light samples, in paths.
const GATHER_SAMPLE: f64 = 4.0;

/// Cost of a photon stored for guides, in camera rays of plain paths, as in veach-ajar by Bitterli.
const PHOTON_COST: f64 = 3.0;

/// Photons of the guides of a pilot: at most a quarter of those of the picture.
const MIN_PHOTONS: u64 = 1 << 11;
const MAX_PHOTONS: u64 = 1 << 16;
const PHOTON_RATIO: u64 = 4;

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
    let budget = Budget::new(settings);
    let film = Rect::of_size(settings.width, settings.height);
    let reaches = |segments| path.depth.is_none_or(|depth| depth >= segments);
    let is_open = path.split.is_none() || path.light_samples.is_none() || path.guide.is_none();
    let grid = budget.grid(&film, STEP, SAMPLES as f64 * PATH_SAMPLE);
    let Some(grid) = grid.filter(|_| is_open && reaches(2)) else {
        return ChosenSettings::given(path.without_pilots());
    };
    let pilots = Pilots { scene, settings, path, pass, budget, grid };
    let plain = pilots.paths(None);
    let guided = match path.guide {
        Some(true) => Some(pilots.paths(Some(pilots.photons().unwrap_or(MIN_PHOTONS))).errors),
        None if reaches(3) => pilots.guided(&plain),
        Some(false) | None => None,
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
    budget: Budget,
    grid: PixelGrid,
}

/// Paths of a pilot and their variances.
struct PilotPaths {
    paths: Prepared,
    pilot: Pilot<Pixel>,
    errors: Errors,
}

impl Pilots<'_> {
    /// Measures paths, with guides from this number of photons if there is one.
    fn paths(&self, photons: Option<u64>) -> PilotPaths {
        let in_two = PathSettings {
            split: Some(2),
            light_samples: Some(2),
            guide: Some(photons.is_some()),
            ..*self.path
        };
        let paths = match photons {
            Some(count) => {
                let field = GuideField::prepare(&in_two, self.scene, self.pass, count);
                Prepared::Guided(in_two, Box::new(field))
            }
            None => Prepared::Path(in_two),
        };
        let pilot = measured(self.scene, self.settings, self.grid, &paths, self.pass.stop);
        let errors = Errors::of(&pilot, if photons.is_some() { GUIDED } else { PLAIN });
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

    /// Number of photons for the guides of a trial; `None` if too few are affordable.
    fn photons(&self) -> Option<u64> {
        let most = MAX_PHOTONS.min(GuideField::photons(self.pass) / PHOTON_RATIO);
        self.budget.count(PHOTON_COST, MIN_PHOTONS..=most)
    }

    /// Variances of guided paths, if these reach an error in less time.
    fn guided(&self, plain: &PilotPaths) -> Option<Errors> {
        let trial = self.photons()?;
        let left = 1.0 - self.budget.share(PHOTON_COST * GuideField::photons(self.pass) as f64);
        let (branch, rest) = (plain.errors.branch, plain.errors.camera + plain.errors.light_sample);
        let mut guided = None;
        if branch > rest {
            let tried = self.paths(Some(trial));
            let unguided = tried.errors.without_guides(&plain.errors);
            let (work, of_plain) = (self.work(&tried.errors), self.work(&plain.errors));
            if STRATIFICATION_LOSS * work < left * self.work(&unguided) && work < MAX_WORK_RATIO * of_plain {
                return Some(tried.errors);
            }
            guided = Some(tried);
        }
        let caustics = self.caustics()?;
        let of_plain = self.of_caustics(plain, &caustics);
        if of_plain <= branch.max(rest) {
            return None;
        }
        let guided = guided.unwrap_or_else(|| self.paths(Some(trial)));
        let of_guided = guided.errors.with_branch(self.of_caustics(&guided, &caustics));
        // Rare paths have no stratification to lose.
        (self.work(&of_guided) < left * self.work(&plain.errors.with_branch(of_plain))).then_some(of_guided)
    }

    /// Traces photons of caustics; `None` if there are no caustics, or too few photons are affordable.
    fn caustics(&self) -> Option<Box<Photons>> {
        let count = caustics::affordable_photons(self.budget)?;
        caustics::photons(self.scene, self.path, self.pass, count)
    }

    /// Relative variance of caustics in a branch of these paths.
    fn of_caustics(&self, of: &PilotPaths, maps: &Photons) -> f64 {
        let brightness = of.pilot.brightness();
        let paths = (&of.paths, maps, rare_radiance(&brightness));
        let variances = caustics::variances(self.scene, self.settings, self.grid, paths, self.pass.stop);
        relative(&brightness, &variances)
    }

    fn work(&self, errors: &Errors) -> f64 {
        errors.work(self.counts(errors))
    }
}

/// Chooses the numbers of gather rays and light samples that the settings leave open. Progressive passes have one
/// of each: they shoot photons for every sample, which cost more.
pub(crate) fn with_counts(
    scene: &Scene,
    settings: &RenderSettings,
    photon: &PhotonSettings,
    maps: Prepared,
    stop: &AtomicBool,
) -> ChosenSettings<Prepared> {
    // Guides of gather rays lost in six rooms: 8 % in `two_rooms`, half of the speed in `cornell_box`.
    let maps = maps.with_guides(photon.guide.unwrap_or(false));
    let gathers = photon.show.is_none() && !photon.progressive && photon.gather != Some(0);
    let is_open = photon.gather.is_none() || photon.light_samples.is_none();
    if !gathers || !is_open || photon.depth == Some(1) {
        return ChosenSettings::given(maps);
    }
    let film = Rect::of_size(settings.width, settings.height);
    let Some(grid) = Budget::new(settings).grid(&film, STEP, SAMPLES as f64 * GATHER_SAMPLE) else {
        let [gather, light_samples] = [photon.gather, photon.light_samples].map(|count| count.unwrap_or(1));
        return ChosenSettings::given(maps.with_counts(gather, light_samples));
    };
    let maps = maps.with_counts(2, 2);
    let costs = if photon.guide == Some(true) { GUIDED_GATHERED } else { GATHERED };
    let errors = Errors::of(&measured(scene, settings, grid, &maps, stop), costs);
    let counts = errors.best(photon.gather, photon.light_samples, settings.max_branches(), TOLERANCE);
    let most = settings.max_paths_per_ray();
    ChosenSettings {
        settings: maps.with_counts(counts.branches, counts.light_samples),
        paths_per_ray: errors.paths(counts, photon.gather, photon.light_samples, most),
    }
}
