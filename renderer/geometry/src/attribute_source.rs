//! Attribute names as shaders use them: resolves a name to the data of a mesh.

use std::collections::BTreeSet;

use crate::{Geometry, Mesh, Shape};

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

/// Source of the values of a named attribute on a shape.
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
    /// Resolves an attribute's name on a shape.
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

    /// Returns whether shaders find an attribute of this name.
    pub fn has_attribute(&self, name: &str) -> bool {
        !matches!(AttributeSource::of_mesh(self, name), AttributeSource::None)
    }
}
