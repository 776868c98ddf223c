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
mod field;
mod horizon;
mod outline;
mod overlap;
mod pack;
mod points;
mod probes;
mod project;
mod raster;
mod receiver;
mod relax;
mod seam;
pub mod sh;
mod sheet;
mod sides;
mod tessellate;
mod texture;
mod unwrap;
mod uv;
mod vertex;
mod work;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::integrator::{Integrator, Pass, PrepareError, Stats};
use crate::material::Report;
use crate::memory::{self, OutOfMemory};
use crate::scene::Scene;

pub use atlas::Scale;
pub use probes::{Grid, ProbePlaces, Probes};
pub use project::Include;
pub use receiver::Side;
pub use sh::Order;
pub use sheet::Coverage;
pub use sides::Sides;
pub use texture::{BakedObject, Lightmap};
pub use vertex::{BakedVertices, VertexLight};

/// What light is kept for.
#[derive(Clone, Debug)]
pub enum Target {
    /// Texels of one texture.
    Texture {
        /// How large it is.
        scale: Scale,
        /// By how many texels charts are dilated.
        margin: u32,
        /// Whether noise is filtered.
        denoise: bool,
        /// Whether shapes without fit coordinates are given some.
        unwrap: bool,
    },
    /// Vertices of meshes.
    Vertex,
    /// Points in space.
    Probes(ProbePlaces),
}

/// What to bake, and how.
#[derive(Clone, Debug)]
pub struct BakeSettings {
    /// What for.
    pub target: Target,
    /// Which sides of surfaces.
    pub sides: Sides,
    /// Which light.
    pub include: Include,
    /// How it is kept.
    pub order: Order,
    /// Rays of a texel, vertex or probe.
    pub samples: u32,
    /// How light is computed; its depth counts from the camera that is not there, so that 2 is direct light alone.
    pub integrator: Integrator,
    /// The number that all random numbers follow from.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// Where finished work is kept.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from there.
    pub resume: bool,
}

impl BakeSettings {
    /// A hash of the scene and of what decides which light is gathered, and where. What is made of the light afterwards
    /// does not count.
    fn fingerprint(&self, scene: &Scene) -> u64 {
        let target = match &self.target {
            Target::Texture { scale, margin, .. } => format!("texture {scale:?} {margin}"),
            Target::Vertex => "vertex".to_owned(),
            Target::Probes(places) => format!("{places:?}"),
        };
        let said = format!(
            "{} {target} {:?} {:?} {:?} {} {:?} {} {}",
            env!("CARGO_PKG_VERSION"),
            self.sides,
            self.include,
            self.order,
            self.samples,
            self.integrator,
            self.seed,
            scene.fingerprint(),
        );
        checkpoint::hash(said.as_bytes())
    }
}

/// The memory that a texture of `width` × `height` texels takes while it is baked and written, about [bytes].
pub fn texture_memory(width: u32, height: u32, order: Order) -> u64 {
    // Points of the surface, and the layers of estimates, records, sheet and images.
    let texel = 250 + 60 * (order.coefficients() as u64 + 1);
    u64::from(width) * u64::from(height) * texel
}

/// Checks that such a texture fits into memory.
fn check_texture(width: u32, height: u32, order: Order) -> Result<(), OutOfMemory> {
    let what = format!("{width} × {height} texels");
    memory::check(what, texture_memory(width, height, order))
}

/// Checks, without changing anything, that a checkpoint can be kept at `path`; what a bake will find too late otherwise.
///
/// # Errors
/// When there is anything but a checkpoint that is to be resumed, or no file can be made.
pub fn check_checkpoint(path: &Path, resume: bool) -> Result<(), BakeError> {
    checkpoint::Checkpoint::check(path, resume)
}

