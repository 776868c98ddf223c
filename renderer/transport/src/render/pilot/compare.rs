//! The integrator `auto`: a short pilot of `path` and `photon` decides by the expected time to equal error.
//!
//! Both render the same few pixels: at a first look a quarter of them, with two branches each; where that leaves doubt,
//! with their best branches and guides. The time to an error is in proportion to the cost of a sample times its variance.
//! Measured time would make the image depend on the machine and its load, so cost is counted in equivalents of path
//! rays. A time limit does that anyhow: there, the gain of photons is less by the share of the time that is left which
//! their maps are expected to take.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::caustics::{self, SEEN};
use super::choice::{Choice, Chosen, Decision};
use super::paths::{self, chosen, with_counts};
use super::pixels::Pilot;
use super::stratified::{self, Pixel};
use super::time_limit::{is_below, plain};
use crate::integrator::photon::default_count;
use crate::integrator::{Integrator, Pass, PathSettings, PhotonSettings, PrepareError, Prepared};
use crate::render::RenderSettings;
use crate::scene::Scene;

/// Samples of each of the pilot's pixels, of either sequence.
const SAMPLES: u64 = 16;

/// The same where a time limit decides.
const SAMPLES_IN_TIME: u64 = 8;

/// Pixels of a first look along the longer side of the picture.
const FEW: u32 = 20;

/// Photons to keep in each map of the pilot; fewer where a time limit has room for less than `MORE` times as many in the
/// picture's maps.
const PHOTONS: u64 = 1 << 15;
const MORE: u64 = 8;

/// Minimum number of paths in a time limit for which the two are compared.
const MIN_PATHS: u64 = 100_000;

/// Share of a time limit up to which a second look is taken.
const SECOND_LOOK: f64 = 0.05;

/// Time of a second look, with the pilots of the paths that it needs, in first looks.
const LOOKS: f64 = 8.0;

/// A gain of `photon` that decides though neither has its best branches and guides: those seldom double the speed of paths
/// relative to photons, and to find them takes longer than the first look.
const SURE: f64 = 2.0;

/// A gain of `photon` that decides against it, for the same reason.
const HOPELESS: f64 = 0.2;

/// Correction factor of the gain of `photon`: a few samples miss more rare bright contributions of paths than of
/// photons. Over 24 scenes the pilot's median gain was 0.4 of the true one; for long renders, where bias of photons
/// counts, it is lower again.
const MISSED: f64 = 1.3;

/// The same where a time limit decides: pictures of eight rooms gained twice what a first look at them told.
const MISSED_IN_TIME: f64 = 2.0;

/// Cost of a photon map lookup in path rays; a sample takes one, and each of its gather rays.
const LOOKUP: f64 = 2.0;

/// Cost of a photon path segment in path rays, kd-tree construction included.
const PHOTON_RAY: f64 = 4.0;

/// Cost of an irradiance record in path rays.
const RECORD: f64 = 130.0;

/// The share of its gain that photons keep where there is no time for their maps: a gain of 0 would mean no light.
const MIN_SHARE: f64 = 0.01;

