//! Coplanar surfaces without a body: bounds of the points where rounding decides which of two surfaces a ray finds
//! first.
//!
//! Only shapes of different materials are compared. Faces with opposite normals count only if both shapes are flat: the
//! lower side of an object that stands on a floor is never visible.

use glam::Vec3;

use crate::interior::Bodies;
use crate::material::MaterialId;
use renderer_base::math::Bounds;
use renderer_geometry::{Shape, ShapeId};

use super::bounds::{MAX_PAIRS, grown, intersection};

/// Maximum number of triangles of a shape within the bounds of another; larger meshes are skipped.
const MAX_FACES: usize = 1024;

/// Maximum number of triangles to examine over all pairs of shapes; more would take longer than the rest of scene
/// construction.
const MAX_EXAMINED_FACES: usize = 1 << 19;

/// Minimum cosine between the normals of coplanar faces.
const MIN_COSINE: f32 = 0.9999;

/// A flat part of a surface.
struct Face {
    bounds: Bounds,
    p: Vec3,
    normal: Vec3,
}

/// Returns, for each shape, bounds of the points where it may coincide with another shape; empty if no shapes coincide.
/// `bounds` are the bounds of the shapes, enlarged by `margin` [m]; `surfaces` are their materials.
pub(crate) fn coplanar_bounds(
    shapes: &[Shape],
    bounds: &[Bounds],
    surfaces: &[MaterialId],
    bodies: &Bodies,
    margin: f32,
) -> Vec<Bounds> {
    let is_body = |index: usize| !bodies.is_empty() && bodies.of_shape(ShapeId(index as u32)).is_some();
    let candidates: Vec<usize> = (0..shapes.len()).filter(|&index| !is_body(index)).collect();
    if candidates.len().saturating_mul(candidates.len()) > MAX_PAIRS {
        return vec![];
    }
    let mut found = vec![Bounds::EMPTY; shapes.len()];
    let mut remaining = MAX_EXAMINED_FACES;
    for (number, &a) in candidates.iter().enumerate() {
        for &b in &candidates[number + 1..] {
            let within = intersection(&bounds[a], &bounds[b]);
            if surfaces[a] == surfaces[b] || !has_area(&within, margin) {
                continue;
            }
            remaining = remaining
                .saturating_sub(shapes[a].primitive_count() as usize + shapes[b].primitive_count() as usize);
            if remaining == 0 {
                break;
            }
            let both = overlap([&shapes[a], &shapes[b]], &within, margin);
            found[a] = found[a].union(both);
            found[b] = found[b].union(both);
        }
    }
    match found.iter().all(Bounds::is_empty) {
        true => vec![],
        false => found,
    }
}

/// Bounds of the points where two shapes are coplanar.
fn overlap(shapes: [&Shape; 2], within: &Bounds, margin: f32) -> Bounds {
    let [a, b] = shapes.map(|shape| faces(shape, within, margin));
    let (Some(a), Some(b)) = (a, b) else {
        return match is_same_quadric(shapes, margin) {
            true => *within,
            false => Bounds::EMPTY,
        };
    };
    let are_flat = shapes.iter().all(|shape| is_flat(shape));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| a.is_coplanar(b, are_flat, margin))
        .map(|(a, b)| intersection(&a.bounds, &b.bounds))
        .filter(|both| has_area(both, margin))
        .fold(Bounds::EMPTY, Bounds::union)
}

/// Returns whether bounds are wider than rounding along at least two axes.
fn has_area(bounds: &Bounds, margin: f32) -> bool {
    let extent = bounds.max - bounds.min;
    let wide = extent.cmpgt(Vec3::splat(4.0 * margin)).bitmask().count_ones();
    extent.min_element() >= 0.0 && wide >= 2
}

/// Faces of a shape within bounds; `None` if it has no flat faces, or too many.
fn faces(shape: &Shape, within: &Bounds, margin: f32) -> Option<Vec<Face>> {
    let face = |primitive| {
        let (p, normal) = shape.primitive_plane(primitive)?;
        Some(Face {
            bounds: grown(&shape.primitive_bounds(primitive), margin),
            p,
            normal,
        })
    };
    let all = (0..shape.primitive_count()).map(face);
    let near = all.filter(|face| {
        face.as_ref()
            .is_none_or(|face| has_area(&intersection(&face.bounds, within), margin))
    });
    let faces: Vec<Face> = near.take(MAX_FACES + 1).collect::<Option<_>>()?;
    (faces.len() <= MAX_FACES).then_some(faces)
}

impl Face {
    fn is_coplanar(&self, other: &Face, allow_opposite: bool, margin: f32) -> bool {
        let cos = self.normal.dot(other.normal);
        let is_parallel = cos > MIN_COSINE || allow_opposite && cos < -MIN_COSINE;
        is_parallel && (other.p - self.p).dot(self.normal).abs() <= 2.0 * margin
    }
}

/// Returns whether a shape lies in one plane.
fn is_flat(shape: &Shape) -> bool {
    let count = shape.primitive_count();
    let normal = |primitive| shape.primitive_plane(primitive).map(|(_, normal)| normal);
    let is_parallel = |first: Vec3, primitive| normal(primitive).is_some_and(|n| first.dot(n) > MIN_COSINE);
    (1..=MAX_FACES).contains(&(count as usize))
        && normal(0).is_some_and(|first| (1..count).all(|primitive| is_parallel(first, primitive)))
}

/// Returns whether both are the same sphere or cylinder.
fn is_same_quadric([a, b]: [&Shape; 2], margin: f32) -> bool {
    let is_same_kind = a.analytic().is_some() && a.analytic() == b.analytic();
    is_same_kind && a.placement().is_near(b.placement(), margin)
}
