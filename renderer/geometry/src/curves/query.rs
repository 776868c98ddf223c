//! Intersection of a ray with a primitive: rejects, splits until the piece is nearly straight, and solves.

use glam::{DVec3, DVec4};

use super::cubic::Cubic;
use super::oriented_ribbon::OrientedRibbon;
use super::piece::{CurveGeometry, Ends, Meeting, Piece, across_tangent};
use super::ray_frame::RayFrame;
use super::{CurveStyle, Curves, facing_ribbon, tube};
use crate::object_point::AreaPoint;

/// Halvings of a piece, at most: a strongly bent one is nearly straight after a few.
const MAX_DEPTH: u32 = 10;

/// Point of a curve that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CurveHit {
    /// Distance, in units of the direction of the ray.
    pub(crate) t: f64,
    /// Parameter of the segment, in `[0,1]`.
    pub(crate) s: f64,
}

/// Parameters of a query that all pieces of a segment share.
struct Query<'a> {
    style: CurveStyle,
    /// Coordinates along the ray between which hits count.
    near: f64,
    far: f64,
    /// Rounding of positions in world space `[m]`.
    rounding: f64,
    normals: Option<&'a Cubic>,
}

impl Curves {
    /// The first hit on a primitive between two distances in units of the direction. `rounding` bounds the distance
    /// between a hit and the origin of a ray that leaves it [m].
    pub(crate) fn intersect(
        &self,
        primitive: u32,
        frame: &RayFrame,
        [near, far]: [f64; 2],
        rounding: f64,
    ) -> Option<CurveHit> {
        let segment = primitive / self.pieces;
        let whole = self.cubic_in(frame, segment);
        let span = self.span(primitive);
        let cubic = if self.pieces == 1 { whole } else { whole.part(span) };
        let [near, far] = [near, far].map(|t| frame.coordinate(t));
        if is_missed(&cubic, near, far) {
            return None;
        }
        let normals = (self.set.style == CurveStyle::Flat).then(|| self.normal_cubic(segment, frame));
        let normals = normals.map(|normals| if self.pieces == 1 { normals } else { normals.part(span) });
        let query = Query {
            style: self.set.style,
            near,
            far,
            rounding,
            normals: normals.as_ref(),
        };
        let are_outer = [span[0] == 0.0, span[1] == 1.0];
        let ends = Ends { curves: self, segment, frame, are_outer };
        let found = query.meet(&cubic, ends, [0.0, 1.0], MAX_DEPTH)?;
        Some(CurveHit {
            t: frame.distance(found.z),
            s: span[0] + (span[1] - span[0]) * found.s,
        })
    }

    /// Returns whether a ray whose direction ends at a point of a primitive meets the primitive there: points inside bends
    /// are met by no ray.
    pub(crate) fn is_met_at(&self, primitive: u32, frame: &RayFrame, point: &AreaPoint) -> bool {
        /// Tolerance of the distance, in units of the radius.
        const TOLERANCE: f64 = 1e-3;
        let margin = TOLERANCE * point.radius / frame.coordinate(1.0) + 1e-12;
        self.intersect(primitive, frame, [1.0 - margin, 1.0 + margin], 0.0).is_some()
    }

    /// Normals of a segment in the frame of a ray.
    pub(super) fn normal_cubic(&self, segment: u32, frame: &RayFrame) -> Cubic {
        let first = self.segments[segment as usize] as usize;
        let count = self.set.basis.segment_points();
        let normal = |index: usize| {
            let index = first + index.min(count - 1);
            let n = match &self.motion {
                None => self.set.normals[index],
                Some(motion) => motion.normal(index, frame.time),
            };
            frame.vector(n.as_dvec3()).extend(0.0)
        };
        self.set.basis.cubic([0, 1, 2, 3].map(normal))
    }

    /// Returns whether the strand continues after a segment.
    pub(super) fn continues(&self, segment: usize) -> bool {
        let step = self.set.basis.step() as u32;
        // The control points of strands do not overlap.
        let next = self.segments.get(segment + 1);
        next.is_some_and(|&next| next - self.segments[segment] == step)
    }
}

impl Query<'_> {
    fn meet(&self, cubic: &Cubic, ends: Ends<'_>, span: [f64; 2], depth: u32) -> Option<Meeting> {
        if depth < MAX_DEPTH && is_missed(cubic, self.near, self.far) {
            return None;
        }
        let radius = cubic.max_radius();
        if depth == 0 || is_straight(cubic, radius) {
            let power = cubic.power();
            let piece = Piece { power, ends };
            let [near, far] = [self.near, self.far];
            let found = match self.normals {
                Some(normals) => {
                    let normals = normals.part(span).power();
                    OrientedRibbon { power, normals }.meet([near, far])
                }
                None if self.style == CurveStyle::Round => tube::meet(&piece, [near, far]),
                None => facing_ribbon::meet(&piece, [near, far], self.rounding),
            }?;
            let s = span[0] + (span[1] - span[0]) * found.s;
            return Some(Meeting { s, ..found });
        }
        let [first, second] = cubic.split();
        let middle = 0.5 * (span[0] + span[1]);
        let ends = ends.split();
        let a = self.meet(&first, ends[0], [span[0], middle], depth - 1);
        let far = a.map_or(self.far, |found| found.z);
        let rest = Query { far, ..*self };
        let b = rest.meet(&second, ends[1], [middle, span[1]], depth - 1);
        b.or(a)
    }
}

