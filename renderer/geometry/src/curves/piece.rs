//! Pieces of segments in the frame of a ray, with their ends; solutions on them.

use glam::{DVec3, DVec4};

use super::Curves;
use super::cubic::Power;
use super::ray_frame::RayFrame;

/// End of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// The next piece continues with the same tangent, or covers the end.
    Joint,
    /// The next segment begins with this derivative, another tangent.
    Corner(DVec4),
    /// End of the strand.
    Open,
}

/// Nearly straight piece in the frame of a ray.
pub(super) struct Piece<'a> {
    pub(super) power: Power,
    pub(super) ends: Ends<'a>,
}

/// Ends of a piece, found when they are asked for.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub(super) curves: &'a Curves,
    pub(super) segment: u32,
    pub(super) frame: &'a RayFrame,
    /// True where the piece ends with its segment.
    pub(super) are_outer: [bool; 2],
}

impl Ends<'_> {
    /// The first or the last end.
    pub(super) fn end(&self, which: usize) -> End {
        if !self.are_outer[which] {
            return End::Joint;
        }
        let (curves, index) = (self.curves, self.segment as usize);
        if which == 0 {
            return if index > 0 && curves.continues(index - 1) {
                End::Joint
            } else {
                End::Open
            };
        }
        match curves.continues(index) {
            false => End::Open,
            true if curves.set.basis.is_smooth() => End::Joint,
            true => {
                let next = curves.cubic_in(self.frame, self.segment + 1);
                End::Corner(next.power().slope(0.0))
            }
        }
    }

    /// Ends of both halves.
    pub(super) fn split(self) -> [Self; 2] {
        let [first, last] = self.are_outer;
        [[first, false], [false, last]].map(|are_outer| Ends { are_outer, ..self })
    }
}

/// Solution on a piece: coordinate along the ray, parameter of the piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) z: f64,
    pub(super) s: f64,
}

/// Geometric data of a hit, object space.
pub(crate) struct CurveGeometry {
    /// Point of the surface.
    pub(crate) p: DVec3,
    /// Unit geometric normal.
    pub(crate) n: DVec3,
    /// Derivative of the curve by the parameter of the segment, perpendicular to `n`.
    pub(crate) along: DVec3,
    /// Derivative of the point by the offset across.
    pub(crate) across: DVec3,
    /// Offset across, in `[-1,1]`.
    pub(crate) offset: f64,
    /// Radius at the point.
    pub(crate) radius: f64,
}

/// Unit vector in the direction of `v` across the unit tangent.
pub(super) fn across_tangent(v: DVec3, tangent: DVec3) -> DVec3 {
    let across = v - tangent * tangent.dot(v);
    across.try_normalize().unwrap_or_else(|| tangent.any_orthonormal_vector())
}
