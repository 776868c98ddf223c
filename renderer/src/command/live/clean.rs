//! Denoised pictures for the page, where Open Image Denoise is installed.

use std::sync::Arc;

use super::kept::Kept;
use crate::command::denoising::{FEATURES, denoise};
use crate::layers::develop;
use crate::part::LayerNames;
use renderer_denoise::{Denoiser, Quality};
use renderer_geometry::camera::Camera;
use renderer_image::Image;
use renderer_image::film::Film;
use renderer_passes::{PassDesc, PassSet};
use renderer_transport::passes::PassPlan;

/// Layer of the emission that is seen directly, which is not filtered.
const EMISSION: &str = "emission";

/// The denoiser with the passes that it reads.
pub(super) struct Cleaner {
    denoiser: Denoiser,
    set: PassSet,
}

impl Cleaner {
    /// The denoiser with so many threads (0: one per core); `None` if it is not installed.
    pub(super) fn open(threads: usize) -> Option<Cleaner> {
        let denoiser = Denoiser::open(threads).ok()?;
        let features = FEATURES.iter().map(|(name, _)| *name).chain([EMISSION]);
        let passes = features
            .map(PassDesc::parse)
            .collect::<Result<Vec<_>, _>>()
            .ok()?;
        let set = PassSet::new(passes.concat()).ok()?;
        Some(Cleaner { denoiser, set })
    }

    /// What a render collects for it.
    pub(super) fn plan(&self, kept: &Kept, camera: &Camera) -> Option<Arc<PassPlan>> {
        let (scene, names) = (&kept.built.scene, &kept.built.names);
        let plan = PassPlan::new(self.set.clone(), scene, names, vec![], &camera.view());
        plan.ok().map(Arc::new)
    }

    /// The denoised picture of a film with these passes; `None` if that fails.
    pub(super) fn clean(&self, film: &Film, quality: Quality) -> Option<Image> {
        let layered = develop(film, &LayerNames::new(&self.set, &[])).ok()?;
        let denoised = denoise(&layered, &self.denoiser, quality).ok()??;
        Some(denoised.picture)
    }
}
