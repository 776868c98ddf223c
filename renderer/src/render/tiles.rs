//! One thread's work: the samples of a tile.

use std::ops::Range;

use glam::{UVec2, Vec2};

use super::RenderSettings;
use crate::film::{FilmTile, FilterSample};
use crate::integrator::{Context, Prepared};
use crate::sampler::Sampler;
use crate::scene::Scene;

/// Side of a tile [pixels].
pub(super) const TILE: u32 = 16;

/// Takes the samples of the range at every pixel of the tile.
///
/// The numbers of a sample are used in this order: film point, lens point, and then whatever the integrator asks for.
pub(super) fn sample_tile(
    scene: &Scene,
    settings: &RenderSettings,
    prepared: &Prepared,
    samples: Range<u64>,
    tile: &mut FilmTile,
    context: &mut Context,
) {
    let mut sampler = Sampler::new(settings.seed);
    let bounds = settings.sampled();
    for (x, y) in tile.rect().pixels() {
        let center = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let window = settings.filter.window(UVec2::new(x, y), bounds.as_ref());
        for sample in samples.clone() {
            sampler.start(UVec2::new(x, y), sample);
            let FilterSample { offset, weight } = settings.filter.sample_within(&window, sampler.next_2d());
            let ray = settings.camera.generate(center + offset, sampler.next_2d(), 0.0);
            tile.add(x, y, prepared.li(scene, &ray, &mut sampler, context) * weight);
        }
    }
}
