//! Analytic surfaces (sphere, disk, cylinder, cone) in object space: intersection, parametrisation and sampling. The
//! arithmetic is `f64`, so that rays from far away hit small shapes precisely.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3, Vec2};

use renderer_base::math::{atan2, sin_cos};

/// A surface in closed form, in object space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Analytic {
    /// The unit sphere about the origin. u runs about z from +x towards +y, v from the pole at −z to that at +z.
    Sphere,
    /// The unit disk in the xy plane, normal +z. u is the radius, v runs about z from +x towards +y.
    Disk,
    /// The unit cylinder about z, z in `[0,1]`, without caps, normal outward. u runs about z, v is z.
    Cylinder,
    /// The cone about z from the unit circle at z = 0 to a circle of this radius, in `[0,1)`, at z = 1; without caps, normal
    /// outward. u runs about z, v is z.
    Cone(f32),
}

/// Surface point with its derivatives, object space.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalPoint {
    pub(super) p: DVec3,
    /// Unit length.
    pub(super) n: DVec3,
    pub(super) uv: Vec2,
    pub(super) dpdu: DVec3,
    pub(super) dpdv: DVec3,
}

impl Analytic {
    /// The smallest hit distance in `(t_min, t_max)`, in units of `direction`.
    pub fn intersect(self, origin: DVec3, direction: DVec3, t_min: f64, t_max: f64) -> Option<f64> {
        // NaN fails these comparisons.
        let inside = |t: f64| t > t_min && t < t_max;
        match self {
            Analytic::Sphere => {
                let a = direction.length_squared();
                let middle = -origin.dot(direction) / a;
                let h = half_chord((origin + direction * middle).length_squared(), a)?;
                [middle - h, middle + h].into_iter().find(|&t| inside(t))
            }
            Analytic::Disk => {
                let t = -origin.z / direction.z;
                let p = origin + direction * t;
                (inside(t) && p.truncate().length_squared() <= 1.0).then_some(t)
            }
            Analytic::Cylinder => {
                let (o, d) = (origin.truncate(), direction.truncate());
                let a = d.length_squared();
                let middle = -o.dot(d) / a;
                let h = half_chord((o + d * middle).length_squared(), a)?;
                let on_wall = |t: f64| (0.0..=1.0).contains(&(origin.z + t * direction.z));
                [middle - h, middle + h].into_iter().find(|&t| inside(t) && on_wall(t))
            }
            Analytic::Cone(top) => {
                // Distances are measured from the point closest to the middle, as for the sphere.
                let middle = -(origin - DVec3::Z * 0.5).dot(direction) / direction.length_squared();
                let near = origin + direction * middle;
                let on_wall = |t: f64| (0.0..=1.0).contains(&(near.z + t * direction.z));
                let roots = cone_roots(near, direction, slope(top))?;
                roots
                    .into_iter()
                    .find(|&t| on_wall(t) && inside(middle + t))
                    .map(|t| middle + t)
            }
        }
    }

    /// Identifier of the surface in hashes.
    pub fn hash_id(self) -> i32 {
        match self {
            Analytic::Sphere => 1,
            Analytic::Disk => 2,
            Analytic::Cylinder => 3,
            Analytic::Cone(top) => i32::MIN | top.to_bits() as i32,
        }
    }

    /// Surface area.
    pub fn area(self) -> f64 {
        match self {
            Analytic::Sphere => 4.0 * PI,
            Analytic::Disk => PI,
            Analytic::Cylinder => TAU,
            Analytic::Cone(top) => PI * (1.0 + f64::from(top)) * (1.0 + slope(top).powi(2)).sqrt(),
        }
    }

    /// The point at surface parameters `uv`.
    pub(super) fn at_uv(self, uv: DVec2) -> DVec3 {
        match self {
            Analytic::Sphere => {
                let (sin_theta, cos_theta) = sin_cos(PI * uv.y);
                (about_z(uv.x) * sin_theta).extend(-cos_theta)
            }
            Analytic::Disk => (about_z(uv.y) * uv.x).extend(0.0),
            Analytic::Cylinder => about_z(uv.x).extend(uv.y),
            Analytic::Cone(top) => (about_z(uv.x) * (1.0 - slope(top) * uv.y)).extend(uv.y),
        }
    }

    /// Equal-area map from the unit square to the surface.
    pub(super) fn sample(self, u: DVec2) -> DVec3 {
        match self {
            Analytic::Sphere => {
                let z = 1.0 - 2.0 * u.y;
                (about_z(u.x) * (1.0 - z * z).max(0.0).sqrt()).extend(z)
            }
            Analytic::Disk => (about_z(u.y) * u.x.sqrt()).extend(0.0),
            Analytic::Cylinder => about_z(u.x).extend(u.y),
            Analytic::Cone(top) => {
                // The area below a height is in proportion to z − k z² / 2.
                let k = slope(top);
                let part = u.y * (1.0 - 0.5 * k);
                let z = 2.0 * part / (1.0 + (1.0 - 2.0 * k * part).max(0.0).sqrt());
                self.at_uv(DVec2::new(u.x, z))
            }
        }
    }

