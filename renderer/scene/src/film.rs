//! Description of film and sampler.

use shading::Span;

use super::{Placed, Shutter, ShutterTiming};
use renderer_image::Rect;
use renderer_image::film::FilterShape;
use renderer_passes::PassDesc;

/// Film settings.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmDesc {
    /// Width and height [pixels], neither zero.
    pub size: Placed<[u32; 2]>,
    /// Crop window within the film [pixels]; the whole film when `None`.
    pub crop: Option<Placed<Rect>>,
    /// Reconstruction filter.
    pub filter: FilterShape,
    /// True if samples are also taken outside the crop window, as far as the filter reaches.
    pub border: bool,
    /// Passes: layers in addition to the picture.
    pub passes: Vec<Placed<PassDesc>>,
    /// True if environments are invisible to the camera, so that the picture is transparent there.
    pub transparent: bool,
    /// Frame and exposure.
    pub shutter: Shutter,
    /// Distribution of samples over the shutter interval.
    pub shutter_timing: ShutterTiming,
    /// Exposure of 8-bit pictures [stops].
    pub exposure: f32,
    /// Factor of the size of the triangles of tessellated shapes, positive.
    pub dicing_scale: f32,
}

impl Default for FilmDesc {
    fn default() -> FilmDesc {
        FilmDesc {
            size: Placed { value: [1280, 720], span: Span::default() },
            crop: None,
            filter: FilterShape::DEFAULT,
            border: true,
            passes: vec![],
            transparent: false,
            shutter: Shutter::default(),
            shutter_timing: ShutterTiming::default(),
            exposure: 0.0,
            dicing_scale: 1.0,
        }
    }
}

/// Sampler settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerDesc {
    /// Samples per pixel, at least 1.
    pub spp: u32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// True for adaptive sampling: samples take more rays where the picture is noisier.
    pub adaptive: bool,
    /// True if each frame has a noise pattern of its own.
    pub per_frame: bool,
}

impl Default for SamplerDesc {
    fn default() -> SamplerDesc {
        SamplerDesc { spp: 64, seed: 0, adaptive: true, per_frame: false }
    }
}
