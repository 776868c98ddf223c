//! Ribbons that face the ray: the points nearest to the ray, within the radius.
//!
//! A ribbon faces each ray anew, so that a ray that leaves it could meet it again. Only rays that come from outside its
//! tube meet it.

use super::piece::{End, Meeting, Piece};
use super::tube::nearest;

/// The point of the ribbon between two coordinates along the ray. `rounding` bounds the rounding of the ray's origin.
pub(super) fn meet(piece: &Piece<'_>, [near, far]: [f64; 2], rounding: f64) -> Option<Meeting> {
    /// Relative rounding of the growth at the ends, by which adjacent pieces overlap.
    const OVERLAP: f64 = 1e-9;
    /// Distance from the point up to which the tube counts as straight, in lengths of the piece.
    const MAX_STEPS: f64 = 4.0;
    let s = nearest(piece);
    let (v, slope) = (piece.power.at(s), piece.power.slope(s));
    let chord = v.w * v.w - v.x * v.x - v.y * v.y;
    let is_within = chord >= 0.0 && v.z > near && v.z < far;
    if !is_within {
        return None;
    }
    let growth = v.w * slope.w - v.x * slope.x - v.y * slope.y;
    if s == 0.0 || s == 1.0 {
        let is_level = growth.abs() <= OVERLAP * v.w * slope.abs().element_sum();
        let belongs = is_level
            || match piece.ends.end(s as usize) {
                End::Open | End::Joint => false,
                End::Corner(next) => v.w * next.w - v.x * next.x - v.y * next.y <= 0.0,
            };
        if !belongs {
            return None;
        }
    }
    // The nearest sphere to the origin of the ray, on the straight line through the point, enlarged by rounding.
    let (radius, center, along) = (v.w * (1.0 + 1e-6) + rounding, v.truncate(), slope.truncate());
    let steps = (radius * slope.w - center.dot(along)) / (along.length_squared() - slope.w * slope.w);
    let steps = steps.clamp(-MAX_STEPS, MAX_STEPS);
    let gap = (center + along * steps).length_squared() - square(radius + slope.w * steps);
    (gap > 0.0 || steps.is_nan()).then_some(Meeting { z: v.z, s })
}

fn square(x: f64) -> f64 {
    x * x
}