/// Decides for a render, on the `rayon` pool that it is called in; the same for any number of threads. `pass` is that of
/// pilots: without a file, and without a deadline unless the render has a time limit.
///
/// # Errors
/// As for [`Integrator::prepare`].
pub(super) fn decide(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Result<Choice, PrepareError> {
    let limit = settings.deciding_limit();
    if is_below(MIN_PATHS, settings) {
        return Ok(Choice {
            decision: None,
            integrator: Integrator::Path(*path),
            settled: Chosen::given(Integrator::Path(plain(path))),
            unfound: None,
        });
    }
    let photon = PhotonSettings {
        depth: path.depth,
        hide_emitters: path.hide_emitters,
        guide: limit.map(|_| false),
        ..PhotonSettings::default()
    };
    let whole = default_count(&photon, pass);
    let photons = PHOTONS.min(whole / MORE);
    let pilot = Integrator::Photon(PhotonSettings {
        photons: Some(photons),
        caustic_photons: Some(photons),
        ..photon
    });
    let begin = Instant::now();
    let maps = Prepared::new(&pilot, scene, pass)?;
    let for_maps = begin.elapsed();
    let made = maps.photons().cloned().unwrap_or_default();
    let larger = whole as f64 / photons as f64;
    let comparison = Comparison {
        scene,
        settings,
        stop: pass.stop,
        samples: limit.map_or(SAMPLES, |_| SAMPLES_IN_TIME),
        // Where time ends the render, `within_time` counts what maps take.
        preparation: match limit {
            Some(_) => 0.0,
            None => larger * (PHOTON_RAY * made.rays as f64 + RECORD * made.records as f64),
        },
    };
    // The deadline may have ended the pilot's maps early.
    let stored = made.stored[0].max(1) as f64;
    let of_maps = for_maps.as_secs_f64() * whole as f64 / stored;
    let kept = |limit: Duration| {
        let left = limit.saturating_sub(begin.elapsed()).as_secs_f64();
        (1.0 - of_maps / left).max(MIN_SHARE)
    };
    let within_time = |gain: f64| gain * limit.map_or(1.0, kept);
    let choice = |integrator: Integrator, settled: Chosen<Integrator>, gain: f64| Choice {
        decision: Some(Decision { integrator, gain }),
        integrator,
        settled,
        unfound: None,
    };
    let photon_choice = Integrator::Photon(photon);
    let by_photon = |gain| choice(photon_choice, Chosen::given(photon_choice), gain);
    let maps = maps.with_counts(2, 2);
    let plain = Prepared::Path(*path).with_counts(2, 2);
    let film = settings.rendered();
    let step = film.width().max(film.height()).div_ceil(FEW);
    let begin_of_look = Instant::now();
    let first = within_time(comparison.gain(&plain, &maps, step, settings.max_paths_per_ray().min(2)));
    if first > SURE {
        return Ok(by_photon(first));
    }
    let missed = limit.map_or(MISSED, |_| MISSED_IN_TIME);
    let for_second = LOOKS * begin_of_look.elapsed().as_secs_f64();
    let has_no_time = limit.is_some_and(|limit| for_second > SECOND_LOOK * limit.as_secs_f64());
    if has_no_time && missed * first > 1.0 {
        return Ok(by_photon(missed * first));
    }
    let settled = chosen(scene, settings, path, pass);
    let gain = if has_no_time || missed * first < HOPELESS {
        missed * first
    } else {
        let paths = paths::prepare(scene, &settled.choice, pass);
        let maps = with_counts(scene, settings, &photon, maps, pass.stop).choice;
        within_time(MISSED * comparison.gain(&paths, &maps, 1, settled.paths_per_ray))
    };
    Ok(if gain > 1.0 {
        by_photon(gain)
    } else {
        // A picture without light has no errors by either.
        let gain = if gain > 0.0 { 1.0 / gain } else { 1.0 };
        choice(Integrator::Path(*path), settled.map(Integrator::Path), gain)
    })
}

/// Both integrators for the same picture.
struct Comparison<'a> {
    scene: &'a Scene,
    settings: &'a RenderSettings,
    /// Samples of each of the pilot's pixels, of either sequence.
    samples: u64,
    /// Cost of the picture's photon maps, in path rays.
    preparation: f64,
    /// Ends the measurements; the result is of no use then.
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
        let unfound = self.unfound(paths, maps, step);
        let bias: f64 = unfound
            .iter()
            .zip(pixels())
            .map(|(light, pair)| light * light * scale(pair))
            .sum();
        if bias > SEEN.powi(2) * by_path.pixels.len() as f64 {
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
        if path_work > 0.0 {
            path_work / photon_work
        } else {
            0.0
        }
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

    /// Radiance that no path finds.
    fn unfound(&self, paths: &Prepared, maps: &Prepared, step: u32) -> Vec<f64> {
        match maps {
            Prepared::Photon(maps) => {
                let film = self.settings.rendered();
                caustics::unfound(self.scene, self.settings, (&film, step), (paths, maps), self.stop)
            }
            Prepared::Path(_) | Prepared::Guided(..) => vec![],
        }
    }

    /// Variances that caustics make in a branch of these paths.
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

/// Samples of each pixel by paths whose samples have this relative variance.
fn samples_of(settings: &RenderSettings, variance: f64) -> f64 {
    match &settings.noise {
        // A pixel gets at most `most` samples, even where that is less than `min_samples`.
        Some(goal) => (variance / goal.error.powi(2))
            .max(goal.min_samples as f64)
            .min(goal.max_samples as f64),
        None => settings.total as f64,
    }
}
