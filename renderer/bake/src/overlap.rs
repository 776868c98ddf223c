//! Overlap test of planar triangles, by a uniform grid.

use glam::Vec2;
use rustc_hash::FxHashMap;

/// Tolerated penetration of two adjacent triangles, relative to their extent.
const TOLERANCE: f32 = 2e-5;

/// Pairs of triangles whose interiors intersect, smaller index first, in order; at most `limit` of them. Triangles without
/// area intersect nothing.
pub(super) fn overlaps(triangles: &[[Vec2; 3]], limit: usize) -> Vec<(u32, u32)> {
    let boxes: Vec<(Vec2, Vec2)> = triangles.iter().map(extent).collect();
    let lower = boxes.iter().fold(Vec2::INFINITY, |m, b| m.min(b.0));
    let upper = boxes.iter().fold(Vec2::NEG_INFINITY, |m, b| m.max(b.1));
    // About one cell per triangle.
    let cells = (triangles.len() as f32).sqrt().ceil().max(1.0);
    let scale = Vec2::splat(cells) / (upper - lower).max(Vec2::splat(f32::MIN_POSITIVE));
    let cell = |p: Vec2| ((p - lower) * scale).min(Vec2::splat(cells - 1.0)).as_uvec2();
    let mut grid: FxHashMap<glam::UVec2, Vec<u32>> = FxHashMap::default();
    let mut found = vec![];
    for (index, (triangle, &(min, max))) in (0u32..).zip(triangles.iter().zip(&boxes)) {
        if (triangle[1] - triangle[0]).perp_dot(triangle[2] - triangle[0]) == 0.0 {
            continue;
        }
        let (first, last) = (cell(min), cell(max));
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let here = glam::UVec2::new(x, y);
                let others = grid.entry(here).or_default();
                for &other in others.iter() {
                    let (other_min, other_max) = boxes[other as usize];
                    // A pair is tested in one of its common cells only.
                    let is_here = cell(min.max(other_min)) == here;
                    let boxes_meet = min.cmplt(other_max).all() && other_min.cmplt(max).all();
                    if is_here && boxes_meet && meet(triangle, &triangles[other as usize]) {
                        found.push((other, index));
                    }
                }
                others.push(index);
            }
        }
        if found.len() >= limit {
            break;
        }
    }
    found.sort_unstable();
    found.truncate(limit);
    found
}

fn extent(triangle: &[Vec2; 3]) -> (Vec2, Vec2) {
    let [a, b, c] = *triangle;
    (a.min(b).min(c), a.max(b).max(c))
}

/// Separating axis test over the edges of both.
fn meet(a: &[Vec2; 3], b: &[Vec2; 3]) -> bool {
    let size = |t: &[Vec2; 3]| (extent(t).1 - extent(t).0).max_element();
    let size = size(a).max(size(b));
    let magnitude = |t: &[Vec2; 3]| extent(t).1.abs().max(extent(t).0.abs()).max_element();
    let rounding = f32::EPSILON * magnitude(a).max(magnitude(b));
    let parts = |t: &[Vec2; 3], side: usize| {
        let edge = t[(side + 1) % 3] - t[side];
        let axis = edge.perp().normalize_or_zero();
        // Rounded ends turn a short edge by more than a long one.
        let tolerance = size * (TOLERANCE + 2.0 * rounding / edge.length());
        let range = |t: &[Vec2; 3]| {
            let [p, q, r] = t.map(|v| v.dot(axis));
            (p.min(q).min(r), p.max(q).max(r))
        };
        let ((a_min, a_max), (b_min, b_max)) = (range(a), range(b));
        axis != Vec2::ZERO && a_max.min(b_max) - a_min.max(b_min) <= tolerance
    };
    !(0..3).any(|side| parts(a, side) || parts(b, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(x: f32, y: f32) -> [Vec2; 3] {
        [Vec2::new(x, y), Vec2::new(x + 1.0, y), Vec2::new(x, y + 1.0)]
    }

    #[test]
    fn neighbours_do_not_overlap() {
        let upper = [Vec2::X, Vec2::ONE, Vec2::Y];
        assert!(overlaps(&[triangle(0.0, 0.0), upper, triangle(1.0, 0.0)], 9).is_empty());
    }

    #[test]
    fn rounded_slivers_do_not_overlap() {
        // Two triangles of a fan near the pole of a sphere, as they stand in a file; they share a short side.
        let [a, b] = [Vec2::new(42.001_137, 19.036_251), Vec2::new(42.026_768, 19.071_384)];
        let list = [[Vec2::new(42.353_81, 18.778_42), b, a], [a, b, Vec2::new(41.697_067, 19.366_611)]];
        assert!(overlaps(&list.map(|t| t.map(|p| p / 64.0)), 9).is_empty());
    }

    #[test]
    fn overlaps_are_found_once() {
        let list = [triangle(0.0, 0.0), triangle(5.0, 5.0), triangle(0.25, 0.25), triangle(0.0, 0.0)];
        assert_eq!(overlaps(&list, 9), [(0, 2), (0, 3), (2, 3)]);
        assert_eq!(overlaps(&list, 1).len(), 1);
    }
}
