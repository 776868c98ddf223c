//! Photon tracing: emits photons from lights, scatters them, and stores one at every hit with a diffuse or rough lobe.
//!
//! Each photon depends on its number only. Photons are shot in batches of fixed size until enough are stored, and
//! stored in the order of their numbers, so a map does not depend on the number or the timing of threads.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::UVec2;
use rayon::prelude::*;

use super::block::Block;
use super::emit::{Choice, Emitter};
use super::particle::{Photon, Way};
use super::pilot::Density;
use super::scatter::Scatterer;
use super::statistics::PhotonStats;
use crate::bsdf::LobePart;
use crate::integrator::context::Context;
use crate::integrator::pass::Pass;
use crate::scene::{MAX_PASSES, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_base::sampler::Sampler;

/// Photons that one thread traces at a time.
const BLOCK: u64 = 1 << 10;

/// Photons of a batch, after which the stored ones are counted.
pub(super) const BATCH: u64 = 1 << 15;

/// Keeps the pilots' random numbers apart from those of photons that are kept.
const PILOT_STREAM: u32 = 1 << 31;

/// Most photons shot for each one wanted.
const MOST_SHOT: u64 = 8;

/// Expected number of stored photons for each one shot. Where guided pilots store less, such light paths are rare, and
/// proportionally fewer photons are shot.
const WORTHWHILE: f64 = 0.02;

/// Keeps photons' random numbers apart from those of pixels.
const SALT: u64 = 0x70_68_6f_74_6f_6e_73;

/// The most segments of a photon's path.
const MAX_SEGMENTS: u32 = 250;

/// Which photons a map stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All photons; those of direct light only if `direct`.
    Global { direct: bool },
    /// Photons scattered by narrow lobes only, at least once.
    Caustic,
}

/// How many photons to shoot and which to store.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShootOrder {
    pub(super) wanted: Wanted,
    /// Photons to store, or to shoot if `exactly` is set.
    pub(super) count: u64,
    /// Whether `count` photons are shot, however many are stored.
    pub(super) exactly: bool,
    /// The most segments of a photon's path.
    pub(super) max_segments: u32,
    /// Most pilot batches, which only measure where photons are useful; their photons are not kept.
    pub(super) pilots: u64,
}

/// The photons of an order, with the number shot.
#[derive(Debug, Default)]
pub(super) struct Shot {
    pub(super) photons: Vec<Photon>,
    pub(super) shot: u64,
}

/// Shoots photons; calls `progress` with the number stored and the number wanted.
pub(super) fn shoot(
    scene: &Scene,
    emitter: &Emitter,
    order: &ShootOrder,
    pass: &Pass<'_>,
    contexts: &[Mutex<Context>],
    progress: impl Fn(u64),
    stats: &mut PhotonStats,
) -> Shot {
    let mut result = Shot::default();
    if !emitter.shines() || order.count == 0 || order.max_segments == 0 {
        return result;
    }
    let batch = |choice: &Choice, keep: Option<&Density>, stream: UVec2, indices: Range<u64>| -> Vec<Block> {
        (0..(indices.end - indices.start).div_ceil(BLOCK) as u32)
            .into_par_iter()
            // Threads wait for each other after each batch: a batch has a small number of blocks for each thread.
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
                    keep,
                    stream,
                    indices,
                    &mut sampler,
                    &mut context,
                )
            })
            .collect()
    };
    let ends = || {
        let late = pass.until.is_some_and(|until| Instant::now() >= until);
        late || pass.stop.load(Ordering::Relaxed)
    };
    let stream = UVec2::new(
        pass.index as u32,
        match order.wanted {
            Wanted::Global { .. } => 0,
            Wanted::Caustic => 1,
        },
    );

    let mut useful = vec![0.0; emitter.cells()];
    let mut choice = emitter.choice(&useful);
    let mut density = Density::new(scene);
    let mut learn = |blocks: &[Block], density: &Density| {
        density.judge(blocks, &mut useful);
        emitter.choice(&useful)
    };
    let mut worth = 1.0;
    let pilots = (order.count / BATCH).clamp(1, order.pilots);
    if !order.exactly {
        for pilot in 0..pilots {
            let pilot_stream = UVec2::new(stream.x, stream.y | PILOT_STREAM);
            let blocks = batch(&choice, None, pilot_stream, pilot * BATCH..(pilot + 1) * BATCH);
            density.add(&blocks);
            choice = learn(&blocks, &density);
            worth = stored_in(&blocks) as f64 / (BATCH as f64 * WORTHWHILE);
        }
        // No visible contribution.
        if density.is_empty() {
            result.shot = pilots * BATCH;
            return result;
        }
        density.thin(pilots * BATCH);
    }
    let keep = (!order.exactly && order.wanted != Wanted::Caustic).then_some(&density);
    // Shoots less for a map that fills slowly.
    let most_shot = if order.exactly {
        order.count
    } else {
        ((order.count.saturating_mul(MOST_SHOT) as f64 * worth.min(1.0)) as u64).max(BATCH)
    };
    let (mut all, mut stored) = (vec![], 0);
    let mut chosen = Chosen::new(emitter);
    while result.shot < most_shot {
        let end = (result.shot + BATCH).min(most_shot);
        let blocks = batch(&choice, keep, stream, result.shot..end);
        chosen.add(&choice, end - result.shot);
        if !order.exactly {
            choice = learn(&blocks, &density);
        }
        result.shot = end;
        stored += stored_in(&blocks);
        all.extend(blocks);
        progress(if order.exactly {
            result.shot
        } else {
            stored.min(order.count)
        });
        if (!order.exactly && stored >= order.count) || ends() {
            break;
        }
    }
    result.photons.reserve_exact(stored as usize);
    for block in &all {
        for (cell, _, photons) in block.departures() {
            let weight = chosen.weight(emitter, cell);
            result
                .photons
                .extend(photons.iter().map(|photon| photon.scaled(weight)));
        }
        for (light, &shot) in block.by_light.iter().enumerate() {
            stats.count_light(light, shot);
        }
    }
    result
}

