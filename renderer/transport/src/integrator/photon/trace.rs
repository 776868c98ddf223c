//! Photon tracing: emits photons from lights, scatters them, and stores one at every hit with a diffuse or rough lobe.
//!
//! Each photon depends on its index only. Photons are shot in batches of fixed size until enough are stored, and stored
//! in the order of their indices, so a map does not depend on the number or the timing of threads.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::UVec2;
use rayon::prelude::*;

use super::block::Block;
use super::emit::{CellDistribution, Emitter};
use super::flight::{BEAM_PHOTONS, Flight};
use super::particle::Photon;
use super::pilot::Density;
use super::scatter::Scatterer;
use super::shoot_params::{PhotonFilter, ShootParams};
use super::statistics::PhotonStats;
use crate::body::Fill;
use crate::integrator::context::Context;
use crate::integrator::pass::Pass;
use crate::scene::{PathStart, Scene};
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;

/// Number of photons that one thread traces as a unit.
const BLOCK: u64 = 1 << 10;

/// Number of photons of a batch, after which the stored ones are counted; fewer where fewer are to be stored.
pub(super) const BATCH: u64 = 1 << 15;
const MIN_BATCH: u64 = 1 << 12;

/// Separates the pilots' random numbers from those of stored photons.
const PILOT_STREAM: u32 = 1 << 31;

/// Maximum number of photons shot for each photon to store.
const MAX_SHOT_RATIO: u64 = 8;

/// Maximum number of segments traced between surfaces for each photon to store. Between many panes a photon has hundreds;
/// most scenes need less than 12 for each photon stored.
const MAX_SEGMENT_RATIO: u64 = 32;

/// Share of these that pilots may take, as a divisor.
const PILOT_SEGMENTS: u64 = 4;

/// Expected number of stored photons for each one shot. If guided pilots store fewer, such light paths are rare, and
/// proportionally fewer photons are shot.
const EXPECTED_YIELD: f64 = 0.02;

/// Separates the photons' random numbers from those of pixels.
const SALT: u64 = 0x70_68_6f_74_6f_6e_73;

/// Number of copies of a photon beyond which it makes no more.
const MAX_COPIES: u32 = 256;

/// Stored photons, with the number shot.
#[derive(Debug, Default)]
pub(super) struct ShootResult {
    pub(super) photons: Vec<Photon>,
    pub(super) shot: u64,
}

