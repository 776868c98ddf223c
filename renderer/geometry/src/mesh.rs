//! Triangle meshes: validated indices, normals, texture coordinates, colours and attributes.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{AttributeDomain, Faces, MeshAttribute, MeshError};
use renderer_base::math::Bounds;

/// Maximum number of vertices, summed over instances, that are visited one by one; beyond it, bounding boxes replace
/// them.
pub const MANY_VERTICES: usize = 1 << 26;

/// Indexed triangles with optional per-vertex attributes; [`Mesh::validate`] checks them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, object space.
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Unit vertex normals; empty, or one for each position.
    pub normals: Vec<Vec3>,
    /// Vertex texture coordinates; empty, or one for each position.
    pub uvs: Vec<Vec2>,
    /// Second set of texture coordinates (lightmaps); empty, or one for each position.
    pub uvs2: Vec<Vec2>,
    /// Vertex colours, linear, RGBA; empty, or one for each position.
    pub colors: Vec<[f32; 4]>,
    /// Values by name.
    pub attributes: Vec<MeshAttribute>,
    /// Polygons of the file, if they are needed for subdivision.
    pub faces: Option<Arc<Faces>>,
}

impl Mesh {
    /// Triangles without attributes.
    ///
    /// # Errors
    /// As [`Mesh::validate`].
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Mesh, MeshError> {
        Mesh { positions, triangles, ..Mesh::default() }.validate()
    }

    /// Checks that indices are in range, numbers finite, and attributes complete. Normalizes normals; a zero normal
    /// becomes the mean of adjacent faces. Triangles without area are kept, since attributes use their indices; see
    /// [`Mesh::degenerate_count`].
    ///
    /// # Errors
    /// The first error found.
    pub fn validate(mut self) -> Result<Mesh, MeshError> {
        let vertices = self.positions.len();
        for (what, found) in [("vertices", vertices), ("triangles", self.triangles.len())] {
            if u32::try_from(found).is_err() {
                return Err(MeshError::TooLarge { what, found });
            }
        }
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(vertex) = first(&self.positions, |p| !p.is_finite()) {
            return Err(MeshError::NotFinite { vertex, position: self.positions[vertex] });
        }
        let is_outside = |index: &u32| *index as usize >= vertices;
        if let Some(triangle) = first(&self.triangles, |indices| indices.iter().any(is_outside)) {
            let indices = self.triangles[triangle].into_iter();
            return Err(MeshError::IndexOutOfRange {
                triangle,
                index: indices.clone().find(is_outside).unwrap_or(u32::MAX),
                vertices,
            });
        }
        check_attribute("normals", &self.normals, vertices, |_| true)?;
        check_attribute("uvs", &self.uvs, vertices, |uv| uv.is_finite())?;
        check_attribute("uvs2", &self.uvs2, vertices, |uv| uv.is_finite())?;
        check_attribute("colors", &self.colors, vertices, |color| color.iter().all(|c| c.is_finite()))?;
        let mut names = FxHashSet::default();
        for attribute in &self.attributes {
            let count = attribute.count(vertices, self.triangles.len());
            if !attribute.is_valid(count) {
                return Err(MeshError::Attribute {
                    name: attribute.name.clone(),
                    width: attribute.width,
                    found: attribute.values.len(),
                    count,
                });
            }
            if !names.insert((attribute.name.as_str(), attribute.domain)) {
                let name = attribute.name.clone();
                return Err(MeshError::AttributeTwice { name });
            }
        }
        self.normalize_normals();
        self.fit();
        Ok(self)
    }

    /// Releases spare memory, and makes the positions [`padded`].
    pub fn fit(&mut self) {
        self.positions.shrink_to(self.positions.len() + 1);
        self.positions.reserve_exact(1);
        self.triangles.shrink_to_fit();
        self.normals.shrink_to_fit();
        self.uvs.shrink_to_fit();
        self.uvs2.shrink_to_fit();
        self.colors.shrink_to_fit();
    }

