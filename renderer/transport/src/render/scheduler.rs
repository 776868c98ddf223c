//! The render loop: passes of samples over the whole film, with time limit, adaptive sampling and preparation of
//! integrators.
//!
//! Samples are taken in passes over the whole film, so that a render can stop after any of them with the same number of
//! samples at every pixel. A long pass that is interrupted is discarded. Sums are exact: the image does not depend on
//! threads or passes.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::pilot::{ChosenSettings, choose, fitted, with_counts};
use super::sample_density::{SampleDensity, UNIFORM_SAMPLES};
use super::tiles::SamplePass;
use super::workers::Workers;
use super::{Progress, RenderError, RenderSettings, RenderState, RenderStats, Rendered};
use crate::integrator::photon::PhotonStats;
use crate::integrator::{Branching, Integrator, Pass, Prepared};
use crate::scene::Scene;
use renderer_image::film::Film;

/// Target duration of a pass: short enough to stop soon and to show progress, long enough to keep threads busy.
const PASS_TIME: Duration = Duration::from_millis(400);

/// Maximum number of camera rays of a pixel in a pass.
const MAX_PASS: u64 = 1 << 14;

/// Maximum growth of a pass relative to the previous one, in samples: timings of short passes are inaccurate.
const GROWTH: u64 = 4;

/// Minimum number of remaining samples for measuring sample densities, which costs four samples.
const MIN_SAMPLES_FOR_DENSITY: u64 = 200;

/// Number of paths within a time limit for each photon of a map; a photon costs as much as three paths.
const PATHS_PER_PHOTON: u64 = 20;

/// Minimum number of photons of a map.
const MIN_PHOTONS: u64 = 1 << 12;

/// Inverse of the maximum share of a time limit for photons of pilots.
const PILOT_TIME_DIVISOR: u32 = 32;