/// Is told how far a bake is, from any thread.
pub trait BakeProgress: Sync {
    /// `done` of `total` photons are shot.
    fn photons(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// `done` of `total` texels, vertices or probes are baked.
    fn points(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// A shader printed something.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl BakeProgress for Silent {}

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

/// What was done for a bake.
#[derive(Clone, Copy, Debug, Default)]
pub struct BakeStats {
    /// Texels, vertices or probes.
    pub points: usize,
    /// Those that nobody sees, and that took their neighbours' light.
    pub filled: usize,
    /// Those that nobody sees, without neighbours to take light from.
    pub dark: usize,
    /// Mean relative difference of rebuilt irradiance over chart borders, before and after stitching.
    pub seams: [f64; 2],
    /// Rays and shading.
    pub work: Stats,
    /// Threads that worked.
    pub threads: usize,
    /// Time until light was gathered: charts, texels, photons.
    pub prepare: Duration,
    /// Time to gather.
    pub gather: Duration,
    /// Time to finish.
    pub finish: Duration,
}

/// Why nothing was baked.
#[derive(Debug, Error)]
pub enum BakeError {
    /// There are no shapes, or none with area.
    #[error("there is nothing to bake: the scene has no surfaces")]
    Nothing,
    /// Shapes have no fit coordinates and may not be given any.
    #[error("shapes have no texture coordinates for a lightmap, and --no-unwrap keeps them from being given any:{}", list(.shapes))]
    NoCoordinates {
        /// The shapes, each with what is wrong.
        shapes: Vec<String>,
    },
    /// The texture would be too large.
    #[error("{density} texels a metre take a texture of about {needed} texels a side, and {most} is the most; lower --texels-per-unit{}", if *.most < atlas::MAX_SIDE { " or raise --resolution" } else { "" })]
    TooLarge {
        /// Texels a metre.
        density: f32,
        /// Texels along a side, about.
        needed: f64,
        /// The most along a side.
        most: u32,
    },
    /// Not even the smallest charts fit.
    #[error(
        "the charts of the scene do not fit on {resolution} × {resolution} texels, however small; raise --resolution"
    )]
    NoRoom {
        /// Texels along a side.
        resolution: u32,
    },
    /// More probes than make sense.
    #[error("a grid with a spacing of {spacing} m has {count} probes, and {most} is the most; raise --probe-spacing", most = probes::MOST)]
    TooManyProbes {
        /// Distance between probes.
        spacing: f32,
        /// How many.
        count: f64,
    },
    /// The checkpoint cannot be used.
    #[error("cannot use the checkpoint '{}': {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There are no threads.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// What the system said.
        reason: String,
    },
    /// The result does not fit into memory.
    #[error("{0}\n  hint: bake fewer of them")]
    Memory(#[from] OutOfMemory),
    /// The integrator cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  {line}")).collect()
}

/// Bakes a scene, whose shapes are called `names` in order. `None` when `stop` ended it; what was done is then in the
/// checkpoint, if there is one.
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
        Target::Texture { .. } => texture::bake(&job, &workers)?,
        Target::Vertex => vertex::bake(&job, &workers)?,
        Target::Probes(places) => probes::bake(&job, &workers, places)?,
    };
    let Some(outcome) = result else {
        return Ok(None);
    };
    let (work, reports) = workers.finish();
    Ok(Some(Baked {
        product: outcome.product,
        notes: outcome.notes,
        reports,
        stats: BakeStats {
            work,
            threads,
            ..outcome.stats
        },
    }))
}

/// Rays of a point that make as much use of photon maps as a pixel does.
const RAYS_OF_A_PIXEL: u64 = 16;

/// What all targets are given.
struct Job<'a> {
    settings: &'a BakeSettings,
    /// Taken by whoever gathers.
    checkpoint: Mutex<Option<(checkpoint::Checkpoint, checkpoint::Finished)>>,
    names: &'a [String],
    progress: &'a dyn BakeProgress,
    stop: &'a AtomicBool,
    start: Instant,
}

/// What a target gives.
struct Outcome {
    product: Product,
    notes: Vec<String>,
    /// As far as the target knows.
    stats: BakeStats,
}

impl Job<'_> {
    /// Gathers light at `count` points, where `f` says how.
    fn gather(
        &self,
        workers: &work::Workers<'_>,
        count: usize,
        f: impl Fn(
            &project::Estimator<'_>,
            usize,
            &mut crate::sampler::Sampler,
            &mut crate::integrator::Context,
        ) -> Option<project::Estimate>
        + Sync,
    ) -> Result<Option<field::Field>, BakeError> {
        let settings = self.settings;
        let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let shot = |done: u64, total: u64| self.progress.photons(done, total);
        let pass = Pass {
            // Every point sends many rays: it is worth more photons than a pixel.
            points: count as u64 * u64::from(settings.samples).div_ceil(RAYS_OF_A_PIXEL),
            stop: self.stop,
            progress: &shot,
            ..Pass::first(settings.seed, count as u64)
        };
        // The ray that arrives at a point is the second segment of a path from a camera.
        let depth = settings.integrator.depth().map(|depth| depth.saturating_sub(1));
        let integrator = settings.integrator.with_depth(depth);
        let prepared = workers.install(|| integrator.prepare(workers.scene, &pass))?;
        let estimator = project::Estimator {
            scene: workers.scene,
            prepared: &prepared,
            include: settings.include,
            samples: settings.samples,
        };
        workers.estimate(
            count,
            settings.order,
            checkpoint.take(),
            self.progress,
            self.stop,
            |index, sampler, context| f(&estimator, index, sampler, context),
        )
    }
}
