//! Points of surfaces that Kiln intersects in double precision, in object space.

use glam::{DVec3, Vec2};

/// Surface point with its derivatives, object space.
pub(super) struct ObjectPoint {
    pub(super) p: DVec3,
    /// Unit geometric normal.
    pub(super) n: DVec3,
    pub(super) uv: Vec2,
    pub(super) dpdu: DVec3,
    pub(super) dpdv: DVec3,
    /// Radius of curvature.
    pub(super) radius: f64,
}

/// Point sampled by area, object space.
pub(super) struct AreaPoint {
    pub(super) p: DVec3,
    /// Unit normal, outward on tubes and spheres.
    pub(super) n: DVec3,
    /// Radius of curvature.
    pub(super) radius: f64,
    /// Parameter of the segment on curves.
    pub(super) s: f64,
    /// Density per area `[1/m²]`.
    pub(super) pdf: f64,
}
