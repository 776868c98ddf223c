//! Chart outlines for packing: the texel spans that a chart covers, in all four orientations.

use glam::{UVec2, Vec2};

/// A rotation by quarter turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct QuarterTurn(u8);

impl QuarterTurn {
    /// The four rotations.
    pub(super) const ALL: [QuarterTurn; 4] = [QuarterTurn(0), QuarterTurn(1), QuarterTurn(2), QuarterTurn(3)];

    /// Maps a point of a box of `size` to its position in the turned box.
    pub(super) fn apply(self, p: Vec2, size: Vec2) -> Vec2 {
        match self.0 {
            0 => p,
            1 => Vec2::new(p.y, size.x - p.x),
            2 => size - p,
            _ => Vec2::new(size.y - p.y, p.x),
        }
    }
}

/// Covered texels of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The column.
    pub(super) x: u32,
    /// The first row.
    pub(super) lo: u32,
    /// The row after the last.
    pub(super) hi: u32,
}

/// Covered texels of a box, as spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    /// Spans from left to right, and upwards; spans of a column do not touch.
    pub(super) spans: Vec<Span>,
    /// Columns and rows.
    pub(super) size: UVec2,
}

impl Outline {
    /// The outline of a whole box.
    pub(super) fn full(size: UVec2) -> Outline {
        let span = |x| Span { x, lo: 0, hi: size.y };
        Outline { spans: (0..size.x).map(span).collect(), size }
    }

    /// The texels touched by triangles in a box of `size` texels, widened by `margin`.
    fn of(triangles: impl Iterator<Item = [Vec2; 3]>, size: UVec2, margin: u32) -> Outline {
        let mut bare = vec![vec![]; size.x as usize];
        for triangle in triangles {
            cover(&mut bare, triangle, size.y);
        }
        bare.iter_mut().for_each(merge);
        let reach = margin as usize;
        let around = |column: usize| {
            let near = bare[column.saturating_sub(reach)..(column + reach + 1).min(bare.len())].iter();
            let wider = |&[lo, hi]: &[u32; 2]| [lo.saturating_sub(margin), (hi + margin).min(size.y)];
            let mut covered = near.flatten().map(wider).collect();
            merge(&mut covered);
            covered.into_iter().map(move |[lo, hi]| Span { x: column as u32, lo, hi })
        };
        Outline { spans: (0..bare.len()).flat_map(around).collect(), size }
    }

    /// Rotation by 180°.
    fn turned_over(&self) -> Outline {
        let turned = self.spans.iter().rev().map(|span| Span {
            x: self.size.x - 1 - span.x,
            lo: self.size.y - span.hi,
            hi: self.size.y - span.lo,
        });
        Outline { spans: turned.collect(), size: self.size }
    }
}

/// Outlines of a chart in all four rotations. `triangles` are in a box of `size` texels with a border of `margin` texels,
/// which is covered, too.
pub(super) fn outlines(triangles: &[[Vec2; 3]], size: UVec2, margin: u32) -> [Outline; 4] {
    let upright = Outline::of(triangles.iter().copied(), size, margin);
    let turn = |triangle: &[Vec2; 3]| triangle.map(|p| QuarterTurn(1).apply(p, size.as_vec2()));
    let lying = Outline::of(triangles.iter().map(turn), UVec2::new(size.y, size.x), margin);
    let (over, back) = (upright.turned_over(), lying.turned_over());
    [upright, lying, over, back]
}

/// Sorts ranges and joins those that touch.
fn merge(ranges: &mut Vec<[u32; 2]>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let touch = next[0] <= last[1];
        if touch {
            last[1] = last[1].max(next[1]);
        }
        touch
    });
}

/// Covers the texels that a triangle touches.
fn cover(columns: &mut [Vec<[u32; 2]>], triangle: [Vec2; 3], height: u32) {
    let column = |x: f32| (x.max(0.0) as usize).min(columns.len() - 1);
    let [a, b, c] = triangle;
    let (first, last) = (column(a.x.min(b.x).min(c.x)), column(a.x.max(b.x).max(c.x)));
    for (x, ranges) in (first..).zip(&mut columns[first..=last]) {
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        for side in 0..3 {
            reach(&mut range, triangle[side], triangle[(side + 1) % 3], x as f32);
        }
        if range[0] <= range[1] {
            let row = |y: f32| (y.max(0.0) as u32).min(height - 1);
            ranges.push([row(range[0]), row(range[1]) + 1]);
        }
    }
}

/// Extends a range by the part of the line from `a` to `b` between `x` and `x + 1`.
fn reach(range: &mut [f32; 2], a: Vec2, b: Vec2, x: f32) {
    let (a, b) = if a.x <= b.x { (a, b) } else { (b, a) };
    if b.x < x || a.x > x + 1.0 {
        return;
    }
    let slope = if b.x > a.x { (b.y - a.y) / (b.x - a.x) } else { 0.0 };
    let at = |x: f32| a.y + slope * (x - a.x);
    let ends = [if a.x >= x { a.y } else { at(x) }, if b.x <= x + 1.0 { b.y } else { at(x + 1.0) }];
    for y in ends {
        *range = [range[0].min(y), range[1].max(y)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_and_its_turns() {
        // The lower left half of four texels by three, between their centres.
        let triangle = [Vec2::new(0.5, 0.5), Vec2::new(3.5, 0.5), Vec2::new(0.5, 2.5)];
        let size = UVec2::new(4, 3);
        let all = outlines(&[triangle], size, 0);
        assert_eq!(all[0].spans.iter().map(|span| span.hi).collect::<Vec<_>>(), [3, 3, 2, 1]);
        for (outline, turn) in all.iter().zip(QuarterTurn::ALL) {
            let moved = triangle.map(|p| turn.apply(p, size.as_vec2()));
            let again = &outlines(&[moved], outline.size, 0)[0];
            assert_eq!(outline, again, "{turn:?}");
        }
    }

    #[test]
    fn a_margin_is_covered_too() {
        let point = [Vec2::new(2.5, 2.5); 3];
        let all = outlines(&[point], UVec2::new(5, 5), 1);
        let spans = [1, 2, 3].map(|x| Span { x, lo: 1, hi: 4 });
        assert_eq!(all[0].spans, spans);
    }

    #[test]
    fn a_ring_is_open_in_the_middle() {
        let corner = |i: u32, radius: f32| {
            Vec2::splat(10.0) + radius * Vec2::from_angle(i as f32 * std::f32::consts::TAU / 16.0)
        };
        let ring: Vec<[Vec2; 3]> = (0..16)
            .flat_map(|i| {
                let [a, b, c, d] = [corner(i, 6.0), corner(i, 9.0), corner(i + 1, 9.0), corner(i + 1, 6.0)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        let outline = &outlines(&ring, UVec2::splat(20), 1)[0];
        let middle: Vec<&Span> = outline.spans.iter().filter(|span| span.x == 10).collect();
        assert_eq!(middle.len(), 2);
        assert!(middle[1].lo - middle[0].hi >= 8);
    }
}
