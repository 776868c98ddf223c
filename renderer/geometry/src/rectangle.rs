//! Rectangles formed by two triangles of a mesh.

use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use crate::Shape;
use renderer_base::math::RayEnd;

/// A rectangle in world space.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    /// A corner.
    pub p: Vec3,
    edge1: Vec3,
    edge2: Vec3,
    /// Unit vectors along the edges.
    axis1: Vec3,
    axis2: Vec3,
    /// Lengths of the edges [m].
    pub size: Vec2,
    ng: Vec3,
    /// The inverse of its area [1/m²].
    pub inverse_area: f32,
    p_error: f32,
}

/// Tolerance for recognising a rectangle in two triangles, as a share of its shorter side.
const TOLERANCE: f32 = 1e-4;

impl Rectangle {
    /// The rectangle formed by two triangles of a mesh, if any.
    pub fn of(shape: &Shape, [first, second]: [u32; 2]) -> Option<Rectangle> {
        let (corners, others) = (shape.triangle(first), shape.triangle(second));
        let is_alone = |p: &Vec3, among: &[Vec3; 3]| !among.contains(p);
        let corner = (0..3).find(|&i| is_alone(&corners[i], &others))?;
        let opposite = others.into_iter().find(|p| is_alone(p, &corners))?;
        let [p, b, c] = [0, 1, 2].map(|i| corners[(corner + i) % 3]);
        let shared = [b, c].iter().all(|p| others.contains(p));

        let (edge1, edge2) = (b - p, c - p);
        let size = Vec2::new(edge1.length(), edge2.length());
        let [one, other] = [first, second].map(|i| shape.surface_point(i, Vec2::splat(1.0 / 3.0)));
        let p_error = one.p_error.max(other.p_error);
        let gap = p + edge1 + edge2 - opposite;
        let is_rectangle = shared
            && (size.x * size.y).is_normal()
            && edge1.dot(edge2).abs() <= TOLERANCE * size.x * size.y
            && gap.length() <= TOLERANCE * size.min_element()
            && gap.dot(one.ng).abs() <= p_error
            && one.ng.dot(other.ng) > 0.0;
        is_rectangle.then(|| Rectangle {
            p,
            edge1,
            edge2,
            axis1: edge1 / size.x,
            axis2: edge2 / size.y,
            size,
            ng: one.ng,
            inverse_area: (size.x * size.y).recip(),
            p_error,
        })
    }

    /// The rectangle of a mesh of two triangles, if it is one.
    pub fn of_shape(shape: &Shape) -> Option<Rectangle> {
        let is_quad = shape.analytic().is_none() && shape.primitive_count() == 2;
        is_quad.then(|| Rectangle::of(shape, [0, 1]))?
    }

    /// Unit geometric normal.
    pub fn ng(&self) -> Vec3 {
        self.ng
    }

    /// The corners: `p`, the ends of both edges at `p`, and the opposite corner.
    pub fn corners(&self) -> [Vec3; 4] {
        let (p, b, c) = (self.p, self.p + self.edge1, self.p + self.edge2);
        [p, b, c, b + self.edge2]
    }

    /// Components of a vector along the edges [m].
    #[inline]
    pub fn along(&self, v: Vec3) -> Vec2 {
        Vec2::new(v.dot(self.axis1), v.dot(self.axis2))
    }

    /// Adds its position to a hash.
    pub fn hash_bits(&self, hasher: &mut impl Hasher) {
        for v in [self.p, self.edge1, self.edge2, self.ng] {
            v.to_array().map(f32::to_bits).hash(hasher);
        }
    }

    /// Area [m²].
    pub fn area(&self) -> f32 {
        self.size.x * self.size.y
    }

    /// The point at relative coordinates along the edges.
    #[inline]
    pub fn point(&self, share: Vec2) -> RayEnd {
        RayEnd {
            p: self.p + self.edge1 * share.x + self.edge2 * share.y,
            p_error: self.p_error,
            ng: self.ng,
        }
    }
}
