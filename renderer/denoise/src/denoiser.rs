//! Denoiser: filters of pictures and lightmaps.

use std::ffi::CStr;

use renderer_image::Image;

use super::error::DenoiseError;
use super::ffi::{self, Device, Job};
use super::library::library;
use super::sum::local_ranges;

/// Quality of the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Smaller network, for previews.
    Fast,
    /// Largest network.
    #[default]
    High,
}

/// A device of Open Image Denoise.
pub struct Denoiser {
    device: Device,
}

/// Noise-free features of a picture, which guide the filter: albedo in `[0,1]`, and shading normals.
#[derive(Debug, Default)]
pub struct Features {
    albedo: Option<Vec<f32>>,
    normal: Option<Vec<f32>>,
}

impl Denoiser {
    /// Opens the library; filters run on `threads` threads (0: one per core).
    ///
    /// # Errors
    /// If the library is missing, does not open, or has no CPU device.
    pub fn open(threads: usize) -> Result<Denoiser, DenoiseError> {
        let device = Device::new(library()?, threads)?;
        Ok(Denoiser { device })
    }

    /// Cancels filters with an error when `wanted`, called from any thread, returns `false`.
    #[must_use]
    pub fn while_wanted(mut self, wanted: impl Fn() -> bool + Send + Sync + 'static) -> Denoiser {
        self.device.wanted = Some(Box::new(wanted));
        self
    }

    /// Denoises a picture of linear radiance, `height × width × 3`, with the `RT` filter. `albedo` is in `[0,1]`, `normal`
    /// in `[-1,1]`, both filtered over the pixel as the picture is.
    ///
    /// # Errors
    /// When images differ in size or the library fails.
    pub fn denoise(
        &self,
        color: &Image,
        albedo: Option<&Image>,
        normal: Option<&Image>,
        quality: Quality,
    ) -> Result<Image, DenoiseError> {
        let features = self.features((color.width, color.height), albedo, normal, quality)?;
        self.denoise_with(color, &features, quality)
    }

    /// Denoises the features of a picture, for the picture and its layers. Normals without albedo have no effect.
    ///
    /// # Errors
    /// When images differ in size or the library fails.
    pub fn features(
        &self,
        size: (usize, usize),
        albedo: Option<&Image>,
        normal: Option<&Image>,
        quality: Quality,
    ) -> Result<Features, DenoiseError> {
        let prefiltered = |name: &'static CStr, label, image: Option<&Image>, range: [f32; 2]| {
            let Some(image) = image else { return Ok(None) };
            let mut values = triples(image, size, label)?;
            values.iter_mut().for_each(|v| *v = v.clamp(range[0], range[1]));
            let job = Job {
                kind: c"RT",
                width: size.0,
                height: size.1,
                inputs: &[(name, &values)],
                flags: &[],
                quality: quality.code(),
            };
            self.device.run(&job).map(Some)
        };
        let albedo = prefiltered(c"albedo", "albedo", albedo, [0.0, 1.0])?;
        let normal = normal.filter(|_| albedo.is_some());
        Ok(Features {
            normal: prefiltered(c"normal", "normal", normal, [-1.0, 1.0])?,
            albedo,
        })
    }

    /// As [`Denoiser::denoise`], with noise-free features.
    ///
    /// # Errors
    /// When the image and the features differ in size or the library fails.
    pub fn denoise_with(
        &self,
        color: &Image,
        features: &Features,
        quality: Quality,
    ) -> Result<Image, DenoiseError> {
        let values = triples(color, (color.width, color.height), "color")?;
        self.filter(color, values, features, quality, &[c"hdr"])
    }

    /// Denoises alpha in `[0,1]`, `height × width`, with the features of its picture. A pixel keeps its value if its 3
    /// × 3 neighbourhood is constant, so that opaque and empty areas stay exact.
    ///
    /// # Errors
    /// When the image and the features differ in size, it has several channels, or the library fails.
    pub fn denoise_alpha(
        &self,
        alpha: &Image,
        features: &Features,
        quality: Quality,
    ) -> Result<Image, DenoiseError> {
        if alpha.channels != 1 {
            return Err(DenoiseError::Image("alpha"));
        }
        let finite = |&v: &f32| if v.is_finite() { v } else { 0.0 };
        let values = alpha.data.iter().map(finite).flat_map(|v| [v; 3]).collect();
        let filtered = self.filter(alpha, values, features, quality, &[])?;
        let mut denoised = alpha.clone();
        for (pixel, range) in local_ranges(alpha).into_iter().enumerate() {
            if range > 0.0 {
                denoised.data[pixel] = filtered.data[3 * pixel];
            }
        }
        Ok(denoised)
    }

    /// Runs the `RT` filter on the `values` of an image, `height × width × 3`.
    fn filter(
        &self,
        image: &Image,
        values: Vec<f32>,
        features: &Features,
        quality: Quality,
        range: &[&'static CStr],
    ) -> Result<Image, DenoiseError> {
        // The network adds light to black images.
        if values.iter().all(|&v| v == 0.0) {
            return Ok(picture(image, values));
        }
        let mut inputs: Vec<(&'static CStr, &[f32])> = vec![(c"color", &values)];
        let mut flags = range.to_vec();
        let named = [(c"albedo", &features.albedo), (c"normal", &features.normal)];
        for (name, feature) in named {
            if let Some(feature) = feature {
                if feature.len() != values.len() {
                    return Err(DenoiseError::Image("color"));
                }
                inputs.push((name, feature));
            }
        }
        if features.albedo.is_some() {
            flags.push(c"cleanAux");
        }
        let job = Job {
            kind: c"RT",
            width: image.width,
            height: image.height,
            inputs: &inputs,
            flags: &flags,
            quality: quality.code(),
        };
        Ok(picture(image, self.device.run(&job)?))
    }

    /// Denoises a lightmap, `height × width × 3`, with the `RTLightmap` filter: irradiance, or, if `directional`,
    /// coefficients of spherical harmonics divided by that of degree 0.
    ///
    /// # Errors
    /// When the image has fewer than three channels or the library fails.
    pub fn denoise_lightmap(&self, color: &Image, directional: bool) -> Result<Image, DenoiseError> {
        let size = (color.width, color.height);
        let values = triples(color, size, "color")?;
        let flags = [c"directional"];
        let job = Job {
            kind: c"RTLightmap",
            width: size.0,
            height: size.1,
            inputs: &[(c"color", &values)],
            flags: if directional { &flags } else { &[] },
            quality: Quality::High.code(),
        };
        Ok(picture(color, self.device.run(&job)?))
    }
}

impl Quality {
    fn code(self) -> i32 {
        match self {
            Quality::Fast => ffi::QUALITY_FAST,
            Quality::High => ffi::QUALITY_HIGH,
        }
    }
}

/// The first three channels of an image, with non-finite values set to 0.
fn triples(image: &Image, size: (usize, usize), label: &'static str) -> Result<Vec<f32>, DenoiseError> {
    if (image.width, image.height) != size || image.channels < 3 || image.data.is_empty() {
        return Err(DenoiseError::Image(label));
    }
    let values = image.data.chunks_exact(image.channels).flat_map(|pixel| &pixel[..3]);
    Ok(values.map(|&v| if v.is_finite() { v } else { 0.0 }).collect())
}

/// An image with these values and the rectangle of another image.
fn picture(like: &Image, data: Vec<f32>) -> Image {
    Image {
        data,
        window: like.window,
        ..Image::new(like.width, like.height, 3)
    }
}
