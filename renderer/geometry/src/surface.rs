//! Surface points: position, normals, tangents and error bound of a point on a shape.

use glam::{Vec2, Vec3};

use renderer_base::math::coordinate_system;

/// A point of a shape's surface. All vectors in world space.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePoint {
    /// The point `[m]`.
    pub p: Vec3,
    /// Bound on the distance along `ng` between `p` and the surface that rays hit, including the rounding of an offset
    /// of this length `[m]`.
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

/// Source of the tangents at a point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// The derivatives of the point by its texture coordinates.
    ByUv,
    /// Arbitrary perpendicular vectors, which cost less: for materials that do not depend on tangents.
    Any,
}

/// Sampled point of a surface with its density.
#[derive(Clone, Copy, Debug)]
pub struct AreaSample {
    /// The point.
    pub point: SurfacePoint,
    /// Density with respect to area within the primitive `[1/m²]`; 0 for a primitive without area.
    pub pdf: f32,
}

/// Vertex data of hits: half a cache line, beginning with the position.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Vertex {
    pub(super) p: Vec3,
    /// Zero where the mesh has no normals.
    pub(super) n: Vec3,
    pub(super) uv: Vec2,
}

/// Default texture coordinates of triangles, as in Mitsuba: the barycentric coordinates.
pub(super) const DEFAULT_UVS: [Vec2; 3] = [Vec2::ZERO, Vec2::X, Vec2::Y];

/// Derivatives of the points of a triangle by texture coordinates.
#[inline]
pub(super) fn triangle_derivatives(uvs: [Vec2; 3], edge1: Vec3, edge2: Vec3, ng: Vec3) -> (Vec3, Vec3) {
    let (duv1, duv2) = (uvs[1] - uvs[0], uvs[2] - uvs[0]);
    let determinant = duv1.x * duv2.y - duv1.y * duv2.x;
    // Collinear texture coordinates have no inverse.
    let regular = determinant * determinant > 1e-12 * duv1.length_squared() * duv2.length_squared();
    let (dpdu, dpdv) = if regular {
        let scale = 1.0 / determinant;
        (
            (edge1 * duv2.y - edge2 * duv1.y) * scale,
            (edge2 * duv1.x - edge1 * duv2.x) * scale,
        )
    } else {
        constant_derivatives([duv1, duv2], [edge1, edge2], ng)
    };
    derivatives_or_any(dpdu, dpdv, ng)
}

/// Derivatives for collinear or equal texture coordinates, as of colour palettes: the derivative by a constant
/// coordinate is very long, so that footprints have no width along it.
#[cold]
#[inline(never)]
fn constant_derivatives([duv1, duv2]: [Vec2; 2], [edge1, edge2]: [Vec3; 2], ng: Vec3) -> (Vec3, Vec3) {
    /// Length of the derivative by a constant coordinate [m].
    const CONSTANT_DERIVATIVE: f32 = 1e6;
    let (a, b, c) = (edge1.dot(edge1), edge1.dot(edge2), edge2.dot(edge2));
    let determinant = a * c - b * b;
    // Gradient of a coordinate in the plane, from its differences along both edges.
    let gradient = |d1: f32, d2: f32| (edge1 * (c * d1 - b * d2) + edge2 * (a * d2 - b * d1)) / determinant;
    let along = |gradient: Vec3| gradient / gradient.length_squared();
    let (u, v) = (gradient(duv1.x, duv2.x), gradient(duv1.y, duv2.y));
    let changes = |gradient: Vec3| gradient.is_finite() && gradient.length() * CONSTANT_DERIVATIVE > 1.0;
    let beside = |v: Vec3| ng.cross(v).normalize_or_zero() * CONSTANT_DERIVATIVE;
    match (changes(u), changes(v)) {
        (false, false) => {
            let (s, t) = coordinate_system(ng);
            (s * CONSTANT_DERIVATIVE, t * CONSTANT_DERIVATIVE)
        }
        (true, _) if u.length() >= v.length() || !changes(v) => (along(u), beside(along(u))),
        _ => (-beside(along(v)), along(v)),
    }
}

/// Normalizes a normal and returns the factor; z and 0 for the zero vector, since no ray hits its triangle.
#[inline]
pub(super) fn unit_normal(n: Vec3) -> (Vec3, f32) {
    let length_squared = n.length_squared();
    if length_squared > f32::MIN_POSITIVE && length_squared.is_finite() {
        // One division instead of three.
        let scale = length_squared.sqrt().recip();
        return (n * scale, scale);
    }
    // The squared area of small triangles underflows in `f32`, although their edges do not.
    let length = n.as_dvec3().length();
    if length > 0.0 && length.is_finite() {
        ((n.as_dvec3() / length).as_vec3(), length.recip() as f32)
    } else {
        (Vec3::Z, 0.0)
    }
}

/// Interpolated normal at `weights`, flipped to the hemisphere of `ng`; `ng` if it is zero. Vertex normals have unit
/// length, or are zero.
#[inline(always)]
pub(super) fn shading_normal([a, b, c]: [Vec3; 3], weights: Vec3, ng: Vec3) -> Vec3 {
    // Flat triangles are common, and this avoids a square root and a division.
    if a == b && a == c && a != Vec3::ZERO {
        return if a.dot(ng) < 0.0 { -a } else { a };
    }
    let n = a * weights.x + b * weights.y + c * weights.z;
    let length_squared = n.length_squared();
    if length_squared > f32::MIN_POSITIVE && length_squared.is_finite() {
        let n = n * length_squared.sqrt().recip();
        if n.dot(ng) < 0.0 { -n } else { n }
    } else {
        ng
    }
}

/// Replaces derivatives that are zero or not finite by unit tangents.
#[inline(always)]
pub(super) fn derivatives_or_any(dpdu: Vec3, dpdv: Vec3, ng: Vec3) -> (Vec3, Vec3) {
    let usable = |v: Vec3| v.length_squared() > f32::MIN_POSITIVE && v.is_finite();
    match (usable(dpdu), usable(dpdv)) {
        (true, true) => (dpdu, dpdv),
        (dpdu_usable, dpdv_usable) => replaced(dpdu_usable.then_some(dpdu), dpdv_usable.then_some(dpdv), ng),
    }
}

/// Rare, and out of line, so that the common case stays in registers.
#[cold]
#[inline(never)]
fn replaced(dpdu: Option<Vec3>, dpdv: Option<Vec3>, ng: Vec3) -> (Vec3, Vec3) {
    match (dpdu, dpdv) {
        (Some(dpdu), _) => (dpdu, ng.cross(dpdu).normalize_or_zero()),
        (None, Some(dpdv)) => (dpdv.cross(ng).normalize_or_zero(), dpdv),
        (None, None) => coordinate_system(ng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shading_normals_are_those_of_the_vertices() {
        let weights = Vec3::new(0.25, 0.35, 0.4);
        let n = Vec3::new(0.6, 0.0, 0.8);
        assert_eq!(shading_normal([n; 3], weights, Vec3::Z), n);
        assert_eq!(shading_normal([n; 3], weights, Vec3::NEG_Z), -n);
        assert_eq!(shading_normal([Vec3::ZERO; 3], weights, Vec3::Z), Vec3::Z);
        let mixed = shading_normal([Vec3::X, Vec3::Y, Vec3::Z], weights, Vec3::NEG_Z);
        assert!(mixed.distance(-weights.normalize()) < 1e-6, "{mixed}");
    }
}
