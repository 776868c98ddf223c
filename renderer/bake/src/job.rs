//! A bake job: inputs shared by all targets, the gathering of light, and the statistics returned.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Finished};
use super::error::BakeError;
use super::field::Field;
use super::progress::BakeProgress;
use super::project::{Estimate, Estimator};
use super::settings::BakeSettings;
use super::work::Workers;
use renderer_base::sampler::Sampler;
use renderer_transport::integrator::{Context, Pass, Prepared, Stats};

/// Statistics of a bake.
#[derive(Clone, Copy, Debug, Default)]
pub struct BakeStats {
    /// Texels, vertices or probes.
    pub points: usize,
    /// Hidden points that were filled from neighbours.
    pub filled: usize,
    /// Hidden points without usable neighbours.
    pub dark: usize,
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
}

/// Result of a target.
pub(super) struct Outcome<T> {
    pub(super) product: T,
    pub(super) notes: Vec<String>,
    /// As far as the target knows.
    pub(super) stats: BakeStats,
}

impl Job<'_> {
    /// Estimates the light at `count` points by `f`.
    pub(super) fn gather(
        &self,
        workers: &Workers<'_>,
        count: usize,
        f: impl Fn(&Estimator<'_>, usize, &mut Sampler, &mut Context) -> Option<Estimate> + Sync,
    ) -> Result<Option<Field>, BakeError> {
        let settings = self.settings;
        let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let shot = |done: u64, total: u64| self.progress.photons(done, total);
        let pass = Pass {
            // Every point traces many rays, so it justifies more photons than a pixel.
            points: count as u64 * u64::from(settings.samples).div_ceil(RAYS_OF_A_PIXEL),
            gather_depth: 1,
            light_tags: &[],
            stop: self.stop,
            progress: &shot,
            ..Pass::first(settings.seed, count as u64)
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
        workers.estimate(
            count,
            settings.order,
            checkpoint.take(),
            settings.share,
            self.progress,
            self.stop,
            |index, sampler, context| f(&estimator, index, sampler, context),
        )
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
