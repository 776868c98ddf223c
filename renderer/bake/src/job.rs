//! A bake job: inputs shared by all targets, the gathering of light, and the statistics returned.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::bake_cache::{self, BakeCache, CacheMatch, CacheResult, PROBE_ORDER, Points};
use super::checkpoint::{Checkpoint, Finished};
use super::error::BakeError;
use super::field::Field;
use super::progress::{BakePhase, BakeProgress};
use super::project::{Estimate, Estimator};
use super::settings::BakeSettings;
use super::sh::ShOrder;
use super::work::Work;
use super::work::Workers;
use glam::UVec2;
use renderer_base::sampler::Sampler;
use renderer_transport::integrator::{Context, Integrator, Pass, PathSettings, Prepared, Stats};

/// Statistics of a bake.
#[derive(Clone, Copy, Debug, Default)]
pub struct BakeStats {
    /// Number of texels, vertices or probes.
    pub points: usize,
    /// Number of hidden points that were filled from neighbours.
    pub filled: usize,
    /// Number of hidden points without usable neighbours.
    pub dark: usize,
    /// Number of points with the light of an earlier bake.
    pub kept: usize,
    /// Mean relative difference of reconstructed irradiance across chart borders, before and after stitching.
    pub seams: [f64; 2],
    /// Counters of rays and shader runs.
    pub work: Stats,
    /// Number of threads.
    pub threads: usize,
    /// Time before gathering: charts, texels, photons.
    pub prepare: Duration,
    /// Time to gather.
    pub gather: Duration,
    /// Time to finish.
    pub finish: Duration,
}

/// Rays of a point that count as one pixel for the default size of photon maps.
const RAYS_OF_A_PIXEL: u64 = 16;

/// Inputs of all targets.
pub(super) struct Job<'a> {
    pub(super) settings: &'a BakeSettings,
    /// Integrator, moved to the gathering step.
    pub(super) checkpoint: Mutex<Option<(Checkpoint, Finished)>>,
    pub(super) names: &'a [String],
    pub(super) progress: &'a dyn BakeProgress,
    pub(super) stop: &'a AtomicBool,
    pub(super) start: Instant,
    /// Points kept from the earlier bake, and cache for the next one.
    pub(super) kept: Mutex<CacheResult>,
}

/// Result of a target.
pub(super) struct Outcome<T> {
    pub(super) product: T,
    pub(super) notes: Vec<String>,
    /// Statistics of the target.
    pub(super) stats: BakeStats,
}

impl Job<'_> {
    /// Reports that a phase without units begins.
    pub(super) fn begin(&self, phase: BakePhase) {
        self.progress.advance(phase, 0, 0);
    }

    /// Estimates the light at points by `f`, whose argument is the sampler's pixel of the point.
    pub(super) fn gather(
        &self,
        workers: &Workers<'_>,
        points: &Points<'_>,
        f: impl Fn(&Estimator<'_>, (usize, UVec2), &mut Sampler, &mut Context) -> Option<Estimate> + Sync,
    ) -> Result<Option<Field>, BakeError> {
        let settings = self.settings;
        let count = points.list.len() as u64;
        let shot = |done: u64, total: u64| {
            self.progress.advance(BakePhase::Photons, done, total);
            if done == total {
                self.begin(BakePhase::Maps);
            }
        };
        let pass = Pass {
            // Every point traces many rays, so it justifies more photons than a pixel.
            points: count * u64::from(settings.samples).div_ceil(RAYS_OF_A_PIXEL),
            gather_depth: 1,
            light_tags: &[],
            stop: self.stop,
            progress: &shot,
            ..Pass::first(settings.seed, count)
        };
        // A gather ray is the second segment of a camera path.
        let depth = settings.integrator.depth().map(|depth| depth.saturating_sub(1));
        let integrator = settings.integrator.with_depth(depth);
        let prepared = workers.install(|| Prepared::new(&integrator, workers.scene, &pass))?;
        let estimator = Estimator {
            scene: workers.scene,
            prepared: &prepared,
            include: settings.include,
            samples: settings.samples,
            goes_on: depth != Some(0),
        };
        match &settings.keep {
            Some(earlier) => {
                // A change affects all photons, but only the paths near it.
                let paths = Integrator::Path(PathSettings { depth, ..PathSettings::default() });
                let paths = workers.install(|| Prepared::new(&paths, workers.scene, &pass))?;
                let probe = Estimator {
                    prepared: &paths,
                    samples: bake_cache::probe_samples(settings.samples),
                    ..estimator
                };
                self.gather_changed(workers, points, earlier, (&probe, &estimator), f)
            }
            None => {
                let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
                let work = Work {
                    order: settings.order,
                    checkpoint: checkpoint.take(),
                    share: settings.share,
                    progress: self.progress,
                    stop: self.stop,
                };
                workers.estimate(points.list.len(), work, |index, sampler, context| {
                    f(&estimator, (index, points.list[index].key), sampler, context)
                })
            }
        }
    }

    /// Estimates the light at points where it differs from an `earlier` bake.
    fn gather_changed(
        &self,
        workers: &Workers<'_>,
        points: &Points<'_>,
        earlier: &BakeCache,
        (probe, estimator): (&Estimator<'_>, &Estimator<'_>),
        f: impl Fn(&Estimator<'_>, (usize, UVec2), &mut Sampler, &mut Context) -> Option<Estimate> + Sync,
    ) -> Result<Option<Field>, BakeError> {
        let work = |order: ShOrder| Work {
            order,
            checkpoint: None,
            share: None,
            progress: self.progress,
            stop: self.stop,
        };
        let count = points.list.len();
        let fingerprint = self.settings.light_fingerprint();
        let none = BakeCache::default();
        let cache = CacheMatch::new(if earlier.is_of(fingerprint) { earlier } else { &none }, points);
        let note = match (earlier.is_empty(), earlier.is_of(fingerprint)) {
            (false, false) => Some("no light is reused: the earlier bake had other settings"),
            (false, true) if cache.is_empty() => Some(
                "no light is reused: the texels of all objects have changed\n  hint: --texels-per-unit gives objects the same size in each bake",
            ),
            _ => None,
        };
        let key = |index: usize| cache.key(index, points.list[index].key);
        let probe = workers.estimate(count, work(PROBE_ORDER), |index, sampler, context| {
            f(probe, (index, key(index)), sampler, context)
        })?;
        let Some(mut probe) = probe else { return Ok(None) };
        let unchanged = cache.unchanged(points, &probe);
        let changed: Vec<usize> = (0..count).filter(|&index| !unchanged[index]).collect();
        let found =
            workers.estimate(changed.len(), work(self.settings.order), |number, sampler, context| {
                let index = changed[number];
                f(estimator, (index, key(index)), sampler, context)
            })?;
        let Some(found) = found else { return Ok(None) };
        let mut field = Field::new(self.settings.order, count);
        found.spread(&changed, &mut field);
        cache.restore(&unchanged, &mut field, &mut probe);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = CacheResult {
            light: Some(bake_cache::new_cache(fingerprint, points, key, &field, &probe)),
            points: count - changed.len(),
            note,
        };
        Ok(Some(field))
    }
}

impl<T> Outcome<T> {
    /// Converts the product; notes and statistics stay.
    pub(super) fn of<U>(self, product: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome {
            product: product(self.product),
            notes: self.notes,
            stats: self.stats,
        }
    }
}
