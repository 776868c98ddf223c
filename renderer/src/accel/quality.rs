//! How much work goes into an acceleration structure.

use crate::geometry::{MANY_TRIANGLES, Shape, triangle_count};

/// How much work the build of the structure puts into short queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildQuality {
    /// Triangles are ordered along a curve that fills space, which takes the least work. One thread builds.
    Low,
    /// Boxes are divided where that is likely to save most work. All threads build.
    Medium,
    /// Triangles may be referred to from several boxes, which shortens queries among long ones. One thread builds.
    High,
}

impl BuildQuality {
    /// The quality where nobody asks for another.
    pub(super) fn of(shapes: &[Shape]) -> BuildQuality {
        if triangle_count(shapes) + shapes.len() as u64 > MANY_TRIANGLES {
            BuildQuality::Medium
        } else {
            BuildQuality::High
        }
    }

    /// How many threads build, of so many, so that the structure is the same however many there are.
    ///
    /// Where several threads build with spatial splits, the order of a floating-point sum, and with it a split, is left to
    /// chance; at low quality it is the order of meshes in the structure, and with it which of two surfaces in the same
    /// place is met. One thread builds those; a million triangles take it a sixth of a second. At medium quality every
    /// step is exact in any order.
    pub(super) fn threads(self, threads: usize) -> usize {
        match self {
            BuildQuality::Medium => threads,
            BuildQuality::Low | BuildQuality::High => 1,
        }
    }
}
