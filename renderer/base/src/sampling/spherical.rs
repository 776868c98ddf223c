//! Solid-angle sampling of spherical rectangles (Ureña et al.) and spherical triangles (Arvo).
//!
//! - The density is the reciprocal of the solid angle [1/sr], which has a relative error of a few roundings however small
//!   it is.
//! - Points have an error of about 10⁻⁷ over the solid angle, as a share of the shape's size: small shapes are better
//!   sampled by area.
//! - Sines and cosines of angles are found without the angles where that is possible: arc functions are slow, and lose
//!   digits.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::{Vec2, Vec3};

use super::warp::sin_cos_turn;
use crate::math::{INV_PI, safe_sqrt, sqr};

/// Solid angle [sr] below which lights are sampled by area, which costs 100 ns less at nearly the same variance. (In a
/// Cornell box, a third of this limit costs a quarter more time for 1 % less error.)
pub const MIN_SOLID_ANGLE: f32 = 0.1;

/// A rectangle as seen from the origin of axes along its sides and its normal.
// Ureña, Fajardo & King 2013, "An Area-Preserving Parametrization for Spherical Rectangles". Here the solid angle to the
// left of x is asin(b1 c) − asin(b0 c), where c, b0 and b1 are the sines of the angles that x and the ends of y span; the
// law of cosines inverts it.
#[derive(Clone, Copy, Debug)]
pub struct SphericalRectangle {
    /// Half the solid angle [sr].
    half: f32,
    /// The corner with the least coordinates, over its distance.
    low: Vec2,
    /// The sides, over the distance of that corner.
    size: Vec2,
    /// Distance of the plane, over that of the corner.
    z: f32,
    /// Distance of the corner at the least x and the greatest y, over that of the first.
    upper: f32,
}

impl SphericalRectangle {
    /// The rectangle that fills `[0,size.x] × [0,size.y]` from the corner `low` on, in a plane at the distance `z` > 0.
    #[inline]
    pub fn new(low: Vec2, size: Vec2, z: f32) -> SphericalRectangle {
        let scale = (low.length_squared() + sqr(z)).sqrt().recip();
        let (low, size, z) = (low * scale, size * scale, z * scale);
        let (high, z2) = (low + size, sqr(z));
        let (x2, y2) = (Vec2::new(sqr(low.x), sqr(high.x)), Vec2::new(sqr(low.y), sqr(high.y)));
        let [right, opposite, upper] = [x2.y + y2.x, x2.y + y2.y, x2.x + y2.y].map(|r2| (r2 + z2).sqrt());
        // The halves to both sides of the diagonal from the first corner, whose distance is 1.
        let (along_x, along_y) = (low.x * high.x, low.y * high.y);
        let across = along_x + along_y + z2;
        let volume = z * size.x * size.y;
        let first =
            right * opposite + (along_x + y2.x + z2) * opposite + across * right + (x2.y + along_y + z2);
        let second =
            opposite * upper + across * upper + (x2.x + along_y + z2) * opposite + (along_x + y2.y + z2);
        SphericalRectangle {
            half: angle(first * second - sqr(volume), volume * (first + second)),
            low,
            size,
            z,
            upper,
        }
    }

    /// The solid angle [sr].
    #[inline]
    pub fn solid_angle(&self) -> f32 {
        2.0 * self.half
    }

