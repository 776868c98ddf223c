//! Rectangular emitters: sampled by solid angle where they appear large, else by area.

use glam::{Vec2, Vec3};

use super::emission_distribution::EmissionSample;
use super::sample::SeenPoint;
use renderer_base::math::sqr;
use renderer_base::sampling::{MIN_SOLID_ANGLE, SphericalRectangle, solid_angle_pdf};
use renderer_geometry::Rectangle;

/// Maps a point of the parameter square to the rectangle, for the reference point `p`.
#[inline]
pub(super) fn seen_from(rectangle: &Rectangle, p: Vec3, place: &EmissionSample) -> Option<SeenPoint> {
    let spherical = spherical(rectangle, p);
    let share = spherical.map_or(place.u, |spherical| spherical.sample(place.u));
    let pdf = |distance_squared, cos| match spherical {
        Some(spherical) => place.density / spherical.solid_angle(),
        None => solid_angle_pdf(place.density * rectangle.inverse_area, distance_squared, cos),
    };
    SeenPoint::from(p, rectangle.point(share), (0, Vec2::ZERO), pdf)
}

/// Density of `seen_from` at the point `found` [1/sr]; `probability` is that of the rectangle, `cos` the cosine between
/// its normal and the direction to `p`.
#[inline]
pub(super) fn pdf(rectangle: &Rectangle, p: Vec3, probability: f32, (found, cos): (Vec3, f32)) -> f32 {
    match spherical(rectangle, p) {
        Some(spherical) => probability / spherical.solid_angle(),
        None => solid_angle_pdf(probability * rectangle.inverse_area, (found - p).length_squared(), cos),
    }
}

/// Spherical rectangle about `p`; `None` if points are sampled by area.
#[inline]
fn spherical(rectangle: &Rectangle, p: Vec3) -> Option<SphericalRectangle> {
    let to_corner = rectangle.p - p;
    let low = rectangle.along(to_corner);
    let height = to_corner.dot(rectangle.ng()).abs();
    // Relative to the nearest point of the plane.
    let offset2 = (low.max(Vec2::ZERO) + (low + rectangle.size).min(Vec2::ZERO)).length_squared();
    let nearest2 = offset2 + sqr(height);
    let bound = sqr(MIN_SOLID_ANGLE) * nearest2 * nearest2 * nearest2;
    let is_large = sqr(height * rectangle.area()) > bound;
    // Near the plane, rounding displaces points of the farther parts.
    let is_before = height > 2e-3 * rectangle.size.max_element() && sqr(height) > 1e-4 * nearest2;
    (is_large && is_before).then(|| SphericalRectangle::new(low, rectangle.size, height))
}
