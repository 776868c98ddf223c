//! Named mesh attributes (primvars), by vertex or by triangle.

/// Domain of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeDomain {
    /// A vertex: values are interpolated over triangles.
    Vertex,
    /// A triangle.
    Face,
}

/// Values of a mesh by name, besides positions, normals, texture coordinates and vertex colours.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshAttribute {
    /// Name, a word that is unique in the domain: `heat`, which shaders find as `vertex_heat` or `face_heat`.
    pub name: String,
    /// Domain of the values.
    pub domain: AttributeDomain,
    /// Numbers of a value, from 1 to 4.
    pub width: usize,
    /// `width` numbers for each vertex or triangle.
    pub values: Vec<f32>,
    /// Names of the single numbers in the file, by which shaders find them too; empty if they have none.
    pub properties: Vec<String>,
}

impl MeshAttribute {
    /// Returns whether `name` is this attribute's name in shaders: its name with its domain as prefix.
    pub fn is_called(&self, name: &str) -> bool {
        let prefix = match self.domain {
            AttributeDomain::Vertex => "vertex_",
            AttributeDomain::Face => "face_",
        };
        name.strip_prefix(prefix) == Some(self.name.as_str())
    }

    /// The value at an index, padded by zeros; a single number fills the first three. Zero if the index is out of
    /// range.
    #[inline]
    pub fn value(&self, index: usize) -> [f32; 4] {
        let numbers = self.values.get(index * self.width..).unwrap_or_default();
        match (self.width, numbers) {
            (1, [x, ..]) => [*x, *x, *x, 0.0],
            (2, [x, y, ..]) => [*x, *y, 0.0, 0.0],
            (3, [x, y, z, ..]) => [*x, *y, *z, 0.0],
            (4, [x, y, z, w, ..]) => [*x, *y, *z, *w],
            _ => [0.0; 4],
        }
    }

    /// Number of values required for a mesh of this number of vertices and triangles.
    pub(super) fn count(&self, vertices: usize, triangles: usize) -> usize {
        match self.domain {
            AttributeDomain::Vertex => vertices,
            AttributeDomain::Face => triangles,
        }
    }

    /// Returns whether the name is a single word and there are `count` values, all finite.
    pub(super) fn is_valid(&self, count: usize) -> bool {
        let name_is_word = !self.name.is_empty() && !self.name.contains(char::is_whitespace);
        let fits = matches!(self.width, 1..=4) && self.values.len() == count * self.width;
        name_is_word && fits && self.values.iter().all(|v| v.is_finite())
    }
}
