//! Triangle meshes: validated indices, normals, texture coordinates, colours and attributes; smooth normals.

use std::borrow::Cow;

use glam::{Affine3A, Vec2, Vec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::placement::similarity_scale;
use super::{AttributeDomain, MeshAttribute};
use renderer_base::math::{Bounds, atan2, determinant};

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
}

/// Error in a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// An index points past the vertices.
    #[error("triangle {triangle} uses vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// Its index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A position is NaN or infinite.
    #[error("vertex {vertex} is not finite: ({}, {}, {})", .position.x, .position.y, .position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// A value of an attribute is NaN or infinite.
    #[error("{attribute} of vertex {vertex} are not finite")]
    AttributeNotFinite {
        /// The attribute's name.
        attribute: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// More than indices can count.
    #[error("the mesh has {found} {what}, but 4294967295 is the most")]
    TooLarge {
        /// Name of the elements, for the message.
        what: &'static str,
        /// Number of elements found.
        found: usize,
    },
    /// A named attribute does not suit the mesh.
    #[error(
        "attribute `{name}` has {found} numbers for {count} values of {width}, or some that are not finite"
    )]
    Attribute {
        /// Its name.
        name: String,
        /// Numbers of a value.
        width: usize,
        /// Number of numbers found.
        found: usize,
        /// Expected number of values.
        count: usize,
    },
    /// Two attributes of a domain have the same name.
    #[error("there are two attributes `{name}`")]
    AttributeTwice {
        /// The name.
        name: String,
    },
    /// An attribute has another number of values than there are vertices.
    #[error("{attribute} has {found} values for {vertices} vertices")]
    AttributeLength {
        /// The attribute's name.
        attribute: &'static str,
        /// Number of values found.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
}

impl Mesh {
    /// Triangles without attributes.
    ///
    /// # Errors
    /// As [`Mesh::validate`].
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Mesh, MeshError> {
        Mesh {
            positions,
            triangles,
            ..Mesh::default()
        }
        .validate()
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
            return Err(MeshError::NotFinite {
                vertex,
                position: self.positions[vertex],
            });
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
        check_attribute("colors", &self.colors, vertices, |color| {
            color.iter().all(|c| c.is_finite())
        })?;
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

    /// The mesh without vertex normals (flat shading).
    #[must_use]
    pub fn with_face_normals(self) -> Mesh {
        Mesh {
            normals: vec![],
            ..self
        }
    }

    /// The mesh with vertex normals: its own, or [`Mesh::smooth_normals`] in world space, since a non-uniform scale
    /// changes the angles of faces.
    #[must_use]
    pub fn with_vertex_normals(self, world_from_object: &Affine3A) -> Mesh {
        if !self.normals.is_empty() {
            return self;
        }
        let linear = world_from_object.matrix3;
        if similarity_scale(linear).is_some() {
            let normals = self.smooth_normals();
            return Mesh { normals, ..self };
        }
        let placed = Mesh {
            positions: self.positions.iter().map(|&p| linear * p).collect(),
            ..self
        };
        // A mirroring transform reverses the faces.
        let object_from_world = linear.transpose() * determinant(&linear).signum();
        let normals = placed.smooth_normals();
        let to_object = |&n: &Vec3| unit(object_from_world * n).unwrap_or(Vec3::Z);
        Mesh {
            positions: self.positions,
            normals: normals.iter().map(to_object).collect(),
            ..placed
        }
    }

    /// Reorders triangles so that their fronts (counter-clockwise) are on the side of the vertex normals; unchanged
    /// without normals.
    #[must_use]
    pub fn with_fronts_by_normals(mut self) -> Mesh {
        if self.normals.is_empty() {
            return self;
        }
        let (positions, normals) = (&self.positions, &self.normals);
        for triangle in &mut self.triangles {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
            let [u, v, w] = triangle.map(|vertex| normals[vertex as usize]);
            if (b - a).cross(c - a).dot(u + v + w) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        self
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
        let triangles = taken
            .iter()
            .map(|&t| self.triangles[t].map(&mut vertex))
            .collect();
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
        };
        part.fit();
        part
    }

    /// Normalizes normals; zero or non-finite ones become the mean of adjacent faces.
    fn normalize_normals(&mut self) {
        // Normals of unit length within rounding keep their bits.
        let is_unit = |n: Vec3| (n.as_dvec3().length_squared() - 1.0).abs() < 2.5e-7;
        let mut any_bad = false;
        for n in self.normals.iter_mut().filter(|n| !is_unit(**n)) {
            match unit(*n) {
                Some(unit) => *n = unit,
                None => {
                    *n = Vec3::ZERO;
                    any_bad = true;
                }
            }
        }
        if any_bad {
            let smooth = self.smooth_normals();
            for (n, smooth) in self.normals.iter_mut().zip(smooth) {
                if *n == Vec3::ZERO {
                    *n = smooth;
                }
            }
        }
    }

    /// Unit vertex normals: mean of the adjacent face normals, weighted by angle.
    // Thürmer & Wüthrich 1998, "Computing Vertex Normals from Polygonal Facets".
    pub fn smooth_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for indices in &self.triangles {
            let p = indices.map(|index| self.positions[index as usize]);
            let n = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            for corner in 0..3 {
                let to_next = p[(corner + 1) % 3] - p[corner];
                let to_last = p[(corner + 2) % 3] - p[corner];
                let angle = atan2(to_next.cross(to_last).length(), to_next.dot(to_last));
                normals[indices[corner] as usize] += n * angle;
            }
        }
        // A vertex without faces gets an arbitrary unit normal.
        normals.iter().map(|&n| unit(n).unwrap_or(Vec3::Z)).collect()
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

/// A vector of unit length but for its own rounding, so that it stays as it is when it is written and read again.
fn unit(n: Vec3) -> Option<Vec3> {
    n.as_dvec3().try_normalize().map(|n| n.as_vec3())
}

/// Index of the first value that `is_wrong`.
pub(super) fn first<T: Sync>(values: &[T], is_wrong: impl Fn(&T) -> bool + Send + Sync) -> Option<usize> {
    const MIN_PARALLEL_VALUES: usize = 1 << 17;
    if values.len() < MIN_PARALLEL_VALUES {
        values.iter().position(is_wrong)
    } else {
        values
            .par_iter()
            .with_min_len(MIN_PARALLEL_VALUES / 4)
            .position_first(is_wrong)
    }
}

fn check_attribute<T: Sync>(
    attribute: &'static str,
    values: &[T],
    vertices: usize,
    finite: impl Fn(&T) -> bool + Send + Sync,
) -> Result<(), MeshError> {
    if !values.is_empty() && values.len() != vertices {
        return Err(MeshError::AttributeLength {
            attribute,
            found: values.len(),
            vertices,
        });
    }
    match first(values, |value| !finite(value)) {
        Some(vertex) => Err(MeshError::AttributeNotFinite { attribute, vertex }),
        None => Ok(()),
    }
}
