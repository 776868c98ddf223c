//! Surface bake: surface features without light, of the scene's shapes, or by rays from other shapes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use glam::Vec2;

use super::atlas::{Atlas, Scale};
use super::error::BakeError;
use super::feature::FeatureDesc;
use super::feature_map::{FeatureMap, FeaturePoint, at_points, maps, spread_coverage};
use super::job::BakeStats;
use super::layout::{layout, layout_in_place};
use super::lightmap_buffer::Coverage;
use super::limit::check_features;
use super::objects::{BakedObject, flatten, objects, tangents};
use super::progress::{BakePhase, BakeProgress};
use super::raster::{Texel, rasterise};
use super::receiver::{Coordinates, GatherPoint, Receiver, receivers, triangles};
use super::tangent_frame::TangentSpace;
use super::texel_points::{Mask, Surfaces};
use super::transfer::{Cage, CageHit};
use super::unwrap::Flat;
use super::uv::{self, Unfit};
use super::work::Workers;
use super::world_mesh::WorldMesh;
use renderer_base::color::Rgb;
use renderer_geometry::Shape;
use renderer_transport::integrator::Context;
use renderer_transport::material::Report;
use renderer_transport::scene::Scene;

/// Settings of a surface bake.
#[derive(Clone, Debug)]
pub struct SurfaceSettings {
    /// Size of the texture.
    pub scale: Scale,
    /// Dilation width [texels]; by default 2, and 16 for existing coordinates.
    pub margin: Option<u32>,
    /// True if shapes without usable coordinates are unwrapped.
    pub unwrap: bool,
    /// Features.
    pub features: Vec<FeatureDesc>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
}

/// Shapes of the texture.
#[derive(Clone, Copy, Debug)]
pub enum LowShapes<'a> {
    /// The shapes of the scene.
    Own,
    /// Low shapes, from which rays find the scene.
    Others {
        /// The shapes.
        shapes: &'a [Shape],
        /// Start of rays.
        cage: CageSettings<'a>,
    },
}

/// Start of rays of a transfer.
#[derive(Clone, Copy, Debug)]
pub enum CageSettings<'a> {
    /// At a distance from the shape [m]; by default a twentieth of its bounding box's diagonal.
    Distance(Option<f32>),
    /// On cage meshes, one for each shape, with their names.
    Meshes(&'a [Shape], &'a [String]),
}

/// Dilation in a new atlas, and in existing coordinates [texels], which are for textures with mipmaps.
const MARGINS: [u32; 2] = [2, 16];

/// Surface features in one texture.
#[derive(Debug)]
pub struct SurfaceMaps {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Mean density [texels/m].
    pub density: f32,
    /// Dilation width [texels].
    pub margin: u32,
    /// The objects; the second set of their coordinates spans the whole texture.
    pub objects: Vec<BakedObject>,
    /// True if the texture is in the first set of coordinates of all objects.
    pub in_place: bool,
    /// The features.
    pub features: Vec<FeatureMap>,
    /// Values of texels, row by row.
    pub coverage: Vec<Coverage>,
    /// Number of texels whose rays missed.
    pub missed: usize,
    /// Number of these texels whose rays hit backs.
    pub backs: usize,
}

/// A surface bake.
#[derive(Debug)]
pub struct BakedSurface {
    /// The maps.
    pub maps: SurfaceMaps,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Run-time errors of shaders.
    pub reports: Vec<Report>,
    /// Statistics.
    pub stats: BakeStats,
}

