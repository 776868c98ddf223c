//! Round tubes: the envelope of the spheres about the points of a curve.
//!
//! In the frame of the ray, the sphere at the parameter s is entered at z − √(r² − x² − y²). The tube is entered at the
//! minimum of this over s, and left at the maximum of z + √(r² − x² − y²); a bend of the curve cannot open the surface.

use glam::DVec4;

use super::piece::{End, Meeting, Piece};
use super::root::{ValueSlope, root};

/// Rounding of derivatives relative to their terms, by which adjacent pieces overlap.
const OVERLAP: f64 = 1e-9;

/// Position, radius and derivatives at a parameter.
struct Sphere {
    v: DVec4,
    slope: DVec4,
    curvature: DVec4,
}

impl Sphere {
    #[inline]
    fn at(piece: &Piece<'_>, s: f64) -> Sphere {
        let power = &piece.power;
        Sphere {
            v: power.at(s),
            slope: power.slope(s),
            curvature: power.curvature(s),
        }
    }

    /// Square of half the chord of the ray in the sphere.
    #[inline]
    fn chord(&self) -> f64 {
        let v = self.v;
        v.w * v.w - v.x * v.x - v.y * v.y
    }

    /// Half the derivative of `chord`, and its derivative.
    #[inline]
    fn growth(&self) -> ValueSlope {
        let Sphere { v, slope: a, curvature: b } = self;
        ValueSlope {
            value: v.w * a.w - v.x * a.x - v.y * a.y,
            slope: a.w * a.w + v.w * b.w - a.x * a.x - v.x * b.x - a.y * a.y - v.y * b.y,
        }
    }

    /// Derivative of the coordinate of the sphere's entry, times the root of the chord; of the negated exit if `side`
    /// is −1.
    #[inline]
    fn descent(&self, side: f64) -> ValueSlope {
        let half = self.chord().max(0.0).sqrt();
        let growth = self.growth();
        let change = if half > 0.0 {
            self.slope.z * growth.value / half
        } else {
            f64::INFINITY
        };
        ValueSlope {
            value: side * self.slope.z * half - growth.value,
            slope: side * (self.curvature.z * half + change) - growth.slope,
        }
    }

    /// Magnitude of the terms of `descent`.
    #[inline]
    fn magnitude(&self) -> f64 {
        let slope = self.slope.abs();
        (slope.x + slope.y + slope.z + slope.w) * self.v.w.abs()
    }
}

/// Parameter of the largest chord of the ray in the spheres of a piece, at an end or inside.
#[inline]
pub(super) fn nearest(piece: &Piece<'_>) -> f64 {
    let growth = |s: f64| Sphere::at(piece, s).growth();
    let (first, last) = (growth(0.0).value, growth(1.0).value);
    match (first > 0.0, last < 0.0) {
        (true, true) => {
            let decreasing = |s: f64| {
                let found = growth(s);
                ValueSlope { value: -found.value, slope: -found.slope }
            };
            root([0.0, 1.0], first / (first - last), decreasing)
        }
        (true, false) => 1.0,
        (false, true) => 0.0,
        // The chord is largest at an end.
        (false, false) => {
            let chord = |s: f64| Sphere::at(piece, s).chord();
            if chord(0.0) >= chord(1.0) { 0.0 } else { 1.0 }
        }
    }
}

/// The first point of the tube between two coordinates along the ray.
pub(super) fn meet(piece: &Piece<'_>, [near, far]: [f64; 2]) -> Option<Meeting> {
    let peak = nearest(piece);
    let widest = Sphere::at(piece, peak);
    let chord = widest.chord();
    if chord <= 0.0 || chord.is_nan() {
        return None;
    }
    [1.0, -1.0].into_iter().find_map(|side| {
        let s = extremum(piece, peak, &widest, side)?;
        let sphere = Sphere::at(piece, s);
        let half = sphere.chord().max(0.0).sqrt();
        let z = sphere.v.z - side * half;
        (z > near && z < far).then_some(Meeting { z, s })
    })
}

/// Parameter of the sphere at which the ray enters the tube, or leaves it if `side` is −1; `None` if another piece
/// contains the point.
fn extremum(piece: &Piece<'_>, peak: f64, widest: &Sphere, side: f64) -> Option<f64> {
    let descent = widest.descent(side).value;
    let rises = descent > 0.0;
    let end = if rises { 0.0 } else { 1.0 };
    let sphere = Sphere::at(piece, end);
    let at_end = sphere.descent(side).value;
    let is_inside = sphere.chord() > 0.0;
    if is_inside && (if rises { at_end >= 0.0 } else { at_end <= 0.0 }) {
        let belongs = match piece.ends.end(end as usize) {
            End::Open => true,
            End::Joint => at_end.abs() <= OVERLAP * sphere.magnitude(),
            End::Corner(next) => {
                let half = sphere.chord().max(0.0).sqrt();
                let v = sphere.v;
                // The sphere of the next segment does not grow over the point.
                -v.x * next.x - v.y * next.y - side * half * next.z + v.w * next.w <= 0.0
            }
        };
        return belongs.then_some(end);
    }
    if descent == 0.0 {
        return Some(peak);
    }
    // For a straight cylinder, this is the solution.
    let slope = widest.slope.truncate();
    let across = slope.truncate().length();
    let start = peak - side * slope.z * widest.chord().sqrt() / (across * slope.length());
    let bracket = if rises { [0.0, peak] } else { [peak, 1.0] };
    let start = if start > bracket[0] && start < bracket[1] {
        start
    } else {
        0.5 * (bracket[0] + bracket[1])
    };
    let outside = if rises { -1.0 } else { 1.0 };
    Some(root(bracket, start, |s| {
        let sphere = Sphere::at(piece, s);
        if sphere.chord() > 0.0 {
            sphere.descent(side)
        } else {
            ValueSlope { value: outside, slope: 0.0 }
        }
    }))
}
