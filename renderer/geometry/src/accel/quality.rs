//! Build quality of acceleration structures.

use crate::{MAX_FAST_TRIANGLES, Shape, triangle_count};

/// Build quality: the trade of build time and memory for the speed of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildQuality {
    /// Fast build: a BVH by Morton order. Built by one thread.
    Low,
    /// Surface area heuristic. Built by all threads.
    Medium,
    /// Surface area heuristic with spatial splits: faster queries among long triangles. Built by one thread.
    High,
}

impl BuildQuality {
    /// The default quality for a scene.
    pub(super) fn of(shapes: &[Shape]) -> BuildQuality {
        if triangle_count(shapes) + shapes.len() as u64 > MAX_FAST_TRIANGLES {
            BuildQuality::Medium
        } else {
            BuildQuality::High
        }
    }

    /// Number of threads that build, so that the structure does not depend on the number of available threads.
    ///
    /// A multi-threaded build with spatial splits is not deterministic (order of a floating-point sum), nor is one of low
    /// quality (order of meshes, which decides between coincident surfaces). One thread builds these; it needs a sixth of
    /// a second for a million triangles. At medium quality every step is exact in any order.
    pub(super) fn threads(self, threads: usize) -> usize {
        match self {
            BuildQuality::Medium => threads,
            BuildQuality::Low | BuildQuality::High => 1,
        }
    }
}
