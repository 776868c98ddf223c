//! Size limit of images, checked before memory is allocated.

use std::path::Path;

use super::ImageError;
use renderer_base::files::BudgetKind;

pub(crate) use renderer_base::files::MAX_PICTURE_BYTES as MAX_BYTES;

/// Refuses empty images, images above [`MAX_BYTES`] as floats, and images with more pixels than their file can contain.
pub(crate) fn check_size(
    path: &Path,
    [width, height, channels]: [usize; 3],
    file_size: usize,
) -> Result<(), ImageError> {
    if width == 0 || height == 0 {
        return Err(ImageError::Empty { path: path.to_owned(), width, height });
    }
    let bytes = [height, channels, 4]
        .iter()
        .try_fold(width as u64, |n, &f| n.checked_mul(f as u64));
    match bytes {
        Some(bytes) if bytes <= BudgetKind::Picture.memory(file_size as u64) => Ok(()),
        Some(bytes) if bytes <= MAX_BYTES => {
            let reason = format!("{file_size} bytes cannot hold {width}×{height} pixels");
            Err(ImageError::unsupported(path, reason))
        }
        _ => Err(ImageError::TooLarge { path: path.to_owned(), width, height, channels }),
    }
}
