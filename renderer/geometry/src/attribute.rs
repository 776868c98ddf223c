//! Named mesh attributes (primvars), by vertex or by triangle, and the names by which shaders find them.

use std::collections::BTreeSet;

use crate::{Geometry, Mesh, Shape};

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
    /// Its name, a word that is unique in its domain: `heat`, which shaders find as `vertex_heat` or `face_heat`.
    pub name: String,
    /// What its values belong to.
    pub domain: AttributeDomain,
    /// Numbers of a value: 1 or 3.
    pub width: usize,
    /// `width` numbers for each vertex or triangle.
    pub values: Vec<f32>,
}

impl MeshAttribute {
    /// Whether shaders mean this one by `name`: its name with its domain before it.
    pub fn is_called(&self, name: &str) -> bool {
        let prefix = match self.domain {
            AttributeDomain::Vertex => "vertex_",
            AttributeDomain::Face => "face_",
        };
        name.strip_prefix(prefix) == Some(self.name.as_str())
    }

    /// The value at an index, the last zero; one number stands in all three others. Zero where there is none.
    #[inline]
    pub fn value(&self, index: usize) -> [f32; 4] {
        let numbers = self.values.get(index * self.width..).unwrap_or_default();
        match (self.width, numbers) {
            (1, [x, ..]) => [*x, *x, *x, 0.0],
            (3, [x, y, z, ..]) => [*x, *y, *z, 0.0],
            _ => [0.0; 4],
        }
    }

    /// How many values it has to have, if there are so many vertices and triangles.
    pub(super) fn count(&self, vertices: usize, triangles: usize) -> usize {
        match self.domain {
            AttributeDomain::Vertex => vertices,
            AttributeDomain::Face => triangles,
        }
    }

    /// Whether its name is a word, and it has `count` values, all finite.
    pub(super) fn is_valid(&self, count: usize) -> bool {
        let name_is_word = !self.name.is_empty() && !self.name.contains(char::is_whitespace);
        let fits = matches!(self.width, 1 | 3) && self.values.len() == count * self.width;
        name_is_word && fits && self.values.iter().all(|v| v.is_finite())
    }
}

/// The names of what meshes have besides named attributes.
const OWN_NAMES: [&str; 10] = [
    "uv",
    "st",
    "uv2",
    "st2",
    "color",
    "vertex_color",
    "Cd",
    "Cs",
    "Col",
    "vertex_alpha",
];

/// What an attribute's name means for a shape.
#[derive(Clone, Copy, Debug)]
pub enum AttributeSource {
    /// The shape has none of that name.
    None,
    /// The texture coordinates.
    Uv,
    /// The second set of texture coordinates.
    Uv2,
    /// The vertex colours.
    Color,
    /// The alpha of the vertex colours.
    Alpha,
    /// One of the mesh's named attributes.
    Named(usize),
}

impl AttributeSource {
    /// What the name means for the shape.
    pub fn of(shape: &Shape, name: &str) -> AttributeSource {
        match &shape.geometry {
            Geometry::Mesh(mesh) => AttributeSource::of_mesh(mesh, name),
            _ => AttributeSource::None,
        }
    }

    /// Named attributes are called `vertex_NAME` or `face_NAME`, or by the bare name.
    pub fn of_mesh(mesh: &Mesh, name: &str) -> AttributeSource {
        let attributes = &mesh.attributes;
        let named = attributes
            .iter()
            .position(|attribute| attribute.is_called(name))
            .or_else(|| attributes.iter().position(|attribute| attribute.name == name));
        match name {
            _ if let Some(index) = named => AttributeSource::Named(index),
            "uv" | "st" if !mesh.uvs.is_empty() => AttributeSource::Uv,
            "uv2" | "st2" if !mesh.uvs2.is_empty() => AttributeSource::Uv2,
            "color" | "vertex_color" | "Cd" | "Cs" | "Col" if !mesh.colors.is_empty() => {
                AttributeSource::Color
            }
            "vertex_alpha" if !mesh.colors.is_empty() => AttributeSource::Alpha,
            _ => AttributeSource::None,
        }
    }
}

impl Mesh {
    /// All names by which shaders find an attribute.
    pub fn attribute_names(&self) -> BTreeSet<String> {
        let named = self.attributes.iter().flat_map(|attribute| {
            let name = &attribute.name;
            [name.clone(), format!("vertex_{name}"), format!("face_{name}")]
        });
        let others = OWN_NAMES.iter().map(|&name| name.to_owned());
        named
            .chain(others)
            .filter(|name| self.has_attribute(name))
            .collect()
    }

    /// Whether shaders find an attribute of that name.
    pub fn has_attribute(&self, name: &str) -> bool {
        !matches!(AttributeSource::of_mesh(self, name), AttributeSource::None)
    }
}
