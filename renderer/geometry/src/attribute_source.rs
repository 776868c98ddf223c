//! Attribute names as shaders use them: resolves a name to the data of a mesh.

use std::collections::BTreeSet;

use crate::{Mesh, MeshAttribute, Shape};

/// Names of the built-in attributes of meshes.
const OWN_NAMES: [&str; 14] = [
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
    "red",
    "green",
    "blue",
    "alpha",
];

/// Source of the values of a named attribute on a shape.
#[derive(Clone, Copy, Debug)]
pub enum AttributeSource {
    /// The shape has no attribute of this name.
    None,
    /// The texture coordinates.
    Uv,
    /// The second set of texture coordinates.
    Uv2,
    /// The vertex colours.
    Color,
    /// The alpha of the vertex colours.
    Alpha,
    /// Index of a named attribute of the mesh.
    Named(usize),
    /// Component of a named attribute of the mesh: index of the attribute, index of the number.
    Component(usize, usize),
    /// Component of the vertex colours.
    ColorComponent(usize),
    /// Index of an object attribute of the scene.
    Object(usize),
}

impl AttributeSource {
    /// Resolves an attribute's name on a shape. Object attributes precede attributes of the mesh.
    pub fn of(shape: &Shape, name: &str) -> AttributeSource {
        let given = shape.attributes.iter().position(|(own, _)| own == name);
        match (given, shape.mesh()) {
            (Some(index), _) => AttributeSource::Object(index),
            (None, Some(mesh)) => AttributeSource::of_mesh(mesh, name),
            (None, None) => AttributeSource::named(shape.geometry_attributes(), name),
        }
    }

    /// Resolves a name among named attributes.
    fn named(attributes: &[MeshAttribute], name: &str) -> AttributeSource {
        let found = attributes.iter().position(|attribute| attribute.is_called(name));
        let found = found.or_else(|| attributes.iter().position(|attribute| attribute.name == name));
        found.map_or(AttributeSource::None, AttributeSource::Named)
    }

    /// Named attributes are called `vertex_NAME` or `face_NAME`, or by the bare name; single numbers by the name of
    /// their property in a PLY file.
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
            "vertex_alpha" | "alpha" if !mesh.colors.is_empty() => AttributeSource::Alpha,
            "red" if !mesh.colors.is_empty() => AttributeSource::ColorComponent(0),
            "green" if !mesh.colors.is_empty() => AttributeSource::ColorComponent(1),
            "blue" if !mesh.colors.is_empty() => AttributeSource::ColorComponent(2),
            _ => property_of(mesh, name),
        }
    }
}

/// Finds a component by the name of its property in the file.
fn property_of(mesh: &Mesh, name: &str) -> AttributeSource {
    let component = |attribute: &MeshAttribute| attribute.properties.iter().position(|own| own == name);
    let mut found = mesh.attributes.iter().enumerate();
    found
        .find_map(|(index, attribute)| Some(AttributeSource::Component(index, component(attribute)?)))
        .unwrap_or(AttributeSource::None)
}

impl Shape {
    /// Names by which shaders find an attribute.
    pub fn attribute_names(&self) -> BTreeSet<String> {
        let given = self.attributes.iter().map(|(name, _)| name.clone());
        let of_mesh = self.mesh().map(|mesh| mesh.attribute_names());
        let others = if of_mesh.is_some() { &[] } else { self.geometry_attributes() };
        let others = others.iter().flat_map(|attribute| {
            let name = &attribute.name;
            let prefixed = [format!("vertex_{name}"), format!("face_{name}")];
            let called = prefixed.into_iter().filter(|prefixed| attribute.is_called(prefixed));
            called.chain([name.clone()])
        });
        given.chain(of_mesh.into_iter().flatten()).chain(others).collect()
    }

    /// Up to four numbers of an attribute that the scene gives to the object, by its index in
    /// [`AttributeSource::Object`].
    pub fn object_attribute(&self, index: usize) -> Option<[f32; 4]> {
        self.attributes.few_numbers(index)
    }
}

impl Mesh {
    /// Names by which shaders find an attribute.
    pub fn attribute_names(&self) -> BTreeSet<String> {
        let named = self.attributes.iter().flat_map(|attribute| {
            let name = &attribute.name;
            let names = [name.clone(), format!("vertex_{name}"), format!("face_{name}")];
            names.into_iter().chain(attribute.properties.iter().cloned())
        });
        let others = OWN_NAMES.iter().map(|&name| name.to_owned());
        named.chain(others).filter(|name| self.has_attribute(name)).collect()
    }

    /// Returns whether shaders find an attribute of this name.
    pub fn has_attribute(&self, name: &str) -> bool {
        !matches!(AttributeSource::of_mesh(self, name), AttributeSource::None)
    }
}
