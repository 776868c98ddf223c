//! Geometry attributes for shaders (`getattribute`, interpolated inputs), resolved by shape when the scene is built.

use glam::Vec3;
use shading::hir::Axis;
use shading::{KnownAttributes, ShaderGlobals};

use super::rendering_space::RenderingSpace;
use super::standard_attribute::is_standard;
use renderer_geometry::{AttributeDomain, AttributeSource, CurvePlace, Mesh, MeshAttribute, Shape};

/// Sources of the attributes that shaders look up, for each shape.
#[derive(Debug)]
pub(super) struct AttributeTable {
    pub(super) names: Vec<String>,
    /// Sources by attribute name, then by shape.
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

    /// Source of an attribute by its index, for an existing shape.
    #[inline]
    pub(super) fn source(&self, name: u32, shape: u32) -> Option<AttributeSource> {
        self.sources.get(name as usize * self.shapes + shape as usize).copied()
    }
}

/// Names of attributes that all of the shapes have, and of those that only some have; `None` without shapes.
pub fn known_attributes<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> Option<KnownAttributes> {
    KnownAttributes::of(shapes.into_iter().map(Shape::attribute_names))
}

/// Returns whether a shape has an attribute, or every shading point has it.
pub fn has_attribute(shape: &Shape, name: &str) -> bool {
    !matches!(AttributeSource::of(shape, name), AttributeSource::None)
        || shape.attributes.get(name).is_some()
        || is_standard(name)
}

/// Value of an attribute at a shading point of the shape.
pub(super) fn value(
    source: AttributeSource,
    shape: &Shape,
    globals: &ShaderGlobals,
    space: RenderingSpace,
) -> Option<[f32; 4]> {
    if let AttributeSource::Object(index) = source {
        return shape.object_attribute(index);
    }
    if shape.mesh().is_none() {
        return of_strand(source, shape, globals, |place| place.weights);
    }
    let uv = [globals.u, globals.v, 0.0, 0.0];
    weighted(source, shape, globals, uv, |triangle| barycentric(triangle, globals, space))
}

/// Screen-space derivative of an attribute along one axis [1/pixel].
pub(super) fn derivative(
    source: AttributeSource,
    shape: &Shape,
    globals: &ShaderGlobals,
    axis: Axis,
) -> Option<[f32; 4]> {
    let (dp, du, dv) = match axis {
        Axis::X => (globals.dpdx, globals.dudx, globals.dvdx),
        Axis::Y => (globals.dpdy, globals.dudy, globals.dvdy),
    };
    if let Some(curves) = shape.curves() {
        let AttributeSource::Named(index) = source else {
            return None;
        };
        let varies = curves.set().attributes.get(index)?.domain == AttributeDomain::Vertex;
        return varies
            .then(|| of_strand(source, shape, globals, |place| place.slopes.map(|slope| slope * du)))
            .flatten();
    }
    let is_constant = |attribute: &MeshAttribute| attribute.domain == AttributeDomain::Face;
    if let (AttributeSource::Named(index) | AttributeSource::Component(index, _), Some(mesh)) =
        (source, shape.mesh())
        && mesh.attributes.get(index).is_none_or(is_constant)
    {
        return None;
    }
    let [x, y, z, _] = dp.0;
    weighted(source, shape, globals, [du, dv, 0.0, 0.0], |triangle| {
        let [b1, b2] = weights(triangle, Vec3::new(x, y, z));
        [-b1 - b2, b1, b2]
    })
}

/// Value of a named attribute on curves, as a weighted sum of those of control points, or on points.
fn of_strand(
    source: AttributeSource,
    shape: &Shape,
    globals: &ShaderGlobals,
    weights: impl Fn(&CurvePlace) -> [f32; 4],
) -> Option<[f32; 4]> {
    let AttributeSource::Named(index) = source else {
        return None;
    };
    let attribute = shape.geometry_attributes().get(index)?;
    let Some(curves) = shape.curves() else {
        return Some(attribute.value(globals.primitive as usize));
    };
    let place = curves.place(globals.primitive, globals.u);
    if attribute.domain == AttributeDomain::Face {
        return Some(attribute.value(place.strand as usize));
    }
    let weights = (place.first as usize..).zip(weights(&place));
    Some(weights.fold([0.0; 4], |sum, (index, weight)| {
        let value = attribute.value(index);
        std::array::from_fn(|lane| sum[lane] + value[lane] * weight)
    }))
}

