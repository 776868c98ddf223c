//! Bake settings: target, sides, light, SH order, samples, integrator, checkpoint.

use std::path::PathBuf;

use glam::Vec3;

use super::atlas::Scale;
use super::bake_cache::BakeCache;
use super::checkpoint;
use super::feature::FeatureDesc;
use super::project::Include;
use super::sh::ShOrder;
use super::share::Share;
use renderer_geometry::ShapeId;
use renderer_transport::integrator::Integrator;
use renderer_transport::scene::Scene;

/// Bake target.
#[derive(Clone, Debug)]
pub enum Target {
    /// Texels of one texture.
    Texture {
        /// Its size.
        scale: Scale,
        /// Dilation width [texels].
        margin: u32,
        /// Denoising filter.
        denoise: LightmapFilter,
        /// True if shapes without usable lightmap coordinates are unwrapped.
        unwrap: bool,
        /// Topology of each shape: shapes with equal numbers have corresponding triangles, and share charts. Without
        /// numbers, shapes of one mesh share charts.
        topologies: Vec<u32>,
        /// Surface features.
        features: Vec<FeatureDesc>,
        /// Textures of surface features.
        textures: SurfaceTextures,
    },
    /// Vertices of meshes.
    Vertex,
    /// Points in space.
    Probes(ProbePlaces),
}

/// Surface features in a finer texture, in lightmap coordinates.
#[derive(Clone, Debug, Default)]
pub struct SurfaceTextures {
    /// Texels along the longer side of a page, rounded up to a multiple of the lightmap's.
    pub resolution: u32,
    /// Features, without those by rays.
    pub features: Vec<FeatureDesc>,
}

/// Denoising filter of a lightmap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightmapFilter {
    /// No filter.
    #[default]
    None,
    /// Bilateral filter.
    Bilateral,
    /// Open Image Denoise; small charts use the bilateral filter.
    Learned,
}

impl LightmapFilter {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            LightmapFilter::None => "none",
            LightmapFilter::Bilateral => "bilateral",
            LightmapFilter::Learned => "oidn",
        }
    }
}

/// Settings of a bake.
#[derive(Clone, Debug)]
pub struct BakeSettings {
    /// The target.
    pub target: Target,
    /// Sides of surfaces that are baked.
    pub sides: Sides,
    /// Shapes with a baked back, if known; otherwise those whose back is lit.
    pub backs: Option<Vec<ShapeId>>,
    /// Components of light that are baked.
    pub include: Include,
    /// Order of the SH coefficients.
    pub order: ShOrder,
    /// Number of rays of a texel, vertex or probe.
    pub samples: u32,
    /// The integrator; depth counts as for camera paths, so that 2 is direct light only.
    pub integrator: Integrator,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// Checkpoint file.
    pub checkpoint: Option<PathBuf>,
    /// True if the bake resumes from the checkpoint.
    pub resume: bool,
    /// Share of the work to do, kept in the checkpoint only; `None` for all work.
    pub share: Option<Share>,
    /// Cache of an earlier bake, which may be empty, for unchanged points.
    pub keep: Option<BakeCache>,
}

impl BakeSettings {
    /// Hash of the settings that affect gathered light at any point.
    pub(super) fn light_fingerprint(&self) -> u64 {
        let said = format!(
            "{} {:?} {:?} {} {:?} {}",
            env!("CARGO_PKG_VERSION"),
            self.include,
            self.order,
            self.samples,
            self.integrator,
            self.seed,
        );
        checkpoint::hash(said.as_bytes())
    }

    /// Hash of the scene and of the settings that affect gathered light; post-processing settings are left out.
    pub(super) fn fingerprint(&self, scene: &Scene) -> u64 {
        let target = match &self.target {
            Target::Texture { scale, margin, topologies, .. } => {
                format!("texture {scale:?} {margin} {topologies:?}")
            }
            Target::Vertex => "vertex".to_owned(),
            Target::Probes(places) => format!("{places:?}"),
        };
        let said = format!(
            "{} {target} {:?} {:?} {:?} {:?} {} {:?} {} {}",
            env!("CARGO_PKG_VERSION"),
            self.sides,
            self.backs,
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

/// Sides of surfaces that are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Fronts, and backs that light reaches.
    Auto,
    /// Fronts.
    Front,
}

impl Sides {
    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Sides::Auto => "auto",
            Sides::Front => "front",
        }
    }
}

/// Positions of probes.
#[derive(Clone, Debug)]
pub enum ProbePlaces {
    /// A grid over the scene with this spacing [m]; by default 8 probes along the longest side.
    Grid(Option<f32>),
    /// A list of points.
    Points(Vec<Vec3>),
}
