//! The photon pass: photons fly from lights, are scattered, and leave a record wherever a lookup may want them.
//!
//! Photons are numbered, and each follows from its number alone. They are shot in batches of fixed size until enough
//! are stored, and stored in the order of their numbers: neither threads nor their speed show in a map.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::{UVec2, Vec3};
use rayon::prelude::*;

use super::map::Located;
use super::emit::{Choice, Emitter};
use super::{Photon, PhotonStats};
use crate::bsdf::{Part, TransportMode};
use crate::integrator::walk::is_pass;
use crate::integrator::{Context, Pass};
use crate::material::{RayKind, Surface};
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::scene::{MAX_PASSES, Scene};

/// Photons that one thread traces at a time.
const BLOCK: u64 = 1 << 10;

/// Photons after which it is seen whether there are enough.
pub(super) const BATCH: u64 = 1 << 15;

/// Batches that tell which photons are of use; they are not kept.
const PILOTS: u64 = 4;

/// Keeps the pilots' random numbers apart from those of photons that are kept.
const PILOT_STREAM: u32 = 1 << 31;

/// Photons that are shot at most for each that is wanted.
const MOST_SHOT: u64 = 8;

/// Keeps photons' random numbers apart from those of pixels.
const SALT: u64 = 0x70_68_6f_74_6f_6e_73;

/// The most segments of a photon's path.
const MAX_SEGMENTS: u32 = 250;

/// Which photons are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them, but for those that come straight from a light unless `direct`.
    Global { direct: bool },
    /// Those that come by narrow lobes alone, at least one.
    Caustic,
}

/// What a pass shoots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) wanted: Wanted,
    /// How many to store, or to shoot when `exactly`.
    pub(super) count: u64,
    /// Whether `count` photons are shot, however many are stored.
    pub(super) exactly: bool,
    /// The most segments of a photon's path.
    pub(super) max_segments: u32,
}

/// What came of an order.
#[derive(Debug, Default)]
pub(super) struct Shot {
    pub(super) photons: Vec<Photon>,
    pub(super) shot: u64,
}

/// Shoots photons; reports progress as `done + stored` of `total`.
pub(super) fn shoot(
    scene: &Scene,
    emitter: &Emitter,
    order: &Order,
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
        (0..(indices.end - indices.start).div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let first = indices.start + block * BLOCK;
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let mut sampler = Sampler::new(pass.seed ^ SALT);
                let indices = first..(first + BLOCK).min(indices.end);
                trace_block(scene, emitter, choice, order, keep, stream, indices, &mut sampler, &mut context)
            })
            .collect()
    };
    let ends = || {
        let late = pass.until.is_some_and(|until| Instant::now() >= until);
        late || pass.stop.load(Ordering::Relaxed)
    };
    let stream = UVec2::new(pass.index as u32, match order.wanted {
        Wanted::Global { .. } => 0,
        Wanted::Caustic => 1,
    });

    let mut useful = vec![0.0; emitter.cells()];
    let mut choice = emitter.choice(&useful);
    let mut density = Density::new(scene);
    if !order.exactly {
        for pilot in 0..PILOTS {
            let pilot_stream = UVec2::new(stream.x, stream.y | PILOT_STREAM);
            let blocks = batch(&choice, None, pilot_stream, pilot * BATCH..(pilot + 1) * BATCH);
            density.add(&blocks);
            density.judge(&blocks, &mut useful);
            choice = emitter.choice(&useful);
        }
        // Nothing that anyone would see.
        if useful.iter().all(|&use_of| use_of == 0.0) {
            result.shot = PILOTS * BATCH;
            return result;
        }
    }
    density.thin(PILOTS * BATCH);
    let keep = (!order.exactly && order.wanted != Wanted::Caustic).then_some(&density);
    // A map that fills slowly is not worth waiting for.
    let most_shot = order.count.saturating_mul(if order.exactly { 1 } else { MOST_SHOT });
    while result.shot < most_shot {
        let end = (result.shot + BATCH).min(most_shot);
        let blocks = batch(&choice, keep, stream, result.shot..end);
        result.shot = end;
        for block in blocks {
            result.photons.extend(block.photons);
            for (light, shot) in block.by_light.into_iter().enumerate() {
                stats.count_light(light, shot);
            }
        }
        let stored = result.photons.len() as u64;
        progress(if order.exactly { result.shot } else { stored.min(order.count) });
        if (!order.exactly && stored >= order.count) || ends() {
            break;
        }
    }
    result
}

