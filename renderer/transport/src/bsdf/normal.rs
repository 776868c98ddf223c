//! Correction of shading normals that are turned away from the viewer (black spots).

use glam::Vec3;

use super::lobe::Lobe;
use renderer_base::math::Frame;

/// Minimum cosine between `wo` and a normal, unless that of the geometric normal is lower.
const MIN_COS: f32 = 1e-3;

/// Returns `frame` with its normal bent until `wo` is on the same side of it as of `ng`.
#[inline(always)]
pub(super) fn visible_frame(frame: Frame, ng: Vec3, wo: Vec3, lobe: &Lobe) -> Frame {
    // Orients both normals to the side of `wo`, by the geometric one.
    let ng_side = if wo.dot(ng) < 0.0 { -1.0 } else { 1.0 };
    let n_side = if frame.n.dot(ng) < 0.0 { -ng_side } else { ng_side };
    let (above, n) = (ng * ng_side, frame.n * n_side);
    match bend(n, above, wo) {
        Some(_) if lobe.is_fibre() => {
            let n = bend_about(frame.s, n, above, wo).unwrap_or(n);
            Frame::from_normal_tangent(n * n_side, frame.s)
        }
        Some(n) => Frame::from_normal_tangent(n * n_side, frame.s),
        None => frame,
    }
}

/// Nearest normal to `n` that `wo` is just above; `None` if `n` suffices.
fn bend(n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let min_cos = MIN_COS.min(0.9 * wo.dot(ng));
    let cos = wo.dot(n);
    (cos < min_cos).then(|| (n + wo * (min_cos - cos)).normalize_or(ng))
}

/// Bends the normal of a fibre: rotates it about the direction `s`; only the component of `wo` across the fibre counts.
fn bend_about(s: Vec3, n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let across = (wo - s * wo.dot(s)).try_normalize()?;
    bend(n, ng, across)
}
