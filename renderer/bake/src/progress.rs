//! Progress of a bake: its phases, and the units of work finished in each.

/// Phase of a bake, in the order of the work. A target skips the phases that it does not need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BakePhase {
    /// Selection of the sides of shapes that receive light.
    Sides,
    /// Segmentation and flattening of meshes into charts.
    Charts,
    /// Packing of charts into the atlas.
    Packing,
    /// Visibility of the surface points of texels.
    Points,
    /// Photon shooting.
    Photons,
    /// Construction of photon maps and of the irradiance cache.
    Maps,
    /// Gathering of light; the unit is a texel, vertex or probe.
    Light,
    /// Denoising, dilation and stitching of seams.
    Seams,
    /// Features of surfaces; the unit is a texel.
    Features,
    /// Encoding and writing of files.
    Files,
}

impl BakePhase {
    /// Name in progress reports.
    pub fn name(self) -> &'static str {
        match self {
            BakePhase::Sides => "sides",
            BakePhase::Charts => "charts",
            BakePhase::Packing => "packing",
            BakePhase::Points => "points",
            BakePhase::Photons => "photons",
            BakePhase::Maps => "maps",
            BakePhase::Light => "light",
            BakePhase::Seams => "seams",
            BakePhase::Features => "features",
            BakePhase::Files => "files",
        }
    }
}

/// Receives the progress of a bake; called from any thread.
pub trait BakeProgress: Sync {
    /// `done` of `total` units of a phase are finished. A `total` of 0 means that the phase has begun and counts nothing.
    fn advance(&self, phase: BakePhase, done: u64, total: u64) {
        let _ = (phase, done, total);
    }

    /// A failure that does not end the bake.
    fn warn(&self, text: &str) {
        let _ = text;
    }

    /// A shader printed something.
    fn print(&self, text: &str) {
        let _ = text;
    }
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl BakeProgress for Silent {}
