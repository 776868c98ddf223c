//! Points of surfaces, and the triangle's.

use glam::{Vec2, Vec3};

use crate::math::{ROUNDING, coordinate_system};

/// A point of a shape's surface. All vectors in world space.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePoint {
    /// The point `[m]`.
    pub p: Vec3,
    /// Bound on how far rounding may have moved `p` along `ng` off the surface that rays see `[m]`.
    pub p_error: f32,
    /// Unit geometric normal: the side that counter-clockwise triangles show, outward on closed shapes.
    pub ng: Vec3,
    /// Unit shading normal, in the hemisphere of `ng`.
    pub n: Vec3,
    /// Surface parameters.
    pub uv: Vec2,
    /// Derivative of the point by `uv.x`; perpendicular to `ng`, never zero.
    pub dpdu: Vec3,
    /// Derivative of the point by `uv.y`; perpendicular to `ng`, never zero.
    pub dpdv: Vec3,
}

/// Which tangents the point of a triangle gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// The derivatives of the point by its texture coordinates.
    ByUv,
    /// Any two that are perpendicular to the normal, which costs less: for surfaces that look the same however they are
    /// turned.
    Any,
}

/// A point chosen on a surface with its density.
#[derive(Clone, Copy, Debug)]
pub struct AreaSample {
    /// The point.
    pub point: SurfacePoint,
    /// Its density with respect to area `[1/m²]`, within the primitive that it was chosen on; 0 where that has no area.
    pub pdf: f32,
}

/// A vertex as a hit needs it: half a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) p: Vec3,
    /// Zero where the mesh has no normals.
    pub(super) n: Vec3,
    pub(super) uv: Vec2,
}

/// The texture coordinates of a triangle whose mesh has none, as pbrt has them.
pub(super) const DEFAULT_UVS: [Vec2; 3] = [Vec2::ZERO, Vec2::X, Vec2::ONE];

/// The point of a world-space triangle at `barycentric`, the weights of its second and third vertex.
///
/// `extent` bounds the magnitude of the coordinates that went into the vertices, by axis. `flip` says that the front is
/// the side that shows the vertices clockwise.
#[inline(always)]
pub(super) fn triangle_point(
    v: [&Vertex; 3],
    uvs: [Vec2; 3],
    barycentric: Vec2,
    extent: Vec3,
    flip: bool,
    tangents: Tangents,
) -> SurfacePoint {
    let [b1, b2] = barycentric.to_array();
    let b0 = 1.0 - b1 - b2;
    let p = v[0].p * b0 + v[1].p * b1 + v[2].p * b2;
    let uv = uvs[0] * b0 + uvs[1] * b1 + uvs[2] * b2;

    let (edge1, edge2) = (v[1].p - v[0].p, v[2].p - v[0].p);
    let ng = triangle_normal(edge1, edge2);
    let ng = if flip { -ng } else { ng };
    let n = shading_normal(v[0].n * b0 + v[1].n * b1 + v[2].n * b2, ng);

    let (dpdu, dpdv) = match tangents {
        Tangents::ByUv => triangle_derivatives(uvs, edge1, edge2, ng),
        Tangents::Any => coordinate_system(ng),
    };
    SurfacePoint {
        p,
        p_error: ROUNDING * extent.dot(ng.abs()),
        ng,
        n,
        uv,
        dpdu,
        dpdv,
    }
}

/// The derivatives of a triangle's points by their texture coordinates.
#[inline]
fn triangle_derivatives(uvs: [Vec2; 3], edge1: Vec3, edge2: Vec3, ng: Vec3) -> (Vec3, Vec3) {
    let (duv1, duv2) = (uvs[1] - uvs[0], uvs[2] - uvs[0]);
    let determinant = duv1.x * duv2.y - duv1.y * duv2.x;
    // Texture coordinates on a line, or on a point, have no inverse.
    let regular = determinant * determinant > 1e-12 * duv1.length_squared() * duv2.length_squared();
    let (dpdu, dpdv) = if regular {
        let scale = 1.0 / determinant;
        (
            (edge1 * duv2.y - edge2 * duv1.y) * scale,
            (edge2 * duv1.x - edge1 * duv2.x) * scale,
        )
    } else {
        (Vec3::ZERO, Vec3::ZERO)
    };
    derivatives_or_any(dpdu, dpdv, ng)
}

/// The unit normal of a triangle; z for one without area, which no ray meets.
#[inline]
fn triangle_normal(edge1: Vec3, edge2: Vec3) -> Vec3 {
    let n = edge1.cross(edge2);
    let length_squared = n.length_squared();
    if length_squared > f32::MIN_POSITIVE && length_squared.is_finite() {
        // One division where a vector's takes three.
        return n * length_squared.sqrt().recip();
    }
    // The square of a small triangle's area leaves the range of f32 long before its edges do.
    edge1
        .as_dvec3()
        .cross(edge2.as_dvec3())
        .try_normalize()
        .map_or(Vec3::Z, |n| n.as_vec3())
}

/// `n` made unit length and put into the hemisphere of `ng`; `ng` where it is zero.
#[inline]
pub(super) fn shading_normal(n: Vec3, ng: Vec3) -> Vec3 {
    let length_squared = n.length_squared();
    if length_squared > f32::MIN_POSITIVE && length_squared.is_finite() {
        let n = n * length_squared.sqrt().recip();
        if n.dot(ng) < 0.0 { -n } else { n }
    } else {
        ng
    }
}

/// The derivatives, or some tangents of unit length in place of those that are zero or not finite.
#[inline]
pub(super) fn derivatives_or_any(dpdu: Vec3, dpdv: Vec3, ng: Vec3) -> (Vec3, Vec3) {
    let usable = |v: Vec3| v.length_squared() > f32::MIN_POSITIVE && v.is_finite();
    match (usable(dpdu), usable(dpdv)) {
        (true, true) => (dpdu, dpdv),
        (true, false) => (dpdu, ng.cross(dpdu).normalize_or_zero()),
        (false, true) => (dpdv.cross(ng).normalize_or_zero(), dpdv),
        (false, false) => coordinate_system(ng),
    }
}
