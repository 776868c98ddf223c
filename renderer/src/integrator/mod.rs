//! Integrators: the radiance that arrives along a ray.
//!
//! Nothing on the way of a ray allocates, locks, hashes or calls through a table of functions; what a thread needs is in
//! its [`Context`].

mod direct;
mod path;

use crate::camera::CameraRay;
use crate::color::Rgb;
use crate::material::{ShadingContext, Surface};
use crate::sampler::Sampler;
use crate::scene::Scene;

pub use path::PathSettings;

/// How light is computed.
#[derive(Clone, Copy, Debug)]
pub enum Integrator {
    /// Paths from the camera, with light samples at every hit.
    Path(PathSettings),
}

/// What one thread needs to trace rays.
#[derive(Debug)]
pub struct Context {
    /// For shaders.
    pub shading: ShadingContext,
    /// What the path is on: kept here because it is large.
    pub surface: Surface,
    /// What was done so far.
    pub stats: Stats,
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rays from the camera.
    pub camera_rays: u64,
    /// Rays towards lights.
    pub shadow_rays: u64,
    /// Rays that were scattered, or passed through something transparent.
    pub indirect_rays: u64,
    /// Runs of shaders at hits.
    pub shading_runs: u64,
    /// Lobes that found no room in their `Bsdf`.
    pub dropped_lobes: u64,
}

impl Context {
    /// A context for a scene.
    pub fn new(scene: &Scene) -> Context {
        Context {
            shading: ShadingContext::new(scene.host().clone()),
            surface: Surface::new(),
            stats: Stats::default(),
        }
    }
}

impl Stats {
    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &Stats) {
        self.camera_rays += other.camera_rays;
        self.shadow_rays += other.shadow_rays;
        self.indirect_rays += other.indirect_rays;
        self.shading_runs += other.shading_runs;
        self.dropped_lobes += other.dropped_lobes;
    }

    /// All rays.
    pub fn rays(&self) -> u64 {
        self.camera_rays + self.shadow_rays + self.indirect_rays
    }
}

impl Integrator {
    /// Its name on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Integrator::Path(_) => "path",
        }
    }

    /// The same with paths of at most `depth` segments, if a depth is given.
    #[must_use]
    pub fn with_depth(self, depth: Option<u32>) -> Integrator {
        match self {
            Integrator::Path(settings) => Integrator::Path(PathSettings {
                depth: depth.or(settings.depth),
                ..settings
            }),
        }
    }

    /// An estimate of the radiance that arrives along a camera's ray. `sampler` stands at the first number after those
    /// that made the ray.
    #[inline]
    pub fn li(&self, scene: &Scene, ray: &CameraRay, sampler: &mut Sampler, context: &mut Context) -> Rgb {
        match self {
            Integrator::Path(settings) => path::li(settings, scene, ray, sampler, context),
        }
    }
}