/// Renders a scene. `stop` ends it after the current pass, or before that if the pass is long.
///
/// # Errors
/// When the film cannot be made or no threads can be started.
pub fn render(
    scene: &Scene,
    settings: &RenderSettings,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Rendered, RenderError> {
    let film = Film::new(settings.width, settings.height, settings.crop, settings.layout())?;
    let state = RenderState::new(film, settings);
    resume(scene, settings, state, progress, stop)
}

/// Continues a render of the same scene and settings.
///
/// # Errors
/// As for [`render`].
pub fn resume(
    scene: &Scene,
    settings: &RenderSettings,
    mut state: RenderState,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Rendered, RenderError> {
    let start = Instant::now();
    let workers = Workers::new(scene, settings.threads, &state.film, state.noise.is_some())?;
    let limit = settings.deciding_limit();
    let fitted = limit.map(|limit| workers.install(|| fitted(scene, settings, limit, stop)));
    let settings = fitted.as_ref().unwrap_or(settings);
    let limit = settings.deciding_limit();
    let for_maps = limit.filter(|_| settings.photon_map.is_none());
    let report = |done, total| progress.photons(done, total);
    let pass = |index: u64| Pass {
        seed: settings.seed,
        index,
        points: u64::from(settings.width) * u64::from(settings.height),
        max_photons: for_maps.map_or(u64::MAX, |_| max_photons_within(settings)),
        gather_depth: 2,
        light_tags: settings.passes.as_ref().map_or(&[], |plan| plan.light_tags()),
        file: settings.photon_map.as_deref(),
        stop,
        // Twice the time for the expected number of photons.
        until: for_maps.map(|limit| start + limit / 4),
        progress: &report,
    };
    let mut pace = PassScheduler::new(start, settings.time_limit);
    // No deadline without a time limit: pilots must not depend on the load of the machine.
    let pilot_pass = Pass {
        file: None,
        until: limit.map(|limit| start + limit / PILOT_TIME_DIVISOR),
        ..pass(0)
    };
    let choice = workers.install(|| choose(scene, settings, &state.integrator, &pilot_pass))?;
    // A stopped pilot has no decision.
    let decision = choice.decision.as_ref();
    if let Some(decision) = decision.filter(|_| !stop.load(Ordering::Relaxed)) {
        progress.decided(decision);
    }
    state.integrator = choice.integrator;
    let integrator = choice.chosen.settings;
    let mut maps = PreparedPasses::new(choice.chosen, start.elapsed());
    let adapts = SampleDensity::is_wanted(settings, &integrator);
    let densities: OnceCell<Option<SampleDensity>> = OnceCell::new();
    let first = state.samples.end;
    let mut taken = 0;
    while !state.is_done(settings) {
        let next = state.samples.end;
        let size = pace.pass_size();
        if size == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        maps.prepare(scene, settings, next, &workers, pass)?;
        let Some((index, prepared)) = &maps.current else {
            break;
        };
        let unit = maps.paths_per_ray;
        // The camera rays of samples `a..b` are `a / unit..b / unit`: those of adjacent ranges join.
        let ray = next / unit;
        let last = state.pass_end(settings) / unit;
        let mut end = (ray + size).min(last).min(maps.end_of(*index));
        if adapts && ray < UNIFORM_SAMPLES {
            end = end.min(UNIFORM_SAMPLES);
        }
        let rays = ray..end;
        let taken_to = if end < last { end * unit } else { state.pass_end(settings) };
        // Preparation stops at its deadline, too.
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let densities = (adapts && ray >= UNIFORM_SAMPLES).then(|| {
            densities.get_or_init(|| {
                let pays = settings.joins || pace.has_time_for(MIN_SAMPLES_FOR_DENSITY);
                pays.then(|| workers.install(|| SampleDensity::new(scene, settings, prepared, stop)))?
            })
        });
        let densities = densities.and_then(Option::as_ref);
        // A stopped pilot has no densities; uniform samples would differ from those of an undisturbed render.
        if stop.load(Ordering::Relaxed) {
            break;
        }
        progress.advance(taken, taken + state.remaining(settings) / unit);
        if integrator.samples_per_pass().is_none() {
            pace.begin();
        }
        // A long pass can be discarded: before it, tiles are empty.
        let before = pace.is_slow().then(|| {
            workers.deliver(&mut state.film);
            state.noise.clone()
        });
        let pass = SamplePass { settings, prepared, samples: &rays, densities };
        let stops = before.is_some().then_some(stop);
        let rays_taken = workers.take(pass, &state.film, state.noise.as_mut(), progress, stops);
        if progress.gives_up() {
            return Err(RenderError::GivenUp);
        }
        if let Some(noise) = before
            && stop.load(Ordering::Relaxed)
        {
            workers.discard();
            state.noise = noise;
            break;
        }
        taken += rays_taken;
        workers.install(|| state.took(taken_to));
        // A range shorter than the samples of a camera ray contains no ray.
        if !rays.is_empty() {
            pace.took(rays.end - rays.start);
        }
        progress.advance(taken, taken + state.remaining(settings) / unit);
        if progress.wants_state() && !state.is_done(settings) {
            workers.deliver(&mut state.film);
            progress.state(&state);
        }
    }
    workers.deliver(&mut state.film);

    let threads = workers.threads();
    let (mut work, reports) = workers.finish();
    if let Some(photons) = &maps.stats {
        work.photon_rays += photons.rays;
        work.shading_runs += photons.shading_runs;
    }
    let stats = RenderStats {
        spp: state.samples.end - first,
        samples_per_ray: maps.paths_per_ray,
        samples: taken,
        elapsed: start.elapsed(),
        preparing: maps.preparing,
        decision: choice.decision,
        branching: maps.branching,
        missing_light: choice.missing_light,
        adaptive_gain: densities.into_inner().flatten().map(|densities| densities.gain),
        threads,
        work,
        photons: maps.stats,
        reports,
    };
    Ok(Rendered { state, stats })
}

/// Maximum number of photons of a map within a time limit that fits the samples of these settings.
fn max_photons_within(settings: &RenderSettings) -> u64 {
    (settings.paths() / PATHS_PER_PHOTON).max(MIN_PHOTONS)
}

/// The integrator, prepared on demand for each pass.
struct PreparedPasses {
    integrator: Integrator,
    current: Option<(u64, Prepared)>,
    preparing: Duration,
    branching: Branching,
    /// Number of samples that a camera ray counts as; known after preparation.
    paths_per_ray: u64,
    stats: Option<PhotonStats>,
}

impl PreparedPasses {
    fn new(chosen: ChosenSettings<Integrator>, preparing: Duration) -> PreparedPasses {
        PreparedPasses {
            integrator: chosen.settings,
            current: None,
            preparing,
            branching: Branching::default(),
            paths_per_ray: chosen.paths_per_ray,
            stats: None,
        }
    }

    /// One past the last sample of the preparation with this index.
    fn end_of(&self, index: u64) -> u64 {
        let shared = self.integrator.samples_per_pass();
        shared.map_or(u64::MAX, |count| (index + 1) * count)
    }

    /// Prepares the integrator for a sample. The preparation depends on the index of the sample only, so that any range of
    /// samples has the values that it has in the whole render.
    fn prepare<'a>(
        &mut self,
        scene: &Scene,
        settings: &RenderSettings,
        sample: u64,
        workers: &Workers<'_>,
        pass: impl Fn(u64) -> Pass<'a> + Sync,
    ) -> Result<(), RenderError> {
        let index = self.integrator.samples_per_pass().map_or(0, |count| sample / count);
        let current = match self.current.take() {
            Some(current) if current.0 == index => current,
            _ => {
                let begin = Instant::now();
                let ready = workers.install(|| {
                    let pass = pass(index);
                    let ready = Prepared::new(&self.integrator, scene, &pass)?;
                    Ok::<_, RenderError>(match &self.integrator {
                        Integrator::Photon(photon) => with_counts(scene, settings, photon, ready, pass.stop),
                        Integrator::Path(_) | Integrator::Auto(_) => {
                            ChosenSettings { settings: ready, paths_per_ray: self.paths_per_ray }
                        }
                    })
                })?;
                self.paths_per_ray = ready.paths_per_ray;
                let ready = ready.settings;
                self.branching = ready.branching();
                self.preparing += begin.elapsed();
                if let Some(stats) = ready.photons() {
                    self.stats.get_or_insert_default().merge(stats);
                }
                (index, ready)
            }
        };
        self.current = Some(current);
        Ok(())
    }
}

/// Measures the time of samples and sets the number of samples of the next pass.
struct PassScheduler {
    start: Instant,
    limit: Option<Duration>,
    last: Instant,
    /// Number of samples of the last pass and time of one, with the preparation made for this pass only; `None` before
    /// the first.
    pass: Option<(u64, Duration)>,
}

impl PassScheduler {
    fn new(start: Instant, limit: Option<Duration>) -> PassScheduler {
        PassScheduler { start, limit, last: start, pass: None }
    }

    /// Begins a pass; preparation that also serves other passes is not counted.
    fn begin(&mut self) {
        self.last = Instant::now();
    }

    /// A pass of `samples` is over.
    fn took(&mut self, samples: u64) {
        let now = Instant::now();
        self.pass = Some((samples, (now - self.last).div_f64(samples as f64)));
        self.last = now;
    }

    /// Returns whether the time left is enough for this number of samples.
    fn has_time_for(&self, samples: u64) -> bool {
        let left = self.left();
        self.pass
            .is_none_or(|(_, each)| left.as_secs_f64() > samples as f64 * each.as_secs_f64())
    }

    fn left(&self) -> Duration {
        self.limit
            .map_or(Duration::MAX, |limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Returns whether a pass of one sample may take longer than [`PASS_TIME`].
    fn is_slow(&self) -> bool {
        self.pass.is_none_or(|(_, each)| each > PASS_TIME)
    }

    /// Number of samples of the next pass; 0 when there is no time left for one.
    fn pass_size(&self) -> u64 {
        self.pass
            .map_or(1, |(size, each)| fitting(each, self.left()).min(GROWTH * size))
    }
}

/// Number of samples of a pass, for the time `each` of a sample and the remaining time `left`.
fn fitting(each: Duration, left: Duration) -> u64 {
    let count = left.min(PASS_TIME).as_secs_f64() / each.as_secs_f64().max(1e-9);
    match count as u64 {
        // A pass longer than planned is acceptable, unless the time limit excludes it.
        0 => u64::from(left > each),
        n => n.min(MAX_PASS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_fit_the_time() {
        let s = Duration::from_secs_f64;
        assert_eq!(fitting(s(0.1), Duration::MAX), 4);
        assert_eq!(fitting(s(60.0), Duration::MAX), 1);
        assert_eq!(fitting(s(1e-5), Duration::MAX), MAX_PASS);
        assert_eq!(fitting(s(0.1), s(0.25)), 2);
        assert_eq!(fitting(s(0.1), s(0.05)), 0);
        assert_eq!(fitting(s(0.2), s(0.0)), 0);
    }
}
