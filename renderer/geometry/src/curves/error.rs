//! Errors in curves and points.

use thiserror::Error;

/// Error in a set of curves or points.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CurvesError {
    /// No curve, or no point.
    #[error("there are no {0}")]
    Empty(&'static str),
    /// More than indices can count.
    #[error("there are {found} {what}, but {most} is the most")]
    TooLarge {
        /// Name of the elements, for the message.
        what: &'static str,
        /// Number of elements found.
        found: usize,
        /// Largest number.
        most: usize,
    },
    /// A strand whose number of points its basis does not define.
    #[error("curve {strand} has {found} points, but {basis}")]
    Points {
        /// Index of the strand.
        strand: usize,
        /// Number of its points.
        found: usize,
        /// Numbers that the basis accepts, for the message.
        basis: &'static str,
    },
    /// The strands do not use all vertices.
    #[error("the curves have {expected} points, but {found} are given")]
    Count {
        /// Sum over the strands.
        expected: usize,
        /// Number of vertices.
        found: usize,
    },
    /// A position that is not finite, or too far from the origin.
    #[error("point {0} is not a finite position within 1e15 m of the origin")]
    Position(usize),
    /// A radius that is negative, not finite or too large.
    #[error("point {vertex} has the radius {radius}, which must be from 0 to 1e15")]
    Radius {
        /// Index of the point.
        vertex: usize,
        /// Its radius.
        radius: f32,
    },
    /// Normals for some of the points only, or not finite.
    #[error("{found} finite normals are given for {expected} points")]
    Normals {
        /// Number of points.
        expected: usize,
        /// Number of normals that are finite and not zero.
        found: usize,
    },
    /// A named attribute does not suit the curves.
    #[error("attribute `{0}` does not have a finite value for each point or curve")]
    Attribute(String),
}
