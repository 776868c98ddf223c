//! Attributes of point clouds: one value per point.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Attribute of a point cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudColumn {
    /// Name.
    pub name: String,
    /// Values, one per point.
    pub values: ColumnValues,
}

/// Values of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Integers.
    Ints(Vec<i32>),
    /// Floating-point numbers.
    Floats(Vec<f32>),
    /// Points, vectors, normals or colours.
    Triples(Vec<[f32; 3]>),
    /// Arrays of numbers, or matrices.
    Arrays {
        /// Numbers per point.
        width: usize,
        /// Numbers of all points, concatenated.
        list: Vec<f32>,
    },
    /// Strings.
    Texts {
        /// Distinct strings.
        list: Vec<Arc<str>>,
        /// Index into `list` for each point.
        indices: Vec<i32>,
    },
}

impl ColumnValues {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Ints(list) => list.len(),
            ColumnValues::Floats(list) => list.len(),
            ColumnValues::Triples(list) => list.len(),
            ColumnValues::Arrays { width, list } => list.len() / width.max(&1),
            ColumnValues::Texts { indices, .. } => indices.len(),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in use [bytes].
    pub(super) fn bytes(&self) -> usize {
        match self {
            ColumnValues::Ints(list) => size_of_val(&list[..]),
            ColumnValues::Floats(list) => size_of_val(&list[..]),
            ColumnValues::Triples(list) => size_of_val(&list[..]),
            ColumnValues::Arrays { list, .. } => size_of_val(&list[..]),
            ColumnValues::Texts { list, indices } => {
                let texts: usize = list.iter().map(|text| size_of_val(text) + text.len()).sum();
                size_of_val(&indices[..]) + texts
            }
        }
    }

    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        match self {
            ColumnValues::Ints(list) => list.hash(hasher),
            ColumnValues::Floats(list) | ColumnValues::Arrays { list, .. } => {
                list.iter().for_each(|x| x.to_bits().hash(hasher));
            }
            ColumnValues::Triples(list) => list.iter().for_each(|x| x.map(f32::to_bits).hash(hasher)),
            ColumnValues::Texts { list, indices } => (list, indices).hash(hasher),
        }
    }
}
