//! Size limit of images, checked before memory is allocated.

use std::path::Path;

use super::ImageError;

/// The most memory that decoding one image may take [bytes]: room for 16k × 16k pixels of four floats.
pub(crate) const MAX_BYTES: u64 = 4 << 30;

/// Refuses images without pixels, those that do not fit [`MAX_BYTES`] as floats, and those that claim more pixels than
/// their file can hold: before memory is taken for them.
pub(crate) fn check_size(
    path: &Path,
    [width, height, channels]: [usize; 3],
    file_size: usize,
) -> Result<(), ImageError> {
    // Deflate packs 1032 bytes into one; at a bit per pixel each of these becomes eight pixels of four floats. Nothing
    // else comes near.
    const DENSEST: u64 = 1032 * 8 * 16;
    const SLACK: u64 = 1 << 20;
    if width == 0 || height == 0 {
        return Err(ImageError::Empty {
            path: path.to_owned(),
            width,
            height,
        });
    }
    let bytes = [height, channels, 4]
        .iter()
        .try_fold(width as u64, |n, &f| n.checked_mul(f as u64));
    match bytes {
        Some(bytes) if bytes > SLACK && bytes / DENSEST > file_size as u64 => {
            let reason = format!("{file_size} bytes cannot hold {width}×{height} pixels");
            Err(ImageError::unsupported(path, reason))
        }
        Some(bytes) if bytes <= MAX_BYTES => Ok(()),
        _ => Err(ImageError::TooLarge {
            path: path.to_owned(),
            width,
            height,
            channels,
        }),
    }
}