/// Weighted sum of the values at a triangle's vertices; `uv` is the result for texture coordinates.
fn weighted(
    source: AttributeSource,
    shape: &Shape,
    globals: &ShaderGlobals,
    uv: [f32; 4],
    weights: impl Fn([Vec3; 3]) -> [f32; 3],
) -> Option<[f32; 4]> {
    let mesh = shape.mesh()?;
    let place = (globals.primitive, globals.time);
    match source {
        AttributeSource::None | AttributeSource::Object(_) => None,
        AttributeSource::Uv => Some(uv),
        AttributeSource::Uv2 => interpolate(shape, mesh, place, weights, |i| {
            mesh.uvs2.get(i).map_or([0.0; 4], |uv| [uv.x, uv.y, 0.0, 0.0])
        }),
        AttributeSource::Color => {
            interpolate(shape, mesh, place, weights, |i| mesh.colors.get(i).copied().unwrap_or_default())
        }
        AttributeSource::Alpha => interpolate(shape, mesh, place, weights, |i| {
            grey(mesh.colors.get(i).map_or(1.0, |color| color[3]))
        }),
        AttributeSource::ColorComponent(lane) => interpolate(shape, mesh, place, weights, |i| {
            grey(mesh.colors.get(i).map_or(0.0, |color| color[lane]))
        }),
        AttributeSource::Named(index) | AttributeSource::Component(index, _) => {
            let attribute = mesh.attributes.get(index)?;
            let value = match attribute.domain {
                AttributeDomain::Face => attribute.value(globals.primitive as usize),
                AttributeDomain::Vertex => interpolate(shape, mesh, place, weights, |i| attribute.value(i))?,
            };
            match source {
                AttributeSource::Component(_, lane) => value.get(lane).copied().map(grey),
                _ => Some(value),
            }
        }
    }
}

/// A single number as a value.
fn grey(x: f32) -> [f32; 4] {
    [x, x, x, 0.0]
}

/// Value of a vertex attribute at the shading point, interpolated over the triangle.
fn interpolate(
    shape: &Shape,
    mesh: &Mesh,
    (primitive, time): (u32, f32),
    weights: impl Fn([Vec3; 3]) -> [f32; 3],
    value: impl Fn(usize) -> [f32; 4],
) -> Option<[f32; 4]> {
    let indices = mesh.triangles.get(primitive as usize)?;
    let weights = weights(shape.triangle_at(primitive, time));
    let values = indices.map(|index| value(index as usize));
    Some(std::array::from_fn(|lane| {
        values.iter().zip(weights).map(|(value, weight)| value[lane] * weight).sum()
    }))
}

/// Barycentric weights of a triangle's vertices at the shading point.
fn barycentric(triangle: [Vec3; 3], globals: &ShaderGlobals, space: RenderingSpace) -> [f32; 3] {
    let [x, y, z, _] = globals.p.0;
    let [b1, b2] = weights(triangle, space.rendering(Vec3::new(x, y, z)) - triangle[0]);
    [1.0 - b1 - b2, b1, b2]
}

/// Coefficients of a vector in the triangle's plane with respect to the two edges at the first vertex.
fn weights([a, b, c]: [Vec3; 3], v: Vec3) -> [f32; 2] {
    let (edge1, edge2) = (b - a, c - a);
    let normal = edge1.cross(edge2);
    let area2 = normal.length_squared();
    if area2 == 0.0 {
        return [0.0; 2];
    }
    [v.cross(edge2).dot(normal) / area2, edge1.cross(v).dot(normal) / area2]
}
