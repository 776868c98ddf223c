//! Images of `bump` in OBJ materials: heights, as MTL defines it, or normals, as Blender and others write.

use std::path::Path;

use renderer_base::files::Files;
use renderer_image as image;

/// Returns whether an image holds normals in the tangent frame: most of them point out of the surface, so that the
/// image is bluish on average. Heights are grey.
pub(super) fn has_normals(files: &dyn Files, file: &Path) -> bool {
    // Unreadable images are reported where they are used.
    let Ok(image) = image::read_from(files, file) else {
        return false;
    };
    if image.channels < 3 {
        return false;
    }
    let mut sum = [0.0f64; 3];
    for pixel in image.data.chunks_exact(image.channels) {
        for (sum, &value) in sum.iter_mut().zip(pixel) {
            *sum += f64::from(value);
        }
    }
    let count = (image.width * image.height).max(1) as f64;
    let [x, y, z] = sum.map(|sum| 2.0 * sum / count - 1.0);
    x.abs() < 0.25 && y.abs() < 0.25 && z > 0.4
}
