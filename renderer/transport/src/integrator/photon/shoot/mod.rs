//! Photon shooting: emits photons from lights, scatters them, and stores one at every hit with a diffuse or rough lobe.
//!
//! Each photon depends on its index only. Photons are shot in batches of fixed size until enough are stored, and stored
//! in the order of their indices, so a map does not depend on the number or the timing of threads.

mod block;
mod density;
pub(crate) mod emit;
pub(crate) mod params;
mod scatter;
mod state;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::UVec2;
use rayon::prelude::*;

use super::map::photon::Photon;
use super::statistics::PhotonStats;
use crate::integrator::context::Context;
use crate::integrator::pass::Pass;
use crate::light::LightId;
use crate::scene::Scene;
use block::Block;
use density::Density;
use emit::Emitter;
use params::{PhotonFilter, ShootParams};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::AliasTable;
use scatter::Scatterer;
use state::{PHOTONS_PER_SEGMENT, PhotonState, PhotonTracer};

/// Number of photons that one thread traces as a unit.
const BLOCK: u64 = 1 << 8;

/// Number of photons of a batch, after which the stored ones are counted; the minimum applies if few are to be stored.
pub(crate) const BATCH: u64 = 1 << 15;
const MIN_BATCH: u64 = 1 << 8;

/// Bit that separates the random numbers of pilots from those of stored photons.
const PILOT_STREAM: u32 = 1 << 31;

/// Maximum number of photons shot for each photon to store.
const MAX_SHOT_RATIO: u64 = 8;

/// Maximum number of segments traced between surfaces for each photon to store. Between many panes a photon has
/// hundreds of segments; most scenes need less than 12 per stored photon.
const MAX_SEGMENT_RATIO: u64 = 32;

/// Divisor of the maximum number of segments for pilots.
const PILOT_SEGMENTS: u64 = 4;

/// Expected number of stored photons for each one shot. If guided pilots store fewer, such light paths are rare, and
/// proportionally fewer photons are shot.
const EXPECTED_YIELD: f64 = 0.02;

/// Salt that separates the random numbers of photons from those of pixels.
const SALT: u64 = 0x70_68_6f_74_6f_6e_73;

/// Maximum number of photons that the splits of one photon create.
const MAX_SPLITS: u32 = 256;

/// Stored photons, with the number shot.
#[derive(Debug, Default)]
pub(crate) struct ShootResult {
    pub(crate) photons: Vec<Photon>,
    pub(crate) shot: u64,
}

/// Inputs of the shooting of photons.
#[derive(Clone, Copy)]
pub(crate) struct Shooter<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) emitter: &'a Emitter,
    pub(crate) params: &'a ShootParams,
    pub(crate) pass: &'a Pass<'a>,
    /// A context for each thread.
    pub(crate) contexts: &'a [Mutex<Context>],
}

