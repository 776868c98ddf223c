//! Description of film and sampler.

use super::Placed;
use renderer_image::Rect;
use renderer_image::film::FilterShape;

/// The film.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmDesc {
    /// Width and height [pixels], neither zero.
    pub size: Placed<[u32; 2]>,
    /// The part that is drawn; all of it when `None`. Within the film.
    pub crop: Option<Placed<Rect>>,
    /// How samples become pixels.
    pub filter: FilterShape,
    /// Whether samples are taken beyond the borders of what is drawn, as far as filters reach.
    pub border: bool,
}

/// The sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerDesc {
    /// Samples a pixel, at least 1.
    pub spp: u32,
    /// The number that all random numbers follow from.
    pub seed: u64,
    /// Whether samples take more rays where the picture is noisier.
    pub adaptive: bool,
}

impl Default for SamplerDesc {
    fn default() -> SamplerDesc {
        SamplerDesc {
            spp: 64,
            seed: 0,
            adaptive: true,
        }
    }
}
