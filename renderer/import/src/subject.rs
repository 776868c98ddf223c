//! Subject of a model: its objects without a ground, walls or a sky dome that are many times as large.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rustc_hash::FxHashMap;

use super::model::Model;
use renderer_base::math::Bounds;
use renderer_geometry::Mesh;

/// Maximum number of vertices of a model whose shapes are divided into connected components.
const MAX_DIVIDED_VERTICES: usize = 1 << 20;

/// Minimum size of a ground relative to the subject, and of an enclosure, which contains the camera.
const MIN_GROUND_SIZE: f32 = 4.0;
const MIN_ENCLOSURE_SIZE: f32 = 8.0;

/// Size of a subject relative to its ground below which it counts as debris.
const MAX_DEBRIS_SIZE: f32 = 1e-4;

/// Maximum thickness of a flat part relative to its size, and minimum mean cosine between its normals and their mean.
const MAX_FLAT_THICKNESS: f32 = 0.05;
const MIN_FLAT_COSINE: f32 = 0.9;

/// A shape, or a connected component of one.
#[derive(Clone, Copy)]
struct Part {
    shape: usize,
    island: Option<u32>,
    bounds: Bounds,
    /// Sum of the areas of its triangles as vectors, and their sum [m²].
    area: (Vec3, f32),
}

/// The connected component of each triangle, by mesh.
type Islands = FxHashMap<*const Mesh, Vec<u32>>;

impl Model {
    /// Points in world space with the extent of the subject; of all if nothing is that much larger than the rest.
    pub fn subject_points(&self) -> Vec<Vec3> {
        let vertices = self.shapes.iter().map(|shape| shape.mesh.positions.len());
        if vertices.sum::<usize>() > MAX_DIVIDED_VERTICES {
            let parts = (0..self.shapes.len()).map(|shape| self.part(shape)).collect();
            let corners = |part: &Part| part.bounds.corners();
            return subject(parts)
                .map_or_else(|| self.points().collect(), |parts| parts.iter().flat_map(corners).collect());
        }
        let mut islands = Islands::default();
        let parts = (0..self.shapes.len()).flat_map(|shape| self.islands(shape, &mut islands));
        let Some(parts) = subject(parts.collect()) else {
            return self.points().collect();
        };
        let is_chosen = |shape: usize, island: u32| {
            let place = parts.binary_search_by_key(&(shape, Some(island)), |part| (part.shape, part.island));
            place.is_ok()
        };
        let mut points = vec![];
        for (index, shape) in self.shapes.iter().enumerate() {
            let Some(islands) = islands.get(&Arc::as_ptr(&shape.mesh)) else {
                continue;
            };
            let triangles = shape.mesh.triangles.iter().zip(islands);
            let chosen = triangles.filter(|&(_, &island)| is_chosen(index, island));
            points.extend(chosen.flat_map(|(corners, _)| {
                corners.map(|corner| {
                    shape.world_from_object.transform_point3(shape.mesh.positions[corner as usize])
                })
            }));
        }
        points
    }

    /// A shape by the corners of its bounds, which show whether it is flat.
    fn part(&self, index: usize) -> Part {
        let shape = &self.shapes[index];
        Part {
            shape: index,
            island: None,
            bounds: shape.mesh.bounds().transformed(&shape.world_from_object),
            area: (Vec3::ZERO, 0.0),
        }
    }

    /// The connected components of a shape.
    fn islands(&self, index: usize, known: &mut Islands) -> Vec<Part> {
        let shape = &self.shapes[index];
        let mesh = &shape.mesh;
        let islands = known.entry(Arc::as_ptr(mesh)).or_insert_with(|| mesh.islands());
        let count = islands.iter().max().map_or(0, |&last| last + 1);
        let mut parts: Vec<Part> = (0..count)
            .map(|island| Part {
                shape: index,
                island: Some(island),
                bounds: Bounds::EMPTY,
                area: (Vec3::ZERO, 0.0),
            })
            .collect();
        for (&triangle, &island) in mesh.triangles.iter().zip(islands.iter()) {
            parts[island as usize].add(
                &triangle.map(|corner| mesh.positions[corner as usize]),
                &shape.world_from_object,
            );
        }
        parts
    }
}

impl Part {
    fn add(&mut self, triangle: &[Vec3; 3], world_from_object: &Affine3A) {
        let [a, b, c] = triangle.map(|p| world_from_object.transform_point3(p));
        self.bounds = self.bounds.union(Bounds::of_points([a, b, c]));
        let area = 0.5 * (b - a).cross(c - a);
        self.area.0 += area;
        self.area.1 += area.length();
    }

    fn size(&self) -> f32 {
        size(&self.bounds)
    }

    fn is_flat(&self) -> bool {
        let extent = self.bounds.max - self.bounds.min;
        let (sum, area) = self.area;
        extent.min_element() <= MAX_FLAT_THICKNESS * extent.max_element()
            || area > 0.0 && sum.length() >= MIN_FLAT_COSINE * area
    }

    fn is_around(&self, rest: &Bounds) -> bool {
        self.bounds.contains(rest.min)
            && self.bounds.contains(rest.max)
            && self.size() > MIN_ENCLOSURE_SIZE * size(rest)
    }
}

fn size(bounds: &Bounds) -> f32 {
    (bounds.max - bounds.min).max_element()
}

/// The parts of the subject, by shape and component; `None` if all are.
fn subject(mut parts: Vec<Part>) -> Option<Vec<Part>> {
    parts.sort_by(|a, b| b.size().total_cmp(&a.size()));
    // Bounds of each part with all smaller ones.
    let mut rest = vec![Bounds::EMPTY; parts.len() + 1];
    for (index, part) in parts.iter().enumerate().rev() {
        rest[index] = rest[index + 1].union(part.bounds);
    }
    let mut first = 0;
    for (index, part) in parts.iter().enumerate() {
        let rest = &rest[index + 1];
        if rest.is_empty() || !(part.is_flat() || part.is_around(rest)) {
            break;
        }
        if part.size() > MIN_GROUND_SIZE * size(rest) && size(rest) > MAX_DEBRIS_SIZE * part.size() {
            first = index + 1;
        }
    }
    parts.drain(..first);
    parts.sort_by_key(|part| (part.shape, part.island));
    (first > 0).then_some(parts)
}