impl Shooter<'_> {
    /// Traces a batch of photons from cells selected by `choice`; `stream` selects their random numbers.
    fn batch(
        &self,
        choice: &AliasTable,
        density: Option<&Density>,
        stream: UVec2,
        indices: Range<u64>,
    ) -> Vec<Block> {
        (0..(indices.end - indices.start).div_ceil(BLOCK) as u32)
            .into_par_iter()
            // Threads synchronise after each batch, and a batch has few blocks for each thread.
            .with_max_len(1)
            .map(|block| {
                let first = indices.start + u64::from(block) * BLOCK;
                self.trace_block(choice, density, stream, first..(first + BLOCK).min(indices.end))
            })
            .collect()
    }

    fn trace_block(
        &self,
        choice: &AliasTable,
        density: Option<&Density>,
        stream: UVec2,
        indices: Range<u64>,
    ) -> Block {
        let Shooter { scene, emitter, pass, .. } = *self;
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut context = self.contexts[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let mut sampler = Sampler::new(pass.seed ^ SALT);
        let mut block = Block::default();
        let before = context.stats.photon_rays;
        let (mut scatterer, mut pending) = (Scatterer::new(), vec![]);
        for index in indices {
            if pass.is_stopped() {
                break;
            }
            sampler.start(stream, index);
            let Some(emitted) = emitter.shoot(choice, scene.lights(), &mut sampler, &mut context.shading)
            else {
                continue;
            };
            block.lights.push(emitted.light as u32);
            let (stored, power) = (block.photons.len(), emitted.emission.power * (1.0 / emitter.unit));
            let is_delta = scene.lights()[emitted.light].is_delta();
            let light = LightId(emitted.light as u32);
            let link = scene.links_scattering().then(|| *scene.link(light));
            let start = scene.path_start(&emitted.emission);
            let mut photon = PhotonState::new(start, power, is_delta).linked(link);
            let mut tracer = PhotonTracer {
                scene,
                params: self.params,
                density,
                sampler: &mut sampler,
                context: &mut context,
                scatterer: &mut scatterer,
                pending: &mut pending,
                split_budget: MAX_SPLITS,
                photons: &mut block.photons,
            };
            while photon.advance(&mut tracer) || pop(tracer.pending, &mut photon) {}
            if let Some(&tag) = pass.light_tags.get(emitted.light) {
                block.photons[stored..]
                    .iter_mut()
                    .for_each(|photon| *photon = photon.tagged(tag));
            }
            if block.photons.len() > stored {
                block
                    .useful
                    .push((emitted.cell as u32, emitted.weight, block.photons.len() as u32));
            }
        }
        block.segments = context.stats.photon_rays - before;
        block
    }
}

/// Replaces a photon that has ended by the next pending one; returns `false` if there is none.
fn pop(pending: &mut Vec<PhotonState>, photon: &mut PhotonState) -> bool {
    match pending.pop() {
        Some(next) => *photon = next,
        None => return false,
    }
    true
}

