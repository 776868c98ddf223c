//! Baking: light that arrives at surfaces, or at points in space, computed once and kept for engines that have no time to
//! trace rays.
//!
//! The way of a texture: [`sides`] says which shapes have a back,
//! [`receiver`] makes triangles of all, [`uv`] says whether their second texture coordinates
//! are fit, [`unwrap`] makes new ones where not, [`atlas`] lays everything out, [`raster`] finds what each texel stands
//! for, [`points`] which of that may be seen, [`project`] gathers light there, and [`denoise`], [`dilate`] and [`seam`]
//! finish it. Vertices and probes share the gathering. [`sh`] states the basis.
//!
//! - What is baked depends on scene and settings alone: the same bytes for any number of threads, and for a bake that was
//!   killed and resumed.
//! - Light is gathered on the side of the geometric normal, and on the other where [`sides`] says that there is a back to
//!   be seen: it is an object of its own. What emits is baked as anything else.

mod atlas;
mod chart;
mod checkpoint;
mod connect;
mod denoise;
mod dilate;
mod error;
mod field;
mod horizon;
mod job;
mod limit;
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
mod sheet;
mod sides;
mod tessellate;
mod texture;
mod unwrap;
mod uv;
mod vertex;
mod work;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::material::Report;
use crate::scene::Scene;
use job::{Job, Outcome};

pub use atlas::Scale;
pub use checkpoint::{CheckpointContent, is_checkpoint, join_checkpoints};
pub use error::BakeError;
pub use job::BakeStats;
pub use limit::texture_memory;
pub use probes::{Grid, Probes};
pub use progress::{BakeProgress, Silent};
pub use project::Include;
pub use receiver::Side;
pub use settings::{BakeSettings, ProbePlaces, Sides, Target};
pub use sh::Order;
pub use share::Share;
pub use sheet::Coverage;
pub use texture::{BakedObject, Lightmap};
pub use vertex::{BakedVertices, VertexLight};

/// Checks, without changing anything, that a checkpoint can be kept at `path`; what a bake will find too late otherwise.
///
/// # Errors
/// When there is anything but a checkpoint that is to be resumed, or no file can be made.
pub fn check_checkpoint(path: &Path, resume: bool) -> Result<(), BakeError> {
    checkpoint::Checkpoint::check(path, resume)
}

/// What was baked.
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
    /// What was baked.
    pub product: Product,
    /// What is worth knowing though nothing is wrong.
    pub notes: Vec<String>,
    /// What shaders complained of.
    pub reports: Vec<Report>,
    /// What was done.
    pub stats: BakeStats,
}

/// Bakes a scene, whose shapes are called `names` in order. `None` when `stop` ended it, or a share was asked for; what was
/// done is then in the checkpoint, if there is one.
///
/// # Errors
/// When there is nothing to bake, it does not fit, or a file cannot be used.
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
    let job = Job {
        settings,
        checkpoint: Mutex::new(checkpoint),
        names,
        progress,
        stop,
        start: Instant::now(),
    };
    let workers = work::Workers::new(scene, settings.threads, settings.seed)?;
    let threads = workers.threads();
    let result = match &settings.target {
        Target::Texture { .. } => texture::bake(&job, &workers)?.map(|o| o.of(Product::Texture)),
        Target::Vertex => vertex::bake(&job, &workers)?.map(|o| o.of(Product::Vertex)),
        Target::Probes(places) => probes::bake(&job, &workers, places)?.map(|o| o.of(Product::Probes)),
    };
    let Some(Outcome {
        product,
        notes,
        stats,
    }) = result
    else {
        return Ok(None);
    };
    let (work, reports) = workers.finish();
    Ok(Some(Baked {
        product,
        notes,
        reports,
        stats: BakeStats {
            work,
            threads,
            ..stats
        },
    }))
}
