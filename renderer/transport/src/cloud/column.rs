//! Attributes of point clouds: a value for each point.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudColumn {
    /// Its name.
    pub name: String,
    /// One value for each point.
    pub values: ColumnValues,
}

/// The values of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers.
    Ints(Vec<i32>),
    /// Numbers.
    Floats(Vec<f32>),
    /// Points, vectors, normals or colours.
    Triples(Vec<[f32; 3]>),
    /// Arrays of numbers, or matrices.
    Arrays {
        /// Numbers of a point.
        width: usize,
        /// Those of all points, one after the other.
        list: Vec<f32>,
    },
    /// Strings.
    Texts {
        /// The strings.
        list: Vec<Arc<str>>,
        /// Which of them each point has.
        indices: Vec<i32>,
    },
}

impl ColumnValues {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Ints(list) => list.len(),
            ColumnValues::Floats(list) => list.len(),
            ColumnValues::Triples(list) => list.len(),
            ColumnValues::Arrays { width, list } => list.len() / width.max(&1),
            ColumnValues::Texts { indices, .. } => indices.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory that they take [bytes].
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
