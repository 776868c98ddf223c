//! Ribbons across the normals of their control points: ruled surfaces c(s) + v r(s) b(s), b the unit vector across the
//! normal and the tangent.

use glam::DVec3;

use super::cubic::Power;
use super::piece::{CurveGeometry, Meeting, across_tangent};
use super::root::{ValueSlope, root};

/// A piece of a ribbon in the frame of a ray.
pub(super) struct OrientedRibbon {
    pub(super) power: Power,
    pub(super) normals: Power,
}

impl OrientedRibbon {
    /// The vector across at a parameter, and its derivative.
    fn across(&self, s: f64) -> (DVec3, DVec3) {
        let [tangent, bend] = [self.power.slope(s), self.power.curvature(s)].map(|v| v.truncate());
        let [normal, turn] = [self.normals.at(s), self.normals.slope(s)].map(|v| v.truncate());
        (normal.cross(tangent), turn.cross(tangent) + normal.cross(bend))
    }

    /// Volume that the ray spans with the way to the curve and the vector across: zero where the ray meets the line
    /// across the curve.
    fn volume(&self, s: f64) -> ValueSlope {
        let (c, a) = (self.power.at(s), self.power.slope(s));
        let (b, change) = self.across(s);
        ValueSlope {
            value: c.x * b.y - c.y * b.x,
            slope: a.x * b.y - a.y * b.x + c.x * change.y - c.y * change.x,
        }
    }

    /// The first point of the ribbon between two coordinates along the ray.
    pub(super) fn meet(&self, [near, mut far]: [f64; 2]) -> Option<Meeting> {
        /// Intervals that are searched for a change of sign.
        const INTERVALS: u32 = 4;
        let mut found = None;
        let mut last = (0.0, self.volume(0.0).value);
        for step in 1..=INTERVALS {
            let s = f64::from(step) / f64::from(INTERVALS);
            let value = self.volume(s).value;
            let (low, before) = std::mem::replace(&mut last, (s, value));
            // Each end belongs to one interval.
            if (before < 0.0) == (value < 0.0) {
                continue;
            }
            let sign = if before < 0.0 { 1.0 } else { -1.0 };
            let start = low + (s - low) * before / (before - value);
            let s = root([low, s], start, |s| {
                let found = self.volume(s);
                ValueSlope { value: sign * found.value, slope: sign * found.slope }
            });
            if let Some(z) = self.coordinate(s).filter(|&z| z > near && z < far) {
                far = z;
                found = Some(Meeting { z, s });
            }
        }
        found
    }

    /// Coordinate along the ray where the volume is zero; `None` outside the ribbon.
    fn coordinate(&self, s: f64) -> Option<f64> {
        let c = self.power.at(s);
        let b = self.across(s).0.try_normalize()?;
        let offset = -(c.x * b.x + c.y * b.y) / (b.x * b.x + b.y * b.y);
        (offset.abs() <= c.w.abs()).then_some(c.z + offset * b.z)
    }

    /// The point at an offset across the curve, in `[-1,1]`.
    pub(super) fn point(&self, s: f64, offset: f64) -> DVec3 {
        let c = self.power.at(s);
        c.truncate() + self.across(s).0.normalize_or_zero() * (offset * c.w.abs())
    }

    /// Geometric data at the point `p` on the line across the curve at `s`, in the frame of the ray.
    pub(super) fn geometry(&self, p: DVec3, s: f64) -> CurveGeometry {
        let (c, a) = (self.power.at(s), self.power.slope(s));
        let (b, change) = self.across(s);
        let length = b.length();
        let tangent = a.truncate().normalize_or(DVec3::X);
        let side = b.try_normalize().unwrap_or_else(|| tangent.any_orthonormal_vector());
        let turn = (change - side * side.dot(change)) / length;
        let radius = c.w.abs();
        let offset = (p - c.truncate()).dot(side) / radius;
        let along = a.truncate() + (side * a.w + turn * radius) * offset;
        let normal = along.cross(side).try_normalize();
        CurveGeometry {
            p,
            n: normal.unwrap_or_else(|| across_tangent(DVec3::NEG_Z, tangent)),
            along,
            across: side * radius,
            offset,
            radius,
        }
    }
}
