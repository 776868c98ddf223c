//! Broad phase of contacts: bounds of the points where shapes may coincide with the boundary of a body.

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashMap;

use crate::interior::Bodies;
use renderer_base::math::Bounds;
use renderer_geometry::{Mesh, SHUTTER_OPEN, Shape, ShapeId};

/// Number of pairs of shapes that are compared; among more, all may touch anywhere.
pub(crate) const MANY_PAIRS: usize = 1 << 24;

/// Number of triangles of a mesh that are compared; a larger mesh may touch all that is within its bounds.
const MANY_TRIANGLES: usize = 4096;

/// Number of pairs of triangles that are compared.
const MANY_TRIANGLE_PAIRS: usize = 1 << 20;

/// Bounds on the rounding of the vertices of each shape in the transform that places it, by axis [m].
///
/// Faces that coincide as they are described may be apart by that, where it is more than the rounding of rays: next to a
/// plane through the origin.
pub(crate) fn placement_errors(shapes: &[Shape]) -> Vec<Vec3> {
    /// Roundings of a transformed vertex and of the transform.
    const ROUNDINGS: f32 = 4.0 * f32::EPSILON;
    /// Share of these that an axis may have of the others: transforms are composed in double precision, and after a turn by
    /// 90° a plane is tilted by that.
    const TURNED: f32 = 8.0 * (f64::EPSILON / f32::EPSILON as f64) as f32;
    let mut extents: FxHashMap<*const Mesh, Vec3> = FxHashMap::default();
    let error = |shape: &Shape| {
        let extent = match shape.mesh() {
            Some(mesh) => *extents.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                let positions = mesh.positions.iter();
                positions.fold(Vec3::ZERO, |extent, p| extent.max(p.abs()))
            }),
            None => Vec3::ONE,
        };
        let error = Vec3::from(shape.placement().at(SHUTTER_OPEN).magnitude(extent)) * ROUNDINGS;
        error + error.element_sum() * TURNED
    };
    shapes.iter().map(error).collect()
}

/// Finds, by shape, bounds of the points where it may coincide with the boundary of a body, or a boundary with any surface;
/// `bounds` are those of the shapes, wider by `margin` [m].
pub(crate) fn contact_bounds(
    shapes: &[Shape],
    bounds: &[Bounds],
    bodies: &Bodies,
    margin: f32,
) -> Vec<Bounds> {
    if bodies.is_empty() {
        return vec![];
    }
    let is_boundary = |index: usize| bodies.of_shape(ShapeId(index as u32)).is_some();
    let boundaries: Vec<usize> = (0..shapes.len()).filter(|&index| is_boundary(index)).collect();
    if boundaries.len().saturating_mul(shapes.len()) > MANY_PAIRS {
        return bounds.to_vec();
    }
    let mut found = vec![Bounds::EMPTY; shapes.len()];
    for &a in &boundaries {
        found[a] = found[a].union(own_contact(&shapes[a], &bounds[a], margin));
        for b in 0..shapes.len() {
            if a != b && !common(&bounds[a], &bounds[b]).is_empty() {
                let sides = [(&shapes[a], &bounds[b]), (&shapes[b], &bounds[a])];
                let contact = contact_of(sides, margin);
                found[a] = found[a].union(contact);
                found[b] = found[b].union(contact);
            }
        }
    }
    found
}

pub(crate) fn grown(bounds: &Bounds, margin: f32) -> Bounds {
    Bounds {
        min: bounds.min - margin,
        max: bounds.max + margin,
    }
}

pub(crate) fn common(a: &Bounds, b: &Bounds) -> Bounds {
    Bounds {
        min: a.min.max(b.min),
        max: a.max.min(b.max),
    }
}

/// Boxes around the parts of a surface within bounds; `None` if there are too many.
fn boxes(shape: &Shape, within: &Bounds, margin: f32) -> Option<Vec<Bounds>> {
    let Some(mesh) = shape.mesh() else {
        return Some(vec![grown(&shape.bounds(), margin)]);
    };
    let count = mesh.triangles.len();
    let triangle = |primitive| grown(&Bounds::of_points(shape.triangle(primitive)), margin);
    let all = (0..count as u32).map(triangle);
    (count <= MANY_TRIANGLES).then(|| all.filter(|bounds| !common(bounds, within).is_empty()).collect())
}

/// Bounds of the points that boxes around the parts of two surfaces have in common; each comes with the bounds of the other.
fn contact_of([(a, near_a), (b, near_b)]: [(&Shape, &Bounds); 2], margin: f32) -> Bounds {
    match (boxes(a, near_a, margin), boxes(b, near_b, margin)) {
        (Some(a), Some(b)) if a.len() * b.len() <= MANY_TRIANGLE_PAIRS => {
            let pairs = a.iter().flat_map(|a| b.iter().map(|b| common(a, b)));
            union_of(pairs)
        }
        _ => common(near_a, near_b),
    }
}

/// Bounds of the points where faces of a mesh that look away from each other may coincide.
fn own_contact(shape: &Shape, bounds: &Bounds, margin: f32) -> Bounds {
    /// Cosine between the normals of such faces.
    const OPPOSITE: f32 = -0.9;
    let Some(mesh) = shape.mesh() else {
        return Bounds::EMPTY;
    };
    let count = mesh.triangles.len();
    if count * count > MANY_TRIANGLE_PAIRS {
        return *bounds;
    }
    let faces: Vec<(Bounds, Vec3)> = (0..count as u32)
        .map(|primitive| {
            let [a, b, c] = shape.triangle(primitive);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (grown(&Bounds::of_points([a, b, c]), margin), normal)
        })
        .collect();
    let opposite = |n: Vec3| faces.iter().filter(move |(_, m)| n.dot(*m) < OPPOSITE);
    union_of(
        faces
            .iter()
            .flat_map(|(a, n)| opposite(*n).map(move |(b, _)| common(a, b))),
    )
}

/// The union of those bounds that are not empty.
fn union_of(bounds: impl Iterator<Item = Bounds>) -> Bounds {
    bounds
        .filter(|bounds| !bounds.is_empty())
        .fold(Bounds::EMPTY, Bounds::union)
}
