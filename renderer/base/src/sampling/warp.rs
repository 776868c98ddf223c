//! Warps from the unit square `[0,1)²` to disks, hemispheres, spheres, cones and triangles, with densities.
//!
//! Directions are unit vectors around +z; their densities are per solid angle [1/sr]. All warps are continuous and
//! preserve stratification.

use std::f32::consts::{FRAC_PI_4, TAU};

use glam::{Vec2, Vec3};

use crate::math::{INV_PI, safe_sqrt, sqr};

/// A point of the unit disk, uniform by area.
#[inline]
pub fn disk(u: Vec2) -> Vec2 {
    disk_and_radius(u).0
}

/// A point of the unit disk, uniform by area, and its distance from the centre, which is known before the point.
// Shirley & Chiu 1997, "A Low Distortion Map Between Disk and Square".
#[inline(always)]
fn disk_and_radius(u: Vec2) -> (Vec2, f32) {
    let p = 2.0 * u - Vec2::ONE;
    // Two opposite quarters of the square each; the other two are their mirror images about the diagonal.
    let wide = p.x.abs() > p.y.abs();
    let (r, across) = if wide { (p.x, p.y) } else { (p.y, p.x) };
    if r == 0.0 {
        return (Vec2::ZERO, 0.0);
    }
    let (sin, cos) = sin_cos_octant(FRAC_PI_4 * (across / r));
    let point = if wide {
        Vec2::new(r * cos, r * sin)
    } else {
        Vec2::new(r * sin, r * cos)
    };
    (point, r.abs())
}

/// Density of [`disk`] per area.
pub fn disk_pdf() -> f32 {
    INV_PI
}

/// A direction of the upper hemisphere in proportion to the cosine of its angle to z.
// Malley's method: points of the disk, lifted to the sphere.
#[inline]
pub fn cosine_hemisphere(u: Vec2) -> Vec3 {
    let (p, r) = disk_and_radius(u);
    p.extend(safe_sqrt(1.0 - sqr(r)))
}

/// Density of [`cosine_hemisphere`] per solid angle at a direction whose z is `cos_theta`.
#[inline]
pub fn cosine_hemisphere_pdf(cos_theta: f32) -> f32 {
    cos_theta.max(0.0) * INV_PI
}

/// A direction of the upper hemisphere, uniform by solid angle.
pub fn uniform_hemisphere(u: Vec2) -> Vec3 {
    let (p, r) = disk_and_radius(u);
    let r2 = sqr(r);
    (p * safe_sqrt(2.0 - r2)).extend(1.0 - r2)
}

/// Density of [`uniform_hemisphere`] per solid angle.
pub fn uniform_hemisphere_pdf() -> f32 {
    0.5 * INV_PI
}

/// A direction of the sphere, uniform by solid angle.
pub fn uniform_sphere(u: Vec2) -> Vec3 {
    let z = 1.0 - 2.0 * u.y;
    from_z_phi(z, 4.0 * u.y * (1.0 - u.y), u.x)
}

/// Density of [`uniform_sphere`] per solid angle.
pub fn uniform_sphere_pdf() -> f32 {
    0.25 * INV_PI
}

/// A direction of the cone of directions within the angle θ of z, uniform by solid angle. The cone is given by
/// `one_minus_cos` = 1 − cos θ, in `(0,2]`: narrow cones have no digits left in cos θ.
pub fn uniform_cone(u: Vec2, one_minus_cos: f32) -> Vec3 {
    let h = u.y * one_minus_cos;
    from_z_phi(1.0 - h, h * (2.0 - h), u.x)
}

/// Density of [`uniform_cone`] per solid angle.
pub fn uniform_cone_pdf(one_minus_cos: f32) -> f32 {
    1.0 / (TAU * one_minus_cos)
}

/// Barycentric weights `(b1, b2)` of the second and third corner of a triangle, uniform by area.
// Heitz 2019, "A Low-Distortion Map Between Triangle and Square".
pub fn triangle(u: Vec2) -> Vec2 {
    if u.y > u.x {
        let x = u.x * 0.5;
        Vec2::new(x, u.y - x)
    } else {
        let y = u.y * 0.5;
        Vec2::new(u.x - y, y)
    }
}

/// Density of [`triangle`] per area, for a triangle of that `area`.
pub fn triangle_pdf(area: f32) -> f32 {
    1.0 / area
}

/// An index into weights `[1 - second, second]` and `u` rescaled to `[0,1)` for further use.
pub fn choose(u: f32, second: f32) -> (bool, f32) {
    let first = 1.0 - second;
    if u < first {
        (false, (u / first).min(crate::math::ONE_MINUS_EPSILON))
    } else {
        (true, ((u - first) / second).clamp(0.0, crate::math::ONE_MINUS_EPSILON))
    }
}

/// The unit vector of height `z`, sin² θ = `sin2` and azimuth 2π·`turn`.
fn from_z_phi(z: f32, sin2: f32, turn: f32) -> Vec3 {
    let r = safe_sqrt(sin2);
    let (sin, cos) = sin_cos_turn(turn);
    Vec3::new(r * cos, r * sin, z)
}

/// 1 − cos θ from sin² θ for θ in `[0, π/2]`, without cancellation.
pub fn one_minus_cos_from_sin2(sin2: f32) -> f32 {
    sin2 / (1.0 + safe_sqrt(1.0 - sin2))
}

/// The solid angle of the cone given as in [`uniform_cone`] in steradians.
pub fn cone_solid_angle(one_minus_cos: f32) -> f32 {
    TAU * one_minus_cos
}

/// The density of a direction from that of a point: `pdf_area` per area, at a distance whose square is
/// `distance_squared`, on a surface whose normal makes the angle of cosine `cos_theta` with the direction. Zero where the
/// surface is edge-on.
pub fn solid_angle_pdf(pdf_area: f32, distance_squared: f32, cos_theta: f32) -> f32 {
    let cos = cos_theta.abs();
    if sqr(cos) > 1e-14 { pdf_area * distance_squared / cos } else { 0.0 }
}

/// Sine and cosine of 2π·`turn` for `turn` in `[0,1]`: several times faster than the library's functions for any angle.
pub fn sin_cos_turn(turn: f32) -> (f32, f32) {
    let quarter = (4.0 * turn + 0.5).floor();
    let (sin, cos) = sin_cos_octant(TAU * (turn - 0.25 * quarter));
    match quarter as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Sine and cosine of an angle in `[-π/4, π/4]`, to the precision of `f32`.
// Minimax polynomials, of errors below 4·10⁻⁹.
fn sin_cos_octant(x: f32) -> (f32, f32) {
    let x2 = x * x;
    let sin = x * x2 * (-0.166_666_55 + x2 * (0.008_332_178 + x2 * -0.000_195_172_98));
    let cos = x2 * x2 * (0.041_666_646 + x2 * (-0.001_388_736_8 + x2 * 0.000_024_438_45));
    (x + sin, 1.0 - 0.5 * x2 + cos)
}