    /// The point that `u` in `[0,1)²` chooses, as a share of the sides.
    #[inline]
    pub fn sample(&self, u: Vec2) -> Vec2 {
        let (low, size, z) = (self.low, self.size, self.z);
        let (y0, y1) = (low.y, low.y + size.y);
        let z2 = sqr(z);
        let [rx, ry0, ry1] = [low.x, y0, y1].map(|v| (sqr(v) + z2).sqrt());

        // The angle T to the left of x = low.x; the angle of the choice is farther by a share of the solid angle.
        let (b0, b1, c0) = (y0 / ry0, y1 / ry1, low.x / rx);
        let per_height = (ry0 * ry1).recip();
        let per_corner = per_height / rx;
        let sin0 = c0 * z * per_corner * difference(y0, y1, size.y, (1.0, self.upper), sqr(rx));
        let cos0 = z2 * self.upper * per_corner / rx + b0 * b1 * sqr(c0);
        let (sin_more, cos_more) = sin_cos_turn(u.x * self.half * INV_PI);
        let sin = sin0 * cos_more + cos0 * sin_more;
        let cos = cos0 * cos_more - sin0 * sin_more;

        let one_minus_cos = if cos > 0.0 { sqr(sin) / (1.0 + cos) } else { 1.0 - cos };
        let rise = difference(y0, y1, size.y, (ry0, ry1), z2) * per_height;
        let c2 = sqr(sin) / (sqr(rise) + 2.0 * b0 * b1 * one_minus_cos).max(f32::MIN_POSITIVE);
        let x = z * (c2 / (1.0 - c2).max(f32::MIN_POSITIVE)).sqrt().copysign(sin);
        let x = x.clamp(low.x, low.x + size.x);

        // Along y the solid angle grows as the sine of the elevation.
        let d2 = sqr(x) + z2;
        let [h0, h1] = [y0, y1].map(|y| y / (d2 + sqr(y)).sqrt());
        let h = h0 + u.y * (h1 - h0);
        let y = h * (d2 / (1.0 - sqr(h)).max(f32::MIN_POSITIVE)).sqrt();
        (Vec2::new(x - low.x, y - y0) / size).clamp(Vec2::ZERO, Vec2::ONE)
    }
}

/// y1 r0 − y0 r1 without cancellation, where y1 − y0 = `height` and the squares of the `r` are those of the `y` and `rest`.
#[inline(always)]
fn difference(y0: f32, y1: f32, height: f32, (r0, r1): (f32, f32), rest: f32) -> f32 {
    if y0 * y1 > 0.0 {
        height * (y0 + y1) * rest / (y1 * r0 + y0 * r1)
    } else {
        y1 * r0 - y0 * r1
    }
}

/// A triangle as seen from the origin.
#[derive(Clone, Copy, Debug)]
pub struct SphericalTriangle {
    /// Half the solid angle [sr].
    half: f32,
    /// The first corner and the edges that begin there.
    p: Vec3,
    edges: [Vec3; 2],
    /// Distances of the corners.
    lengths: [f32; 3],
}

impl SphericalTriangle {
    /// The triangle of the corners `p`, `p + edges[0]` and `p + edges[1]`, the origin being at the distance
    /// `height` > 0 from its plane.
    // Van Oosterom & Strackee 1983, "The Solid Angle of a Plane Triangle".
    #[inline]
    pub fn new(p: Vec3, edges: [Vec3; 2], area: f32, height: f32) -> SphericalTriangle {
        let (b, c) = (p + edges[0], p + edges[1]);
        let lengths = [p, b, c].map(Vec3::length);
        let [la, lb, lc] = lengths;
        // Over the first distance cubed, which keeps the numbers in range.
        let per = sqr(la.recip());
        let cosines = lb * lc * per + (p.dot(b) * lc + p.dot(c) * lb) * (per / la) + b.dot(c) * per;
        SphericalTriangle {
            half: angle(cosines, 2.0 * area * height * (per / la)),
            p,
            edges,
            lengths,
        }
    }

    /// The solid angle [sr].
    #[inline]
    pub fn solid_angle(&self) -> f32 {
        2.0 * self.half
    }

    /// The weights of the second and third corner of the point that `u` in `[0,1)²` chooses.
    #[inline]
    pub fn barycentric(&self, u: Vec2) -> Vec2 {
        let w = self.direction(u);
        let [edge1, edge2] = self.edges;
        // The volumes between the direction and two corners each, of which the sum is that between it and the edges.
        let of_second = w.dot(edge2.cross(self.p));
        let of_third = w.dot(self.p.cross(edge1));
        let b = Vec2::new(of_second, of_third) / w.dot(edge1.cross(edge2));
        let b = b.max(Vec2::ZERO);
        b / (b.x + b.y).max(1.0)
    }

