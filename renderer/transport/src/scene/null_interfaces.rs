//! Null interfaces: surfaces of bodies that may be inside a body of higher precedence, where light passes unchanged.

use renderer_base::math::Bounds;
use renderer_geometry::Shape;
use renderer_scene::Priority;

/// Maximum number of bodies whose pairs are compared; with more, every body counts as overlapped.
const MAX_BODIES: usize = 1024;

/// Maximum number of triangles of a mesh to compare with the bounds of another shape.
const MAX_TRIANGLES: usize = 4096;

/// Body that a shape may bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct PossibleBody {
    pub(super) priority: Priority,
    /// True if it may displace the surrounding medium.
    pub(super) may_displace: bool,
}

/// Returns for each shape whether its surface may be a null interface; `body` returns the body that a shape may bound.
pub(super) fn possible(shapes: &[Shape], body: impl Fn(usize) -> Option<PossibleBody>) -> Vec<bool> {
    let mut null = vec![false; shapes.len()];
    let bodies = (0..shapes.len()).filter_map(|index| Some((index, body(index)?)));
    let bodies: Vec<_> = bodies
        .map(|(index, body)| (index, body, shapes[index].bounds().widened()))
        .collect();
    if bodies.len() > MAX_BODIES {
        bodies.iter().for_each(|&(index, ..)| null[index] = true);
        return null;
    }
    for (number, (a, body_a, bounds_a)) in bodies.iter().enumerate() {
        for (b, body_b, bounds_b) in &bodies[number + 1..] {
            if !(bounds_a.min.cmple(bounds_b.max).all() && bounds_b.min.cmple(bounds_a.max).all()) {
                continue;
            }
            if body_a.priority != body_b.priority {
                let (loser, winner) = match body_a.priority < body_b.priority {
                    true => (*a, bounds_b),
                    false => (*b, bounds_a),
                };
                null[loser] |= !encloses(&shapes[loser], winner);
            } else if body_a.may_displace
                && body_b.may_displace
                && !encloses(&shapes[*a], bounds_b)
                && !encloses(&shapes[*b], bounds_a)
            {
                (null[*a], null[*b]) = (true, true);
            }
        }
    }
    null
}

/// Returns whether a shape encloses bounds and none of its surface is inside them.
fn encloses(shape: &Shape, bounds: &Bounds) -> bool {
    let outer = shape.bounds();
    if !(outer.contains(bounds.min) && outer.contains(bounds.max)) {
        return false;
    }
    shape.primitive_count() as usize <= MAX_TRIANGLES && !shape.may_intersect(bounds)
}
