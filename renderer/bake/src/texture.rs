//! Bake target `texture`: all surfaces in one lightmap atlas.

use std::time::Instant;

use glam::{UVec2, Vec2, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::atlas::{Atlas, Scale, layout};
use super::denoise::{TexelPoint, denoise};
use super::dilate::fill_and_dilate;
use super::error::BakeError;
use super::feature_map::{FeatureMap, at_points, spread};
use super::job::{BakeStats, Job, Outcome};
use super::lightmap_buffer::{Coverage, LightmapBuffer};
use super::limit::check_texture;
use super::points::{Solids, Standing, in_sight, standing};
use super::raster::{Texel, Texels, rasterise};
use super::receiver::{Coordinates, GatherPoint, Receiver, Side, point, receivers, site};
use super::seam::{Border, borders, mean_difference, pairs, stitch};
use super::settings::Target;
use super::sh::ShOrder;
use super::sides::backs;
use super::unwrap::Flat;
use super::work::Workers;
use renderer_base::color::Rgb;
use renderer_geometry::{Interaction, Mesh, ShapeId};
use renderer_image::Rect;
use renderer_transport::integrator::Context;

/// An object in the texture.
#[derive(Clone, Debug)]
pub struct BakedObject {
    /// The shape.
    pub shape: ShapeId,
    /// Its side.
    pub side: Side,
    /// Name of the shape; `NAME.back` for a back.
    pub name: String,
    /// Its rectangle in the texture.
    pub rect: Rect,
    /// True if its coordinates are the mesh's own second set.
    pub own_coordinates: bool,
    /// Triangles in object space; the second set of coordinates spans the whole texture, v up.
    pub mesh: Mesh,
}

/// Light of all surfaces in one texture.
#[derive(Debug)]
pub struct Lightmap {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Texels a metre.
    pub density: f32,
    /// Dilation width [texels].
    pub margin: u32,
    /// The objects.
    pub objects: Vec<BakedObject>,
    /// Order of the SH coefficients.
    pub order: ShOrder,
    sheet: LightmapBuffer,
    places: Vec<TexelPoint>,
    /// What was baked of surfaces besides light.
    pub features: Vec<FeatureMap>,
}

impl Lightmap {
    fn index(&self, x: u32, y: u32) -> usize {
        (y * self.width + x) as usize
    }

    /// The coefficients of radiance at a texel, row 0 on top; zeros for empty texels.
    pub fn coefficients(&self, x: u32, y: u32) -> &[Rgb] {
        self.sheet.field.coefficients(self.index(x, y))
    }

    /// The irradiance at a texel [W/m²].
    pub fn irradiance(&self, x: u32, y: u32) -> Rgb {
        self.sheet.field.irradiance(self.index(x, y))
    }

    /// Source of a texel's value.
    pub fn coverage(&self, x: u32, y: u32) -> Coverage {
        self.sheet.coverage[self.index(x, y)]
    }

    /// Returns whether a texel has a value, by dilation included.
    pub fn is_used(&self, x: u32, y: u32) -> bool {
        self.sheet.field.valid[self.index(x, y)]
    }

    /// Bilinear lookup of coefficients and irradiance at texture coordinates `uv`, v up.
    pub fn lookup(&self, uv: Vec2) -> (Vec<Rgb>, Rgb) {
        let place = Vec2::new(uv.x, 1.0 - uv.y) * UVec2::new(self.width, self.height).as_vec2();
        let mut sum = vec![Rgb::BLACK; self.sheet.field.layers()];
        for (index, weight) in self.sheet.bilinear(place) {
            for (sum, &color) in sum.iter_mut().zip(self.sheet.field.at(index as usize)) {
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
        ref features,
    } = job.settings.target
    else {
        unreachable!("only textures are baked here")
    };
    let order = job.settings.order;
    if let Scale::Resolution(side) = scale {
        check_texture(side, side, order)?;
    }
    let scene = workers.scene;
    let backs = backs(job, workers);
    let receivers = receivers(scene, job.names, &backs);
    let flattened: Vec<_> = workers.install(|| {
        let fronts = receivers.par_iter().zip(scene.shapes());
        fronts.map(|(receiver, shape)| receiver.flatten(shape)).collect()
    });
    let notes = diagnose(&receivers, &flattened, unwrap)?;
    let (mut flats, mut coordinates): (Vec<Flat>, Vec<Coordinates>) = flattened
        .into_iter()
        .map(|(flat, coordinates, _)| (flat, coordinates))
        .unzip();
    for back in &backs {
        flats.push(flats[back.0 as usize].seen_from_behind());
        coordinates.push(coordinates[back.0 as usize]);
    }
    let atlas = workers.install(|| layout(&flats, scale, margin))?;
    check_texture(atlas.size.x, atlas.size.y, order)?;
    let texels = rasterise(&flats, &atlas);
    if texels.list.is_empty() {
        return Err(BakeError::Nothing);
    }
    let surface = Surfaces {
        workers,
        receivers: &receivers,
        flats: &flats,
        backs: &backs,
        texels: &texels,
        texel: 1.0 / atlas.density,
    };
    let visible = surface.visible();

    let gather = Instant::now();
    let estimates = job.gather(
        workers,
        texels.list.len(),
        |estimator, index, sampler, context| {
            let texel = &texels.list[index];
            let sites = seen(surface.sites(texel), visible[index]);
            (!sites.is_empty()).then(|| estimator.at_surface(&sites, texel.at, sampler, context))
        },
    )?;
    let Some(estimates) = estimates else {
        return Ok(None);
    };

    let finish = Instant::now();
    let mut sheet = LightmapBuffer::new(&texels, &estimates);
    let places = surface.places(&visible);
    if filter {
        workers.install(|| denoise(&mut sheet, &places, surface.texel));
    }
    let (filled, dark) = fill_and_dilate(&mut sheet, &places, margin);
    let borders = surface.borders(&atlas);
    let near = 1e-5 * scene.bounds().radius();
    let pairs = pairs(&borders, &sheet, near);
    let before = mean_difference(&pairs, &sheet);
    let features = match features.is_empty() {
        true => vec![],
        false => {
            let values = workers.map(texels.list.len(), |index, _, context| {
                at_points(scene, features, surface.points(&texels.list[index]), context)
            });
            spread(features, &texels.list, &values, &sheet, margin)
        }
    };
    stitch(&pairs, &mut sheet);
    let after = mean_difference(&pairs, &sheet);

    let objects = (receivers.iter().zip(flats).zip(&coordinates).enumerate())
        .map(|(index, ((receiver, flat), coordinates))| BakedObject {
            shape: receiver.shape,
            side: receiver.side,
            name: receiver.name.clone(),
            rect: atlas.rects[index],
            own_coordinates: *coordinates == Coordinates::Own,
            mesh: Mesh {
                uvs2: atlas.places[index]
                    .iter()
                    .map(|&place| unit(place, atlas.size))
                    .collect(),
                ..flat.mesh
            },
        })
        .collect();
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
        density: atlas.density,
        margin,
        objects,
        order: job.settings.order,
        sheet,
        places,
        features,
    };
    Ok(Some(Outcome {
        product: lightmap,
        notes,
        stats,
    }))
}

/// Texels to texture coordinates, v up.
fn unit(place: Vec2, size: UVec2) -> Vec2 {
    let unit = place / size.as_vec2();
    Vec2::new(unit.x, 1.0 - unit.y)
}

/// Notes about texture coordinates that could not be used.
fn diagnose(
    receivers: &[Receiver],
    flattened: &[(Flat, Coordinates, Option<super::uv::Unfit>)],
    unwrap: bool,
) -> Result<Vec<String>, BakeError> {
    let unfit = receivers
        .iter()
        .zip(flattened)
        .filter_map(|(r, (_, _, unfit))| Some((r, unfit.as_ref()?)));
    if !unwrap {
        let shapes: Vec<String> = unfit.map(|(r, unfit)| format!("`{}`: {unfit}", r.name)).collect();
        return if shapes.is_empty() {
            Ok(vec![])
        } else {
            Err(BakeError::NoCoordinates { shapes })
        };
    }
    Ok(unfit
        .filter(|(_, unfit)| **unfit != super::uv::Unfit::Missing)
        .map(|(r, unfit)| {
            format!("`{}`: its second set of texture coordinates is not fit for a lightmap, so it is unwrapped: {unfit}", r.name)
        })
        .collect())
}

/// The points of texels.
struct Surfaces<'a> {
    workers: &'a Workers<'a>,
    receivers: &'a [Receiver],
    flats: &'a [Flat],
    backs: &'a [ShapeId],
    texels: &'a Texels,
    /// Width of a texel [m].
    texel: f32,
}

/// Least cosine between the shading normals of a texel's points: estimates over hemispheres that differ more are not
/// averaged.
const ALIKE: f32 = 0.995;

/// Bit mask of a texel's usable points.
type Mask = u16;

fn seen(sites: impl Iterator<Item = GatherPoint>, mask: Mask) -> Vec<GatherPoint> {
    sites
        .enumerate()
        .filter(|(bit, _)| mask >> bit & 1 == 1)
        .map(|(_, site)| site)
        .collect()
}

impl Surfaces<'_> {
    fn sites<'a>(&'a self, texel: &'a Texel) -> impl Iterator<Item = GatherPoint> + 'a {
        let receiver = &self.receivers[texel.object as usize];
        let shape = &self.workers.scene.shapes()[receiver.shape.0 as usize];
        let mesh = &self.flats[texel.object as usize].mesh;
        let samples = self.texels.samples_of(texel).iter();
        samples.map(move |sample| site(shape, receiver.side, mesh, sample.triangle, sample.barycentric))
    }

    /// The points of a texel as a viewer above each sees them.
    fn points<'a>(&'a self, texel: &'a Texel) -> impl Iterator<Item = Interaction> + 'a {
        let receiver = &self.receivers[texel.object as usize];
        let shape = &self.workers.scene.shapes()[receiver.shape.0 as usize];
        let mesh = &self.flats[texel.object as usize].mesh;
        let samples = self.texels.samples_of(texel).iter();
        samples.map(move |sample| {
            let point = point(shape, mesh, sample.triangle, sample.barycentric);
            let wo = GatherPoint::of(point, receiver.side).ng;
            point.seen_from(wo, receiver.shape, sample.triangle)
        })
    }

    /// By texel: its points that are visible, visible from the first of them, and of similar normal.
    fn visible(&self) -> Vec<Mask> {
        let scene = self.workers.scene;
        let solids = Solids::find(scene, self.backs, &mut Context::new(scene));
        let standings: Vec<Vec<Standing>> = self.workers.map(self.texels.list.len(), |index, sampler, _| {
            let texel = &self.texels.list[index];
            let probe = |(bit, site): (usize, GatherPoint)| {
                standing(
                    self.workers.scene,
                    &solids,
                    &site,
                    self.texel,
                    texel.at,
                    bit as u64,
                    sampler,
                )
            };
            self.sites(texel).enumerate().map(probe).collect()
        });
        // Furniture in a room modelled as a box.
        let mut counts = vec![(0usize, 0usize); self.receivers.len()];
        for (texel, standings) in self.texels.list.iter().zip(&standings) {
            let (inside, all) = &mut counts[texel.object as usize];
            *inside += standings.iter().filter(|&&s| s == Standing::Inside).count();
            *all += standings.len();
        }
        let furniture: Vec<bool> = counts
            .iter()
            .map(|&(inside, all)| inside * 10 > all * 9)
            .collect();
        let is_open = |texel: &Texel, standing: Standing| match standing {
            Standing::Open => true,
            Standing::Inside => furniture[texel.object as usize],
            Standing::Covered => false,
        };
        // A completely covered chart (a leaf among leaves) has no other texels to take light from.
        let chart = |texel: &Texel| self.texels.charts[self.texels.index(texel.at)];
        let open_charts: FxHashSet<u32> = (self.texels.list.iter().zip(&standings))
            .filter(|(texel, standings)| standings.iter().any(|&standing| is_open(texel, standing)))
            .map(|(texel, _)| chart(texel))
            .collect();
        self.workers.map(self.texels.list.len(), |index, _, context| {
            let texel = &self.texels.list[index];
            let alone = !open_charts.contains(&chart(texel));
            let open =
                |standing: &Standing| is_open(texel, *standing) || alone && *standing == Standing::Covered;
            let sites: Vec<GatherPoint> = self.sites(texel).collect();
            let Some(first) = standings[index].iter().position(open) else {
                return 0;
            };
            let mut mask: Mask = 0;
            for (bit, (site, standing)) in sites.iter().zip(&standings[index]).enumerate() {
                let alike = || sites[first].n.dot(site.n) > ALIKE;
                let counts = open(standing)
                    && (bit == first
                        || alike() && in_sight(self.workers.scene, &sites[first], site, context));
                mask |= Mask::from(counts) << bit;
            }
            mask
        })
    }

    /// By texel of the atlas: the first visible point, else the first point; zeros without points.
    fn places(&self, visible: &[Mask]) -> Vec<TexelPoint> {
        let mut places = vec![TexelPoint::default(); self.texels.charts.len()];
        for (texel, &mask) in self.texels.list.iter().zip(visible) {
            let mask = if mask == 0 { Mask::MAX } else { mask };
            if let Some(site) = seen(self.sites(texel), mask).first() {
                places[self.texels.index(texel.at)] = TexelPoint { p: site.p, n: site.n };
            }
        }
        places
    }

    fn borders(&self, atlas: &Atlas) -> Vec<Border> {
        let objects = self.receivers.iter().zip(self.flats).zip(&atlas.places);
        objects
            .flat_map(|((receiver, flat), places)| {
                let shape = &self.workers.scene.shapes()[receiver.shape.0 as usize];
                let mesh = &flat.mesh;
                let positions: Vec<Vec3> = mesh
                    .positions
                    .iter()
                    .map(|&p| shape.world_from_object.transform_point3(p))
                    .collect();
                borders(&mesh.triangles, places, &positions, |triangle, vertex| {
                    let corner = mesh.triangles[triangle]
                        .iter()
                        .position(|&v| v == vertex)
                        .unwrap_or(0);
                    let weights = [Vec2::ZERO, Vec2::X, Vec2::Y][corner];
                    site(shape, receiver.side, mesh, triangle as u32, weights).n
                })
            })
            .collect()
    }
}