    /// Position, normal and derivatives at the surface point nearest to `p`.
    pub(super) fn local_point(self, p: DVec3) -> LocalPoint {
        match self {
            Analytic::Sphere => {
                let n = p.try_normalize().unwrap_or(DVec3::Z);
                let radius = n.truncate().length();
                // From the pole at −z; `atan2` is precise near both poles, unlike `acos`.
                let v = atan2(radius, -n.z) / PI;
                let dpdu = DVec3::new(-n.y, n.x, 0.0) * TAU;
                let dpdv = (n.truncate() / radius * n.z).extend(-radius) * -PI;
                LocalPoint { p: n, n, uv: uv(turn(n), v), dpdu, dpdv }
            }
            Analytic::Disk => {
                let p = p.with_z(0.0);
                let radius = p.truncate().length();
                let dpdv = DVec3::new(-p.y, p.x, 0.0) * TAU;
                LocalPoint {
                    p,
                    n: DVec3::Z,
                    uv: uv(radius, turn(p)),
                    dpdu: p / radius,
                    dpdv,
                }
            }
            Analytic::Cylinder => {
                let n = p.truncate().try_normalize().unwrap_or(DVec2::X).extend(0.0);
                let z = p.z.clamp(0.0, 1.0);
                let dpdu = DVec3::new(-n.y, n.x, 0.0) * TAU;
                LocalPoint { p: n.with_z(z), n, uv: uv(turn(n), z), dpdu, dpdv: DVec3::Z }
            }
            Analytic::Cone(top) => {
                let k = slope(top);
                let across = p.truncate().try_normalize().unwrap_or(DVec2::X);
                let z = (p.z - k * (p.truncate().length() - 1.0)) / (1.0 + k * k);
                let z = z.clamp(0.0, 1.0);
                let radius = 1.0 - k * z;
                LocalPoint {
                    p: (across * radius).extend(z),
                    n: across.extend(k).normalize(),
                    uv: uv(turn(across.extend(0.0)), z),
                    dpdu: DVec3::new(-across.y, across.x, 0.0) * (TAU * radius),
                    dpdv: (across * -k).extend(1.0),
                }
            }
        }
    }

    /// Fraction of the area below the height `v` of a cylinder or cone.
    pub fn area_below(self, v: f32) -> f32 {
        match self {
            Analytic::Sphere | Analytic::Disk | Analytic::Cylinder => v,
            Analytic::Cone(top) => {
                let k = 1.0 - top;
                v * (1.0 - 0.5 * k * v) / (1.0 - 0.5 * k)
            }
        }
    }
}

/// Decrease of the radius of a cone from z = 0 to z = 1.
pub(super) fn slope(top: f32) -> f64 {
    1.0 - f64::from(top)
}

/// Distances, ascending, at which a line meets the infinite cone x² + y² = (1 − k z)².
fn cone_roots(origin: DVec3, direction: DVec3, k: f64) -> Option<[f64; 2]> {
    let (o, d) = (origin.truncate(), direction.truncate());
    let (radius, change) = (1.0 - k * origin.z, -k * direction.z);
    let a = d.length_squared() - change * change;
    let b = o.dot(d) - radius * change;
    let c = o.length_squared() - radius * radius;
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    // Without cancellation: Press et al. 2007, "Numerical Recipes", section 5.6. Parallel to the wall, `a` is 0.
    let q = -(b + discriminant.sqrt().copysign(b));
    let [first, second] = [c / q, q / a];
    Some(match first <= second || second.is_nan() {
        true => [first, second],
        false => [second, first],
    })
}

/// Half the length of the chord that a line cuts out of the unit circle, in units of its direction: `closest` is the
/// square of its distance from the centre, `a` that of its direction's length.
// Measuring from the closest point avoids the cancellation of the textbook's b² − 4ac; Haines et al. 2019, "Precision
// Improvements for Ray/Sphere Intersection", Ray Tracing Gems ch. 7.
fn half_chord(closest: f64, a: f64) -> Option<f64> {
    let square = (1.0 - closest) / a;
    (square >= 0.0).then(|| square.sqrt())
}

/// The unit vector at `turns` turns about z.
fn about_z(turns: f64) -> DVec2 {
    let (sin, cos) = sin_cos(TAU * turns);
    DVec2::new(cos, sin)
}

/// The turns about z, in `[0,1)`, of a vector.
fn turn(p: DVec3) -> f64 {
    let turns = atan2(p.y, p.x) / TAU;
    if turns < 0.0 { turns + 1.0 } else { turns }
}

fn uv(u: f64, v: f64) -> Vec2 {
    DVec2::new(u, v).as_vec2()
}
