//! Worker threads: the thread pool, per-thread contexts, and the tiles of the film.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::tiles::{SamplePass, TILE, sample_tile, side_for};
use super::{Progress, RenderError};
use crate::integrator::{Context, Stats};
use crate::material::Report;
use crate::scene::Scene;
use renderer_image::film::{Film, FilmTile, NoiseMap, NoiseTile};

/// A thread pool with a context for each thread, and the tiles of a film. Each tile and each context has one user at a
/// time, so no lock is ever contended.
pub(super) struct Workers<'a> {
    scene: &'a Scene,
    pool: rayon::ThreadPool,
    contexts: Vec<Mutex<Context>>,
    tiles: Vec<Mutex<FilmTile>>,
}

impl<'a> Workers<'a> {
    /// Starts `threads` threads (0 for one per core) for the tiles of a film; for those of its noise map,
    /// if it has one.
    pub(super) fn new(
        scene: &'a Scene,
        threads: usize,
        film: &Film,
        has_noise_map: bool,
    ) -> Result<Workers<'a>, RenderError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("render {index}"))
            .build()
            .map_err(|error| RenderError::Threads { reason: error.to_string() })?;
        let contexts = (0..pool.current_num_threads()).map(|_| Mutex::new(Context::new(scene)));
        let side = match has_noise_map {
            true => TILE,
            false => side_for(&film.crop(), pool.current_num_threads()),
        };
        let tiles = film.tiles(side).into_iter();
        Ok(Workers {
            scene,
            contexts: contexts.collect(),
            tiles: tiles.map(|rect| Mutex::new(film.tile(rect))).collect(),
            pool,
        })
    }

    /// Number of threads.
    pub(super) fn threads(&self) -> usize {
        self.contexts.len()
    }

    /// Runs `f` within the threads' pool.
    pub(super) fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        self.pool.install(f)
    }

    /// Takes the samples of a pass at every pixel, or those that `noise` requests, and adds them to the tiles. Returns the number
    /// of rays. Once `progress` gives up or `stop` is set, the remaining pixels are skipped.
    pub(super) fn take(
        &self,
        pass: SamplePass<'_>,
        film: &Film,
        noise: Option<&mut NoiseMap>,
        progress: &dyn Progress,
        stop: Option<&AtomicBool>,
    ) -> u64 {
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let sample = |tile: &Mutex<FilmTile>, noise: Option<&mut NoiseTile>| {
            if progress.gives_up() || is_stopped() {
                return 0;
            }
            let index = rayon::current_thread_index().expect("passes run within the pool");
            let mut context = lock(&self.contexts[index]);
            let tile = &mut lock(tile);
            let taken = sample_tile(self.scene, pass, tile, noise, &mut context, &is_stopped);
            if progress.wants_tiles() {
                progress.tile(film, tile);
            }
            let printed = context.shading.take_printed();
            if !printed.is_empty() {
                progress.print(&printed);
            }
            taken
        };
        let tiles = self.tiles.par_iter().with_max_len(1);
        self.install(|| match noise {
            Some(noise) => tiles.zip(&mut noise.tiles).map(|(tile, noise)| sample(tile, Some(noise))).sum(),
            None => tiles.map(|tile| sample(tile, None)).sum(),
        })
    }

    /// Merges the tiles into the film.
    pub(super) fn deliver(&self, film: &mut Film) {
        for tile in &self.tiles {
            film.take(&mut lock(tile));
        }
    }

    /// Forgets the samples that the film has not.
    pub(super) fn discard(&self) {
        self.tiles.iter().for_each(|tile| lock(tile).clear());
    }

    /// Statistics of all threads and run-time errors of shaders, one for each source location.
    pub(super) fn finish(self) -> (Stats, Vec<Report>) {
        let mut stats = Stats::default();
        let mut seen = HashSet::new();
        let mut reports = vec![];
        for context in self.contexts {
            let mut context = context.into_inner().unwrap_or_else(PoisonError::into_inner);
            stats.merge(&context.stats);
            // Several threads report the same errors.
            let found = context.shading.take_reports().into_iter();
            reports.extend(found.filter(|report| seen.insert(report.clone())));
        }
        (stats, reports)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
