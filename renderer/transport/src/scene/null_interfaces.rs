//! Null interfaces of bodies: the surfaces that may be inside a body which wins against theirs, where light passes them.

use renderer_base::math::Bounds;
use renderer_geometry::Shape;
use renderer_scene::Priority;

/// Number of bodies of which all pairs are compared; among more, each counts as overlapped.
const MANY_BODIES: usize = 1024;

/// Number of triangles of a mesh that are compared with the bounds of another shape.
const MANY_TRIANGLES: usize = 4096;

/// The body that a shape may bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct PossibleBody {
    pub(super) priority: Priority,
    /// True if it may displace what surrounds it.
    pub(super) may_displace: bool,
}

/// Finds the shapes whose surfaces may be null interfaces; `body` is the one that a shape may bound.
pub(super) fn possible(shapes: &[Shape], body: impl Fn(usize) -> Option<PossibleBody>) -> Vec<bool> {
    let mut absent = vec![false; shapes.len()];
    let bodies = (0..shapes.len()).filter_map(|index| Some((index, body(index)?)));
    let bodies: Vec<_> = bodies
        .map(|(index, body)| (index, body, shapes[index].bounds().widened()))
        .collect();
    if bodies.len() > MANY_BODIES {
        bodies.iter().for_each(|&(index, ..)| absent[index] = true);
        return absent;
    }
    for (number, (a, of_a, in_a)) in bodies.iter().enumerate() {
        for (b, of_b, in_b) in &bodies[number + 1..] {
            if !(in_a.min.cmple(in_b.max).all() && in_b.min.cmple(in_a.max).all()) {
                continue;
            }
            if of_a.priority != of_b.priority {
                let (loser, winner) = match of_a.priority < of_b.priority {
                    true => (*a, in_b),
                    false => (*b, in_a),
                };
                absent[loser] |= !is_around(&shapes[loser], winner);
            } else if of_a.may_displace
                && of_b.may_displace
                && !is_around(&shapes[*a], in_b)
                && !is_around(&shapes[*b], in_a)
            {
                (absent[*a], absent[*b]) = (true, true);
            }
        }
    }
    absent
}

/// Returns whether a shape is around bounds, so that none of its surface is in them.
fn is_around(shape: &Shape, bounds: &Bounds) -> bool {
    let outer = shape.bounds();
    if !(outer.contains(bounds.min) && outer.contains(bounds.max)) {
        return false;
    }
    shape.primitive_count() as usize <= MANY_TRIANGLES && !shape.may_intersect(bounds)
}
