//! Reading whole texture images with their mip levels.

use std::path::Path;

use super::picture::no_such_picture;
use super::{Format, ImageError, Picture, PictureInfo, Subimage, decode, exr_read, tiff_read};

/// Decodes a picture with its smaller versions.
///
/// # Errors
/// As [`decode`]; also when the file has no such picture.
pub fn decode_picture(path: &Path, bytes: &[u8], subimage: &Subimage) -> Result<Picture, ImageError> {
    match Format::detect(path, bytes) {
        Some(Format::Exr) => exr_read::decode_picture(path, bytes, subimage),
        Some(Format::Tiff) => tiff_read::decode_picture(path, bytes, subimage),
        _ if matches!(subimage, Subimage::First | Subimage::Index(0)) => Ok(Picture {
            levels: vec![decode(path, bytes)?],
            info: PictureInfo {
                subimages: 1,
                ..PictureInfo::default()
            },
        }),
        _ => Err(no_such_picture(path, subimage, 1)),
    }
}