/// What came of a block of photons.
struct Block {
    photons: Vec<Photon>,
    by_light: Vec<u64>,
    /// Of photons that left something: their cell, how much less often they had been chosen by power alone, and the
    /// end of what they left.
    useful: Vec<(u32, f32, u32)>,
}

/// How many photons of the pilots are where. A photon in a dark room is of more use than one more in a bright one.
struct Density {
    min: Vec3,
    scale: Vec3,
    counts: Vec<f32>,
    /// Photons that there are, whatever they stand for.
    numbers: Vec<f32>,
    /// The number up to which all are kept.
    limit: f32,
}

impl Density {
    /// Voxels along an axis.
    const SIDE: usize = 16;

    /// Photons that are shot for each that is kept, at least: where there are many, some are left out, and the others
    /// carry more, so that dark places are known as well as bright ones.
    // Suykens & Willems 2000, "Density Control for Photon Maps".
    const SHOT_FOR_EACH: f32 = 2.5;

    /// The least probability of keeping a photon: they should not differ too much.
    const LEAST_KEPT: f32 = 1.0 / 16.0;

    /// The probability with which a photon is kept.
    fn keep(&self, p: Vec3) -> f32 {
        let number = self.numbers[self.voxel(p)];
        if number > self.limit {
            (self.limit / number).max(Density::LEAST_KEPT)
        } else {
            1.0
        }
    }

    /// Finds the limit after `shot` photons.
    fn thin(&mut self, shot: u64) {
        let total: f32 = self.numbers.iter().sum();
        let wanted = shot as f32 / Density::SHOT_FOR_EACH;
        let (mut low, mut high) = (0.0, total);
        for _ in 0..40 {
            let limit = 0.5 * (low + high);
            let kept: f32 = self.numbers.iter().map(|number| number.min(limit)).sum();
            if kept < wanted {
                low = limit;
            } else {
                high = limit;
            }
        }
        self.limit = high.max(1.0);
    }

    fn new(scene: &Scene) -> Density {
        let bounds = scene.bounds();
        let extent = (bounds.max - bounds.min).max(Vec3::splat(1e-3 * bounds.radius()));
        Density {
            min: bounds.min,
            scale: Vec3::splat(Density::SIDE as f32) / extent,
            counts: vec![0.0; Density::SIDE.pow(3)],
            numbers: vec![0.0; Density::SIDE.pow(3)],
            limit: f32::INFINITY,
        }
    }

    fn voxel(&self, p: Vec3) -> usize {
        let at = (p - self.min) * self.scale;
        let [x, y, z] = at.to_array().map(|x| (x.max(0.0) as usize).min(Density::SIDE - 1));
        (z * Density::SIDE + y) * Density::SIDE + x
    }

    fn add(&mut self, blocks: &[Block]) {
        for (photon, weight) in blocks.iter().flat_map(Block::wanted) {
            let voxel = self.voxel(photon.p());
            self.counts[voxel] += weight;
            self.numbers[voxel] += 1.0;
        }
    }

    /// Adds to each cell what its photons are worth.
    fn judge(&self, blocks: &[Block], useful: &mut [f32]) {
        for block in blocks {
            let mut first = 0;
            for &(cell, weight, end) in &block.useful {
                let worth = block.photons[first as usize..end as usize]
                    .iter()
                    .filter(|photon| photon.segments() > 1)
                    .map(|photon| 1.0 / (1.0 + self.counts[self.voxel(photon.p())]).sqrt());
                useful[cell as usize] += weight * worth.sum::<f32>();
                first = end;
            }
        }
    }
}