/// Bakes features of a scene's surfaces to `low` shapes, which have the `names`, in order. `None` if `stop` ended it.
///
/// # Errors
/// If there is nothing to bake, the texture does not fit, or a cage does not match.
pub fn bake_surface(
    scene: &Scene,
    low: LowShapes<'_>,
    names: &[String],
    settings: &SurfaceSettings,
    progress: &dyn BakeProgress,
    stop: &AtomicBool,
) -> Result<Option<BakedSurface>, BakeError> {
    let start = Instant::now();
    let shapes = match low {
        LowShapes::Own => scene.shapes(),
        LowShapes::Others { shapes, .. } => shapes,
    };
    if shapes.is_empty() || scene.shapes().is_empty() {
        return Err(BakeError::Nothing);
    }
    let workers = Workers::new(scene, settings.threads, settings.seed)?;
    let receivers = receivers(shapes, names, &[]);
    progress.advance(BakePhase::Charts, 0, 0);
    let laid = lay_out(&workers, low, shapes, &receivers, settings)?;
    let texels = rasterise(&laid.flats, &laid.atlas);
    if texels.list.is_empty() {
        return Err(BakeError::Nothing);
    }
    let surface = Surfaces {
        workers: &workers,
        shapes,
        receivers: &receivers,
        flats: &laid.flats,
        backs: &[],
        texels: &texels,
        texel: 1.0 / laid.atlas.density,
    };
    let tangents = tangents(&settings.features, shapes, &receivers, &laid.flats, &laid.atlas);
    let source = Source::new(low, &surface)?;

    let gather = Instant::now();
    let done = AtomicUsize::new(0);
    let count = texels.list.len();
    let found: Vec<TexelFeatures> = workers.map(count, |index, sampler, context| {
        if stop.load(Ordering::Relaxed) {
            return TexelFeatures::default();
        }
        let texel = &texels.list[index];
        let (points, backs) = source.points(&surface, index, &tangents, context);
        let features = &settings.features;
        let values = at_points(scene, features, &points, texel.at, sampler, context);
        let printed = context.shading.take_printed();
        if !printed.is_empty() {
            progress.print(&printed);
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(64) {
            progress.advance(BakePhase::Features, done as u64, count as u64);
        }
        TexelFeatures { values, is_found: !points.is_empty(), backs }
    });
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }

    let finish = Instant::now();
    let missed = |only_backs: bool| {
        let missed = found.iter().filter(|texel| !texel.is_found);
        missed.filter(|texel| texel.backs || !only_backs).count()
    };
    let (missed, backs) = (missed(false), missed(true));
    let is_found = found.iter().map(|texel| texel.is_found);
    let coverage = spread_coverage(&texels, is_found, laid.margin);
    let values: Vec<_> = found.into_iter().map(|texel| texel.values).collect();
    let features = workers.install(|| maps(&settings.features, &texels, &values, laid.margin));
    let maps = SurfaceMaps {
        width: laid.atlas.size.x,
        height: laid.atlas.size.y,
        density: laid.atlas.density,
        margin: laid.margin,
        objects: objects(&receivers, laid.flats, &laid.coordinates, &laid.atlas),
        in_place: laid.in_place,
        features,
        coverage,
        missed,
        backs,
    };
    let (work, reports) = workers.finish();
    let of = |coverage: Coverage| maps.coverage.iter().filter(|&&of| of == coverage).count();
    let stats = BakeStats {
        points: count,
        filled: of(Coverage::Filled),
        dark: of(Coverage::Dark),
        work,
        threads: rayon::current_num_threads().min(count),
        prepare: gather - start,
        gather: finish - gather,
        finish: finish.elapsed(),
        ..BakeStats::default()
    };
    Ok(Some(BakedSurface { maps, notes: laid.notes, reports, stats }))
}

/// Features of a texel.
#[derive(Default)]
struct TexelFeatures {
    values: Vec<Option<Rgb>>,
    is_found: bool,
    backs: bool,
}

/// The layout of all objects.
struct Laid {
    flats: Vec<Flat>,
    coordinates: Vec<Coordinates>,
    atlas: Atlas,
    in_place: bool,
    margin: u32,
    notes: Vec<String>,
}

/// Layout of objects: low shapes use their first set of coordinates if it is an atlas, otherwise a lightmap's coordinates.
fn lay_out(
    workers: &Workers<'_>,
    low: LowShapes<'_>,
    shapes: &[Shape],
    receivers: &[Receiver],
    settings: &SurfaceSettings,
) -> Result<Laid, BakeError> {
    let mut notes = vec![];
    if let LowShapes::Others { .. } = low {
        match in_place(shapes, receivers) {
            Ok(flats) => {
                let atlas = layout_in_place(&flats, settings.scale)?;
                check_features(&atlas.size, settings.features.len())?;
                return Ok(Laid {
                    coordinates: vec![Coordinates::Own; flats.len()],
                    flats,
                    atlas,
                    in_place: true,
                    margin: settings.margin.unwrap_or(MARGINS[1]),
                    notes,
                });
            }
            Err(note) => notes.push(note),
        }
    }
    let margin = settings.margin.unwrap_or(MARGINS[0]);
    let (flats, more) = workers.install(|| flatten(receivers, shapes, &[], settings.unwrap))?;
    notes.extend(more);
    let (flats, coordinates): (Vec<Flat>, Vec<Coordinates>) = flats.into_iter().unzip();
    let name = |object: usize| receivers[object].name.clone();
    let atlas = workers.install(|| layout(&flats, &name, settings.scale, margin))?;
    check_features(&atlas.size, settings.features.len())?;
    Ok(Laid { flats, coordinates, atlas, in_place: false, margin, notes })
}

