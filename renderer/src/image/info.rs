//! Information about an image file: format, size, channels, metadata.

use std::path::Path;

use super::exr_read::ExrFile;
use super::read::usual_names;
use super::{Format, ImageError, MetaValue, Raster, SampleType, Samples, Subimage, Window, decode_picture};
use crate::files;

/// What an image file says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageInfo {
    /// Its format.
    pub format: Format,
    /// Columns and rows, of an EXR with several parts those of the first.
    pub size: [usize; 2],
    /// Where the image lies in a larger one.
    pub window: Option<Window>,
    /// Names and sample types of the channels, those of all parts of an EXR.
    pub channels: Vec<(String, SampleType)>,
    /// Key-value pairs of EXR and TIFF files.
    pub metadata: Vec<(String, MetaValue)>,
}

impl ImageInfo {
    /// Reads it: of an EXR the header alone; other images are decoded.
    ///
    /// # Errors
    /// When the file is missing, damaged or no image that is read.
    pub fn read(path: &Path) -> Result<ImageInfo, ImageError> {
        let bytes = files::read(path).map_err(|e| ImageError::from_read(path, e))?;
        let Some(format) = Format::detect(path, &bytes) else {
            return Err(ImageError::unsupported(path, "not an image that is read"));
        };
        if format == Format::Exr {
            return ExrFile::info_of(path, &bytes);
        }
        let picture = decode_picture(path, &bytes, &Subimage::First)?;
        // A picture has a level at least.
        let Some(raster) = picture.levels.first() else {
            return Err(ImageError::unsupported(path, "it has no picture"));
        };
        Ok(ImageInfo {
            format,
            size: [raster.width, raster.height],
            window: raster.window,
            channels: channels_of(raster),
            metadata: picture.info.attributes,
        })
    }
}

/// The channels of an image whose file does not name them.
fn channels_of(raster: &Raster) -> Vec<(String, SampleType)> {
    let samples = match raster.samples {
        Samples::U8(_) => SampleType::U8,
        Samples::U16(_) => SampleType::U16,
        Samples::F16(_) => SampleType::F16,
        Samples::F32(_) => SampleType::F32,
    };
    let names = usual_names(raster.channels).into_iter();
    names.map(|name| (name, samples)).collect()
}
