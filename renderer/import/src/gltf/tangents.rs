//! Tangents by MikkTSpace for glTF meshes without tangents, as required by the format.
//!
//! Tangents belong to corners of triangles. A vertex whose corners have different tangents, as at the seam of a
//! mirrored texture, is split.

use rustc_hash::FxHashMap;

use super::primitive::{add_tangents, uv_set};
use renderer_geometry::{AttributeDomain, CornerTangent, Mesh, MeshAttribute, corner_tangents};

/// Generates tangents for a texture coordinate set. The mesh must be valid; without normals or this set it is
/// unchanged.
pub(super) fn generate(mesh: &mut Mesh, set: u32) {
    if mesh.normals.is_empty() {
        return;
    }
    let Some(uvs) = uv_set(mesh, set) else { return };
    let Some(corners) = corner_tangents(&mesh.triangles, &mesh.positions, &mesh.normals, &uvs) else {
        return;
    };
    let tangents = split_vertices(mesh, &corners);
    add_tangents(mesh, &tangents);
    mesh.fit();
}

/// Splits vertices until each has a single tangent, and returns the tangents.
fn split_vertices(mesh: &mut Mesh, corners: &[[CornerTangent; 3]]) -> Vec<CornerTangent> {
    let mut tangents: Vec<Option<CornerTangent>> = vec![None; mesh.positions.len()];
    let mut originals = vec![];
    let mut copies = FxHashMap::default();
    for (triangle, corners) in mesh.triangles.iter_mut().zip(corners) {
        for (index, &tangent) in triangle.iter_mut().zip(corners) {
            if *tangents[*index as usize].get_or_insert(tangent) == tangent {
                continue;
            }
            *index = *copies.entry((*index, tangent.map(f32::to_bits))).or_insert_with(|| {
                originals.push(*index as usize);
                tangents.push(Some(tangent));
                (tangents.len() - 1) as u32
            });
        }
    }
    add_copies(mesh, &originals);
    tangents.into_iter().map(|tangent| tangent.unwrap_or_default()).collect()
}

/// Appends copies of vertices with all of their attributes.
fn add_copies(mesh: &mut Mesh, originals: &[usize]) {
    append(&mut mesh.positions, originals);
    append(&mut mesh.normals, originals);
    append(&mut mesh.uvs, originals);
    append(&mut mesh.uvs2, originals);
    append(&mut mesh.colors, originals);
    let of_vertices = |attribute: &&mut MeshAttribute| attribute.domain == AttributeDomain::Vertex;
    for attribute in mesh.attributes.iter_mut().filter(of_vertices) {
        for &original in originals {
            let first = original * attribute.width;
            attribute.values.extend_from_within(first..first + attribute.width);
        }
    }
}

/// Appends copies of vertex values, unless the array is empty.
fn append<T: Copy>(values: &mut Vec<T>, originals: &[usize]) {
    if !values.is_empty() {
        let copies: Vec<T> = originals.iter().map(|&original| values[original]).collect();
        values.extend(copies);
    }
}
