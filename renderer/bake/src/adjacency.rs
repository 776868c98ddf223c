//! Mesh connectivity: welds vertices by position and finds the neighbours of each triangle.

use glam::Vec3;

use renderer_geometry::weld;

/// No triangle.
pub(super) const NONE: u32 = u32::MAX;

/// Welded vertices and triangle adjacency.
pub(super) struct Adjacency {
    /// By triangle and side (from corner `i` to corner `i + 1`): the other triangle, or [`NONE`].
    pub(super) neighbours: Vec<[u32; 3]>,
}

/// Finds the adjacency of triangles; vertices are welded if their positions are equal up to rounding.
pub(super) fn find_adjacency(positions: &[Vec3], triangles: &[[u32; 3]]) -> Adjacency {
    let ids = weld(positions);
    // (lower vertex, upper vertex), triangle, side.
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0u32..).zip(triangles) {
        let [a, b, c] = corners.map(|index| ids[index as usize]);
        if a == b || b == c || c == a {
            continue;
        }
        for (side, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            sides.push(((from.min(to), from.max(to)), triangle, side));
        }
    }
    sides.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; triangles.len()];
    for run in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, t0, s0), (_, t1, s1)] = *run {
            neighbours[t0 as usize][s0] = t1;
            neighbours[t1 as usize][s1] = t0;
        }
    }
    Adjacency { neighbours }
}
