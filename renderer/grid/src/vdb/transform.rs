//! Transforms of grids.

use glam::DVec3;

use crate::bytes::Bytes;
use crate::error::GridFault;
use crate::grid::GridTransform;

/// Reads a transform: the inner error is the reason why it is not linear or not invertible.
pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Result<GridTransform, GridFault>, GridFault> {
    let name = bytes.text()?;
    // Maps that scale also store four vectors that follow from the first: voxel size, inverse and so on.
    const DERIVED: usize = 4;
    let diagonal = |s: DVec3| [[s.x, 0.0, 0.0], [0.0, s.y, 0.0], [0.0, 0.0, s.z]];
    Ok(match name.as_str() {
        "UniformScaleMap" | "ScaleMap" => {
            let [scale, ..]: [DVec3; 1 + DERIVED] = vectors(bytes)?;
            GridTransform::of_rows(diagonal(scale), DVec3::ZERO)
        }
        "UniformScaleTranslateMap" | "ScaleTranslateMap" => {
            let [translation, scale, ..]: [DVec3; 2 + DERIVED] = vectors(bytes)?;
            GridTransform::of_rows(diagonal(scale), translation)
        }
        "TranslationMap" => {
            let [translation] = vectors(bytes)?;
            GridTransform::of_rows(diagonal(DVec3::ONE), translation)
        }
        "AffineMap" | "UnitaryMap" => {
            let mut matrix = [[0.0; 4]; 4];
            for x in matrix.as_flattened_mut() {
                *x = bytes.f64()?;
            }
            // Row vectors are multiplied from the left: the last row is the translation.
            let [x, y, z, translation] = matrix.map(|[x, y, z, _]| DVec3::new(x, y, z));
            let rows = [0, 1, 2].map(|i| [x[i], y[i], z[i]]);
            GridTransform::of_rows(rows, translation)
        }
        // The size of the transform depends on the nested map, and only the tree follows.
        "NonlinearFrustumMap" => Err(GridFault::unsupported("its transform is a frustum, not linear")),
        other => {
            return Err(GridFault::unsupported(format!(
                "its transform is of the unknown type `{other}`"
            )));
        }
    })
}

fn vectors<const N: usize>(bytes: &mut Bytes<'_>) -> Result<[DVec3; N], GridFault> {
    let mut vectors = [DVec3::ZERO; N];
    for v in &mut vectors {
        *v = DVec3::new(bytes.f64()?, bytes.f64()?, bytes.f64()?);
    }
    Ok(vectors)
}
