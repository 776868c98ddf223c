//! Tiles of the film, and the samples of their pixels.

use std::ops::Range;

use glam::UVec2;

use super::RenderSettings;
use super::sample_density::SampleDensity;
use crate::integrator::{Context, Prepared, Stage};
use crate::passes::PassSink;
use crate::scene::Scene;
use renderer_base::sampler::Sampler;
use renderer_image::Rect;
use renderer_image::film::{FilmTile, NoiseTile};

/// Side of a tile [pixels].
pub const TILE: u32 = 16;

/// Minimum number of tiles per thread, for balanced work at the end; smaller pictures have smaller tiles.
const TILES_OF_A_THREAD: u32 = 8;

/// Side of the smallest tiles [pixels].
const MIN_TILE: u32 = 4;

/// Side of the tiles of a picture for that many threads [pixels]. Pictures do not depend on it.
pub(super) fn side_for(picture: &Rect, threads: usize) -> u32 {
    let wanted = u64::from(TILES_OF_A_THREAD) * threads as u64;
    let tiles =
        |side: u32| u64::from(picture.width().div_ceil(side)) * u64::from(picture.height().div_ceil(side));
    let mut side = TILE;
    while side > MIN_TILE && tiles(side) < wanted {
        side /= 2;
    }
    side
}

/// Samples to take at the pixels of a film.
#[derive(Clone, Copy)]
pub(super) struct SamplePass<'a> {
    pub(super) settings: &'a RenderSettings,
    pub(super) prepared: &'a Prepared,
    /// Range of samples.
    pub(super) samples: &'a Range<u64>,
    /// Number of rays per sample of each pixel; one without.
    pub(super) densities: Option<&'a SampleDensity>,
}

/// Takes the samples of a pass at every pixel of the tile; with `noise`, only those that adaptive sampling requests. Returns
/// the number of rays. Once `is_stopped` returns true, the rest of the tile is skipped.
///
/// Random numbers of a ray are used in this order: film point, lens point, integrator.
pub(super) fn sample_tile(
    scene: &Scene,
    pass: SamplePass<'_>,
    tile: &mut FilmTile,
    mut noise: Option<&mut NoiseTile>,
    context: &mut Context,
    is_stopped: &impl Fn() -> bool,
) -> u64 {
    let SamplePass { settings, prepared, samples, densities } = pass;
    let mut taken = 0;
    let mut sampler = Sampler::new(settings.seed);
    let bounds = settings.sampled();
    let mut passes = settings.passes.as_deref().map(PassSink::new);
    for (x, y) in tile.rect().pixels() {
        if is_stopped() {
            break;
        }
        let pixel = UVec2::new(x, y);
        let window = settings.filter.window(pixel, bounds.as_ref());
        let rays = densities.map_or_else(|| samples.clone(), |densities| densities.rays(x, y, samples));
        let plan = noise.as_ref().map(|noise| noise.plan(x, y));
        let (counted, is_watched) = plan.map_or((u64::MAX, false), |plan| (plan.counted, plan.is_watched));
        let end = if is_watched { rays.end } else { rays.end.min(counted) };
        for sample in rays.start..end {
            let ray_number = context.stats.camera_rays;
            context.stats.watch.start(ray_number);
            sampler.start(pixel, sample);
            let (film_sample, weight) = settings.film_sample(pixel, &window, &mut sampler);
            let ray = scene.camera_ray(&settings.camera, &film_sample, &mut context.shading);
            context.stats.watch.lap(Stage::Camera);
            let counts = sample < counted;
            let light = match &mut passes {
                None => {
                    let light = prepared.li(scene, &ray, &mut sampler, context) * weight;
                    if counts {
                        tile.add(x, y, light);
                    }
                    light
                }
                Some(passes) => {
                    passes.begin(ray.throughput);
                    prepared.trace(scene, &ray, &mut sampler, context, passes);
                    let light = passes.light() * weight;
                    if counts {
                        let (values, identified) = passes.weighted(weight);
                        tile.add_with(x, y, light, values, identified);
                    }
                    light
                }
            };
            if let Some(noise) = noise.as_mut().filter(|_| is_watched && light.is_finite()) {
                noise.add(x, y, light.luminance());
            }
            context.stats.watch.stop();
        }
        taken += end.saturating_sub(rays.start);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_threads_have_smaller_tiles() {
        let side = |width: u32, threads: usize| side_for(&Rect::of_size(width, width), threads);
        assert_eq!([side(128, 2), side(128, 8), side(128, 32), side(128, 64)], [16, 16, 8, 4]);
        assert_eq!([side(1920, 64), side(3, 64)], [16, 4]);
    }
}
