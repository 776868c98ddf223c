//! Integrators (`path`, `photon`, `auto`): estimate the radiance that arrives along a ray.
//!
//! Nothing on the per-ray path allocates, locks, hashes or makes virtual calls; per-thread state is in [`Context`].

mod collect;
mod context;
mod direct;
mod directions;
mod guide;
mod pass;
mod path;
pub mod photon;
mod stats;
mod walk;

use glam::Vec3;

use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_base::sampler::Sampler;
use renderer_geometry::camera::CameraRay;
use walk::Walk;

pub use collect::{Collect, Label};
pub use context::Context;
pub use direct::{Asking, DirectLight, sample_one_light};
pub use pass::Pass;
pub use photon::MapError as PrepareError;
pub use renderer_scene::{Integrator, PathSettings, PhotonSettings};
pub use stats::Stats;
pub use walk::Arrival;

/// An integrator prepared for a pass.
#[derive(Debug)]
pub enum Prepared {
    /// Needs nothing.
    Path(PathSettings),
    /// With its guides.
    Guided(PathSettings, Box<photon::GuideField>),
    /// With its maps.
    Photon(Box<photon::Photons>),
}

/// How the paths of a picture branch at the first surface that scatters, where that is settled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Branching {
    /// Branches, or gather rays.
    pub branches: Option<u32>,
    /// Light samples.
    pub light_samples: Option<u32>,
    /// Whether photons guide them.
    pub guide: Option<bool>,
}

impl Prepared {
    /// Prepares a pass (builds photon maps), on the current `rayon` pool; the result is the same for any number of
    /// threads. `auto` counts as `path` if no pilot has decided.
    ///
    /// # Errors
    /// When a file of photon maps cannot be used.
    pub fn new(integrator: &Integrator, scene: &Scene, pass: &Pass<'_>) -> Result<Prepared, PrepareError> {
        match integrator {
            Integrator::Path(settings) if settings.guide == Some(true) => Ok(Prepared::Guided(
                *settings,
                Box::new(photon::GuideField::prepare(
                    settings,
                    scene,
                    pass,
                    photon::GuideField::photons(pass),
                )),
            )),
            Integrator::Path(settings) | Integrator::Auto(settings) => Ok(Prepared::Path(*settings)),
            Integrator::Photon(settings) => Ok(Prepared::Photon(Box::new(photon::Photons::prepare(
                settings, scene, pass,
            )?))),
        }
    }

    fn hides_emitters(&self) -> bool {
        match self {
            Prepared::Path(settings) | Prepared::Guided(settings, _) => settings.hide_emitters,
            Prepared::Photon(photons) => photons.hides_emitters(),
        }
    }

    /// How many times more often than by its BSDF a path leaves the diffuse side `n` of the surface at `p` towards `wi`.
    pub(crate) fn preference(&self, p: Vec3, n: Vec3, wi: Vec3) -> f32 {
        match self {
            Prepared::Guided(_, field) => directions::preference(field, p, n, wi),
            Prepared::Path(_) | Prepared::Photon(_) => 1.0,
        }
    }

    /// The same with so many branches and light samples at the first surface that scatters.
    #[must_use]
    pub fn with_counts(mut self, branches: u32, samples: u32) -> Prepared {
        match &mut self {
            Prepared::Path(settings) | Prepared::Guided(settings, _) => {
                settings.split = Some(branches);
                settings.light_samples = Some(samples);
            }
            Prepared::Photon(photons) => photons.set_counts(branches, samples),
        }
        self
    }

    /// The same where gather rays are guided by photons, or are not.
    #[must_use]
    pub(crate) fn with_guides(mut self, guide: bool) -> Prepared {
        if let Prepared::Photon(photons) = &mut self {
            photons.set_guides(guide);
        }
        self
    }

    /// How its paths branch.
    pub fn branching(&self) -> Branching {
        match self {
            Prepared::Path(settings) | Prepared::Guided(settings, _) => Branching {
                branches: settings.split,
                light_samples: settings.light_samples,
                guide: settings.guide,
            },
            Prepared::Photon(photons) => Branching {
                branches: photons.settings().gather,
                light_samples: photons.settings().light_samples,
                guide: photons.settings().guide,
            },
        }
    }

    /// Statistics of photons, if there are any.
    pub fn photons(&self) -> Option<&photon::PhotonStats> {
        match self {
            Prepared::Path(_) => None,
            Prepared::Guided(_, field) => Some(field.stats()),
            Prepared::Photon(photons) => Some(photons.stats()),
        }
    }

    /// An estimate of the radiance that arrives along a camera's ray. `sampler` stands at the first number after those
    /// that made the ray.
    #[inline]
    pub fn li(&self, scene: &Scene, ray: &CameraRay, sampler: &mut Sampler, context: &mut Context) -> Rgb {
        let mut radiance = Rgb::BLACK;
        self.collect(scene, ray, sampler, context, &mut radiance);
        radiance
    }

    /// The same, reported to `light`.
    #[inline(always)]
    pub fn collect(
        &self,
        scene: &Scene,
        ray: &CameraRay,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        context.stats.camera_rays += 1;
        let mut walk = Walk::camera(scene, ray, &mut context.shading);
        if self.hides_emitters() {
            walk = walk.without_lights(scene);
        }
        match self {
            Prepared::Path(settings) => {
                path::trace(settings, None, scene, walk, sampler, context, light);
            }
            Prepared::Guided(settings, field) => {
                path::trace(settings, Some(field), scene, walk, sampler, context, light);
            }
            Prepared::Photon(photons) => photons.trace(scene, walk, sampler, context, light),
        }
    }

    /// Estimates the light that arrives at a point of a surface against `ray`, as final gather sees it, and reports it to
    /// `light`. `arrival` says how the ray was chosen. Depth counts from the point.
    #[inline]
    pub fn incoming(
        &self,
        scene: &Scene,
        ray: &Ray,
        arrival: Arrival,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        context.stats.gather_rays += 1;
        let walk = Walk::point(scene, *ray, arrival, &mut context.shading);
        // Splitting is the camera's, and so are several light samples.
        let whole = |settings: &PathSettings| PathSettings {
            split: None,
            light_samples: None,
            ..*settings
        };
        match self {
            Prepared::Path(settings) => {
                path::trace(&whole(settings), None, scene, walk, sampler, context, light);
            }
            Prepared::Guided(settings, field) => {
                path::trace(
                    &whole(settings),
                    Some(field),
                    scene,
                    walk,
                    sampler,
                    context,
                    light,
                );
            }
            Prepared::Photon(photons) => photons.incoming(scene, walk, sampler, context, light),
        }
    }

    /// Estimates the light that comes to a point straight from lights, or through transparent surfaces alone, in the same
    /// way.
    #[inline]
    pub fn straight(
        &self,
        scene: &Scene,
        ray: &Ray,
        arrival: Arrival,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        context.stats.gather_rays += 1;
        let walk = Walk::point(scene, *ray, arrival, &mut context.shading);
        let straight = PathSettings {
            depth: Some(1),
            ..PathSettings::default()
        };
        path::trace(&straight, None, scene, walk, sampler, context, light);
    }
}
