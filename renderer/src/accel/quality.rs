//! Build quality of acceleration structures.

/// Build quality: the trade of build time and memory for the speed of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildQuality {
    /// Fast build: a BVH by Morton order.
    Low,
    /// Surface area heuristic.
    Medium,
    /// Surface area heuristic with spatial splits: faster queries among long triangles. Built by one thread.
    High,
}
