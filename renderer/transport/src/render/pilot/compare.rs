//! The integrator `auto`: a short pilot of `path` and `photon` decides by the expected time to equal error.
//!
//! Both render the same few pixels: first a quarter of them, with two branches each; if the result is uncertain, all of them
//! with their best branches and guides. The time to a given error is proportional to the cost of a sample times its variance.
//! Measured time would make the image depend on the machine and its load, so cost is counted in path rays. With a time limit
//! it depends on them anyway: there, the gain of photons is reduced by the share of the time for their maps.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::caustics::{self, VISIBLE_ERROR};
use super::pixels::Pilot;
use super::result::{ChosenSettings, Decision, PilotResult};
use super::settings::{self, choose_settings, with_counts};
use super::stratified::{self, Pixel};
use super::time_limit::is_below;
use crate::integrator::photon::default_count;
use crate::integrator::{Integrator, Pass, PathSettings, PhotonSettings, PrepareError, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;

/// Samples of each pixel of the pilot and each of its two sequences.
const SAMPLES: u64 = 16;

/// The number with a time limit.
const SAMPLES_IN_TIME: u64 = 8;

/// Pixels of the first comparison along the longer side of the picture.
const FIRST_PIXELS: u32 = 20;

/// Photons stored in each map of the pilot, at most 1 / `MIN_MAP_RATIO` of those in the maps of the picture.
const PHOTONS: u64 = 1 << 15;
const MIN_MAP_RATIO: u64 = 8;

/// Minimum number of paths within a time limit for a comparison.
const MIN_PATHS: u64 = 100_000;

/// Maximum share of a time limit for the second comparison.
const MAX_SECOND_SHARE: f64 = 0.05;

/// Expected time of the second comparison with its pilots, relative to the first.
const SECOND_COST: f64 = 8.0;

/// Gain of `photon` that decides at the first comparison: the best branches and guides seldom double the speed of paths
/// relative to photons.
const CERTAIN_GAIN: f64 = 2.0;

/// Gain of `photon` below which the first comparison decides against it.
const MIN_GAIN: f64 = 0.2;

/// Correction factor of the gain of `photon`: a few samples miss more rare bright contributions of paths than of photons. Over
/// 24 scenes the median gain of the pilot was 0.4 of the true one; long renders, in which bias counts, gain less.
const CORRECTION: f64 = 1.3;

/// The factor with a time limit: pictures of eight rooms gained twice the prediction of the first comparison.
const CORRECTION_IN_TIME: f64 = 2.0;

/// Cost of a photon map lookup in path rays; each sample and each of its gather rays has one.
const LOOKUP: f64 = 2.0;

/// Cost of a photon path segment in path rays, kd-tree construction included.
const PHOTON_RAY: f64 = 4.0;

/// Cost of an irradiance record in path rays.
const RECORD: f64 = 130.0;

/// Lower bound of the share of time left after the maps: a gain of 0 would mean no light.
const MIN_TIME_LEFT: f64 = 0.01;

/// Decides for a render on the current `rayon` pool, independently of the number of threads. `pass` is that of pilots: without
/// a file, and without a deadline unless the render has a time limit.
///
/// # Errors
/// As for [`Integrator::prepare`].
pub(super) fn decide(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Result<PilotResult, PrepareError> {
    let limit = settings.deciding_limit();
    if is_below(MIN_PATHS, settings) {
        return Ok(PilotResult {
            decision: None,
            integrator: Integrator::Path(*path),
            chosen: ChosenSettings::given(Integrator::Path(path.without_pilots())),
            missing_light: None,
        });
    }
    let photon = PhotonSettings {
        depth: path.depth,
        hide_emitters: path.hide_emitters,
        guide: limit.map(|_| false),
        ..PhotonSettings::default()
    };
    let whole = default_count(&photon, pass);
    let photons = PHOTONS.min(whole / MIN_MAP_RATIO);
    let pilot = Integrator::Photon(PhotonSettings {
        photons: Some(photons),
        caustic_photons: Some(photons),
        ..photon
    });
    let begin = Instant::now();
    let maps = Prepared::new(&pilot, scene, pass)?;
    let map_time = begin.elapsed();
    let pilot_stats = maps.photons().cloned().unwrap_or_default();
    let map_ratio = whole as f64 / photons as f64;
    let comparison = Comparison {
        scene,
        settings,
        stop: pass.stop,
        samples: limit.map_or(SAMPLES, |_| SAMPLES_IN_TIME),
        // Where time ends the render, `within_time` counts what maps take.
        preparation: match limit {
            Some(_) => 0.0,
            None => map_ratio * (PHOTON_RAY * pilot_stats.rays as f64 + RECORD * pilot_stats.records as f64),
        },
    };
    // The deadline may have ended the pilot's maps early.
    let stored = pilot_stats.stored[0].max(1) as f64;
    let all_maps_time = map_time.as_secs_f64() * whole as f64 / stored;
    let kept = |limit: Duration| {
        let left = limit.saturating_sub(begin.elapsed()).as_secs_f64();
        (1.0 - all_maps_time / left).max(MIN_TIME_LEFT)
    };
    let within_time = |gain: f64| gain * limit.map_or(1.0, kept);
    let choice = |integrator: Integrator, chosen: ChosenSettings<Integrator>, gain: f64| PilotResult {
        decision: Some(Decision { integrator, gain }),
        integrator,
        chosen,
        missing_light: None,
    };
    let photon_choice = Integrator::Photon(photon);
    let by_photon = |gain| choice(photon_choice, ChosenSettings::given(photon_choice), gain);
    let maps = maps.with_counts(2, 2);
    let plain = Prepared::Path(*path).with_counts(2, 2);
    let film = settings.rendered();
    let step = film.width().max(film.height()).div_ceil(FIRST_PIXELS);
    let begin_first = Instant::now();
    let first = within_time(comparison.gain(&plain, &maps, step, settings.max_paths_per_ray().min(2)));
    if first > CERTAIN_GAIN {
        return Ok(by_photon(first));
    }
    let correction = limit.map_or(CORRECTION, |_| CORRECTION_IN_TIME);
    let second_time = SECOND_COST * begin_first.elapsed().as_secs_f64();
    let has_no_time = limit.is_some_and(|limit| second_time > MAX_SECOND_SHARE * limit.as_secs_f64());
    if has_no_time && correction * first > 1.0 {
        return Ok(by_photon(correction * first));
    }
    let chosen = choose_settings(scene, settings, path, pass);
    let gain = if has_no_time || correction * first < MIN_GAIN {
        correction * first
    } else {
        let paths = settings::prepare(scene, &chosen.settings, pass);
        let maps = with_counts(scene, settings, &photon, maps, pass.stop).settings;
        within_time(CORRECTION * comparison.gain(&paths, &maps, 1, chosen.paths_per_ray))
    };
    Ok(if gain > 1.0 {
        by_photon(gain)
    } else {
        // A picture without light has no errors by either.
        let gain = if gain > 0.0 { 1.0 / gain } else { 1.0 };
        choice(Integrator::Path(*path), chosen.map(Integrator::Path), gain)
    })
}

/// Comparison of both integrators on one picture.
struct Comparison<'a> {
    scene: &'a Scene,
    settings: &'a RenderSettings,
    /// Samples of each pixel and each of the two sequences.
    samples: u64,
    /// Cost of the picture's photon maps, in path rays.
    preparation: f64,
    /// Cancels the measurements; the result is then invalid.
    stop: &'a AtomicBool,
}

impl Comparison<'_> {
    /// Expected time of these paths to the error of final gathering from these maps, relative to the time of the
    /// latter; 0 if there is no light, infinite if paths miss a part of it. A camera ray counts as `paths_per_ray`
    /// paths.
    fn gain(&self, paths: &Prepared, maps: &Prepared, step: u32, paths_per_ray: u64) -> f64 {
        let [by_path, by_photon] = [paths, maps].map(|prepared| self.sample(prepared, step));
        let rays = |pilot: &Pilot<Pixel>| {
            pilot.work.rays() as f64 / (pilot.pixels.len().max(1) as u64 * 2 * self.samples) as f64
        };
        // Both estimate the same picture: the mean of the two is known better than either.
        let pixels = || by_path.pixels.iter().zip(&by_photon.pixels);
        let brightness = |(a, b): (&Pixel, &Pixel)| 0.5 * (a.mean + b.mean);
        let mean = pixels().map(brightness).sum::<f64>() / by_path.pixels.len().max(1) as f64;
        let scale = |pair: (&Pixel, &Pixel)| 1.0 / (brightness(pair).powi(2) + 1e-2 * mean * mean);
        let spread = |of: &dyn Fn((&Pixel, &Pixel)) -> f64| -> f64 {
            pixels().map(|pair| of(pair) * scale(pair)).sum()
        };
        // Light that paths cannot find is missing however many samples there are.
        let missing_light = self.missing_light(paths, maps, step);
        let bias: f64 = missing_light
            .iter()
            .zip(pixels())
            .map(|(light, pair)| light * light * scale(pair))
            .sum();
        if bias > VISIBLE_ERROR.powi(2) * by_path.pixels.len() as f64 {
            return f64::INFINITY;
        }
        let photon_error = spread(&|(_, photon)| photon.variance);
        // Rare paths with large contributions are missing among so few samples; the difference to the estimate with
        // photon maps shows how much.
        let missing = spread(&|(path, photon)| {
            2.0 * self.samples as f64 * (path.mean - photon.mean).powi(2) - photon.variance
        });
        // Bright caustics are hardly ever among the samples.
        let rare: f64 = self
            .caustics(paths, maps, step)
            .iter()
            .zip(pixels())
            .map(|(variance, pair)| variance * scale(pair))
            .sum();
        let branches = f64::from(paths.branching().branches.unwrap_or(1));
        let path_error = spread(&|(path, _)| path.variance).max(missing) + rare / branches;
        let samples = samples_of(self.settings, path_error / by_path.pixels.len() as f64);
        let picture = samples / paths_per_ray as f64 * self.settings.pixels() as f64;
        let lookups = f64::from(1 + maps.branching().branches.unwrap_or(1));
        let path_work = rays(&by_path) * picture * path_error;
        let photon_work =
            (rays(&by_photon) + lookups * LOOKUP) * picture * photon_error + self.preparation * path_error;
        if path_work > 0.0 { path_work / photon_work } else { 0.0 }
    }

    fn sample(&self, prepared: &Prepared, step: u32) -> Pilot<Pixel> {
        stratified::sample(
            self.scene,
            self.settings,
            (&self.settings.rendered(), step),
            self.samples,
            prepared,
            self.stop,
        )
    }

    /// Radiance that paths cannot find.
    fn missing_light(&self, paths: &Prepared, maps: &Prepared, step: u32) -> Vec<f64> {
        match maps {
            Prepared::Photon(maps) => {
                let film = self.settings.rendered();
                caustics::missing_light(self.scene, self.settings, (&film, step), (paths, maps), self.stop)
            }
            Prepared::Path(_) | Prepared::Guided(..) => vec![],
        }
    }

    /// Variance of caustics in a branch of these paths.
    fn caustics(&self, paths: &Prepared, maps: &Prepared, step: u32) -> Vec<f64> {
        match maps {
            Prepared::Photon(maps) => caustics::variances(
                self.scene,
                self.settings,
                (&self.settings.rendered(), step),
                (paths, maps),
                self.stop,
            ),
            _ => vec![],
        }
    }
}

/// Number of samples per pixel for paths with this relative variance.
fn samples_of(settings: &RenderSettings, variance: f64) -> f64 {
    match &settings.noise {
        // A pixel gets at most `most` samples, even where that is less than `min_samples`.
        Some(goal) => (variance / goal.error.powi(2))
            .max(goal.min_samples as f64)
            .min(goal.max_samples as f64),
        None => settings.total as f64,
    }
}