/// Shoots photons; calls `progress` with the number stored, or shot if `exactly` is set. The result of a pass that is
/// stopped is incomplete.
pub(crate) fn shoot(shooter: Shooter<'_>, progress: impl Fn(u64), stats: &mut PhotonStats) -> ShootResult {
    let Shooter { scene, emitter, params, pass, .. } = shooter;
    let mut result = ShootResult::default();
    if !emitter.emits() || params.count == 0 || params.max_segments == 0 {
        return result;
    }
    let size = match params.exactly {
        true => BATCH,
        false => params.count.clamp(MIN_BATCH, BATCH),
    };
    let ends = || pass.is_stopped() || pass.until.is_some_and(|until| Instant::now() >= until);
    let stream = UVec2::new(
        pass.index as u32,
        match params.filter {
            PhotonFilter::Global { .. } => 0,
            PhotonFilter::Caustic => 1,
        },
    );

    let mut useful = vec![0.0; emitter.cells()];
    let mut choice = emitter.choice(&useful);
    let mut density = Density::new(scene);
    let mut learn = |blocks: &[Block], density: &Density| {
        density.rate_cells(blocks, &mut useful);
        emitter.choice(&useful)
    };
    let mut yield_ratio = 1.0;
    // In fog a photon may be scattered hundreds of times. The first photon is kept after half an interval.
    let mut error = 0.5;
    let mut thin = |blocks: &mut [Block], shot: u64| {
        let [_, in_media] = counts(blocks);
        if in_media > shot {
            let share = shot as f32 / in_media as f32;
            blocks.iter_mut().for_each(|block| block.thin(share, &mut error));
        }
    };
    let max_segments = match params.exactly {
        true => u64::MAX,
        false => params.count.saturating_mul(MAX_SEGMENT_RATIO),
    };
    let mut segments = 0;
    if !params.exactly {
        let mut pilots = 0;
        while pilots < (params.count / size).clamp(1, params.pilots)
            && segments <= max_segments / PILOT_SEGMENTS
        {
            let pilot_stream = UVec2::new(stream.x, stream.y | PILOT_STREAM);
            let mut blocks = shooter.batch(&choice, None, pilot_stream, pilots * size..(pilots + 1) * size);
            pilots += 1;
            segments += traced(&blocks);
            thin(&mut blocks, size);
            density.add(&blocks);
            choice = learn(&blocks, &density);
            yield_ratio = counted_photons(counts(&blocks)) as f64 / (size as f64 * EXPECTED_YIELD);
            if pass.is_stopped() {
                return result;
            }
        }
        // No photon landed: no visible contribution.
        if density.is_empty() {
            result.shot = pilots * size;
            return result;
        }
        density.set_limit(pilots * size);
    }
    let kept_density = (!params.exactly && params.filter != PhotonFilter::Caustic).then_some(&density);
    // Shoots fewer photons for a map that fills slowly.
    let max_shot = if params.exactly {
        params.count
    } else {
        ((params.count.saturating_mul(MAX_SHOT_RATIO) as f64 * yield_ratio.min(1.0)) as u64).max(size)
    };
    let (mut all, mut stored) = (vec![], [0, 0]);
    let mut chosen = CellCounts::new(emitter);
    while result.shot < max_shot && (segments < max_segments || result.shot == 0) {
        let end = (result.shot + size).min(max_shot);
        let mut blocks = shooter.batch(&choice, kept_density, stream, result.shot..end);
        if pass.is_stopped() {
            break;
        }
        stats.count_lights(blocks.iter_mut().flat_map(|block| std::mem::take(&mut block.lights)));
        segments += traced(&blocks);
        thin(&mut blocks, end - result.shot);
        chosen.add(&choice, end - result.shot);
        if !params.exactly {
            choice = learn(&blocks, &density);
        }
        result.shot = end;
        for (stored, more) in stored.iter_mut().zip(counts(&blocks)) {
            *stored += more;
        }
        all.extend(blocks);
        progress(if params.exactly {
            result.shot
        } else {
            counted_photons(stored).min(params.count)
        });
        if (!params.exactly && counted_photons(stored) >= params.count) || ends() {
            break;
        }
    }
    result.photons.reserve_exact(stored.iter().sum::<u64>() as usize);
    for block in &all {
        for (cell, _, photons) in block.emitted_photons() {
            let weight = chosen.weight(emitter, cell);
            result.photons.extend(photons.iter().map(|photon| photon.scaled(weight)));
        }
    }
    result
}

/// Number of segments traced between surfaces.
fn traced(blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| block.segments).sum()
}

/// Number of photons stored on surfaces, and in media.
fn counts(blocks: &[Block]) -> [u64; 2] {
    let each = blocks.iter().map(Block::counts);
    each.fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
}

/// Number of stored photons that counts towards the requested number.
fn counted_photons([on_surfaces, in_media]: [u64; 2]) -> u64 {
    on_surfaces.max(in_media / u64::from(PHOTONS_PER_SEGMENT))
}

/// Expected number of photons from each emission cell over all batches, for MIS weights over batches. Without these
/// weights, a photon that an early, unguided batch selected with low probability would be much brighter than its
/// neighbours.
// Veach 1997, section 9.2.2: the balance heuristic over batches.
struct CellCounts {
    expected: Vec<f64>,
    shot: u64,
}

impl CellCounts {
    fn new(emitter: &Emitter) -> CellCounts {
        CellCounts { expected: vec![0.0; emitter.cells()], shot: 0 }
    }

    fn add(&mut self, choice: &AliasTable, shot: u64) {
        for (cell, expected) in self.expected.iter_mut().enumerate() {
            *expected += f64::from(choice.probability(cell)) * shot as f64;
        }
        self.shot += shot;
    }

    /// Power of a photon of a cell relative to emission by power alone.
    fn weight(&self, emitter: &Emitter, cell: usize) -> f32 {
        (f64::from(emitter.by_power(cell)) * self.shot as f64 / self.expected[cell]) as f32
    }
}
