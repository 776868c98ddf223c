//! Correction of shading normals for which the view direction, or its reflection, falls below the surface (black
//! spots).

use glam::Vec3;

use super::lobe::{Lobe, LobeTraits};
use renderer_base::math::Frame;

/// Minimum cosine between `wo` and a normal, unless that of the geometric normal is lower.
const MIN_COS: f32 = 1e-3;

/// Minimum cosine between the reflection of `wo` and the geometric normal, unless that of `wo` is lower.
const MIN_REFLECTED_COS: f32 = 0.01;

/// Returns `frame` with its normal bent until `wo` is on the same side of it as of `ng`. For microfacet lobes the
/// reflection of `wo` must also be above the surface.
#[inline(always)]
pub(super) fn visible_frame(frame: Frame, ng: Vec3, wo: Vec3, lobe: &Lobe, traits: LobeTraits) -> Frame {
    // Orients both normals to the side of `wo`, by the geometric one.
    let ng_side = if wo.dot(ng) < 0.0 { -1.0 } else { 1.0 };
    let n_side = if frame.n.dot(ng) < 0.0 { -ng_side } else { ng_side };
    let (above, n) = (ng * ng_side, frame.n * n_side);
    let bent = if traits.microfacets {
        bend_mirror(n, above, wo)
    } else {
        bend_diffuse(n, above, wo)
    };
    match bent {
        Some(_) if lobe.is_fibre() => {
            let n = bend_about(frame.s, n, above, wo).unwrap_or(n);
            Frame::from_normal_tangent(n * n_side, frame.s)
        }
        Some(n) => Frame::from_normal_tangent(n * n_side, frame.s),
        None => frame,
    }
}

/// Nearest normal to `n` that `wo` is just above; `None` if `n` suffices.
fn bend_diffuse(n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let min_cos = MIN_COS.min(0.9 * wo.dot(ng));
    let cos = wo.dot(n);
    (cos < min_cos).then(|| (n + wo * (min_cos - cos)).normalize_or(ng))
}

/// Normal that reflects `wo` to just above the surface; `None` if `n` does so.
// Keller et al. 2017, "The Iray Light Transport Simulation and Rendering System", appendix A.3.
fn bend_mirror(n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let mirrored = 2.0 * wo.dot(n) * n - wo;
    let min_cos = MIN_REFLECTED_COS.min(0.9 * wo.dot(ng));
    let cos = mirrored.dot(ng);
    (cos < min_cos).then(|| {
        let raised = (mirrored + ng * (min_cos - cos)).normalize_or(ng);
        (wo + raised).normalize_or(ng)
    })
}

/// Bends the normal of a fibre: rotates it about the direction `s`; only the component of `wo` across the fibre counts.
fn bend_about(s: Vec3, n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let across = (wo - s * wo.dot(s)).try_normalize()?;
    bend_diffuse(n, ng, across)
}
