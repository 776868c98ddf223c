//! The photon pass: photons fly from lights, are scattered, and leave a record wherever a lookup may want them.
//!
//! Photons are numbered, and each follows from its number alone. They are shot in batches of fixed size until enough
//! are stored, and stored in the order of their numbers: neither threads nor their speed show in a map.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::UVec2;
use rayon::prelude::*;

use super::emit::Emitter;
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

/// Photons after which a map that has none yet is left empty.
const HOPE: u64 = 4 * BATCH;

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
    // A map that fills slowly is not worth waiting for.
    let most_shot = order.count.saturating_mul(if order.exactly { 1 } else { 16 });
    while result.shot < most_shot {
        let end = (result.shot + BATCH).min(most_shot);
        let blocks: Vec<Block> = (0..(end - result.shot).div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let first = result.shot + block * BLOCK;
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                trace_block(
                    scene,
                    emitter,
                    order,
                    pass,
                    first..(first + BLOCK).min(end),
                    &mut context,
                )
            })
            .collect();
        result.shot = end;
        for block in blocks {
            result.photons.extend(block.photons);
            for (light, shot) in block.by_light.into_iter().enumerate() {
                stats.count_light(light, shot);
            }
        }
        let stored = result.photons.len() as u64;
        progress(if order.exactly {
            result.shot
        } else {
            stored.min(order.count)
        });
        let enough = !order.exactly && stored >= order.count;
        let hopeless = stored == 0 && result.shot >= HOPE;
        let late = pass.until.is_some_and(|until| Instant::now() >= until);
        if enough || hopeless || late || pass.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    result
}

struct Block {
    photons: Vec<Photon>,
    by_light: Vec<u64>,
}

fn trace_block(
    scene: &Scene,
    emitter: &Emitter,
    order: &Order,
    pass: &Pass<'_>,
    indices: std::ops::Range<u64>,
    context: &mut Context,
) -> Block {
    let mut block = Block {
        photons: vec![],
        by_light: vec![0; scene.lights().len()],
    };
    let stream = UVec2::new(
        pass.index as u32,
        match order.wanted {
            Wanted::Global { .. } => 0,
            Wanted::Caustic => 1,
        },
    );
    let mut sampler = Sampler::new(pass.seed ^ SALT);
    let mut surface = Surface::new();
    for index in indices {
        sampler.start(stream, index);
        if let Some((light, emission)) = emitter.shoot(scene.lights(), &mut sampler, &mut context.shading) {
            block.by_light[light] += 1;
            let power = emission.power * (1.0 / emitter.unit);
            fly(
                scene,
                order,
                emission.ray,
                power,
                &mut sampler,
                context,
                &mut surface,
                &mut block.photons,
            );
        }
    }
    block
}

/// One photon's way.
fn fly(
    scene: &Scene,
    order: &Order,
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
        scene
            .material(it.shape)
            .shade(&it, RayKind::PHOTON, 0.0, &mut context.shading, surface);
        let bsdf = &mut surface.bsdf;
        bsdf.set_mode(TransportMode::Importance);
        let caustic = narrow && segments > 1;
        let stored = match order.wanted {
            Wanted::Global { direct } => direct || segments > 1,
            Wanted::Caustic => caustic,
        };
        if stored && (bsdf.has(Part::Diffuse) || bsdf.has(Part::Rough)) {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            photons.push(Photon::new(it.p, it.wo, n, power, segments, caustic));
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
