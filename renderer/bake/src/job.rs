//! A bake job: inputs shared by all targets, the gathering of light, and the statistics returned.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Finished};
use super::error::BakeError;
use super::field::Field;
use super::kept::{self, FEW_ORDER, Keeping, Kept, KeptLight, Points};
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
    /// Texels, vertices or probes.
    pub points: usize,
    /// Hidden points that were filled from neighbours.
    pub filled: usize,
    /// Hidden points without usable neighbours.
    pub dark: usize,
    /// Points that kept the light of an earlier bake.
    pub kept: usize,
    /// Mean relative difference of rebuilt irradiance over chart borders, before and after stitching.
    pub seams: [f64; 2],
    /// Rays and shading.
    pub work: Stats,
    /// Threads that worked.
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
    /// Taken by the gathering step.
    pub(super) checkpoint: Mutex<Option<(Checkpoint, Finished)>>,
    pub(super) names: &'a [String],
    pub(super) progress: &'a dyn BakeProgress,
    pub(super) stop: &'a AtomicBool,
    pub(super) start: Instant,
    /// What is kept from the earlier bake and for the next one.
    pub(super) kept: Mutex<Kept>,
}

/// Result of a target.
pub(super) struct Outcome<T> {
    pub(super) product: T,
    pub(super) notes: Vec<String>,
    /// As far as the target knows.
    pub(super) stats: BakeStats,
}

impl Job<'_> {
    /// Reports that a phase without units begins.
    pub(super) fn begin(&self, phase: BakePhase) {
        self.progress.advance(phase, 0, 0);
    }

    /// Estimates the light at points by `f`, which is given the sampler's pixel of each.
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
        // The ray that arrives at a point is the second segment of a path from a camera.
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
                // Photons are others wherever a change is, paths only near it.
                let paths = Integrator::Path(PathSettings {
                    depth,
                    ..PathSettings::default()
                });
                let paths = workers.install(|| Prepared::new(&paths, workers.scene, &pass))?;
                let few = Estimator {
                    prepared: &paths,
                    samples: kept::few(settings.samples),
                    ..estimator
                };
                self.gather_changed(workers, points, earlier, (&few, &estimator), f)
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

    /// Estimates the light at points where it is not as in an `earlier` bake.
    fn gather_changed(
        &self,
        workers: &Workers<'_>,
        points: &Points<'_>,
        earlier: &KeptLight,
        (few, estimator): (&Estimator<'_>, &Estimator<'_>),
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
        let none = KeptLight::default();
        let keeping = Keeping::new(
            if earlier.is_of(fingerprint) {
                earlier
            } else {
                &none
            },
            points,
        );
        let note = match (earlier.is_empty(), earlier.is_of(fingerprint)) {
            (false, false) => Some("no light is kept: the earlier bake had other settings"),
            (false, true) if keeping.is_empty() => Some(
                "no light is kept: all objects have other texels\n  hint: --texels-per-unit gives them the same size in each bake",
            ),
            _ => None,
        };
        let key = |index: usize| keeping.key(index, points.list[index].key);
        let few = workers.estimate(count, work(FEW_ORDER), |index, sampler, context| {
            f(few, (index, key(index)), sampler, context)
        })?;
        let Some(mut few) = few else { return Ok(None) };
        let unchanged = keeping.unchanged(points, &few);
        let changed: Vec<usize> = (0..count).filter(|&index| !unchanged[index]).collect();
        let found = workers.estimate(
            changed.len(),
            work(self.settings.order),
            |number, sampler, context| {
                let index = changed[number];
                f(estimator, (index, key(index)), sampler, context)
            },
        )?;
        let Some(found) = found else { return Ok(None) };
        let mut field = Field::new(self.settings.order, count);
        found.spread(&changed, &mut field);
        keeping.restore(&unchanged, &mut field, &mut few);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept {
            light: Some(kept::keep(fingerprint, points, key, &field, &few)),
            points: count - changed.len(),
            note,
        };
        Ok(Some(field))
    }
}

impl<T> Outcome<T> {
    /// Converts the product by `product`; notes and statistics stay.
    pub(super) fn of<U>(self, product: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome {
            product: product(self.product),
            notes: self.notes,
            stats: self.stats,
        }
    }
}
