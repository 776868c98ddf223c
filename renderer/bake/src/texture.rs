//! Bake target `texture`: all surfaces in one lightmap atlas.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use glam::{UVec2, Vec2, Vec3};

use super::atlas::Atlas;
use super::denoise::{TexelPoint, denoise};
use super::dilate::fill_and_dilate;
use super::error::BakeError;
use super::feature_map::{FeatureMap, at_points, maps};
use super::job::{BakeStats, Job, Outcome};
use super::layout::layout;
use super::learned_filter;
use super::lightmap_buffer::{Coverage, LightmapBuffer};
use super::limit::{MAX_SIDE, check_texture};
use super::objects::{BakedObject, flatten, objects, tangents};
use super::progress::BakePhase;
use super::raster::rasterise;
use super::receiver::{Coordinates, GatherPoint, point, receivers};
use super::seam::{Border, borders, edge_texels, mean_difference, pairs, stitch};
use super::settings::{LightmapFilter, SurfaceTextures, Target};
use super::sh::ShOrder;
use super::sides::backs;
use super::texel_points::Surfaces;
use super::unwrap::Flat;
use super::work::Workers;
use renderer_base::color::Rgb;
use renderer_denoise::Denoiser;

/// Light of all surfaces in one texture.
#[derive(Debug)]
pub struct Lightmap {
    /// Columns.
    pub width: u32,
    /// Rows of all pages, one below the other.
    pub height: u32,
    /// Number of pages.
    pub pages: u32,
    /// Density [texels/m].
    pub density: f32,
    /// Dilation width [texels].
    pub margin: u32,
    /// The objects.
    pub objects: Vec<BakedObject>,
    /// Order of the SH coefficients.
    pub order: ShOrder,
    buffer: LightmapBuffer,
    places: Vec<TexelPoint>,
    /// Surface features.
    pub features: Vec<FeatureMap>,
    /// Surface features in finer textures.
    pub textures: FinerTextures,
}

/// Surface features in lightmap coordinates.
#[derive(Clone, Debug, Default)]
pub struct FinerTextures {
    /// Columns.
    pub width: u32,
    /// Rows of all pages, one below the other.
    pub height: u32,
    /// Maps of the features.
    pub maps: Vec<FeatureMap>,
}

impl Lightmap {
    fn index(&self, x: u32, y: u32) -> usize {
        (y * self.width + x) as usize
    }

    /// Rows of a page.
    pub fn page_height(&self) -> u32 {
        self.height / self.pages
    }

    /// The coefficients of radiance at a texel, row 0 on top; zeros for empty texels.
    pub fn coefficients(&self, x: u32, y: u32) -> &[Rgb] {
        self.buffer.field.coefficients(self.index(x, y))
    }

    /// The irradiance at a texel [W/m²].
    pub fn irradiance(&self, x: u32, y: u32) -> Rgb {
        self.buffer.field.irradiance(self.index(x, y))
    }

    /// Source of a texel's value.
    pub fn coverage(&self, x: u32, y: u32) -> Coverage {
        self.buffer.coverage[self.index(x, y)]
    }

    /// Returns whether a texel has a value, by dilation included.
    pub fn is_used(&self, x: u32, y: u32) -> bool {
        self.buffer.field.valid[self.index(x, y)]
    }

    /// Bilinear lookup of coefficients and irradiance at texture coordinates `uv` of all pages, v up.
    pub fn lookup(&self, uv: Vec2) -> (Vec<Rgb>, Rgb) {
        let place = Vec2::new(uv.x, 1.0 - uv.y) * UVec2::new(self.width, self.height).as_vec2();
        let mut sum = vec![Rgb::BLACK; self.buffer.field.layers()];
        for (index, weight) in self.buffer.bilinear(place) {
            for (sum, &color) in sum.iter_mut().zip(self.buffer.field.at(index as usize)) {
                *sum += color * weight;
            }
        }
        let irradiance = sum.pop().unwrap_or_default();
        (sum, irradiance)
    }

    /// ShadingResult point and shading normal of a texel; `None` unless it has a visible point.
    pub fn surface(&self, x: u32, y: u32) -> Option<(Vec3, Vec3)> {
        let place = self.places[self.index(x, y)];
        (self.coverage(x, y) == Coverage::Covered).then_some((place.p, place.n))
    }

    /// Shading normal of a texel, hidden or not; `None` without a surface.
    pub fn normal(&self, x: u32, y: u32) -> Option<Vec3> {
        let n = self.places[self.index(x, y)].n;
        (n != Vec3::ZERO).then_some(n)
    }
}