    /// The direction that `u` chooses.
    // Arvo 1995, "Stratified Sampling of Spherical Triangles". With half-angle tangents (Todhunter 1886, "Spherical
    // Trigonometry", article 103: tan E/2 = tan a/2 tan b/2 sin C / (1 + tan a/2 tan b/2 cos C)) no angle but the solid
    // angle is needed.
    #[inline]
    fn direction(&self, u: Vec2) -> Vec3 {
        let [la, lb, lc] = self.lengths;
        let a = self.p / la;
        let b = (self.p + self.edges[0]) / lb;
        let across = |edge: Vec3, length: f32| (edge - a * edge.dot(a)) / length;
        let (to_b, to_c) = (across(self.edges[0], lb), across(self.edges[1], lc));
        let (sin_b, sin_c) = (to_b.length(), to_c.length());
        let per = (sin_b * sin_c).recip();
        let (sin_alpha, cos_alpha) = (to_b.cross(to_c).length() * per, to_b.dot(to_c) * per);
        // Half the arc from the first corner to the second, by its tangent.
        let half_b = sin_b / (1.0 + a.dot(b));

        // The point of the arc from the first corner to the third, which splits off the chosen share.
        let (sin, cos) = sin_cos_turn(0.5 * INV_PI * u.x * self.half);
        let (numerator, denominator) = (sin, half_b * (sin_alpha * cos - cos_alpha * sin));
        let scale = (sqr(numerator) + sqr(denominator)).recip();
        let (sin_arc, one_minus_cos_arc) =
            (2.0 * numerator * denominator * scale, 2.0 * sqr(numerator) * scale);
        let d = a + to_c * (sin_arc / sin_c) - a * one_minus_cos_arc;

        // A point of the arc from the second corner to that.
        let chord = d - b;
        let h = u.y * 0.5 * chord.length_squared();
        let tangent = (chord - b * chord.dot(b)).normalize_or_zero();
        b * (1.0 - h) + tangent * safe_sqrt(h * (2.0 - h))
    }
}

/// The angle in `[0,π]` between the x axis and the point (x, y), where y ≥ 0.
// A minimax polynomial of atan t / t on [0, tan² π/8], of relative error 2·10⁻⁸.
#[inline]
fn angle(x: f32, y: f32) -> f32 {
    const TAN_EIGHTH: f32 = 0.414_213_57;
    let (min, max) = if x.abs() < y { (x.abs(), y) } else { (y, x.abs()) };
    // Below and above a sixteenth of a turn.
    let low = min <= TAN_EIGHTH * max;
    let t = if low { min / max } else { (min - max) / (min + max) };
    let t2 = t * t;
    let series = -0.333_329_5 + t2 * (0.199_777_1 + t2 * (-0.138_776_77 + t2 * 0.080_537_17));
    let arc = t + t * t2 * series;
    let arc = if low { arc } else { FRAC_PI_4 + arc };
    let arc = if x.abs() < y { FRAC_PI_2 - arc } else { arc };
    if x < 0.0 { PI - arc } else { arc }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_have_all_their_digits() {
        for i in 0..=4000 {
            let exact = f64::from(i) / 4000.0 * std::f64::consts::PI;
            let (x, y) = (exact.cos() as f32, exact.sin() as f32);
            let exact = f64::from(y).atan2(f64::from(x));
            let found = f64::from(angle(x * 3e7, y.max(0.0) * 3e7));
            assert!((found - exact).abs() <= 3e-7 * exact + 1e-12, "{found} is not {exact}");
        }
        assert_eq!(angle(1.0, 0.0), 0.0);
    }
}
