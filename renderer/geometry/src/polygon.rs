//! Triangulation of polygons: a fan about the first corner, or ears where the fan would leave the polygon.
//!
//! Polygons that are star-shaped about the first corner keep their fans, as in other programs.
// Ears: Meisters 1975, "Polygons Have Ears".

use glam::{DVec2, DVec3, Vec3};

/// Maximum number of tested corners for each corner of a polygon, which bounds the time for a file. Beyond it, ears are
/// cut without a test.
const MAX_TESTS: usize = 4096;

/// Triangulates a polygon again if its `fan` (`[a, b, c]`, `[a, c, d]`, …) covers points outside of it. The number of
/// triangles does not change. A polygon with an undefined position is unchanged.
pub fn cut_polygon(fan: &mut [[u32; 3]], position: impl Fn(u32) -> Option<Vec3>) {
    if fan.len() > 1
        && let Some((corners, points)) = outline_unless_fan(fan, position)
    {
        for (triangle, ear) in fan.iter_mut().zip(ears(&points)) {
            *triangle = ear.map(|corner| corners[corner]);
        }
    }
}

/// Corners of a polygon and their positions in its plane, counter-clockwise; `None` if its fan is correct.
fn outline_unless_fan(
    fan: &[[u32; 3]],
    position: impl Fn(u32) -> Option<Vec3>,
) -> Option<(Vec<u32>, Vec<DVec2>)> {
    let origin = position(fan[0][0])?.as_dvec3();
    let from_origin = |corner: u32| Some(position(corner)?.as_dvec3() - origin);
    let area = |&[_, b, c]: &[u32; 3]| Some(from_origin(b)?.cross(from_origin(c)?));
    let normal: DVec3 = fan.iter().map(area).sum::<Option<DVec3>>()?;
    let covers_more = |triangle| area(triangle).is_some_and(|area| area.dot(normal) < 0.0);
    if !normal.is_finite() || !fan.iter().any(covers_more) {
        return None;
    }
    let corners: Vec<u32> = [fan[0][0], fan[0][1]]
        .into_iter()
        .chain(fan.iter().map(|triangle| triangle[2]))
        .collect();
    let (s, t) = normal.normalize_or(DVec3::Z).any_orthonormal_pair();
    let flat = |&corner: &u32| from_origin(corner).map(|p| DVec2::new(p.dot(s), p.dot(t)));
    let points = corners.iter().map(flat).collect::<Option<_>>()?;
    Some((corners, points))
}

/// Twice the signed area of a triangle, positive if counter-clockwise.
fn area([a, b, c]: [DVec2; 3]) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Remaining corners of a polygon, as a circular list.
struct Ring<'a> {
    points: &'a [DVec2],
    before: Vec<usize>,
    after: Vec<usize>,
    count: usize,
    tests_left: usize,
}

/// Ear clipping of a counter-clockwise polygon.
fn ears(points: &[DVec2]) -> Vec<[usize; 3]> {
    let count = points.len();
    let mut ring = Ring {
        points,
        before: (0..count).map(|i| (i + count - 1) % count).collect(),
        after: (0..count).map(|i| (i + 1) % count).collect(),
        count,
        tests_left: count * MAX_TESTS,
    };
    let mut triangles = Vec::with_capacity(count - 2);
    let mut tip = 0;
    while ring.count > 3 {
        tip = ring.ear_from(tip);
        triangles.push(ring.cut_off(tip));
        // The search continues past the neighbour, which avoids slivers about one corner.
        tip = ring.after[ring.after[tip]];
    }
    triangles.push([ring.before[tip], tip, ring.after[tip]]);
    triangles
}

