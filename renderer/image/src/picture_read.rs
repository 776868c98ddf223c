//! Reading whole texture images with their mip levels, and image information.

use std::path::Path;

use super::exr_read::{self, ExrFile};
use super::picture::no_such_picture;
use super::read::usual_names;
use super::{
    Format, ImageError, ImageInfo, Picture, PictureInfo, Raster, SampleType, Samples, Subimage, decode,
    tiff_read,
};
use renderer_base::files::{DiskFiles, Files as _};

/// Decodes a picture with its mip levels.
///
/// # Errors
/// As [`decode`]; also when the file has no such picture.
pub fn decode_picture(path: &Path, bytes: &[u8], subimage: &Subimage) -> Result<Picture, ImageError> {
    match Format::detect(path, bytes) {
        Some(Format::Exr) => exr_read::decode_picture(path, bytes, subimage),
        Some(Format::Tiff) => tiff_read::decode_picture(path, bytes, subimage),
        _ if matches!(subimage, Subimage::First | Subimage::Index(0)) => Ok(Picture {
            levels: vec![decode(path, bytes)?],
            info: PictureInfo { subimages: 1, ..PictureInfo::default() },
        }),
        _ => Err(no_such_picture(path, subimage, 1)),
    }
}

/// Reads the information of an image: the header of an EXR; other images are decoded.
///
/// # Errors
/// When the file is missing, damaged or no image that is read.
pub fn read_info(path: &Path) -> Result<ImageInfo, ImageError> {
    let bytes = DiskFiles.read(path).map_err(|e| ImageError::from_read(path, e))?;
    let Some(format) = Format::detect(path, &bytes) else {
        return Err(ImageError::unsupported(path, "not an image that is read"));
    };
    if format == Format::Exr {
        return ExrFile::info_of(path, &bytes);
    }
    let picture = decode_picture(path, &bytes, &Subimage::First)?;
    let Some(raster) = picture.levels.first() else {
        return Err(no_such_picture(path, &Subimage::First, 0));
    };
    Ok(ImageInfo {
        format,
        size: [raster.width, raster.height],
        window: raster.window,
        channels: channels_of(raster),
        metadata: picture.info.attributes,
    })
}

/// Default channels of files without channel names.
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
