//! Triangles with bounds on the rounding error of their ray intersections.

use glam::{Vec3, Vec3A, Vec3Swizzles};

use renderer_base::math::ROUNDING;

/// Minimum offset of a point from its triangle, relative to the extent of the triangle. The products of an offset and
/// two edges stay in the normal range of `f32` for triangles down to 0.1 µm.
pub(super) const UNDERFLOW: f32 = 1.0 / (1u64 << 48) as f32;

/// A triangle in the space that Embree intersects it in: world space, or the object space of an instance.
#[derive(Clone, Copy)]
pub(super) struct Facet {
    pub(super) p: [Vec3; 3],
    /// Normal of the front (counter-clockwise vertices); its length is twice the area.
    pub(super) normal: Vec3,
    /// Bound on the magnitude of each vertex's coordinates.
    pub(super) extent: Vec3,
    /// Magnitude of the operands of the volume spanned by the triangle and one of its points, which is zero up to
    /// rounding.
    volume: f32,
}

impl Facet {
    #[inline(always)]
    pub(super) fn new(p: [Vec3; 3]) -> Facet {
        let (a, b, c) = (Vec3A::from(p[0]), Vec3A::from(p[1]), Vec3A::from(p[2]));
        let (edge1, edge2, edge3) = (b - a, c - a, c - b);
        // Cross product of two edges, by axis of the pair with less cancellation, as in Embree's robust intersector:
        // its rounding is proportional to `products`.
        let ab = edge1.yzx() * edge2.zxy();
        let bc = edge1.zxy() * edge3.yzx();
        let first = ab.abs().cmplt(bc.abs());
        let products = ab.abs().min(bc.abs());
        let normal = Vec3A::select(first, ab - edge1.zxy() * edge2.yzx(), edge1.yzx() * edge3.zxy() - bc);
        let size = edge1.abs().max(edge2.abs()).max(edge3.abs());
        Facet {
            p,
            normal: normal.into(),
            extent: (a.abs().max(b.abs()).max(c.abs()) + UNDERFLOW * size.element_sum()).into(),
            volume: size.dot(products),
        }
    }

    /// Bound on the distance of computed points from the plane that rays hit, times the length of the normal; `extent`
    /// bounds the magnitude of the operands of the points, by axis.
    #[inline]
    pub(super) fn error(&self, extent: Vec3) -> f32 {
        ROUNDING * (self.normal.abs().dot(extent) + self.volume)
    }

    /// The point at `weights` of the vertices.
    #[inline]
    pub(super) fn at(&self, weights: Vec3) -> Vec3 {
        self.p[0] * weights.x + self.p[1] * weights.y + self.p[2] * weights.z
    }
}
