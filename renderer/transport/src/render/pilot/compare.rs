//! The integrator `auto`: a short pilot of `path` and `photon` decides by the expected time to equal error.
//!
//! Both render the same few pixels. The time to a given error is proportional to the cost of a sample times its variance.
//! Measured time would make the image depend on the machine and its load, so cost is counted in path rays.

use super::branches::{
    Errors, GATHERED, PATH_TOLERANCE, PLAIN, SAMPLES, TOLERANCE, measured, rare_radiance, relative,
};
use super::budget::{Budget, expected_samples};
use super::caustics;
use super::pixels::PixelGrid;
use super::result::{ChosenSettings, Decision, PilotResult};
use super::settings::choose_settings;
use crate::integrator::photon::default_count;
use crate::integrator::{Integrator, Pass, PathSettings, PhotonSettings, PrepareError, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_base::math::pow;

/// Cost of a sample by `photon` with two gather rays and two light samples, in paths; that of `path` is less.
const SAMPLE_COST: f64 = 4.0;

/// Photons stored in each map of the pilot, at most 1 / `MAP_RATIO` of those in the maps of the picture.
const MIN_PHOTONS: u64 = 1 << 8;
const MAX_PHOTONS: u64 = 1 << 15;
const MAP_RATIO: u64 = 8;

/// Cost of a stored photon in paths, with the photons that are shot but not stored, in both maps.
const PHOTON_COST: f64 = 8.0;

/// Share of the photons of a small map that are stored; the others find the cells of the lights that photons come from.
const STORED_SHARE: f64 = 0.5;

// The costs of photons and records are ratios of CPU times of both integrators: with them, predicted and measured gains agree
// over 17 scenes (geometric mean of their ratios 1.06, 12 within a factor of 1.6, at 320 samples per pixel).

/// Cost of a photon path segment in path rays.
const PHOTON_RAY: f64 = 2.0;

/// Cost of an irradiance record in path rays, with its share of the kd-tree.
const RECORD: f64 = 52.0;

/// Exponent of the noise of gathering by the number of photons: maps of 32,000 instead of 2,000 photons had 0.4 to 0.9 of the
/// noise in eight scenes, 0.7 in the median.
const NOISE_EXPONENT: f64 = 0.12;

/// Decides for a render on the current `rayon` pool, independently of the number of threads. `pass` is that of pilots: without
/// a file, and without a deadline unless the render has a time limit. Renders that are too short for a pilot use `path`, unless
/// paths cannot find a visible part of the light.
///
/// # Errors
/// As for [`Integrator::prepare`].
pub(super) fn decide(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Result<PilotResult, PrepareError> {
    let photon = PhotonSettings {
        depth: path.depth,
        hide_emitters: path.hide_emitters,
        guide: Some(false),
        ..PhotonSettings::default()
    };
    let gain = match caustics::missing(scene, settings, path, pass) {
        Some(_) => Some(f64::INFINITY),
        None => expected_gain(scene, settings, (path, &photon), pass)?,
    };
    let result = |integrator, chosen, gain: Option<f64>| PilotResult {
        decision: gain.map(|gain| Decision { integrator, gain }),
        integrator,
        chosen,
        missing_light: None,
    };
    Ok(match gain {
        Some(gain) if gain > 1.0 => {
            let photon = Integrator::Photon(photon);
            result(photon, ChosenSettings::given(photon), Some(gain))
        }
        _ => {
            let chosen = choose_settings(scene, settings, path, pass).map(Integrator::Path);
            // A picture without light has no errors by either.
            let gain = gain.map(|gain| if gain > 0.0 { 1.0 / gain } else { 1.0 });
            result(Integrator::Path(*path), chosen, gain)
        }
    })
}

/// Expected time of `path` to the error of `photon`, relative to the time of the latter; 0 if there is no light, `None` if the
/// render is too short for a pilot.
fn expected_gain(
    scene: &Scene,
    settings: &RenderSettings,
    (path, photon): (&PathSettings, &PhotonSettings),
    pass: &Pass<'_>,
) -> Result<Option<f64>, PrepareError> {
    let budget = Budget::of_integrators(settings);
    let whole = default_count(photon, pass);
    let affordable = budget.count(PHOTON_COST, MIN_PHOTONS..=MAX_PHOTONS.min(whole / MAP_RATIO));
    let grid = budget.grid(&settings.rendered(), 1, SAMPLES as f64 * SAMPLE_COST);
    let (Some(photons), Some(grid)) = (affordable, grid) else {
        return Ok(None);
    };
    let pilot = Integrator::Photon(PhotonSettings {
        photons: Some(photons),
        caustic_photons: Some(photons),
        ..*photon
    });
    let maps = Prepared::new(&pilot, scene, pass)?;
    let work = maps.photons().cloned().unwrap_or_default();
    let map_ratio = STORED_SHARE * whole as f64 / photons as f64;
    let comparison = Comparison {
        scene,
        settings,
        grid,
        preparation: map_ratio * (PHOTON_RAY * work.rays as f64 + RECORD * work.records as f64),
        noise_ratio: pow(map_ratio.max(1.0), -NOISE_EXPONENT),
        pass,
    };
    let paths = Prepared::Path(*path).with_counts(2, 2);
    Ok(Some(comparison.gain(&paths, &maps.with_counts(2, 2))))
}

/// Comparison of both integrators on one picture.
struct Comparison<'a> {
    scene: &'a Scene,
    settings: &'a RenderSettings,
    grid: PixelGrid,
    /// Cost of the picture's photon maps, in path rays.
    preparation: f64,
    /// Noise of gathering from the picture's maps, relative to that from the maps of the pilot.
    noise_ratio: f64,
    pass: &'a Pass<'a>,
}

impl Comparison<'_> {
    /// Expected time of these paths to the error of final gathering from these maps, relative to the time of the
    /// latter; 0 if there is no light. Each has its best numbers of branches and light samples.
    fn gain(&self, paths: &Prepared, maps: &Prepared) -> f64 {
        let [by_path, by_photon] = [paths, maps]
            .map(|prepared| measured(self.scene, self.settings, self.grid, prepared, self.pass.stop));
        // Both estimate the same picture: the mean of the two is known better than either.
        let pixels = by_path.pixels.iter().zip(&by_photon.pixels);
        let brightness: Vec<f64> = pixels.map(|(a, b)| 0.5 * (a.mean() + b.mean())).collect();
        let path = Errors::relative_to(&brightness, &by_path, PLAIN);
        let path = path.with_branch(self.caustics(&brightness, paths, maps));
        let photon = Errors::relative_to(&brightness, &by_photon, GATHERED);
        let most = self.settings.max_branches();
        let counts = path.best(None, None, most, PATH_TOLERANCE);
        let path_error = path.variance(counts);
        let paths_per_ray = path.paths(counts, None, None, self.settings.max_paths_per_ray());
        let samples = expected_samples(self.settings, path_error / brightness.len().max(1) as f64);
        let picture = samples / paths_per_ray as f64 * self.settings.pixels() as f64;
        let path_work = path.work(counts) * picture;
        let gathering = photon.work(photon.best(None, None, most, TOLERANCE)) * self.noise_ratio;
        let photon_work = gathering * picture + self.preparation * path_error;
        if path_work > 0.0 { path_work / photon_work } else { 0.0 }
    }

    /// Relative variance of caustics in a branch of these paths, which hardly ever are among the samples.
    fn caustics(&self, brightness: &[f64], paths: &Prepared, maps: &Prepared) -> f64 {
        let Prepared::Photon(maps) = maps else { return 0.0 };
        let rare = rare_radiance(brightness);
        let variances =
            caustics::variances(self.scene, self.settings, self.grid, (paths, maps, rare), self.pass.stop);
        relative(brightness, &variances)
    }
}
