//! Conversion of glTF primitives (triangles, strips, fans) to meshes.

use glam::{Vec2, Vec3};
use gltf::mesh::{Mode, Primitive};
use gltf::{Material, Semantic};

use super::GltfError;
use super::accessor::{components, indices, vectors_at};
use super::buffers::Buffers;
use super::selection::VertexSelection;
use super::slot::{Slot, set_of};
use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};

/// Number of texture coordinate sets that are read.
pub(super) const UV_SETS: u32 = 4;
/// Attributes of tangents and bitangents, vectors in mesh space.
pub(super) const TANGENTS: [&str; 2] = ["tangent", "bitangent"];

/// Mesh of a primitive, not yet validated, and the vertices of its accessors that it has; the inner `Err` is the reason
/// why there is nothing to render.
pub(super) fn mesh(
    primitive: &Primitive<'_>,
    buffers: &Buffers,
) -> Result<Result<(Mesh, VertexSelection), &'static str>, GltfError> {
    /// Memory of an attribute of a vertex [bytes].
    const ATTRIBUTE: usize = 16;
    let Some(positions) = primitive.get(&Semantic::Positions) else {
        return Ok(Err("it has no positions and is not shown"));
    };
    let mut triangles = match triangles(primitive, buffers)? {
        Ok(triangles) => triangles,
        Err(reason) => return Ok(Err(reason)),
    };
    let selection = VertexSelection::of(positions.count(), &mut triangles);
    let attributes = primitive.attributes().count();
    let vertices = selection.count(positions.count());
    buffers
        .budget
        .allocate("meshes", vertices, attributes * ATTRIBUTE)
        .map_err(|excess| excess.to_string())?;
    let picked = selection.picked();
    let positions = vectors_at(&positions, buffers, picked)?.into_iter();
    let mut mesh = Mesh {
        positions: positions.map(Vec3::from_array).collect(),
        triangles,
        ..Mesh::default()
    };
    if let Some(accessor) = primitive.get(&Semantic::Normals) {
        mesh.normals = vectors_at(&accessor, buffers, picked)?
            .into_iter()
            .map(Vec3::from_array)
            .collect();
    }
    for set in 0..UV_SETS {
        if let Some(accessor) = primitive.get(&Semantic::TexCoords(set)) {
            add_uvs(&mut mesh, set, vectors_at(&accessor, buffers, picked)?);
        }
    }
    if let Some(accessor) = primitive.get(&Semantic::Tangents)
        && tangent_set(&primitive.material()).is_some()
    {
        add_tangents(&mut mesh, &vectors_at(&accessor, buffers, picked)?);
    }
    if let Some(accessor) = primitive.get(&Semantic::Colors(0)) {
        mesh.colors = if components(accessor.dimensions()) == 3 {
            vectors_at(&accessor, buffers, picked)?
                .into_iter()
                .map(|[r, g, b]| [r, g, b, 1.0])
                .collect()
        } else {
            vectors_at(&accessor, buffers, picked)?
        };
    }
    Ok(Ok((mesh, selection)))
}

/// Vertices of the triangles of a primitive; the inner `Err` is the reason why there are none.
pub(super) fn triangles(
    primitive: &Primitive<'_>,
    buffers: &Buffers,
) -> Result<Result<Vec<[u32; 3]>, &'static str>, GltfError> {
    /// Memory of a corner: its index, also as part of three triangles of a strip [bytes].
    const CORNER: usize = 16;
    let corners = primitive.indices().or_else(|| primitive.get(&Semantic::Positions));
    buffers
        .budget
        .allocate("corners of triangles", corners.map_or(0, |corners| corners.count()), CORNER)
        .map_err(|excess| excess.to_string())?;
    let order = || match (primitive.indices(), primitive.get(&Semantic::Positions)) {
        (Some(accessor), _) => indices(&accessor, buffers),
        (None, Some(positions)) => match u32::try_from(positions.count()) {
            Ok(count) => Ok((0..count).collect()),
            Err(_) => Err("a primitive has too many vertices".to_owned()),
        },
        (None, None) => Ok(vec![]),
    };
    let triangles = match primitive.mode() {
        Mode::Triangles => order()?.as_chunks().0.to_vec(),
        Mode::TriangleStrip => strip(&order()?),
        Mode::TriangleFan => fan(&order()?),
        Mode::Points => return Ok(Err("points are not shown")),
        Mode::Lines | Mode::LineLoop | Mode::LineStrip => return Ok(Err("lines are not shown")),
    };
    Ok(match triangles.is_empty() {
        true => Err("it has no triangles"),
        false => Ok(triangles),
    })
}

