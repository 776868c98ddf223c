//! Vertex welding: vertices whose positions are equal up to rounding.

use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

use renderer_base::math::Bounds;

/// Welding tolerance relative to the extent of the vertices, for rounding by exporters.
const RELATIVE_TOLERANCE: f32 = 2e-6;

/// Numbers welded positions: positions within rounding of each other share a number.
pub fn weld(positions: &[Vec3]) -> Vec<u32> {
    weld_within(positions, tolerance(positions))
}

/// Welding distance `[m]`, relative to the extent of the vertices.
pub(super) fn tolerance(positions: &[Vec3]) -> f32 {
    let bounds = Bounds::of_points(positions.iter().copied());
    RELATIVE_TOLERANCE * (bounds.max - bounds.min).max_element()
}

/// Numbers positions: positions within `reach` of the first one share its number `[m]`.
pub(super) fn weld_within(positions: &[Vec3], reach: f32) -> Vec<u32> {
    let min = Bounds::of_points(positions.iter().copied()).min;
    let cell = |p: Vec3| ((p - min) / (4.0 * reach).max(f32::MIN_POSITIVE)).as_ivec3();
    let mut places: FxHashMap<IVec3, Vec<(Vec3, u32)>> = FxHashMap::default();
    let mut next = 0;
    let number = |&p: &Vec3| {
        // Several cells only near the border of a cell.
        let mut cells = CORNERS.map(|corner| cell(p + reach * corner)).to_vec();
        cells.dedup();
        let known = cells.iter().filter_map(|cell| places.get(cell)).flatten();
        let near = known.filter(|(place, _)| place.distance(p) <= reach).map(|&(_, number)| number);
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

    #[test]
    fn rounded_positions_are_one_place() {
        let mut positions = crate::Mesh::cube().positions;
        for (i, p) in positions.iter_mut().enumerate() {
            *p += Vec3::new(1.0, -1.0, 1.0) * (i % 3) as f32 * 2e-7;
        }
        assert_eq!(weld(&positions).into_iter().max(), Some(7));
    }

    #[test]
    fn a_point_is_one_place() {
        assert_eq!(weld(&[Vec3::ONE; 3]), [0; 3]);
        assert_eq!(weld(&[Vec3::ZERO, -Vec3::ZERO]), [0; 2]);
    }
}
