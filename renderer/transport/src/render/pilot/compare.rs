//! The integrator `auto`: a short pilot of `path` and `photon` decides by the expected time to equal error.
//!
//! Both render the same few pixels. The time to a given error is proportional to the cost of a sample times its variance.
//! Measured time would make the image depend on the machine and its load, so cost is counted in path rays.

use super::budget::{Budget, expected_samples};
use super::caustics;
use super::pixels::{Pilot, PixelGrid};
use super::result::{ChosenSettings, Decision, PilotResult};
use super::settings::choose_settings;
use super::stratified::{self, Pixel};
use crate::integrator::photon::default_count;
use crate::integrator::{Integrator, Pass, PathSettings, PhotonSettings, PrepareError, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;

/// Samples of each pixel of the pilot and each of its two sequences.
const SAMPLES: u64 = 8;

/// Cost of a sample by `path` and one by `photon`, each with two branches and two light samples, in paths.
const SAMPLE_COST: f64 = 6.0;

/// Photons stored in each map of the pilot, at most 1 / `MAP_RATIO` of those in the maps of the picture.
const MIN_PHOTONS: u64 = 1 << 8;
const MAX_PHOTONS: u64 = 1 << 15;
const MAP_RATIO: u64 = 8;

/// Cost of a stored photon in paths, with the photons that are shot but not stored, in both maps.
const PHOTON_COST: f64 = 8.0;

/// Share of the photons of a small map that are stored; the others find the cells of the lights that photons come from.
const STORED_SHARE: f64 = 0.5;

/// Correction factor of the gain of `photon`: a few samples miss more rare bright contributions of paths than of photons. Over
/// 24 scenes the median gain of the pilot was 0.4 of the true one; long renders, in which bias counts, gain less.
const CORRECTION: f64 = 1.3;

// The costs of lookups, photons and records are ratios of times that `kiln render --stats --threads 1` prints for `cornell_box`
// and `room` by both integrators.

/// Cost of a photon map lookup in path rays; each sample and each of its gather rays has one.
const LOOKUP: f64 = 0.6;

/// Cost of a photon path segment in path rays.
const PHOTON_RAY: f64 = 1.3;

/// Cost of an irradiance record in path rays, with its share of the kd-tree.
const RECORD: f64 = 35.0;

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
    let grid = budget.grid(&settings.rendered(), 1, 2.0 * SAMPLES as f64 * SAMPLE_COST);
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
        pass,
    };
    let paths = Prepared::Path(*path).with_counts(2, 2);
    Ok(Some(CORRECTION * comparison.gain(&paths, &maps.with_counts(2, 2))))
}

/// Comparison of both integrators on one picture.
struct Comparison<'a> {
    scene: &'a Scene,
    settings: &'a RenderSettings,
    grid: PixelGrid,
    /// Cost of the picture's photon maps, in path rays.
    preparation: f64,
    pass: &'a Pass<'a>,
}

impl Comparison<'_> {
    /// Expected time of these paths to the error of final gathering from these maps, relative to the time of the
    /// latter; 0 if there is no light.
    fn gain(&self, paths: &Prepared, maps: &Prepared) -> f64 {
        let [by_path, by_photon] = [paths, maps].map(|prepared| self.sample(prepared));
        let count = by_path.pixels.len().max(1) as f64;
        let rays = |pilot: &Pilot<Pixel>| pilot.work.rays() as f64 / (count * 2.0 * SAMPLES as f64);
        // Both estimate the same picture: the mean of the two is known better than either.
        let pixels = || by_path.pixels.iter().zip(&by_photon.pixels);
        let brightness = |(a, b): (&Pixel, &Pixel)| 0.5 * (a.mean + b.mean);
        let mean = pixels().map(brightness).sum::<f64>() / count;
        let scale = |pair: (&Pixel, &Pixel)| 1.0 / (brightness(pair).powi(2) + 1e-2 * mean * mean);
        let spread = |of: &dyn Fn((&Pixel, &Pixel)) -> f64| -> f64 {
            pixels().map(|pair| of(pair) * scale(pair)).sum()
        };
        let photon_error = spread(&|(_, photon)| photon.variance);
        // Bright caustics are hardly ever among the samples.
        let caustics = self.caustics(paths, maps);
        let rare: f64 = caustics
            .iter()
            .zip(pixels())
            .map(|(variance, pair)| variance * scale(pair))
            .sum();
        let branches = f64::from(paths.branching().branches.unwrap_or(1));
        let path_error = spread(&|(path, _)| path.variance) + rare / branches;
        let paths_per_ray = self.settings.max_paths_per_ray().min(2);
        let samples = expected_samples(self.settings, path_error / count) / paths_per_ray as f64;
        let picture = samples * self.settings.pixels() as f64;
        let lookups = f64::from(1 + maps.branching().branches.unwrap_or(1));
        let path_work = rays(&by_path) * picture * path_error;
        let photon_work =
            (rays(&by_photon) + lookups * LOOKUP) * picture * photon_error + self.preparation * path_error;
        if path_work > 0.0 { path_work / photon_work } else { 0.0 }
    }

    fn sample(&self, prepared: &Prepared) -> Pilot<Pixel> {
        stratified::sample(self.scene, self.settings, self.grid, SAMPLES, prepared, self.pass.stop)
    }

    /// Variance of caustics in a branch of these paths.
    fn caustics(&self, paths: &Prepared, maps: &Prepared) -> Vec<f64> {
        match maps {
            Prepared::Photon(maps) => {
                caustics::variances(self.scene, self.settings, self.grid, (paths, maps), self.pass.stop)
            }
            _ => vec![],
        }
    }
}
