//! Settings of a bake: the target, the sides of surfaces, the light that counts, and how it is kept.

use std::path::PathBuf;

use glam::Vec3;

use super::atlas::Scale;
use super::checkpoint;
use super::project::Include;
use super::sh::Order;
use super::share::Share;
use crate::integrator::Integrator;
use crate::scene::Scene;

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
    /// The share of the work that is done, which then is in the checkpoint alone; all of it when `None`.
    pub share: Option<Share>,
}

impl BakeSettings {
    /// A hash of the scene and of what decides which light is gathered, and where. What is made of the light afterwards
    /// does not count.
    pub(super) fn fingerprint(&self, scene: &Scene) -> u64 {
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

/// Which sides of surfaces are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Fronts, and backs that light reaches.
    Auto,
    /// Fronts.
    Front,
}

impl Sides {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Sides::Auto => "auto",
            Sides::Front => "front",
        }
    }
}

/// Where probes are.
#[derive(Clone, Debug)]
pub enum ProbePlaces {
    /// In a grid over the scene, so far from each other [m]; without a distance, 8 along the scene's longest side.
    Grid(Option<f32>),
    /// Here.
    Points(Vec<Vec3>),
}
