//! Correction of shading normals that make the view direction, or its reflection, fall below the surface (black spots).

use glam::Vec3;

use super::lobe::Lobe;
use renderer_base::math::Frame;

/// The least cosine between `wo` and a normal, for `wo` not itself lower.
const LEAST_COS: f32 = 1e-3;

/// The least cosine between a mirror image of `wo` and the geometric normal, for `wo` not itself lower.
const LEAST_REFLECTED_COS: f32 = 0.01;

/// `frame` with its normal bent until `wo` is on the same side of it as of `ng`. For microfacet lobes the reflection of
/// `wo` must also be above the surface.
#[inline(always)]
pub(super) fn visible_frame(frame: Frame, ng: Vec3, wo: Vec3, lobe: &Lobe) -> Frame {
    // Both normals on the side of `wo`, by the geometric one.
    let ng_side = if wo.dot(ng) < 0.0 { -1.0 } else { 1.0 };
    let n_side = if frame.n.dot(ng) < 0.0 { -ng_side } else { ng_side };
    let (above, n) = (ng * ng_side, frame.n * n_side);
    let bent = if lobe.microfacets().is_some() {
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

/// The normal nearest to `n` from which `wo` is just above, where it is not.
fn bend_diffuse(n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let least = LEAST_COS.min(0.9 * wo.dot(ng));
    let cos = wo.dot(n);
    (cos < least).then(|| (n + wo * (least - cos)).normalize_or(ng))
}

/// The normal that mirrors `wo` to just above the surface, where `n` mirrors it below.
// Keller et al. 2017, "The Iray Light Transport Simulation and Rendering System", appendix A.3.
fn bend_mirror(n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let mirrored = 2.0 * wo.dot(n) * n - wo;
    let least = LEAST_REFLECTED_COS.min(0.9 * wo.dot(ng));
    let cos = mirrored.dot(ng);
    (cos < least).then(|| {
        let raised = (mirrored + ng * (least - cos)).normalize_or(ng);
        (wo + raised).normalize_or(ng)
    })
}

/// The same for a fibre: turned about its direction `s`, across which alone `wo` counts.
fn bend_about(s: Vec3, n: Vec3, ng: Vec3, wo: Vec3) -> Option<Vec3> {
    let across = (wo - s * wo.dot(s)).try_normalize()?;
    bend_diffuse(n, ng, across)
}
