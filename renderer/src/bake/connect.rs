//! Which triangles of a mesh share an edge, whatever vertices they are made of.

use glam::Vec3;
use rustc_hash::FxHashMap;

/// No triangle.
pub(super) const NONE: u32 = u32::MAX;

/// Vertices by place, and the neighbours of triangles.
pub(super) struct Connections {
    /// By triangle and side (from corner `i` to corner `i + 1`): the other triangle, or [`NONE`].
    pub(super) neighbours: Vec<[u32; 3]>,
    /// Whether every side has exactly one neighbour, which runs along it the other way: there is an inside.
    pub(super) closed: bool,
}

/// The triangles' connections; vertices are the same where their positions are.
pub(super) fn connect(positions: &[Vec3], triangles: &[[u32; 3]]) -> Connections {
    let ids = weld(positions);
    // (lower vertex, upper vertex), triangle, side, whether it runs upwards.
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0u32..).zip(triangles) {
        let [a, b, c] = corners.map(|index| ids[index as usize]);
        if a == b || b == c || c == a {
            continue;
        }
        for (side, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            sides.push(((from.min(to), from.max(to)), triangle, side, from < to));
        }
    }
    sides.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; triangles.len()];
    let mut closed = !sides.is_empty();
    for run in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, t0, s0, up0), (_, t1, s1, up1)] = *run {
            neighbours[t0 as usize][s0] = t1;
            neighbours[t1 as usize][s1] = t0;
            closed &= up0 != up1;
        } else {
            closed = false;
        }
    }
    Connections { neighbours, closed }
}

/// A number for each place.
fn weld(positions: &[Vec3]) -> Vec<u32> {
    let mut known = FxHashMap::default();
    // Zero has two signs.
    let key = |p: Vec3| (p + Vec3::ZERO).to_array().map(f32::to_bits);
    positions
        .iter()
        .map(|&p| {
            let next = known.len() as u32;
            *known.entry(key(p)).or_insert(next)
        })
        .collect()
}