/// Objects flattened by their first set of coordinates.
///
/// # Errors
/// A note with the reason why they are no atlas.
fn in_place(shapes: &[Shape], receivers: &[Receiver]) -> Result<Vec<Flat>, String> {
    let note = |name: &str, unfit: &Unfit| {
        let reason = match unfit {
            Unfit::Missing => "it has no texture coordinates".to_owned(),
            unfit => format!("its texture coordinates are no atlas: {unfit}"),
        };
        format!("`{name}`: {reason}; the maps are in a lightmap's coordinates, TEXCOORD_1 of scene.glb")
    };
    for receiver in receivers {
        let mesh = &receiver.mesh;
        uv::check(mesh, &mesh.uvs).map_err(|unfit| note(&receiver.name, &unfit))?;
    }
    let all = || receivers.iter().map(|receiver| uv::corners(&receiver.mesh, &receiver.mesh.uvs));
    if receivers.len() > 1 && uv::check_triangles(&all().flatten().collect::<Vec<_>>()).is_err() {
        return Err(
            "the texture coordinates of the objects overlap each other; the maps are in a lightmap's coordinates, \
             TEXCOORD_1 of scene.glb"
                .to_owned(),
        );
    }
    let flat = |receiver: &Receiver| {
        let shape = &shapes[receiver.shape.0 as usize];
        uv::flatten(&receiver.mesh, shape, &receiver.mesh.uvs)
    };
    Ok(receivers.iter().map(flat).collect())
}

/// Evaluation points of texels.
enum Source {
    /// The points of the texels, with their open points.
    Own(Vec<Mask>),
    /// Rays from the cage of each object.
    Rays(Vec<Cage>),
}

impl Source {
    fn new(low: LowShapes<'_>, surface: &Surfaces<'_>) -> Result<Source, BakeError> {
        let LowShapes::Others { shapes, cage } = low else {
            return Ok(Source::Own(surface.visible()));
        };
        let objects = surface.receivers.iter().zip(surface.flats).enumerate();
        let cages = objects.map(|(index, (receiver, flat))| {
            let shape = &shapes[receiver.shape.0 as usize];
            match cage {
                CageSettings::Distance(distance) => {
                    let placed = WorldMesh::new(shape, receiver.side, &flat.mesh);
                    Ok(Cage::inflated(&placed, shape, distance))
                }
                CageSettings::Meshes(cages, names) => {
                    let mesh = triangles(&cages[index]);
                    let cage = Cage::of_mesh((shape, &flat.mesh), (&cages[index], &mesh));
                    cage.map_err(|reason| BakeError::Cage {
                        cage: names[index].clone(),
                        low: receiver.name.clone(),
                        reason,
                    })
                }
            }
        });
        Ok(Source::Rays(cages.collect::<Result<_, _>>()?))
    }

    /// Evaluation points of a texel, and whether rays hit only backs.
    fn points(
        &self,
        surface: &Surfaces<'_>,
        index: usize,
        tangents: &[TangentSpace],
        context: &mut Context,
    ) -> (Vec<FeaturePoint>, bool) {
        let texel = &surface.texels.list[index];
        match self {
            Source::Own(visible) => (surface.points(texel, visible[index], tangents), false),
            Source::Rays(cages) => {
                let object = texel.object as usize;
                found(surface, texel, (&cages[object], &tangents[object]), context)
            }
        }
    }
}

fn found(
    surface: &Surfaces<'_>,
    texel: &Texel,
    (cage, tangents): (&Cage, &TangentSpace),
    context: &mut Context,
) -> (Vec<FeaturePoint>, bool) {
    let (mut points, mut backs) = (vec![], false);
    for sample in surface.texels.samples_of(texel) {
        let point = surface.point(texel, sample);
        let receiver = &surface.receivers[texel.object as usize];
        let site = GatherPoint::of(point, receiver.shape, receiver.side);
        let place: (u32, Vec2) = (sample.triangle, sample.barycentric);
        match cage.find(surface.workers.scene, site.p, place, context) {
            CageHit::Front(it, height) => points.push(FeaturePoint {
                it,
                frame: tangents.at(place.0, place.1, site.n),
                height,
                is_open: true,
            }),
            CageHit::Backs => backs = true,
            CageHit::Miss => {}
        }
    }
    (points, backs)
}
