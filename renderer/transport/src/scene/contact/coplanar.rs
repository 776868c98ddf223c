//! Surfaces without a body that coincide: bounds of the points where a ray may find either of two first.
//!
//! Only shapes of different materials are compared. Faces that look away from each other count where both shapes are
//! flat: of an object that stands on a floor, the lower side is not seen.

use glam::Vec3;

use crate::interior::Bodies;
use crate::material::MaterialId;
use renderer_base::math::Bounds;
use renderer_geometry::{Shape, ShapeId};

use super::bounds::{MANY_PAIRS, common, grown};

/// Number of triangles of a shape within the bounds of another that are compared; of larger meshes, none are.
const MANY_FACES: usize = 1024;

/// Number of triangles that are examined, over all pairs of shapes: more take longer than the rest of a start.
const ALL_FACES: usize = 1 << 19;

/// Cosine between the normals of faces in one plane.
const PARALLEL: f32 = 0.9999;

/// A flat part of a surface.
struct Face {
    bounds: Bounds,
    p: Vec3,
    normal: Vec3,
}

/// Finds, by shape, bounds of the points where it may coincide with another; empty if none do. `bounds` are those of the
/// shapes, wider by `margin` [m], and `surfaces` their materials.
pub(crate) fn coplanar_bounds(
    shapes: &[Shape],
    bounds: &[Bounds],
    surfaces: &[MaterialId],
    bodies: &Bodies,
    margin: f32,
) -> Vec<Bounds> {
    let is_body = |index: usize| !bodies.is_empty() && bodies.of_shape(ShapeId(index as u32)).is_some();
    let sheets: Vec<usize> = (0..shapes.len()).filter(|&index| !is_body(index)).collect();
    if sheets.len().saturating_mul(sheets.len()) > MANY_PAIRS {
        return vec![];
    }
    let mut found = vec![Bounds::EMPTY; shapes.len()];
    let mut left = ALL_FACES;
    for (number, &a) in sheets.iter().enumerate() {
        for &b in &sheets[number + 1..] {
            let within = common(&bounds[a], &bounds[b]);
            if surfaces[a] == surfaces[b] || !has_area(&within, margin) {
                continue;
            }
            left = left
                .saturating_sub(shapes[a].primitive_count() as usize + shapes[b].primitive_count() as usize);
            if left == 0 {
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

/// Bounds of the points that two shapes have in common.
fn overlap(shapes: [&Shape; 2], within: &Bounds, margin: f32) -> Bounds {
    let [a, b] = shapes.map(|shape| faces(shape, within, margin));
    let (Some(a), Some(b)) = (a, b) else {
        return match is_same_curve(shapes, margin) {
            true => *within,
            false => Bounds::EMPTY,
        };
    };
    let are_flat = shapes.iter().all(|shape| is_flat(shape));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| a.is_coplanar(b, are_flat, margin))
        .map(|(a, b)| common(&a.bounds, &b.bounds))
        .filter(|both| has_area(both, margin))
        .fold(Bounds::EMPTY, Bounds::union)
}

/// Returns whether bounds are wider than rounding along two axes or more.
fn has_area(bounds: &Bounds, margin: f32) -> bool {
    let extent = bounds.max - bounds.min;
    let wide = extent.cmpgt(Vec3::splat(4.0 * margin)).bitmask().count_ones();
    extent.min_element() >= 0.0 && wide >= 2
}

/// The faces of a shape within bounds; `None` if it has none that are flat, or too many.
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
            .is_none_or(|face| has_area(&common(&face.bounds, within), margin))
    });
    let faces: Vec<Face> = near.take(MANY_FACES + 1).collect::<Option<_>>()?;
    (faces.len() <= MANY_FACES).then_some(faces)
}

impl Face {
    fn is_coplanar(&self, other: &Face, either_way: bool, margin: f32) -> bool {
        let cos = self.normal.dot(other.normal);
        let is_parallel = cos > PARALLEL || either_way && cos < -PARALLEL;
        is_parallel && (other.p - self.p).dot(self.normal).abs() <= 2.0 * margin
    }
}

/// Returns whether all of a shape is in one plane.
fn is_flat(shape: &Shape) -> bool {
    let count = shape.primitive_count();
    let normal = |primitive| shape.primitive_plane(primitive).map(|(_, normal)| normal);
    let is_parallel = |first: Vec3, primitive| normal(primitive).is_some_and(|n| first.dot(n) > PARALLEL);
    (1..=MANY_FACES).contains(&(count as usize))
        && normal(0).is_some_and(|first| (1..count).all(|primitive| is_parallel(first, primitive)))
}

/// Returns whether both are the same sphere or cylinder.
fn is_same_curve([a, b]: [&Shape; 2], margin: f32) -> bool {
    let is_same_kind = a.analytic().is_some() && a.analytic() == b.analytic();
    is_same_kind && a.placement().is_near(b.placement(), margin)
}
