//! Attributes of geometry by name, as shaders ask for them: names are resolved for each shape when a scene is built, so
//! that a lookup at a hit compares no text.

use glam::Vec3;
use shading::ShaderGlobals;

use crate::geometry::{AttributeDomain, Geometry, Mesh, Shape};

/// Where the attributes that shaders name are, for each shape.
#[derive(Debug)]
pub(super) struct AttributeTable {
    pub(super) names: Vec<String>,
    /// By name, then by shape.
    sources: Vec<AttributeSource>,
    shapes: usize,
}

impl AttributeTable {
    pub(super) fn new(names: Vec<String>, shapes: &[Shape]) -> AttributeTable {
        let of_name = |name| shapes.iter().map(move |shape| AttributeSource::of(shape, name));
        AttributeTable {
            sources: names.iter().flat_map(|name| of_name(name)).collect(),
            names,
            shapes: shapes.len(),
        }
    }

    /// The source of the name with that index; the shape exists.
    #[inline]
    pub(super) fn source(&self, name: u32, shape: u32) -> Option<AttributeSource> {
        self.sources
            .get(name as usize * self.shapes + shape as usize)
            .copied()
    }
}

/// What an attribute's name means for a shape.
#[derive(Clone, Copy, Debug)]
pub(super) enum AttributeSource {
    /// The shape has none of that name.
    None,
    /// The texture coordinates.
    Uv,
    /// The second set of texture coordinates.
    Uv2,
    /// The vertex colours.
    Color,
    /// One of the mesh's named attributes.
    Named(usize),
}

impl AttributeSource {
    /// What the name means for the shape. Named attributes are called `vertex_NAME` or `face_NAME`, or by the bare name.
    pub(super) fn of(shape: &Shape, name: &str) -> AttributeSource {
        let Geometry::Mesh(mesh) = &shape.geometry else {
            return AttributeSource::None;
        };
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
            _ => AttributeSource::None,
        }
    }

    /// The value at a shading point of the shape.
    pub(super) fn value(self, shape: &Shape, globals: &ShaderGlobals) -> Option<[f32; 4]> {
        let Geometry::Mesh(mesh) = &shape.geometry else {
            return None;
        };
        match self {
            AttributeSource::None => None,
            AttributeSource::Uv => Some([globals.u, globals.v, 0.0, 0.0]),
            AttributeSource::Uv2 => interpolate(shape, mesh, globals, |i| {
                mesh.uvs2.get(i).map_or([0.0; 4], |uv| [uv.x, uv.y, 0.0, 0.0])
            }),
            AttributeSource::Color => interpolate(shape, mesh, globals, |i| {
                mesh.colors.get(i).copied().unwrap_or_default()
            }),
            AttributeSource::Named(index) => {
                let attribute = mesh.attributes.get(index)?;
                match attribute.domain {
                    AttributeDomain::Face => Some(attribute.value(globals.primitive as usize)),
                    AttributeDomain::Vertex => interpolate(shape, mesh, globals, |i| attribute.value(i)),
                }
            }
        }
    }
}

/// The value of a vertex attribute at the shading point, from those of the triangle's vertices.
fn interpolate(
    shape: &Shape,
    mesh: &Mesh,
    globals: &ShaderGlobals,
    value: impl Fn(usize) -> [f32; 4],
) -> Option<[f32; 4]> {
    let indices = mesh.triangles.get(globals.primitive as usize)?;
    let weights = barycentric(shape.triangle(globals.primitive), globals);
    let values = indices.map(|index| value(index as usize));
    Some(std::array::from_fn(|lane| {
        values
            .iter()
            .zip(weights)
            .map(|(value, weight)| value[lane] * weight)
            .sum()
    }))
}

/// The weights of a triangle's vertices at the shading point.
fn barycentric([a, b, c]: [Vec3; 3], globals: &ShaderGlobals) -> [f32; 3] {
    let [x, y, z, _] = globals.p.0;
    let (edge1, edge2, to_p) = (b - a, c - a, Vec3::new(x, y, z) - a);
    let normal = edge1.cross(edge2);
    let area2 = normal.length_squared();
    if area2 == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let b1 = to_p.cross(edge2).dot(normal) / area2;
    let b2 = edge1.cross(to_p).dot(normal) / area2;
    [1.0 - b1 - b2, b1, b2]
}