/// Adds a texture coordinate set; the third and fourth become attributes.
fn add_uvs(mesh: &mut Mesh, set: u32, uvs: Vec<[f32; 2]>) {
    // In Kiln v runs up on surfaces, in glTF down.
    let upright = uvs.into_iter().map(|[u, v]| Vec2::new(u, 1.0 - v));
    match set {
        0 => mesh.uvs = upright.collect(),
        1 => mesh.uvs2 = upright.collect(),
        _ => mesh.attributes.push(of_vertices(
            uv_attribute(set),
            upright.flat_map(|uv| [uv.x, uv.y, 0.0]).collect(),
        )),
    }
}

/// Texture coordinate set for tangents; `None` if the material does not depend on tangents.
pub(super) fn tangent_set(material: &Material<'_>) -> Option<u32> {
    if let Some(normal) = material.normal_texture() {
        return Some(Slot::of_normal(&normal).set);
    }
    let extension = |name: &str| material.extension_value(name);
    let coat = extension("KHR_materials_clearcoat").and_then(|coat| coat.get("clearcoatNormalTexture"));
    let brushed = extension("KHR_materials_anisotropy");
    let texture = coat.or(brushed.map(|brushed| brushed.get("anisotropyTexture").unwrap_or(brushed)))?;
    Some(set_of(texture).unwrap_or(0))
}

/// Texture coordinate set of a mesh in Kiln's convention, if it exists.
pub(super) fn uv_set(mesh: &Mesh, set: u32) -> Option<Vec<Vec2>> {
    let uvs: Vec<Vec2> = match set {
        0 => mesh.uvs.clone(),
        1 => mesh.uvs2.clone(),
        _ => {
            let name = uv_attribute(set);
            let attribute = mesh.attributes.iter().find(|attribute| attribute.name == name)?;
            let values = attribute.values.as_chunks().0.iter();
            values.map(|&[u, v, _]| Vec2::new(u, v)).collect()
        }
    };
    (!uvs.is_empty()).then_some(uvs)
}

/// Name of the attribute for the third or a later texture coordinate set.
pub(super) fn uv_attribute(set: u32) -> String {
    format!("uv{}", set + 1)
}

/// Adds tangents and bitangents. Bitangents are stored since surfaces can be mirrored, and since they are not
/// orthogonal once the mesh is deformed or sheared. A zero tangent stays zero. Tangents without normals are ignored
/// (glTF 2.0, section 3.7.2.1).
pub(super) fn add_tangents(mesh: &mut Mesh, tangents: &[[f32; 4]]) {
    if mesh.normals.is_empty() || tangents.len() != mesh.normals.len() {
        return;
    }
    let finite = |v: Vec3| if v.is_finite() { v.to_array() } else { [0.0; 3] };
    let tangent = |&[x, y, z, _]: &[f32; 4]| finite(Vec3::new(x, y, z));
    let bitangent = |(&[x, y, z, w], n): (&[f32; 4], &Vec3)| finite(n.cross(Vec3::new(x, y, z)) * w);
    let values = [
        tangents.iter().flat_map(tangent).collect(),
        tangents.iter().zip(&mesh.normals).flat_map(bitangent).collect(),
    ];
    for (name, values) in TANGENTS.into_iter().zip(values) {
        mesh.attributes.push(of_vertices(name.to_owned(), values));
    }
}

fn of_vertices(name: String, values: Vec<f32>) -> MeshAttribute {
    MeshAttribute {
        name,
        domain: AttributeDomain::Vertex,
        width: 3,
        values,
        properties: vec![],
    }
}

/// Triangles of a strip; every other one is reversed, so that all have the same orientation (glTF 2.0, section
/// 3.7.2.1).
fn strip(order: &[u32]) -> Vec<[u32; 3]> {
    let turn = |(i, t): (usize, &[u32])| {
        if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] }
    };
    order.windows(3).enumerate().map(turn).filter(|t| !is_degenerate(t)).collect()
}

fn fan(order: &[u32]) -> Vec<[u32; 3]> {
    let Some((&hub, rim)) = order.split_first() else {
        return vec![];
    };
    rim.windows(2)
        .map(|edge| [edge[0], edge[1], hub])
        .filter(|t| !is_degenerate(t))
        .collect()
}

/// Returns whether a triangle is degenerate; such triangles join strips.
fn is_degenerate([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_side() {
        assert_eq!(strip(&[0, 1, 2, 3]), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(strip(&[0, 1, 2, 2, 3, 3, 4, 5]), [[0, 1, 2], [3, 5, 4]]);
        assert_eq!(fan(&[0, 1, 2, 3]), [[1, 2, 0], [2, 3, 0]]);
        assert!(fan(&[]).is_empty() && strip(&[1, 2]).is_empty());
    }
}