impl Block {
    /// The photons that did not come straight from a light, with their weights.
    fn wanted(&self) -> impl Iterator<Item = (&Photon, f32)> {
        let mut first = 0;
        self.useful.iter().flat_map(move |&(_, weight, end)| {
            let of_one = &self.photons[first as usize..end as usize];
            first = end;
            of_one.iter().filter(|photon| photon.segments() > 1).map(move |photon| (photon, weight))
        })
    }
}

fn trace_block(
    scene: &Scene,
    emitter: &Emitter,
    choice: &Choice,
    order: &Order,
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
    let mut surface = Surface::new();
    for index in indices {
        sampler.start(stream, index);
        let Some(departure) = emitter.shoot(choice, scene.lights(), sampler, &mut context.shading) else {
            continue;
        };
        block.by_light[departure.light] += 1;
        let (before, power) = (block.photons.len(), departure.emission.power * (1.0 / emitter.unit));
        let ray = departure.emission.ray;
        fly(scene, order, keep, ray, power, sampler, context, &mut surface, &mut block.photons);
        if block.photons.len() > before {
            block.useful.push((departure.cell as u32, departure.weight, block.photons.len() as u32));
        }
    }
    block
}

/// One photon's way.
fn fly(
    scene: &Scene,
    order: &Order,
    keep: Option<&Density>,
    mut ray: Ray,
    mut power: crate::color::Rgb,
    sampler: &mut Sampler,
    context: &mut Context,
    surface: &mut Surface,
    photons: &mut Vec<Photon>,
) {
    let most = order.max_segments.min(MAX_SEGMENTS);
    let (mut segments, mut passes) = (1, 0);
    // Whether all that scattered it was narrow.
    let mut narrow = true;
    loop {
        context.stats.photon_rays += 1;
        let Some(it) = scene.intersect(&ray) else { return };
        context.stats.shading_runs += 1;
        scene.material(it.shape).shade(&it, RayKind::PHOTON, 0.0, &mut context.shading, surface);
        let bsdf = &mut surface.bsdf;
        bsdf.set_mode(TransportMode::Importance);
        let caustic = narrow && segments > 1;
        let stored = match order.wanted {
            Wanted::Global { direct } => direct || segments > 1,
            Wanted::Caustic => caustic,
        };
        if stored && (bsdf.has(Part::Diffuse) || bsdf.has(Part::Rough)) {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            let probability = keep.map_or(1.0, |density| density.keep(it.p));
            if probability >= 1.0 || sampler.next_1d() < probability {
                let power = power * (1.0 / probability);
                photons.push(Photon::new(it.p, it.wo, n, power, segments, caustic));
            }
        }

        // Where it goes on, or whether: with the ratio of what leaves to what came, so that all carry about the same.
        // Pharr & Humphreys 2010, "Physically Based Rendering", section 15.6.
        let (u_lobe, u, u_survival) = (sampler.next_1d(), sampler.next_2d(), sampler.next_1d());
        let Some((sample, part)) = surface.bsdf.sample_part(it.wo, u_lobe, u) else {
            return;
        };
        let left = power * sample.weight;
        if is_pass(&sample, surface) {
            passes += 1;
            if passes > MAX_PASSES {
                return;
            }
            ray = it.spawn_ray(ray.direction);
        } else {
            segments += 1;
            narrow &= part == Part::Narrow;
            if segments > most || (order.wanted == Wanted::Caustic && !narrow) {
                return;
            }
            ray = it.spawn_ray(sample.wi);
        }
        let survival = (left.luminance() / power.luminance()).min(1.0);
        // Not a number where nothing was left of it.
        if !(u_survival < survival) {
            return;
        }
        power = left * (1.0 / survival);
    }
}
