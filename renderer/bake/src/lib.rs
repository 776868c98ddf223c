//! Baking: precomputes incident light at surfaces (lightmap texture, vertices) or points in space (probes) for
//! real-time engines.
//!
//! Steps of a lightmap: [`sides`] selects the shapes with a baked back, [`receiver`] converts shapes to triangles, [`uv`]
//! validates their second texture coordinates, [`unwrap`] makes new ones where needed, [`layout`] packs everything,
//! [`raster`] finds the surface points of each texel, [`points`] rejects hidden ones, [`project`] estimates the light there,
//! and [`denoise`], [`dilate`] and [`seam`] post-process the texture. Vertices and probes use the same [`project`]. [`sh`]
//! defines the basis.
//!
//! - The result depends on scene and settings only: the same bytes for any number of threads, and for a bake that was
//!   killed and resumed.
//! - Light is gathered on the side of the geometric normal, and on the other side for shapes that [`sides`] selects: the
//!   back is a separate object. Emitters are baked like other surfaces.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units stand in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod adjacency;
mod atlas;
mod bake_cache;
mod chart;
mod checkpoint;
mod denoise;
mod dilate;
mod error;
mod feature;
mod feature_map;
mod feature_rays;
mod field;
mod horizon;
mod job;
mod layout;
mod learned_filter;
mod lightmap_buffer;
mod limit;
mod object_layout;
mod objects;
mod outline;
mod overlap;
mod pack;
mod points;
mod probes;
mod progress;
mod project;
mod raster;
mod receiver;
mod relax;
mod seam;
mod settings;
pub mod sh;
mod share;
mod sides;
mod single_page;
mod surface;
mod tangent_frame;
mod tessellate;
mod texel_points;
mod texture;
mod transfer;
mod translucent;
mod unwrap;
mod uv;
mod vertex;
mod work;
mod world_mesh;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use job::{Job, Outcome};
use renderer_geometry::ShapeId;
use renderer_transport::material::Report;
use renderer_transport::scene::Scene;

pub use atlas::{PageScale, Scale};
pub use bake_cache::BakeCache;
pub use checkpoint::{CheckpointContent, is_checkpoint, join_checkpoints};
pub use error::{BakeError, CageError};
pub use feature::{Feature, FeatureDesc, FeatureRays};
pub use feature_map::FeatureMap;
pub use job::BakeStats;
pub use lightmap_buffer::Coverage;
pub use limit::texture_memory;
pub use objects::BakedObject;
pub use probes::{Grid, Probes};
pub use progress::{BakePhase, BakeProgress, Silent};
pub use project::Include;
pub use receiver::{Side, triangles};
pub use settings::{BakeSettings, LightmapFilter, ProbePlaces, Sides, SurfaceTextures, Target};
pub use sh::ShOrder;
pub use share::Share;
pub use surface::{BakedSurface, CageSettings, LowShapes, SurfaceMaps, SurfaceSettings, bake_surface};
pub use texture::{FinerTextures, Lightmap};
pub use vertex::{BakedVertices, VertexLight};

/// Checks, without changing anything, that a checkpoint can be written at `path`, so that a bake fails early.
///
/// # Errors
/// If the file exists and is not a checkpoint to resume, or cannot be created.
pub fn check_checkpoint(path: &Path, resume: bool) -> Result<(), BakeError> {
    checkpoint::Checkpoint::check(path, resume)
}

/// Result of the bake, by target.
#[derive(Debug)]
pub enum Product {
    /// A texture.
    Texture(Lightmap),
    /// Light at vertices.
    Vertex(VertexLight),
    /// Light at points in space.
    Probes(Probes),
}

/// A bake.
#[derive(Debug)]
pub struct Baked {
    /// Result of the bake, by target.
    pub product: Product,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Run-time errors of shaders.
    pub reports: Vec<Report>,
    /// Statistics.
    pub stats: BakeStats,
    /// Cache for the next bake, if requested.
    pub kept: Option<BakeCache>,
}

/// Shapes whose backs a bake with these settings includes: for bakes of some lights, which need the atlas of all lights.
///
/// # Errors
/// If the threads cannot be started.
pub fn backs(scene: &Scene, settings: &BakeSettings) -> Result<Vec<ShapeId>, BakeError> {
    let workers = work::Workers::new(scene, settings.threads, settings.seed)?;
    Ok(workers.install(|| sides::backs(settings, &workers)))
}

/// Bakes a scene whose shapes have the `names`, in order. `None` if `stop` ended it, or only a share was requested;
/// finished work is then in the checkpoint, if there is one.
///
/// # Errors
/// If there is nothing to bake, the result does not fit, or a file cannot be used.
pub fn bake(
    scene: &Scene,
    names: &[String],
    settings: &BakeSettings,
    progress: &dyn BakeProgress,
    stop: &AtomicBool,
) -> Result<Option<Baked>, BakeError> {
    if scene.shapes().is_empty() {
        return Err(BakeError::Nothing);
    }
    let checkpoint = match &settings.checkpoint {
        Some(path) => Some(checkpoint::Checkpoint::open(
            path,
            settings.fingerprint(scene),
            settings.resume,
        )?),
        None => None,
    };
    let damage = checkpoint.as_ref().and_then(|(checkpoint, _)| {
        let path = settings.checkpoint.as_deref()?;
        (checkpoint.damaged > 0).then(|| checkpoint::damage(path, checkpoint.damaged))
    });
    let job = Job {
        settings,
        checkpoint: Mutex::new(checkpoint),
        names,
        progress,
        stop,
        start: Instant::now(),
        kept: Mutex::default(),
    };
    let workers = work::Workers::new(scene, settings.threads, settings.seed)?;
    let threads = workers.threads();
    let result = match &settings.target {
        Target::Texture { .. } => texture::bake(&job, &workers)?.map(|o| o.of(Product::Texture)),
        Target::Vertex => vertex::bake(&job, &workers)?.map(|o| o.of(Product::Vertex)),
        Target::Probes(places) => probes::bake(&job, &workers, places)?.map(|o| o.of(Product::Probes)),
    };
    let Some(Outcome { product, notes, stats }) = result else {
        return Ok(None);
    };
    let (work, reports) = workers.finish();
    let kept = job.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let notes = damage.into_iter().chain(kept.note.map(str::to_owned)).chain(notes);
    Ok(Some(Baked {
        product,
        notes: notes.collect(),
        reports,
        stats: BakeStats { work, threads, kept: kept.points, ..stats },
        kept: kept.light,
    }))
}