/// Shoots photons; calls `progress` with the number stored, or shot if `exactly` is set. The result of a pass that is
/// stopped is incomplete.
pub(super) fn shoot(
    scene: &Scene,
    emitter: &Emitter,
    order: &ShootParams,
    pass: &Pass<'_>,
    contexts: &[Mutex<Context>],
    progress: impl Fn(u64),
    stats: &mut PhotonStats,
) -> ShootResult {
    let mut result = ShootResult::default();
    if !emitter.emits() || order.count == 0 || order.max_segments == 0 {
        return result;
    }
    let batch = |choice: &CellDistribution,
                 keep: Option<&Density>,
                 stream: UVec2,
                 indices: Range<u64>|
     -> Vec<Block> {
        (0..(indices.end - indices.start).div_ceil(BLOCK) as u32)
            .into_par_iter()
            // Threads synchronise after each batch, and a batch has few blocks for each thread.
            .with_max_len(1)
            .map(|block| {
                let first = indices.start + u64::from(block) * BLOCK;
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let mut sampler = Sampler::new(pass.seed ^ SALT);
                let indices = first..(first + BLOCK).min(indices.end);
                trace_block(
                    scene,
                    emitter,
                    choice,
                    order,
                    pass,
                    keep,
                    stream,
                    indices,
                    &mut sampler,
                    &mut context,
                )
            })
            .collect()
    };
    let size = match order.exactly {
        true => BATCH,
        false => order.count.clamp(MIN_BATCH, BATCH),
    };
    let ends = || pass.is_stopped() || pass.until.is_some_and(|until| Instant::now() >= until);
    let stream = UVec2::new(
        pass.index as u32,
        match order.filter {
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
    // In fog a photon may be scattered hundreds of times.
    let mut turn = 0.5;
    let mut thin = |blocks: &mut [Block], shot: u64| {
        let [_, in_media] = counts(blocks);
        if in_media > shot {
            let share = shot as f32 / in_media as f32;
            blocks.iter_mut().for_each(|block| block.thin(share, &mut turn));
        }
    };
    let max_segments = match order.exactly {
        true => u64::MAX,
        false => order.count.saturating_mul(MAX_SEGMENT_RATIO),
    };
    let mut segments = 0;
    if !order.exactly {
        let mut pilots = 0;
        while pilots < (order.count / size).clamp(1, order.pilots)
            && segments <= max_segments / PILOT_SEGMENTS
        {
            let pilot_stream = UVec2::new(stream.x, stream.y | PILOT_STREAM);
            let mut blocks = batch(&choice, None, pilot_stream, pilots * size..(pilots + 1) * size);
            pilots += 1;
            segments += traced(&blocks);
            thin(&mut blocks, size);
            density.add(&blocks);
            choice = learn(&blocks, &density);
            yield_ratio = most(counts(&blocks)) as f64 / (size as f64 * EXPECTED_YIELD);
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
    let keep = (!order.exactly && order.filter != PhotonFilter::Caustic).then_some(&density);
    // Shoots fewer photons for a map that fills slowly.
    let max_shot = if order.exactly {
        order.count
    } else {
        ((order.count.saturating_mul(MAX_SHOT_RATIO) as f64 * yield_ratio.min(1.0)) as u64).max(size)
    };
    let (mut all, mut stored) = (vec![], [0, 0]);
    let mut chosen = CellCounts::new(emitter);
    while result.shot < max_shot && (segments < max_segments || result.shot == 0) {
        let end = (result.shot + size).min(max_shot);
        let mut blocks = batch(&choice, keep, stream, result.shot..end);
        if pass.is_stopped() {
            break;
        }
        stats.count_lights(
            blocks
                .iter_mut()
                .flat_map(|block| std::mem::take(&mut block.lights)),
        );
        segments += traced(&blocks);
        thin(&mut blocks, end - result.shot);
        chosen.add(&choice, end - result.shot);
        if !order.exactly {
            choice = learn(&blocks, &density);
        }
        result.shot = end;
        for (stored, more) in stored.iter_mut().zip(counts(&blocks)) {
            *stored += more;
        }
        all.extend(blocks);
        progress(if order.exactly {
            result.shot
        } else {
            most(stored).min(order.count)
        });
        if (!order.exactly && most(stored) >= order.count) || ends() {
            break;
        }
    }
    result.photons.reserve_exact(stored.iter().sum::<u64>() as usize);
    for block in &all {
        for (cell, _, photons) in block.emitted_photons() {
            let weight = chosen.weight(emitter, cell);
            result
                .photons
                .extend(photons.iter().map(|photon| photon.scaled(weight)));
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

/// Number of photons stored that decides how many are shot.
fn most([on_surfaces, in_media]: [u64; 2]) -> u64 {
    on_surfaces.max(in_media / u64::from(BEAM_PHOTONS))
}

/// Expected number of times each emission cell was chosen over all batches, for MIS weights over batches. Without them
/// a photon that an early, unguided batch chose with small probability would be much brighter than its neighbours.
// Veach 1997, section 9.2.2: the balance heuristic over batches.
struct CellCounts {
    expected: Vec<f64>,
    shot: u64,
}

impl CellCounts {
    fn new(emitter: &Emitter) -> CellCounts {
        CellCounts {
            expected: vec![0.0; emitter.cells()],
            shot: 0,
        }
    }

    fn add(&mut self, choice: &CellDistribution, shot: u64) {
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

fn trace_block(
    scene: &Scene,
    emitter: &Emitter,
    choice: &CellDistribution,
    order: &ShootParams,
    pass: &Pass<'_>,
    keep: Option<&Density>,
    stream: UVec2,
    indices: Range<u64>,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Block {
    let mut block = Block::default();
    let before = context.stats.photon_rays;
    let (mut scatterer, mut waiting) = (Scatterer::new(), vec![]);
    for index in indices {
        if pass.is_stopped() {
            break;
        }
        sampler.start(stream, index);
        let Some(emitted) = emitter.shoot(choice, scene.lights(), sampler, &mut context.shading) else {
            continue;
        };
        block.lights.push(emitted.light as u32);
        let (before, power) = (block.photons.len(), emitted.emission.power * (1.0 / emitter.unit));
        trace_photon(
            scene,
            order,
            keep,
            scene.path_start(&emitted.emission),
            power,
            scene.lights()[emitted.light].is_delta(),
            sampler,
            context,
            &mut scatterer,
            &mut waiting,
            &mut block.photons,
        );
        if let Some(&tag) = pass.light_tags.get(emitted.light) {
            block.photons[before..]
                .iter_mut()
                .for_each(|photon| *photon = photon.tagged(tag));
        }
        if block.photons.len() > before {
            block
                .useful
                .push((emitted.cell as u32, emitted.weight, block.photons.len() as u32));
        }
    }
    block.segments = context.stats.photon_rays - before;
    block
}

/// Traces one photon path with its branches, and stores its photons.
fn trace_photon(
    scene: &Scene,
    order: &ShootParams,
    keep: Option<&Density>,
    start: PathStart,
    power: Rgb,
    from_delta: bool,
    sampler: &mut Sampler,
    context: &mut Context,
    scatterer: &mut Scatterer,
    waiting: &mut Vec<Flight>,
    photons: &mut Vec<Photon>,
) {
    let mut flight = Flight::new(start, power, from_delta);
    let mut left = MAX_COPIES;
    loop {
        context.stats.photon_rays += 1;
        let is_in_contact = flight.contact.is_some();
        let mut found = scene.next_surface(&flight.ray, &flight.media, &mut flight.contact);
        let arrives = is_in_contact
            || matches!(flight.media.fill(), Fill::Clear)
            || flight.pass_media(scene, order, &mut found, sampler, context, photons);
        let goes_on = arrives
            && found.is_some_and(|it| {
                let Some(outside) = scene.meets(&flight.media, &it) else {
                    return flight.pass_straight(scene, &it);
                };
                scatterer.shade_hit(scene, &it, outside, context);
                flight.store(scene, order, keep, &it, sampler, context, scatterer, photons);
                for _ in 1..flight.copies() {
                    let mut copy = flight.clone();
                    if copy.scatter(scene, order, &it, &mut left, sampler, context, scatterer) {
                        waiting.push(copy);
                    }
                }
                flight.scatter(scene, order, &it, &mut left, sampler, context, scatterer)
            });
        if goes_on {
            continue;
        }
        match waiting.pop() {
            Some(next) => flight = next,
            None => return,
        }
    }
}