fn stored_in(blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| block.photons.len() as u64).sum()
}

/// How often each emission cell was chosen over all batches: weights of multiple importance sampling over batches.
/// Without them a photon that an early, unguided batch chose with small probability would be much brighter than its
/// neighbours.
// Veach 1997, section 9.2.2: the balance heuristic over batches.
struct Chosen {
    expected: Vec<f64>,
    shot: u64,
}

impl Chosen {
    fn new(emitter: &Emitter) -> Chosen {
        Chosen {
            expected: vec![0.0; emitter.cells()],
            shot: 0,
        }
    }

    fn add(&mut self, choice: &Choice, shot: u64) {
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
    choice: &Choice,
    order: &ShootOrder,
    keep: Option<&Density>,
    stream: UVec2,
    indices: Range<u64>,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Block {
    let mut block = Block {
        photons: vec![],
        by_light: vec![0; scene.lights().len()],
        useful: vec![],
    };
    let mut scatterer = Scatterer::new();
    for index in indices {
        sampler.start(stream, index);
        let Some(departure) = emitter.shoot(choice, scene.lights(), sampler, &mut context.shading) else {
            continue;
        };
        block.by_light[departure.light] += 1;
        let (before, power) = (
            block.photons.len(),
            departure.emission.power * (1.0 / emitter.unit),
        );
        let ray = departure.emission.ray;
        fly(
            scene,
            order,
            keep,
            ray,
            power,
            scene.lights()[departure.light].is_delta(),
            sampler,
            context,
            &mut scatterer,
            &mut block.photons,
        );
        if block.photons.len() > before {
            block.useful.push((
                departure.cell as u32,
                departure.weight,
                block.photons.len() as u32,
            ));
        }
    }
    block
}

/// Traces one photon.
fn fly(
    scene: &Scene,
    order: &ShootOrder,
    keep: Option<&Density>,
    mut ray: Ray,
    mut power: Rgb,
    from_delta: bool,
    sampler: &mut Sampler,
    context: &mut Context,
    scatterer: &mut Scatterer,
    photons: &mut Vec<Photon>,
) {
    let most = order.max_segments.min(MAX_SEGMENTS);
    let (mut segments, mut passes) = (1, 0);
    // Whether narrow lobes only have scattered it, and whether no camera path can find such light.
    let mut narrow = true;
    let mut hidden = from_delta;
    let mut bodies = scene.bodies_about(&ray, &mut context.shading);
    loop {
        context.stats.photon_rays += 1;
        let Some(it) = scene.intersect(&ray) else { return };
        scatterer.arrive(scene, &it, &bodies, context);
        let caustic = narrow && segments > 1;
        let stored = match order.wanted {
            Wanted::Global { direct } => direct || segments > 1,
            Wanted::Caustic => caustic,
        };
        if stored && scatterer.is_wide(scene, &it, context) {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            let probability = keep.map_or(1.0, |density| density.keep(it.p));
            if probability >= 1.0 || sampler.next_1d() < probability {
                let power = power * scatterer.transmittance() * (1.0 / probability);
                let way = match (caustic, hidden) {
                    (false, _) => Way::Wide,
                    (true, false) => Way::Caustic,
                    (true, true) => Way::Hidden,
                };
                photons.push(Photon::new(it.p, it.wo, n, power, segments, way));
            }
        }

        // Russian roulette by the ratio of outgoing to incident power in the brightest channel, so that all photons carry
        // about the same power there: by luminance, caustics of blue glass had few photons, and wide lookups.
        // Pharr & Humphreys 2010, "Physically Based Rendering", section 15.6.
        let (u_lobe, u, u_survival) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
        let Some((part, sample)) = scatterer.leave(scene, &it, u_lobe, u, context) else {
            return;
        };
        if scene.has_bodies() {
            scatterer.follow(scene, &it, &sample, &mut bodies);
        }
        let left = power * sample.weight;
        if sample.is_pass() {
            passes += 1;
            if passes > MAX_PASSES {
                return;
            }
            ray = it.spawn_ray(ray.direction);
        } else {
            segments += 1;
            narrow &= part == LobePart::Narrow;
            hidden &= sample.is_specular();
            if segments > most || (order.wanted == Wanted::Caustic && !narrow) {
                return;
            }
            ray = it.spawn_ray(sample.wi);
        }
        if !left.is_finite() {
            context.stats.non_finite_photons += 1;
            return;
        }
        let survival = left.max_component() / power.max_component();
        // NaN where the incident power is zero.
        if survival.is_nan() || u_survival >= survival.min(1.0) {
            return;
        }
        power = left * (1.0 / survival.min(1.0));
    }
}