    /// Replaces v by 1 − v in the first set of texture coordinates.
    #[must_use]
    pub fn with_flipped_uvs(mut self) -> Mesh {
        self.uvs.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y);
        self
    }

    /// Extracts triangles with their vertices.
    #[must_use]
    pub fn part(&self, taken: &[usize]) -> Mesh {
        let mut new = FxHashMap::default();
        let mut vertices: Vec<usize> = vec![];
        let mut vertex = |old: u32| {
            *new.entry(old).or_insert_with(|| {
                vertices.push(old as usize);
                (vertices.len() - 1) as u32
            })
        };
        let triangles = taken.iter().map(|&t| self.triangles[t].map(&mut vertex)).collect();
        let attribute = |attribute: &MeshAttribute| MeshAttribute {
            values: match attribute.domain {
                AttributeDomain::Vertex => picked(&attribute.values, &vertices, attribute.width),
                AttributeDomain::Face => picked(&attribute.values, taken, attribute.width),
            },
            ..attribute.clone()
        };
        let mut part = Mesh {
            positions: picked(&self.positions, &vertices, 1),
            triangles,
            normals: picked(&self.normals, &vertices, 1),
            uvs: picked(&self.uvs, &vertices, 1),
            uvs2: picked(&self.uvs2, &vertices, 1),
            colors: picked(&self.colors, &vertices, 1),
            attributes: self.attributes.iter().map(attribute).collect(),
            faces: None,
        };
        part.fit();
        part
    }

    /// Object-space bounding box.
    pub fn bounds(&self) -> Bounds {
        Bounds::of_points(self.positions.iter().copied())
    }

    /// Object-space points whose hull contains the mesh: its vertices, or the corners of its bounding box if the scene
    /// has `many` vertices.
    pub fn outline(&self, many: bool) -> Cow<'_, [Vec3]> {
        if many {
            Cow::Owned(self.bounds().corners().to_vec())
        } else {
            Cow::Borrowed(&self.positions)
        }
    }

    /// Object-space area of a triangle `[m²]`.
    ///
    /// # Panics
    /// If `triangle` is out of range.
    pub fn triangle_area(&self, triangle: usize) -> f32 {
        let [a, b, c] = self.triangles[triangle].map(|index| self.positions[index as usize]);
        0.5 * (b - a).cross(c - a).length()
    }

    /// Object-space area of the surface `[m²]`.
    pub fn area(&self) -> f32 {
        (0..self.triangles.len())
            .map(|triangle| f64::from(self.triangle_area(triangle)))
            .sum::<f64>() as f32
    }

    /// Number of triangles without area, which no ray intersects.
    pub fn degenerate_count(&self) -> usize {
        let degenerate = |indices: &&[u32; 3]| {
            let [a, b, c] = indices.map(|index| self.positions[index as usize].as_dvec3());
            (b - a).cross(c - a).length_squared() == 0.0
        };
        self.triangles.iter().filter(degenerate).count()
    }

    /// Memory in use [bytes].
    pub fn memory(&self) -> usize {
        size_of_val(&*self.positions)
            + size_of_val(&*self.triangles)
            + size_of_val(&*self.normals)
            + size_of_val(&*self.uvs)
            + size_of_val(&*self.uvs2)
            + size_of_val(&*self.colors)
            + self
                .attributes
                .iter()
                .map(|attribute| size_of_val(&*attribute.values))
                .sum::<usize>()
    }
}

/// Returns the values of the given elements, `width` for each; empty if `values` is.
fn picked<T: Copy>(values: &[T], elements: &[usize], width: usize) -> Vec<T> {
    if values.is_empty() {
        return vec![];
    }
    let of = |&element: &usize| &values[element * width..(element + 1) * width];
    elements.iter().flat_map(of).copied().collect()
}

/// Positions with capacity for one more, so that Embree may read each as a vector of 16 bytes.
pub(super) fn padded(positions: impl ExactSizeIterator<Item = Vec3>) -> Vec<Vec3> {
    let mut list = Vec::with_capacity(positions.len() + 1);
    list.extend(positions);
    list
}

/// Returns whether positions have the padding of [`padded`].
pub(super) fn is_padded(positions: &Vec<Vec3>) -> bool {
    positions.capacity() > positions.len()
}

/// Index of the first value that `is_wrong`.
pub(super) fn first<T: Sync>(values: &[T], is_wrong: impl Fn(&T) -> bool + Send + Sync) -> Option<usize> {
    const MIN_PARALLEL_VALUES: usize = 1 << 17;
    if values.len() < MIN_PARALLEL_VALUES {
        values.iter().position(is_wrong)
    } else {
        values.par_iter().with_min_len(MIN_PARALLEL_VALUES / 4).position_first(is_wrong)
    }
}

fn check_attribute<T: Sync>(
    attribute: &'static str,
    values: &[T],
    vertices: usize,
    finite: impl Fn(&T) -> bool + Send + Sync,
) -> Result<(), MeshError> {
    if !values.is_empty() && values.len() != vertices {
        return Err(MeshError::AttributeLength { attribute, found: values.len(), vertices });
    }
    match first(values, |value| !finite(value)) {
        Some(vertex) => Err(MeshError::AttributeNotFinite { attribute, vertex }),
        None => Ok(()),
    }
}
