//! Integrators (`path`, `photon`, `auto`): estimators of the radiance that arrives along a ray.
//!
//! The per-ray code does not allocate, lock, hash or make virtual calls; per-thread state is in [`Context`].

mod context;
mod guide;
mod pass;
mod path;
pub mod photon;
mod stats;
mod stopwatch;
mod tracer;

use glam::Vec3;

use crate::scene::{PathStart, Scene};
use path::state::PathState;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_geometry::camera::CameraRay;

pub use crate::radiance::{Contribution, RadianceSink};
pub use context::Context;
pub use pass::Pass;
pub use path::direct::{DirectLight, DirectLightQuery, LightDirection, Shadowed, sample_one_light};
pub use path::state::MisContext;
pub use photon::MapError as PrepareError;
pub use renderer_scene::{Integrator, PathSettings, PhotonSettings};
pub use stats::Stats;
pub use stopwatch::{Shares, Stage};

/// An integrator prepared for a pass.
#[derive(Debug)]
pub enum Prepared {
    /// Path tracer; needs no preparation.
    Path(PathSettings),
    /// Path tracer with a guiding field.
    Guided(PathSettings, Box<photon::GuideField>),
    /// Photon mapping with its maps.
    Photon(Box<photon::Photons>),
}

/// Splitting factors at the first scattering vertex; `None` where the setting is undecided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Branching {
    /// Number of branches (`path`) or of gather rays (`photon`).
    pub branches: Option<u32>,
    /// Number of light samples.
    pub light_samples: Option<u32>,
    /// True if photons guide the directions.
    pub guide: Option<bool>,
}

impl Prepared {
    /// Prepares a pass on the current `rayon` pool (builds photon maps or guides). The result does not depend on the
    /// number of threads. `auto` is treated as `path`: a pilot has to choose before this.
    ///
    /// # Errors
    /// If a photon map file cannot be used.
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
            Integrator::Photon(settings) => {
                Ok(Prepared::Photon(Box::new(photon::Photons::prepare(settings, scene, pass)?)))
            }
        }
    }

    /// Returns whether the camera does not see emitters, and whether it does not see environments.
    fn hidden(&self) -> (bool, bool) {
        match self {
            Prepared::Path(settings) | Prepared::Guided(settings, _) => {
                (settings.hide_emitters, settings.hide_background)
            }
            Prepared::Photon(photons) => {
                let settings = photons.settings();
                (settings.hide_emitters, settings.hide_background)
            }
        }
    }

    /// Ratio of the density of the guided direction `wi` to the density of BSDF sampling, for the diffuse lobe on the
    /// side `n` of the surface at `p`; 1 without guiding.
    pub(crate) fn guide_pdf_ratio(&self, p: Vec3, n: Vec3, wi: Vec3) -> f32 {
        match self {
            Prepared::Guided(_, field) => path::guided::guide_pdf_ratio(field, p, n, wi),
            Prepared::Path(_) | Prepared::Photon(_) => 1.0,
        }
    }

    /// Sets the number of branches and of light samples at the first scattering vertex.
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

    /// Enables or disables guiding of gather rays by photons; no effect on `path`.
    #[must_use]
    pub(crate) fn with_guides(mut self, guide: bool) -> Prepared {
        if let Prepared::Photon(photons) = &mut self {
            photons.set_guides(guide);
        }
        self
    }

    /// Returns the splitting factors.
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

    /// Statistics of the photon pass; `None` if there was none.
    pub fn photons(&self) -> Option<&photon::PhotonStats> {
        match self {
            Prepared::Path(_) => None,
            Prepared::Guided(_, field) => Some(field.stats()),
            Prepared::Photon(photons) => Some(photons.stats()),
        }
    }

    /// Returns an estimate of the radiance that arrives along a camera ray. `sampler` is positioned after the
    /// dimensions that generated the ray.
    #[inline(always)]
    pub fn li(&self, scene: &Scene, ray: &CameraRay, sampler: &mut Sampler, context: &mut Context) -> Rgb {
        let mut radiance = Rgb::BLACK;
        self.trace(scene, ray, sampler, context, &mut radiance);
        radiance
    }

    /// Estimates as [`Prepared::li`] does and reports each contribution to `sink`.
    #[inline(always)]
    pub fn trace(
        &self,
        scene: &Scene,
        ray: &CameraRay,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        context.stats.camera_rays += 1;
        if ray.throughput.is_black() {
            return sink.escape(Rgb::WHITE);
        }
        let mut path = PathState::camera(scene, ray);
        let (hides_emitters, hides_background) = self.hidden();
        if hides_emitters {
            path = path.hide_emitters(scene, sampler, &mut context.shading);
        }
        if hides_background {
            path.hide_background();
        }
        match self {
            Prepared::Path(settings) => {
                path::trace(settings, None, scene, path, sampler, context, sink);
            }
            Prepared::Guided(settings, field) => {
                path::trace(settings, Some(field), scene, path, sampler, context, sink);
            }
            Prepared::Photon(photons) => {
                photons.at(ray.ray.time).radiance(scene, path, sampler, context, sink);
            }
        }
    }

    /// Estimates the radiance that arrives at a surface point along a gather ray, and reports it to `sink`. `start`
    /// leaves the surface; the MIS context describes the sampling of its direction. Depth is counted from the point.
    #[inline]
    pub fn incident_radiance(
        &self,
        scene: &Scene,
        start: PathStart,
        mis_context: MisContext,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        context.stats.gather_rays += 1;
        let time = start.ray.time;
        let path = PathState::point(start, mis_context);
        // Only camera paths split or take several light samples.
        let whole = |settings: &PathSettings| PathSettings { split: None, light_samples: None, ..*settings };
        match self {
            Prepared::Path(settings) => {
                path::trace(&whole(settings), None, scene, path, sampler, context, sink);
            }
            Prepared::Guided(settings, field) => {
                path::trace(&whole(settings), Some(field), scene, path, sampler, context, sink);
            }
            Prepared::Photon(photons) => {
                let photons = photons.at(time);
                photons.incident_radiance(scene, path, sampler, context, sink);
            }
        }
    }

    /// Estimates the direct light that arrives at a surface point: emission seen from `start`, directly or through
    /// transparent surfaces alone. Parameters as for [`Prepared::incident_radiance`].
    #[inline]
    pub fn direct_radiance(
        &self,
        scene: &Scene,
        start: PathStart,
        mis_context: MisContext,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        context.stats.gather_rays += 1;
        let path = PathState::point(start, mis_context);
        let straight = PathSettings { depth: Some(1), ..PathSettings::default() };
        path::trace(&straight, None, scene, path, sampler, context, sink);
    }
}
