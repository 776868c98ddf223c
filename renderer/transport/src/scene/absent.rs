//! Surfaces that may be absent in places, where another body is: light passes them there.

use renderer_base::math::Bounds;
use renderer_geometry::Shape;
use renderer_scene::Priority;

/// Number of bodies whose pairs are looked at; among more, all that meet others count.
const MOST: usize = 1024;

/// Finds the shapes that may be absent in places. `priority` is that of the body behind a shape, `None` without one.
pub(super) fn may_be(shapes: &[Shape], priority: impl Fn(usize) -> Option<Priority>) -> Vec<bool> {
    let mut absent = vec![false; shapes.len()];
    let bodies = (0..shapes.len()).filter_map(|index| Some((index, priority(index)?)));
    let bodies: Vec<_> = bodies
        .map(|(index, priority)| (index, priority, shapes[index].bounds()))
        .collect();
    if bodies.len() > MOST {
        bodies.iter().for_each(|&(index, ..)| absent[index] = true);
        return absent;
    }
    for (number, (a, of_a, in_a)) in bodies.iter().enumerate() {
        for (b, of_b, in_b) in &bodies[number + 1..] {
            let meets = in_a.min.cmple(in_b.max).all() && in_b.min.cmple(in_a.max).all();
            let holds =
                |outer: &Bounds, inner: &Bounds| outer.contains(inner.min) && outer.contains(inner.max);
            let is_within = holds(in_a, in_b) || holds(in_b, in_a);
            if meets && (of_a != of_b || !is_within) {
                (absent[*a], absent[*b]) = (true, true);
            }
        }
    }
    absent
}
