//! Rectangular emitters: sampled by solid angle where they appear large, else by area.

use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use super::pattern::PatternPoint;
use super::sample::Seen;
use crate::geometry::Shape;
use crate::math::{RayEnd, sqr};
use crate::sampling::{LEAST_SOLID_ANGLE, SphericalRectangle, solid_angle_pdf};

/// A rectangle in world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightRectangle {
    pub(super) p: Vec3,
    edge1: Vec3,
    edge2: Vec3,
    /// Unit vectors along the edges.
    axis1: Vec3,
    axis2: Vec3,
    /// Lengths of the edges [m].
    pub(super) size: Vec2,
    ng: Vec3,
    /// [1/m²]
    pub(super) inverse_area: f32,
    p_error: f32,
}

/// Tolerance for recognising a rectangle in two triangles, as a share of its shorter side.
const TOLERANCE: f32 = 1e-4;

impl LightRectangle {
    /// The rectangle that two triangles of a mesh form, if they do.
    pub(super) fn of(shape: &Shape, [first, second]: [u32; 2]) -> Option<LightRectangle> {
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
        is_rectangle.then(|| LightRectangle {
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

    /// Unit geometric normal.
    pub(super) fn ng(&self) -> Vec3 {
        self.ng
    }

    pub(super) fn corners(&self) -> [Vec3; 4] {
        let (p, b, c) = (self.p, self.p + self.edge1, self.p + self.edge2);
        [p, b, c, b + self.edge2]
    }

    /// Components of a vector along the edges [m].
    #[inline]
    pub(super) fn along(&self, v: Vec3) -> Vec2 {
        Vec2::new(v.dot(self.axis1), v.dot(self.axis2))
    }

    /// Adds its position to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        for v in [self.p, self.edge1, self.edge2, self.ng] {
            v.to_array().map(f32::to_bits).hash(hasher);
        }
    }

    /// [m²]
    pub(super) fn area(&self) -> f32 {
        self.size.x * self.size.y
    }

    /// The point at a share of the edges.
    #[inline]
    pub(super) fn point(&self, share: Vec2) -> RayEnd {
        RayEnd {
            p: self.p + self.edge1 * share.x + self.edge2 * share.y,
            p_error: self.p_error,
            ng: self.ng,
        }
    }

    /// The point that a place chooses, as seen from `p`.
    #[inline]
    pub(super) fn seen_from(&self, p: Vec3, place: &PatternPoint) -> Option<Seen> {
        let spherical = self.spherical(p);
        let share = spherical.map_or(place.u, |spherical| spherical.sample(place.u));
        let pdf = |distance_squared, cos| match spherical {
            Some(spherical) => place.density / spherical.solid_angle(),
            None => solid_angle_pdf(place.density * self.inverse_area, distance_squared, cos),
        };
        Seen::from(p, self.point(share), (0, Vec2::ZERO), pdf)
    }

    /// The density [1/sr] with which `seen_from` chooses a point `found`, with the probability of the rectangle, where `cos`
    /// is the cosine between its normal and the way to `p`.
    #[inline]
    pub(super) fn pdf(&self, p: Vec3, probability: f32, (found, cos): (Vec3, f32)) -> f32 {
        match self.spherical(p) {
            Some(spherical) => probability / spherical.solid_angle(),
            None => solid_angle_pdf(probability * self.inverse_area, (found - p).length_squared(), cos),
        }
    }

    /// The rectangle on the sphere about `p`, where points are chosen by that.
    #[inline]
    fn spherical(&self, p: Vec3) -> Option<SphericalRectangle> {
        let to_corner = self.p - p;
        let low = self.along(to_corner);
        let height = to_corner.dot(self.ng).abs();
        // From the nearest point of the plane.
        let beside = (low.max(Vec2::ZERO) + (low + self.size).min(Vec2::ZERO)).length_squared();
        let nearest2 = beside + sqr(height);
        let bound = sqr(LEAST_SOLID_ANGLE) * nearest2 * nearest2 * nearest2;
        let is_large = sqr(height * self.area()) > bound;
        // Near the plane, rounding displaces points of the farther parts.
        let is_before = height > 2e-3 * self.size.max_element() && sqr(height) > 1e-4 * nearest2;
        (is_large && is_before).then(|| SphericalRectangle::new(low, self.size, height))
    }
}