impl Ring<'_> {
    /// The tip of the first ear from a corner on. A self-intersecting polygon may have no ear; then any corner,
    /// preferably convex.
    fn ear_from(&mut self, start: usize) -> usize {
        let (mut tip, mut convex) = (start, None);
        for _ in 0..self.count {
            let ear = [self.before[tip], tip, self.after[tip]];
            let triangle = ear.map(|corner| self.points[corner]);
            let size = area(triangle);
            // Degenerate ears are cut off as soon as possible.
            if self.tests_left == 0 || size == 0.0 || size > 0.0 && !self.holds_another(ear, triangle) {
                return tip;
            }
            if size > 0.0 {
                convex.get_or_insert(tip);
            }
            self.tests_left = self.tests_left.saturating_sub(1);
            tip = self.after[tip];
        }
        convex.unwrap_or(start)
    }

    fn holds_another(&mut self, ear: [usize; 3], triangle: [DVec2; 3]) -> bool {
        let mut corner = self.after[ear[2]];
        while corner != ear[0] {
            self.tests_left = self.tests_left.saturating_sub(1);
            if is_inside(self.points[corner], triangle) {
                return true;
            }
            corner = self.after[corner];
        }
        false
    }

    fn cut_off(&mut self, tip: usize) -> [usize; 3] {
        let (before, after) = (self.before[tip], self.after[tip]);
        self.after[before] = after;
        self.before[after] = before;
        self.count -= 1;
        [before, tip, after]
    }
}

/// Returns whether a point is inside a triangle or on its border. A point equal to a corner is not: holes join the
/// outline by corners that occur twice.
fn is_inside(point: DVec2, [a, b, c]: [DVec2; 3]) -> bool {
    ![a, b, c].contains(&point)
        && [[a, b, point], [b, c, point], [c, a, point]]
            .iter()
            .all(|&side| area(side) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a polygon in the plane z = x, and their areas as seen along z.
    fn cut(points: &[[f32; 2]]) -> (Vec<[u32; 3]>, Vec<f64>) {
        let at = |corner: u32| points.get(corner as usize).map(|&[x, y]| Vec3::new(x, y, x));
        let last = points.len() as u32 - 1;
        let mut fan: Vec<[u32; 3]> = (1..last).map(|i| [0, i, i + 1]).collect();
        cut_polygon(&mut fan, at);
        let flat = |i: u32| DVec2::from(points[i as usize].map(f64::from));
        let areas = fan.iter().map(|triangle| area(triangle.map(flat)) / 2.0).collect();
        (fan, areas)
    }

    #[test]
    fn convex_polygons_keep_their_fans() {
        let (triangles, _) = cut(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn concave_polygons_are_covered_once_from_any_first_corner() {
        let arrow = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
        let comb = [
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        // A square with a square hole, which a pair of equal edges joins to the outline.
        let frame = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [3.0, 3.0],
            [3.0, 1.0],
            [1.0, 1.0],
        ];
        for (name, polygon, expected) in
            [("arrow", &arrow[..], 0.5), ("comb", &comb, 11.0), ("frame", &frame, 12.0)]
        {
            for turn in 0..polygon.len() {
                let mut turned = polygon.to_vec();
                turned.rotate_left(turn);
                let (triangles, areas) = cut(&turned);
                assert_eq!(triangles.len(), polygon.len() - 2);
                assert!(areas.iter().all(|&area| area >= 0.0), "{name} {turn}: {areas:?}");
                let sum: f64 = areas.iter().sum();
                assert!((sum - expected).abs() < 1e-9, "{name} {turn}: {sum}");
            }
        }
    }

    #[test]
    fn what_is_no_polygon_is_cut_somehow() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let spike = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0]];
        let lost = [[0.0, 0.0], [f32::NAN, 0.0], [2.0, 0.0], [1.0, 0.0], [f32::MAX, -f32::MAX]];
        for polygon in [&bow[..], &spike, &lost] {
            assert_eq!(cut(polygon).0.len(), polygon.len() - 2);
        }
        let mut fan = [[0, 1, 2], [0, 2, 9]];
        cut_polygon(&mut fan, |corner| (corner < 9).then_some(Vec3::ZERO));
        assert_eq!(fan, [[0, 1, 2], [0, 2, 9]]);
    }

    #[test]
    fn large_polygons_are_cut_in_bounded_time() {
        // A spiral: most corners are reflex, and most ears hold other corners.
        let arm = |i: usize, width: f32| {
            let angle = i as f32 * 0.01;
            let (sin, cos) = angle.sin_cos();
            [(angle + width) * cos, (angle + width) * sin]
        };
        let count = 10_000;
        let out = (0..count).map(|i| arm(i, 2.0));
        let back = (0..count).rev().map(|i| arm(i, 0.0));
        let polygon: Vec<_> = back.chain(out).collect();
        assert_eq!(cut(&polygon).0.len(), 2 * count - 2);
    }
}