/// Bakes a texture.
pub(super) fn bake(job: &Job<'_>, workers: &Workers<'_>) -> Result<Option<Outcome<Lightmap>>, BakeError> {
    let Target::Texture {
        scale,
        margin,
        denoise: filter,
        unwrap,
        ref topologies,
        ref features,
        ref textures,
    } = job.settings.target
    else {
        unreachable!("only textures are baked here")
    };
    let order = job.settings.order;
    if let Some((width, height)) = scale.size() {
        check_texture(width, height, order)?;
    }
    let scene = workers.scene;
    job.begin(BakePhase::Sides);
    let backs = backs(job.settings, workers);
    let mut receivers = receivers(scene.shapes(), job.names, &backs);
    receivers.retain(|receiver| !scene.material(receiver.shape).is_unseen());
    if receivers.is_empty() {
        return Err(BakeError::Nothing);
    }
    job.begin(BakePhase::Charts);
    let (sides, notes) = workers.install(|| flatten(&receivers, scene.shapes(), topologies, unwrap))?;
    let (flats, coordinates): (Vec<Flat>, Vec<Coordinates>) = sides.into_iter().unzip();
    job.begin(BakePhase::Packing);
    let atlas =
        workers.install(|| layout(&flats, &|object| receivers[object].name.clone(), scale, margin))?;
    check_texture(atlas.size.x, atlas.size.y, order)?;
    job.begin(BakePhase::Points);
    let texels = rasterise(&flats, &atlas);
    if texels.list.is_empty() {
        return Err(BakeError::Nothing);
    }
    let surface = Surfaces {
        workers,
        shapes: scene.shapes(),
        receivers: &receivers,
        flats: &flats,
        backs: &backs,
        texels: &texels,
        texel: 1.0 / atlas.density,
    };
    let visible = surface.visible();

    let gather = Instant::now();
    let places = surface.places(&visible);
    let points = surface.gathered(&places);
    let estimates = job.gather(workers, &points, |estimator, (index, key), sampler, context| {
        let sites = surface.lit(&texels.list[index], visible[index], context)?;
        Some(estimator.at_surface(&sites, key, sampler, context))
    })?;
    let Some(estimates) = estimates else {
        return Ok(None);
    };

    let finish = Instant::now();
    job.begin(BakePhase::Seams);
    let mut buffer = LightmapBuffer::new(&texels, &estimates);
    let rest = match filter {
        LightmapFilter::None => vec![],
        LightmapFilter::Bilateral => buffer.field.valid.clone(),
        LightmapFilter::Learned => learned_filter::denoise(&mut buffer, &Denoiser::open(workers.threads())?)?,
    };
    if rest.contains(&true) {
        workers.install(|| denoise(&mut buffer, &rest, &places, surface.texel));
    }
    let borders = all_borders(&surface, &atlas);
    let near = 1e-5 * scene.bounds().radius();
    let edge_texels = edge_texels(&borders, &buffer, near);
    let (filled, dark) = fill_and_dilate(&mut buffer, &places, &edge_texels, margin);
    let pairs = pairs(&borders, &buffer, near);
    let before = mean_difference(&pairs, &buffer);
    let features = match features.is_empty() {
        true => vec![],
        false => {
            job.begin(BakePhase::Features);
            let tangents = tangents(features, scene.shapes(), &receivers, &flats, &atlas);
            let values = workers.map(texels.list.len(), |index, sampler, context| {
                let texel = &texels.list[index];
                let points = surface.points(texel, visible[index], &tangents);
                at_points(scene, features, &points, texel.at, sampler, context)
            });
            maps(features, &texels, &values, margin)
        }
    };
    let textures = finer(job, &surface, &atlas, textures, margin);
    stitch(&pairs, &mut buffer);
    let after = mean_difference(&pairs, &buffer);

    let objects = objects(&receivers, flats, &coordinates, &atlas);
    let stats = BakeStats {
        points: texels.list.len(),
        filled,
        dark,
        seams: [before, after],
        prepare: gather - job.start,
        gather: finish - gather,
        finish: finish.elapsed(),
        ..BakeStats::default()
    };
    let lightmap = Lightmap {
        width: atlas.size.x,
        height: atlas.size.y,
        pages: atlas.pages,
        density: atlas.density,
        margin,
        objects,
        order: job.settings.order,
        buffer,
        places,
        features,
        textures,
    };
    Ok(Some(Outcome { product: lightmap, notes, stats }))
}

/// Features in a finer texture of the same layout.
fn finer(
    job: &Job<'_>,
    surface: &Surfaces<'_>,
    atlas: &Atlas,
    textures: &SurfaceTextures,
    margin: u32,
) -> FinerTextures {
    let features = &textures.features;
    if features.is_empty() {
        return FinerTextures::default();
    }
    let longest = atlas.page_size().max_element();
    let scale = textures.resolution.div_ceil(longest).clamp(1, MAX_SIDE.div_ceil(longest));
    let atlas = atlas.finer(scale);
    let texels = rasterise(surface.flats, &atlas);
    let finer = Surfaces {
        texels: &texels,
        texel: surface.texel / scale as f32,
        ..*surface
    };
    let Surfaces { workers, shapes, receivers, flats, .. } = *surface;
    let tangents = tangents(features, shapes, receivers, flats, &atlas);
    let count = texels.list.len();
    let done = AtomicUsize::new(0);
    let values = workers.map(count, |index, sampler, context| {
        let texel = &texels.list[index];
        let points = finer.points(texel, 0, &tangents);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(1024) {
            job.progress.advance(BakePhase::Features, done as u64, count as u64);
        }
        at_points(workers.scene, features, &points, texel.at, sampler, context)
    });
    FinerTextures {
        width: atlas.size.x,
        height: atlas.size.y,
        maps: maps(features, &texels, &values, margin * scale),
    }
}

/// The borders of all charts.
fn all_borders(surface: &Surfaces<'_>, atlas: &Atlas) -> Vec<Border> {
    let objects = surface.receivers.iter().zip(surface.flats).zip(&atlas.places);
    objects
        .flat_map(|((receiver, flat), places)| {
            let shape = &surface.shapes[receiver.shape.0 as usize];
            let mesh = &flat.mesh;
            let positions: Vec<Vec3> =
                mesh.positions.iter().map(|&p| shape.placement().open().point(p)).collect();
            borders(&mesh.triangles, places, &positions, |triangle, vertex| {
                let corner = mesh.triangles[triangle].iter().position(|&v| v == vertex).unwrap_or(0);
                let weights = [Vec2::ZERO, Vec2::X, Vec2::Y][corner];
                let point = point(shape, mesh, triangle as u32, weights);
                GatherPoint::of(point, receiver.shape, receiver.side).n
            })
        })
        .collect()
}
