//! Output image formats and write options.

use std::path::Path;

use super::{ImageError, MetaValue, SampleType, ToneMap};

/// Options of an image writer: metadata and encoding of pixels.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Exposure of 8-bit formats [stops]; other formats store the radiance unchanged.
    pub exposure: f32,
    /// Tone curve of 8-bit formats, after the exposure.
    pub tone_map: ToneMap,
    /// Sample type of an EXR or TIFF; integer types become half in an EXR, which has no integers of their size.
    pub samples: SampleType,
    /// Names of the image's channels in an EXR; empty for the usual ones (`Y`, `YA`, `RGB` or `RGBA`).
    pub channel_names: Vec<String>,
    /// Sample types of the channels in an EXR where these differ; empty for `samples` in all.
    pub channel_samples: Vec<SampleType>,
    /// Key-value pairs for an EXR's header.
    pub metadata: Vec<(String, MetaValue)>,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Exr,
    Tiff,
    Hdr,
    Png,
    Jpeg,
}

impl OutputFormat {
    /// Returns the format that the extension of `path` names.
    pub(super) fn of(path: &Path) -> Result<OutputFormat, ImageError> {
        let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
        match extension.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("exr") => Ok(OutputFormat::Exr),
            Some("tif" | "tiff") => Ok(OutputFormat::Tiff),
            Some("hdr") => Ok(OutputFormat::Hdr),
            Some("png") => Ok(OutputFormat::Png),
            Some("jpg" | "jpeg") => Ok(OutputFormat::Jpeg),
            _ => Err(ImageError::UnknownExtension { path: path.to_owned(), extension }),
        }
    }
}

/// Returns whether [`WriteOptions::exposure`] and [`WriteOptions::tone_map`] apply to the format that the extension of `path` names.
pub fn has_exposure(path: &Path) -> bool {
    matches!(OutputFormat::of(path), Ok(OutputFormat::Png | OutputFormat::Jpeg))
}
