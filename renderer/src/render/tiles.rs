//! Rendering of a tile: takes a range of samples at each of its pixels.

use std::ops::Range;

use glam::{UVec2, Vec2};

use super::RenderSettings;
use crate::film::{FilmTile, FilterSample, NoiseTile};
use crate::integrator::{Context, Prepared};
use crate::sampler::Sampler;
use crate::scene::Scene;

/// Side of a tile [pixels].
pub(crate) const TILE: u32 = 16;

/// Takes the samples of the range at every pixel of the tile; with `noise`, only those that adaptive sampling asks for.
/// Returns their number.
///
/// Random numbers of a sample are used in this order: film point, lens point, integrator.
pub(super) fn sample_tile(
    scene: &Scene,
    settings: &RenderSettings,
    prepared: &Prepared,
    samples: Range<u64>,
    tile: &mut FilmTile,
    mut noise: Option<&mut NoiseTile>,
    context: &mut Context,
) -> u64 {
    let mut taken = 0;
    let mut sampler = Sampler::new(settings.seed);
    let bounds = settings.sampled();
    for (x, y) in tile.rect().pixels() {
        let center = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let window = settings.filter.window(UVec2::new(x, y), bounds.as_ref());
        let plan = noise.as_ref().map(|noise| noise.plan(x, y));
        let (counted, is_watched) = plan.map_or((u64::MAX, false), |plan| (plan.counted, plan.is_watched));
        let end = if is_watched {
            samples.end
        } else {
            samples.end.min(counted)
        };
        for sample in samples.start..end {
            sampler.start(UVec2::new(x, y), sample);
            let FilterSample { offset, weight } = settings.filter.sample_within(&window, sampler.next_2d());
            let ray = settings.camera.generate(center + offset, sampler.next_2d(), 0.0);
            let light = prepared.li(scene, &ray, &mut sampler, context) * weight;
            if sample < counted {
                tile.add(x, y, light);
            }
            if let Some(noise) = noise.as_mut().filter(|_| is_watched && light.is_finite()) {
                noise.add(x, y, light.luminance());
            }
        }
        taken += end.saturating_sub(samples.start);
    }
    taken
}
