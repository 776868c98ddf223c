//! Tangents by MikkTSpace for glTF meshes without tangents, as required by the format.
//!
//! Tangents belong to corners of triangles. A vertex whose corners have different tangents, as at the seam of a
//! mirrored texture, is split.

use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use glam::Vec2;
use rustc_hash::FxHashMap;

use super::primitive::{add_tangents, uv_set};
use renderer_base::math::acos;
use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};

/// Tangent of corners for which the algorithm finds none: those of triangles without area that touch no others.
const NONE: [f32; 4] = [0.0; 4];

/// Generates tangents for a texture coordinate set. The mesh must be valid; without normals or this set it is
/// unchanged.
pub(super) fn generate(mesh: &mut Mesh, set: u32) {
    if mesh.normals.is_empty() {
        return;
    }
    let Some(uvs) = uv_set(mesh, set) else { return };
    let mut corners = Corners {
        mesh,
        uvs: &uvs,
        tangents: vec![[NONE; 3]; mesh.triangles.len()],
    };
    let Ok(()) = generate_tangents(&mut corners) else {
        return;
    };
    let tangents = split_vertices(mesh, &corners.tangents);
    add_tangents(mesh, &tangents);
    mesh.fit();
}

/// Triangles of a mesh, with the tangent of each corner and the sign of its bitangent.
struct Corners<'a> {
    mesh: &'a Mesh,
    uvs: &'a [Vec2],
    tangents: Vec<[[f32; 4]; 3]>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.mesh.triangles[face][corner] as usize
    }
}

/// Mathematical functions for the algorithm.
struct Elementary;

impl Ops for Elementary {
    fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    fn acos(x: f32) -> f32 {
        // In double precision, as in the reference implementation.
        acos(f64::from(x)) as f32
    }
}

impl Geometry<Elementary> for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.mesh.triangles.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.positions[self.vertex(face, corner)].to_array()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.normals[self.vertex(face, corner)].to_array()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.uvs[self.vertex(face, corner)].to_array()
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[face][corner] = tangent.map_or(NONE, |tangent| tangent.tangent_encoded());
    }
}

/// Splits vertices until each has a single tangent, and returns the tangents.
fn split_vertices(mesh: &mut Mesh, corners: &[[[f32; 4]; 3]]) -> Vec<[f32; 4]> {
    let mut tangents: Vec<Option<[f32; 4]>> = vec![None; mesh.positions.len()];
    let mut originals = vec![];
    let mut copies = FxHashMap::default();
    for (triangle, corners) in mesh.triangles.iter_mut().zip(corners) {
        for (index, &tangent) in triangle.iter_mut().zip(corners) {
            if *tangents[*index as usize].get_or_insert(tangent) == tangent {
                continue;
            }
            *index = *copies
                .entry((*index, tangent.map(f32::to_bits)))
                .or_insert_with(|| {
                    originals.push(*index as usize);
                    tangents.push(Some(tangent));
                    (tangents.len() - 1) as u32
                });
        }
    }
    add_copies(mesh, &originals);
    tangents
        .into_iter()
        .map(|tangent| tangent.unwrap_or(NONE))
        .collect()
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
            attribute
                .values
                .extend_from_within(first..first + attribute.width);
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
