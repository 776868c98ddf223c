//! Parallel work of a bake: chunks of points over threads, recorded in the checkpoint, in a result independent of
//! threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::checkpoint::{Checkpoint, Finished};
use super::error::BakeError;
use super::field::Field;
use super::progress::{BakePhase, BakeProgress};
use super::project::Estimate;
use super::sh::ShOrder;
use super::share::Share;
use renderer_base::sampler::Sampler;
use renderer_transport::integrator::{Context, Stats};
use renderer_transport::scene::Scene;

/// Points of a chunk.
const POINTS_PER_CHUNK: usize = 64;

/// Estimation of points.
pub(super) struct Work<'a> {
    /// Order of the coefficients.
    pub(super) order: ShOrder,
    /// Checkpoint, and its finished chunks.
    pub(super) checkpoint: Option<(Checkpoint, Finished)>,
    /// Share of the chunks to compute; `None` for all.
    pub(super) share: Option<Share>,
    /// Callback for finished points.
    pub(super) progress: &'a dyn BakeProgress,
    /// Flag that ends the work.
    pub(super) stop: &'a AtomicBool,
}

/// A thread pool with a context for each thread.
pub(super) struct Workers<'a> {
    pub(super) scene: &'a Scene,
    pool: rayon::ThreadPool,
    contexts: Vec<Mutex<Context>>,
    seed: u64,
}

impl<'a> Workers<'a> {
    /// Starts `threads` threads; 0 for one per core.
    pub(super) fn new(scene: &'a Scene, threads: usize, seed: u64) -> Result<Workers<'a>, BakeError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("bake {index}"))
            .build()
            .map_err(|error| BakeError::Threads { reason: error.to_string() })?;
        let contexts = (0..pool.current_num_threads()).map(|_| Mutex::new(Context::new(scene)));
        Ok(Workers { scene, contexts: contexts.collect(), pool, seed })
    }

    pub(super) fn threads(&self) -> usize {
        self.contexts.len()
    }

    /// Runs `f` within the threads' pool.
    pub(super) fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        self.pool.install(f)
    }

    /// Results of `f` for every index below `count`, in order.
    pub(super) fn map<T: Send>(
        &self,
        count: usize,
        f: impl Fn(usize, &mut Sampler, &mut Context) -> T + Sync,
    ) -> Vec<T> {
        self.pool.install(|| {
            (0..count)
                .into_par_iter()
                .map(|index| f(index, &mut Sampler::new(self.seed), &mut self.context()))
                .collect()
        })
    }

    /// Estimates every index below `count`; `None` leaves a point empty. Returns `None` if `stop` ended the work, or
    /// only a share was done.
    pub(super) fn estimate(
        &self,
        count: usize,
        work: Work<'_>,
        f: impl Fn(usize, &mut Sampler, &mut Context) -> Option<Estimate> + Sync,
    ) -> Result<Option<Field>, BakeError> {
        let Work { order, mut checkpoint, share, progress, stop } = work;
        let mut field = Field::new(order, count);
        let chunks = count.div_ceil(POINTS_PER_CHUNK) as u32;
        let mut finished = checkpoint
            .as_mut()
            .map(|(_, finished)| std::mem::take(finished))
            .unwrap_or_default();
        let points_of = |chunk: u32| {
            let first = chunk as usize * POINTS_PER_CHUNK;
            first..(first + POINTS_PER_CHUNK).min(count)
        };
        finished.retain(|&chunk, record| {
            chunk < chunks && record.len() == points_of(chunk).len() * Field::record_len(order)
        });
        let done = AtomicU64::new((finished.len() * POINTS_PER_CHUNK).min(count) as u64);
        let file = checkpoint.map(|(file, _)| {
            let file = Recorder { file, error: None };
            Mutex::new(file)
        });
        progress.advance(BakePhase::Light, done.load(Ordering::Relaxed), count as u64);

        let work = |chunk: u32| -> Result<Option<Vec<f32>>, BakeError> {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mut context = self.context();
            let mut sampler = Sampler::new(self.seed);
            let mut record = vec![];
            let indices = points_of(chunk);
            for index in indices.clone() {
                let estimate = f(index, &mut sampler, &mut context);
                Field::write_record(order, estimate.as_ref(), &mut record);
            }
            let printed = context.shading.take_printed();
            if !printed.is_empty() {
                progress.print(&printed);
            }
            drop(context);
            if let Some(file) = &file {
                lock(file).add(chunk, &record, progress);
            }
            let points = indices.len() as u64;
            let done = done.fetch_add(points, Ordering::Relaxed) + points;
            progress.advance(BakePhase::Light, done, count as u64);
            Ok(Some(record))
        };
        let wanted = share.map_or(0..chunks, |share| share.pieces(chunks));
        let open: Vec<u32> = wanted.filter(|chunk| !finished.contains_key(chunk)).collect();
        let records = self.pool.install(|| {
            let work = |&chunk: &u32| Ok((chunk, work(chunk)?));
            open.par_iter().with_max_len(1).map(work).collect::<Result<Vec<_>, BakeError>>()
        })?;
        if share.is_some() {
            // A share only writes the file.
            let error = file.and_then(|file| into_inner(file).error);
            return error.map_or(Ok(None), Err);
        }
        for (chunk, record) in finished {
            field.read_record(chunk as usize * POINTS_PER_CHUNK, &record);
        }
        for (chunk, record) in records {
            let Some(record) = record else {
                return Ok(None);
            };
            field.read_record(chunk as usize * POINTS_PER_CHUNK, &record);
        }
        Ok(Some(field))
    }

    /// The context of the calling thread; never contended.
    fn context(&self) -> MutexGuard<'_, Context> {
        lock(&self.contexts[rayon::current_thread_index().unwrap_or(0)])
    }

    /// Statistics and run-time errors of shaders.
    pub(super) fn finish(self) -> (Stats, Vec<renderer_transport::material::Report>) {
        let mut stats = Stats::default();
        let mut reports = vec![];
        for context in self.contexts {
            let mut context = context.into_inner().unwrap_or_else(PoisonError::into_inner);
            stats.merge(&context.stats);
            for report in context.shading.take_reports() {
                if !reports.contains(&report) {
                    reports.push(report);
                }
            }
        }
        (stats, reports)
    }
}

/// Checkpoint of a bake that continues when the file cannot be written.
struct Recorder {
    file: Checkpoint,
    /// First error.
    error: Option<BakeError>,
}

impl Recorder {
    /// Adds a finished chunk; reports the first failure. A full disk may have room again for later chunks.
    fn add(&mut self, chunk: u32, record: &[f32], progress: &dyn BakeProgress) {
        let Err(error) = self.file.add(chunk, record) else {
            return;
        };
        if self.error.is_none() {
            progress.warn(&format!(
                "warning: {error}\n  the bake continues; work that is not in the checkpoint is lost if it is interrupted"
            ));
            self.error = Some(error);
        }
    }
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
