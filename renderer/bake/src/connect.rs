//! Mesh connectivity: welds vertices by position and finds the neighbours of each triangle.

use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

use renderer_base::math::Bounds;

/// No triangle.
pub(super) const NONE: u32 = u32::MAX;

/// Welded vertices and triangle adjacency.
pub(super) struct Connections {
    /// By triangle and side (from corner `i` to corner `i + 1`): the other triangle, or [`NONE`].
    pub(super) neighbours: Vec<[u32; 3]>,
    /// True if every edge has exactly one neighbour of opposite orientation: the mesh is closed.
    pub(super) closed: bool,
}

/// Finds the adjacency of triangles; vertices are welded if their positions are equal up to rounding.
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

/// Welding tolerance relative to the mesh: rounding of exporters.
const WELD: f32 = 2e-6;

/// Numbers the welded positions: the same number for positions within rounding of the first one.
pub(super) fn weld(positions: &[Vec3]) -> Vec<u32> {
    let bounds = Bounds::of_points(positions.iter().copied());
    let reach = WELD * (bounds.max - bounds.min).max_element();
    let cell = |p: Vec3| ((p - bounds.min) / (4.0 * reach).max(f32::MIN_POSITIVE)).as_ivec3();
    let mut places: FxHashMap<IVec3, Vec<(Vec3, u32)>> = FxHashMap::default();
    let mut next = 0;
    let number = |&p: &Vec3| {
        // One cell, except for positions near a cell's border.
        let mut cells = CORNERS.map(|corner| cell(p + reach * corner)).to_vec();
        cells.dedup();
        let known = cells.iter().filter_map(|cell| places.get(cell)).flatten();
        let near = known
            .filter(|(place, _)| place.distance(p) <= reach)
            .map(|&(_, number)| number);
        near.min().unwrap_or_else(|| {
            places.entry(cell(p)).or_default().push((p, next));
            next += 1;
            next - 1
        })
    };
    positions.iter().map(number).collect()
}

const CORNERS: [Vec3; 8] = [
    Vec3::new(-1.0, -1.0, -1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(-1.0, 1.0, -1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(-1.0, -1.0, 1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(-1.0, 1.0, 1.0),
    Vec3::new(1.0, 1.0, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use renderer_geometry::Mesh;

    #[test]
    fn rounded_positions_are_one_place() {
        let mut cube = Mesh::cube();
        assert!(connect(&cube.positions, &cube.triangles).closed);
        for (i, p) in cube.positions.iter_mut().enumerate() {
            *p += Vec3::new(1.0, -1.0, 1.0) * (i % 3) as f32 * 2e-7;
        }
        assert!(connect(&cube.positions, &cube.triangles).closed);
        assert_eq!(weld(&cube.positions).into_iter().max(), Some(7));
        cube.positions[0].x += 1e-4;
        assert!(!connect(&cube.positions, &cube.triangles).closed);
    }

    #[test]
    fn a_point_is_one_place() {
        assert_eq!(weld(&[Vec3::ONE; 3]), [0; 3]);
        assert_eq!(weld(&[Vec3::ZERO, -Vec3::ZERO]), [0; 2]);
    }
}