/// Returns whether the ray, the z axis from `near` to `far`, misses the hull of the Bézier points, enlarged by the
/// radius.
#[inline]
fn is_missed(Cubic(points): &Cubic, near: f64, far: f64) -> bool {
    let [a, b, c, d] = points;
    let radius = a.w.abs().max(b.w.abs()).max(c.w.abs()).max(d.w.abs());
    // Distances from the chord; the chord itself for straight pieces.
    let (x, y) = (d.x - a.x, d.y - a.y);
    let beside = |p: &DVec4| p.x * y - p.y * x;
    let reach = radius * (x * x + y * y).sqrt();
    let sides = [beside(a), beside(b), beside(c), beside(d)];
    let (low, high) = (
        sides[0].min(sides[1]).min(sides[2]).min(sides[3]),
        sides[0].max(sides[1]).max(sides[2]).max(sides[3]),
    );
    if low > reach || high < -reach {
        return true;
    }
    let outside =
        |a: f64, b: f64, c: f64, d: f64| a.min(b).min(c).min(d) > radius || a.max(b).max(c).max(d) < -radius;
    let (first, last) = (a.z.min(b.z).min(c.z).min(d.z), a.z.max(b.z).max(c.z).max(d.z));
    first - radius > far || last + radius < near || outside(a.x, b.x, c.x, d.x) || outside(a.y, b.y, c.y, d.y)
}

/// Returns whether a piece bends so little that a ray enters it once.
#[inline]
fn is_straight(Cubic([a, b, c, d]): &Cubic, radius: f64) -> bool {
    let (first, second) = (*a - *b * 2.0 + *c, *b - *c * 2.0 + *d);
    let bend = first.abs().max(second.abs());
    let across = bend.x.max(bend.y);
    let (x, y) = (d.x - a.x, d.y - a.y);
    let chord = x * x + y * y;
    let all = across.max(bend.z);
    if all <= 0.25 * radius {
        return true;
    }
    across * across <= 0.04 * chord && 12.0 * all * radius <= chord
}

impl Curves {
    /// Geometric data at a hit of the ray with this frame.
    pub(crate) fn geometry_at(&self, primitive: u32, frame: &RayFrame, hit: &CurveHit) -> CurveGeometry {
        let segment = primitive / self.pieces;
        let power = self.cubic_in(frame, segment).power();
        let (center, slope) = (power.at(hit.s), power.slope(hit.s));
        let tangent = slope.truncate().normalize_or(DVec3::X);
        let p = DVec3::new(0.0, 0.0, frame.coordinate(hit.t));
        let radius = center.w.abs();
        let facing = across_tangent(DVec3::NEG_Z, tangent);
        let side = facing.cross(tangent);
        let from_axis = p - center.truncate();
        let found = match self.set.style {
            CurveStyle::Round => {
                let n = from_axis.try_normalize().unwrap_or(facing);
                let across = n.cross(tangent).try_normalize().unwrap_or(side);
                CurveGeometry {
                    p: center.truncate() + n * radius,
                    n,
                    along: slope.truncate(),
                    across: across * radius,
                    offset: n.dot(side),
                    radius,
                }
            }
            CurveStyle::Ribbon => CurveGeometry {
                p,
                n: facing,
                along: slope.truncate(),
                across: side * radius,
                offset: from_axis.dot(side) / radius,
                radius,
            },
            CurveStyle::Flat => {
                let normals = self.normal_cubic(segment, frame).power();
                OrientedRibbon { power, normals }.geometry(p, hit.s)
            }
        };
        let to_object = |v: DVec3| frame.object_vector(v);
        let n = to_object(found.n);
        let along = to_object(found.along);
        CurveGeometry {
            p: frame.object_point(found.p),
            n,
            along: along - n * n.dot(along),
            across: to_object(found.across),
            offset: found.offset.clamp(-1.0, 1.0),
            radius: found.radius,
        }
    }

    /// Centre and derivative of the curve at a parameter of a primitive, in `[0,1]`, and at a time of the shutter interval.
    pub(crate) fn center(&self, primitive: u32, part: f32, time: f32) -> (DVec4, DVec4) {
        let [from, to] = self.span(primitive);
        let s = from + (to - from) * f64::from(part);
        let power = self.cubic_at(primitive / self.pieces, time, DVec4::from).power();
        (power.at(s), power.slope(s))
    }
}
