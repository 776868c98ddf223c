//! Broad phase of contacts: bounds of the regions where shapes may coincide with the boundary of a body.

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashMap;

use crate::interior::Bodies;
use renderer_base::math::Bounds;
use renderer_geometry::{Mesh, Shape, ShapeId};

/// Maximum number of pairs of shapes to compare; with more, contacts are possible at every point of every shape.
pub(crate) const MAX_PAIRS: usize = 1 << 24;

/// Maximum number of triangles of a mesh to compare; a larger mesh counts as its bounding box.
const MAX_TRIANGLES: usize = 4096;

/// Maximum number of pairs of triangles to compare.
const MAX_TRIANGLE_PAIRS: usize = 1 << 20;

/// Error bounds of the vertices of each shape due to its transform, by axis [m].
///
/// For planes through the origin, where the rounding of rays is smaller, these bounds decide whether faces coincide.
pub(crate) fn placement_errors(shapes: &[Shape]) -> Vec<Vec3> {
    /// Relative rounding of a transformed vertex and of the transform.
    const RELATIVE_ERROR: f32 = 4.0 * f32::EPSILON;
    /// Relative error from the other axes: transforms are composed in double precision, and a rotation by 90° tilts a
    /// plane by its rounding.
    const OFF_AXIS: f32 = 8.0 * (f64::EPSILON / f32::EPSILON as f64) as f32;
    let mut extents: FxHashMap<*const Mesh, Vec3> = FxHashMap::default();
    let error = |shape: &Shape| {
        let extent = match shape.mesh() {
            Some(mesh) => *extents.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                let positions = mesh.positions.iter();
                positions.fold(Vec3::ZERO, |extent, p| extent.max(p.abs()))
            }),
            None => {
                let bounds = shape.geometry.bounds();
                bounds.min.abs().max(bounds.max.abs()).max(Vec3::ONE)
            }
        };
        let error = Vec3::from(shape.placement().open().magnitude(extent)) * RELATIVE_ERROR;
        error + error.element_sum() * OFF_AXIS
    };
    shapes.iter().map(error).collect()
}

/// Returns, for each shape, bounds of the points where it may coincide with the boundary of a body or, if the shape is
/// a boundary, with any surface. `bounds` are the bounds of the shapes, enlarged by `margin` [m].
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
    if boundaries.len().saturating_mul(shapes.len()) > MAX_PAIRS {
        return bounds.to_vec();
    }
    let mut found = vec![Bounds::EMPTY; shapes.len()];
    for &a in &boundaries {
        found[a] = found[a].union(own_contact(&shapes[a], &bounds[a], margin));
        for b in 0..shapes.len() {
            if a != b && !intersection(&bounds[a], &bounds[b]).is_empty() {
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
    Bounds { min: bounds.min - margin, max: bounds.max + margin }
}

pub(crate) fn intersection(a: &Bounds, b: &Bounds) -> Bounds {
    Bounds { min: a.min.max(b.min), max: a.max.min(b.max) }
}

/// Bounds of the triangles or of the quadric of a shape within a box; `None` if there are too many.
fn boxes(shape: &Shape, within: &Bounds, margin: f32) -> Option<Vec<Bounds>> {
    let Some(mesh) = shape.mesh() else {
        return Some(vec![grown(&shape.bounds(), margin)]);
    };
    let count = mesh.triangles.len();
    let triangle = |primitive| grown(&Bounds::of_points(shape.triangle(primitive)), margin);
    let all = (0..count as u32).map(triangle);
    let near = all.filter(|bounds| !intersection(bounds, within).is_empty());
    (count <= MAX_TRIANGLES).then(|| near.collect())
}

/// Bounds of the intersections of boxes around the triangles of two shapes; each shape comes with the bounds of the
/// other.
fn contact_of([(a, near_a), (b, near_b)]: [(&Shape, &Bounds); 2], margin: f32) -> Bounds {
    match (boxes(a, near_a, margin), boxes(b, near_b, margin)) {
        (Some(a), Some(b)) if a.len() * b.len() <= MAX_TRIANGLE_PAIRS => {
            let pairs = a.iter().flat_map(|a| b.iter().map(|b| intersection(a, b)));
            union_of(pairs)
        }
        _ => intersection(near_a, near_b),
    }
}

/// Bounds of the points where opposite faces of one mesh may coincide.
fn own_contact(shape: &Shape, bounds: &Bounds, margin: f32) -> Bounds {
    /// Cosine between the normals of such faces.
    const MAX_COSINE: f32 = -0.9;
    let Some(mesh) = shape.mesh() else {
        return Bounds::EMPTY;
    };
    let count = mesh.triangles.len();
    if count * count > MAX_TRIANGLE_PAIRS {
        return *bounds;
    }
    let faces: Vec<(Bounds, Vec3)> = (0..count as u32)
        .map(|primitive| {
            let [a, b, c] = shape.triangle(primitive);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (grown(&Bounds::of_points([a, b, c]), margin), normal)
        })
        .collect();
    let opposite = |n: Vec3| faces.iter().filter(move |(_, m)| n.dot(*m) < MAX_COSINE);
    union_of(
        faces
            .iter()
            .flat_map(|(a, n)| opposite(*n).map(move |(b, _)| intersection(a, b))),
    )
}

/// Union of the nonempty bounds.
fn union_of(bounds: impl Iterator<Item = Bounds>) -> Bounds {
    bounds.filter(|bounds| !bounds.is_empty()).fold(Bounds::EMPTY, Bounds::union)
}
