//! Output image formats and write options.

use std::path::Path;

use super::{ImageError, MetaValue, SampleType};

/// What a file says beside the pixels, and how pixels become bytes.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Brightness of 8-bit formats [stops]; other formats keep the radiance as it is.
    pub exposure: f32,
    /// How an EXR or TIFF stores its numbers; integers become halves in an EXR, which has none of that size.
    pub samples: SampleType,
    /// Names of the image's channels in an EXR; empty for the usual ones (`Y`, `YA`, `RGB` or `RGBA`).
    pub channel_names: Vec<String>,
    /// Key-value pairs for an EXR's header.
    pub metadata: Vec<(String, MetaValue)>,
}

/// The formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Exr,
    Tiff,
    Hdr,
    Png,
    Jpeg,
}

impl OutputFormat {
    /// The format that the extension of `path` asks for.
    pub(super) fn of(path: &Path) -> Result<OutputFormat, ImageError> {
        let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
        match extension.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("exr") => Ok(OutputFormat::Exr),
            Some("tif" | "tiff") => Ok(OutputFormat::Tiff),
            Some("hdr") => Ok(OutputFormat::Hdr),
            Some("png") => Ok(OutputFormat::Png),
            Some("jpg" | "jpeg") => Ok(OutputFormat::Jpeg),
            _ => Err(ImageError::UnknownExtension {
                path: path.to_owned(),
                extension,
            }),
        }
    }
}

/// Whether [`WriteOptions::exposure`] counts for the format that the extension of `path` names.
pub fn has_exposure(path: &Path) -> bool {
    matches!(OutputFormat::of(path), Ok(OutputFormat::Png | OutputFormat::Jpeg))
}
