//! Contributions of a path: the sink trait `RadianceSink` that receives radiance, and the label with the source light and
//! the guiding weight.

use crate::light::LightId;
use renderer_base::color::Rgb;

/// Source and kind of a contribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// Light that emitted it; `None` for contributions of photon maps, which do not store the light.
    pub light: Option<LightId>,
    /// True for indirect light: scattered at least once. False for emission that arrives directly, or through
    /// transparent surfaces alone.
    pub scattered: bool,
    /// Ratio of the density with which the path's directions were sampled to the density of BSDF sampling; 1 without
    /// guiding.
    pub guide_pdf_ratio: f32,
}

impl Contribution {
    /// Contribution of photon-map contributions.
    pub const MAP: Contribution = Contribution {
        light: None,
        scattered: true,
        guide_pdf_ratio: 1.0,
    };
}

/// Sink for the contributions of a path (radiance).
pub trait RadianceSink {
    /// Adds radiance, already multiplied by the path's throughput and MIS weight.
    fn add(&mut self, label: Contribution, radiance: Rgb);

    /// Starts the next of several light samples at the vertex where a path may split; later contributions belong to it.
    #[inline(always)]
    fn next_light_sample(&mut self) {}

    /// Starts the next branch of a split path; later contributions belong to it.
    #[inline(always)]
    fn next_branch(&mut self) {}
}

/// Sums all contributions and ignores the labels.
impl RadianceSink for Rgb {
    #[inline(always)]
    fn add(&mut self, _: Contribution, radiance: Rgb) {
        *self += radiance;
    }
}
