//! The path tracer with indirect light from photon maps.

use thiserror::Error;

use super::path::{self, PathSettings};
use super::walk::Start;
use super::{Context, Pass};
use crate::color::Rgb;
use crate::sampler::Sampler;
use crate::scene::Scene;

/// How photons are shot and seen.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PhotonSettings {
    /// The most segments of a path; no limit when `None`.
    pub depth: Option<u32>,
    /// Whether each pass shoots photons of its own.
    pub progressive: bool,
}

/// Why photon maps cannot be had.
#[derive(Debug, Error)]
pub enum MapError {}

/// Photon maps, ready for lookups.
#[derive(Debug)]
pub struct Photons {
    settings: PathSettings,
}

impl Photons {
    pub(super) fn prepare(
        settings: &PhotonSettings,
        _scene: &Scene,
        _pass: &Pass<'_>,
    ) -> Result<Photons, MapError> {
        let depth = settings.depth;
        Ok(Photons {
            settings: PathSettings {
                depth,
                ..PathSettings::default()
            },
        })
    }

    pub(super) fn li(
        &self,
        scene: &Scene,
        start: &Start,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        path::li(&self.settings, scene, start, sampler, context)
    }

    pub(super) fn incoming(
        &self,
        scene: &Scene,
        start: &Start,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        path::li(&self.settings, scene, start, sampler, context)
    }
}
