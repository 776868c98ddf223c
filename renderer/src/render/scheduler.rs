//! Tiles and passes over threads.
//!
//! Samples are taken in passes over the whole picture, so that a render can end between any two with the same number of
//! samples at every pixel. Sums are exact: neither threads nor passes show in the picture.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::auto::decide;
use super::tiles::{TILE, sample_tile};
use super::{Progress, RenderError, RenderSettings, RenderStats, Rendered};
use crate::film::{Film, FilmTile};
use crate::integrator::photon::PhotonStats;
use crate::integrator::{Context, Integrator, Pass, Prepared};
use crate::scene::Scene;

/// How long a pass should take: short enough to stop soon and to show progress, long enough to keep threads busy.
const PASS_TIME: Duration = Duration::from_millis(400);

/// The most samples of a pass.
const MAX_PASS: u64 = 64;

/// Renders a scene. `stop` ends it after the pass under way.
///
/// # Errors
/// When the film cannot be made or no threads can be started.
pub fn render(
    scene: &Scene,
    settings: &RenderSettings,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Rendered, RenderError> {
    let start = Instant::now();
    let mut film = Film::new(settings.width, settings.height, settings.crop, settings.variance)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .thread_name(|index| format!("render {index}"))
        .build()
        .map_err(|error| RenderError::Threads {
            reason: error.to_string(),
        })?;
    let tiles: Vec<Mutex<FilmTile>> = film
        .tiles(TILE)
        .into_iter()
        .map(|rect| Mutex::new(film.tile(rect)))
        .collect();
    let contexts: Vec<Mutex<Context>> = (0..pool.current_num_threads())
        .map(|_| Mutex::new(Context::new(scene)))
        .collect();

    let (first, end) = (
        settings.samples.start,
        settings.samples.end.max(settings.samples.start),
    );
    let mut next = first;
    let mut preparing = Duration::ZERO;
    let tell = |done, total| progress.photons(done, total);
    let pass = |index: u64| Pass {
        seed: settings.seed,
        index,
        points: u64::from(settings.width) * u64::from(settings.height),
        file: settings.photon_map.as_deref(),
        stop,
        // Half of the time that there is may go into preparations.
        until: settings.time_limit.map(|limit| start + limit / 2),
        progress: &tell,
    };
    let decision = match &settings.integrator {
        Integrator::Auto(path) => {
            let decision = pool.install(|| decide(scene, settings, path, &pass(0)))?;
            progress.decided(&decision);
            preparing += start.elapsed();
            Some(decision)
        }
        Integrator::Path(_) | Integrator::Photon(_) => None,
    };
    let integrator = decision.map_or(settings.integrator, |decision| decision.integrator);
    let mut photons: Option<PhotonStats> = None;
    let shared = integrator.samples_per_pass();
    let mut prepared: Option<(u64, Prepared)> = None;
    while next < end {
        let mut size = pass_size(next - first, start.elapsed(), settings.time_limit).min(end - next);
        if size == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        // What samples share follows from their indices, so that any range of them gives what it gives in the whole.
        let index = shared.map_or(0, |count| next / count);
        if let Some(count) = shared {
            size = size.min((index + 1) * count - next);
        }
        let current = match prepared.take() {
            Some((done, ready)) if done == index => ready,
            _ => {
                let begin = Instant::now();
                let ready = pool.install(|| integrator.prepare(scene, &pass(index)))?;
                preparing += begin.elapsed();
                if let Some(stats) = ready.photons() {
                    photons.get_or_insert_default().merge(stats);
                }
                ready
            }
        };
        // What was prepared may be cut short, too.
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let current = &prepared.insert((index, current)).1;
        progress.advance(next - first, end - first);
        let samples = next..next + size;
        pool.install(|| {
            tiles.par_iter().with_max_len(1).for_each(|tile| {
                // Each tile and each context has one user at a time, so nobody ever waits here.
                let index = rayon::current_thread_index().expect("passes run within the pool");
                let mut context = lock(&contexts[index]);
                sample_tile(
                    scene,
                    settings,
                    current,
                    samples.clone(),
                    &mut lock(tile),
                    &mut context,
                );
                let printed = context.shading.take_printed();
                if !printed.is_empty() {
                    progress.print(&printed);
                }
            });
        });
        next += size;
        progress.advance(next - first, end - first);
    }

    for tile in tiles {
        film.merge(&tile.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    let mut stats = collect(contexts, next - first, start.elapsed());
    stats.preparing = preparing;
    stats.decision = decision;
    if let Some(photons) = photons {
        stats.work.photon_rays += photons.rays;
        stats.work.shading_runs += photons.shading_runs;
        stats.photons = Some(photons);
    }
    Ok(Rendered {
        film,
        samples: first..next,
        stats,
    })
}

/// How many samples the next pass takes after `done` took `elapsed`; 0 when there is no time left for one.
fn pass_size(done: u64, elapsed: Duration, limit: Option<Duration>) -> u64 {
    if done == 0 {
        return 1;
    }
    let left = limit.map_or(Duration::MAX, |limit| limit.saturating_sub(elapsed));
    let each = elapsed.as_secs_f64() / done as f64;
    let fitting = left.min(PASS_TIME).as_secs_f64() / each;
    match fitting as u64 {
        // A pass that takes longer than it should is as good as any, unless there is no time for it.
        0 => u64::from(left.as_secs_f64() > each),
        n => n.min(MAX_PASS),
    }
}

fn collect(contexts: Vec<Mutex<Context>>, spp: u64, elapsed: Duration) -> RenderStats {
    let mut stats = RenderStats {
        spp,
        elapsed,
        threads: contexts.len(),
        ..RenderStats::default()
    };
    let mut seen = FxHashSet::default();
    for context in contexts {
        let mut context = context.into_inner().unwrap_or_else(PoisonError::into_inner);
        stats.work.merge(&context.stats);
        // Every thread reports the same mistakes.
        stats.reports.extend(
            context
                .shading
                .take_reports()
                .into_iter()
                .filter(|report| seen.insert(report.clone())),
        );
    }
    stats
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_fit_the_time() {
        let s = Duration::from_secs_f64;
        assert_eq!(pass_size(0, s(0.0), None), 1);
        assert_eq!(pass_size(10, s(1.0), None), 4);
        assert_eq!(pass_size(1, s(60.0), None), 1);
        assert_eq!(pass_size(1000, s(0.01), None), MAX_PASS);
        assert_eq!(pass_size(10, s(1.0), Some(s(1.25))), 2);
        assert_eq!(pass_size(10, s(1.0), Some(s(1.05))), 0);
        assert_eq!(pass_size(10, s(2.0), Some(s(1.0))), 0);
    }
}
