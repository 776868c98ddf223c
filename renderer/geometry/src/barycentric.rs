//! Barycentric coordinates of ray-triangle intersections, with the same bits on every processor.
//!
//! Embree's coordinates and distances use approximate reciprocals, which differ between instruction sets and
//! processors, so parts of a picture from different machines would not match.

use glam::{Vec2, Vec3};

/// Weights of the second and third vertex where the line from `origin` along `direction` intersects a triangle, clamped
/// to the triangle, since rounding may move the point outside. `None` if the line is in the plane of the triangle.
// Möller & Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection".
#[inline(always)]
pub(super) fn barycentric([a, b, c]: [Vec3; 3], origin: Vec3, direction: Vec3) -> Option<Vec2> {
    let (edge1, edge2, offset) = (b - a, c - a, origin - a);
    let (across, moment) = (direction.cross(edge2), offset.cross(edge1));
    let scale = edge1.dot(across).recip();
    let (u, v) = (offset.dot(across) * scale, direction.dot(moment) * scale);
    if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
        Some(Vec2::new(u, v))
    } else {
        closest(u, v)
    }
}

/// Rare, and out of line, so that later instructions do not wait for the comparisons.
#[cold]
#[inline(never)]
fn closest(u: f32, v: f32) -> Option<Vec2> {
    let is_known = u.is_finite() && v.is_finite();
    is_known.then(|| {
        let u = u.clamp(0.0, 1.0);
        Vec2::new(u, v.clamp(0.0, 1.0 - u))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_point() {
        let triangle = [Vec3::new(1.0, 0.2, -0.3), Vec3::new(-0.5, 2.0, 0.7), Vec3::new(0.1, -0.4, 3.0)];
        let origin = Vec3::new(7.0, 5.0, 3.0);
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
        for (u, v) in [(0.2, 0.3), (0.9, 0.05), (0.0, 0.5), (0.5, 0.5)].into_iter().chain(corners) {
            let [a, b, c] = triangle;
            let p = a * (1.0 - u - v) + b * u + c * v;
            let found = barycentric(triangle, origin, (p - origin).normalize()).unwrap();
            assert!(found.distance(Vec2::new(u, v)) < 1e-5, "{found:?}");
            assert!(found.min_element() >= 0.0 && found.element_sum() <= 1.0, "{found:?}");
        }
        // In the plane.
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert!(barycentric(flat, Vec3::new(-1.0, 0.2, 0.0), Vec3::X).is_none());
    }
}
