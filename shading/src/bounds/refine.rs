//! Subdivision of boxes for tighter bounds.

use shading_compiler::builtins::Global;

use super::host::ShadingBox;
use super::range::Range;

/// A part of a box with its bounds.
#[derive(Clone, Debug)]
pub struct RefinedBox {
    /// The box.
    pub shading_box: ShadingBox,
    /// Bounds of the quantity.
    pub range: Range,
}

/// Bounds a quantity over a box by at most `budget` evaluations: the part with the largest bound is bisected along its
/// longest axis until it cannot be improved. Returns the parts, whose ranges together bound the quantity.
pub fn refine(
    shading_box: &ShadingBox,
    budget: usize,
    mut evaluate: impl FnMut(&ShadingBox) -> Range,
) -> Vec<RefinedBox> {
    let mut part = |shading_box: ShadingBox| RefinedBox { range: evaluate(&shading_box), shading_box };
    let mut parts = vec![part(shading_box.clone())];
    let mut evaluations = 1;
    while evaluations + 2 <= budget {
        // Unbounded parts come first.
        let key = |part: &RefinedBox| if part.range.is_finite() { part.range.max } else { f32::INFINITY };
        let worst = (0..parts.len()).max_by(|&a, &b| key(&parts[a]).total_cmp(&key(&parts[b])));
        let Some(halves) = worst.and_then(|at| Some((at, parts[at].shading_box.halves()?))) else {
            break;
        };
        let (at, [first, second]) = halves;
        parts[at] = part(first);
        parts.push(part(second));
        evaluations += 2;
    }
    parts
}

/// Joins the ranges of the parts of a box.
pub fn joined(parts: &[RefinedBox]) -> Range {
    parts.iter().fold(Range::EMPTY, |all, part| all.join(part.range))
}

impl ShadingBox {
    /// Bisects the box along the longest side of the position in a named space, or else of `P`, `u` and `v`; `None` if all
    /// are points or unbounded.
    fn halves(&self) -> Option<[ShadingBox; 2]> {
        if let Some((space, ranges)) = &self.local {
            let axis = longest(ranges)?;
            return Some(bisected(ranges[axis])?.map(|half| {
                let mut ranges = *ranges;
                ranges[axis] = half;
                self.clone().with_local(space, ranges)
            }));
        }
        let (p, [u, ..], [v, ..]) = (self.ranges(Global::P), self.ranges(Global::U), self.ranges(Global::V));
        let sides = [p[0], p[1], p[2], u, v];
        let axis = longest(&sides)?;
        Some(bisected(sides[axis])?.map(|half| match axis {
            3 => self.clone().with(Global::U, [half; 3]),
            4 => self.clone().with(Global::V, [half; 3]),
            _ => {
                let mut p = p;
                p[axis] = half;
                self.clone().with(Global::P, p)
            }
        }))
    }
}

/// Index of the longest finite range.
fn longest(sides: &[Range]) -> Option<usize> {
    let finite = (0..sides.len()).filter(|&i| sides[i].is_finite() && sides[i].width() > 0.0);
    finite.max_by(|&a, &b| sides[a].width().total_cmp(&sides[b].width()))
}

fn bisected(range: Range) -> Option<[Range; 2]> {
    let middle = range.min + 0.5 * range.width();
    let is_inside = range.min < middle && middle < range.max;
    is_inside.then(|| [Range::new(range.min, middle), Range::new(middle, range.max)])
}
