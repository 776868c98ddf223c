//! Texture coordinates of the corners of PLY faces (list `texcoord`), as MeshLab writes them.
//!
//! A mesh has one pair of coordinates for each vertex: a vertex whose corners differ is split.

use glam::Vec2;
use ply_rs_bw::ply::Property;
use rustc_hash::FxHashMap;

use renderer_geometry::{AttributeDomain, Mesh};

/// Name of the list property.
pub(super) const CORNER_UVS: &str = "texcoord";

/// Texture coordinates of triangle corners.
#[derive(Default)]
pub(super) struct PlyCorners {
    triangles: Vec<[Vec2; 3]>,
    /// True if any face has them.
    present: bool,
}

/// Converts a face's list to numbers; `None` if the property is not a list of floats.
pub(super) fn corner_numbers(property: Property) -> Option<Vec<f32>> {
    match property {
        Property::ListFloat(numbers) => Some(numbers),
        Property::ListDouble(numbers) => Some(numbers.into_iter().map(|number| number as f32).collect()),
        _ => None,
    }
}

impl PlyCorners {
    /// Adds a face of `corners` corners, which is split into a fan. Faces without an image have an empty list.
    pub(super) fn take(&mut self, numbers: &[f32], corners: usize) -> Result<(), String> {
        if !numbers.is_empty() && numbers.len() != 2 * corners {
            return Err(format!(
                "its `{CORNER_UVS}` has {} numbers; {corners} corners have {}",
                numbers.len(),
                2 * corners
            ));
        }
        self.present |= !numbers.is_empty();
        let uv = |corner: usize| match numbers.get(2 * corner..2 * corner + 2) {
            Some(&[u, v]) => Vec2::new(u, v),
            _ => Vec2::ZERO,
        };
        let fan = (2..corners).map(|corner| [uv(0), uv(corner - 1), uv(corner)]);
        self.triangles.extend(fan);
        Ok(())
    }

    /// Assigns the coordinates to the mesh, whose triangles must be those that were added. Returns the vertex of which each new
    /// one is a part, if vertices are split.
    pub(super) fn split(self, mesh: &mut Mesh) -> Option<Vec<u32>> {
        let vertices = mesh.positions.len();
        let is_there = |&index: &u32| (index as usize) < vertices;
        // Invalid indices are reported by the validation of the mesh.
        if !self.present || !mesh.triangles.iter().flatten().all(is_there) {
            return None;
        }
        let mut known = FxHashMap::default();
        // For each new vertex: the index of the old vertex, and the texture coordinates.
        let mut corners: Vec<(usize, Vec2)> = vec![];
        for (triangle, uvs) in mesh.triangles.iter_mut().zip(&self.triangles) {
            for (index, &uv) in triangle.iter_mut().zip(uvs) {
                let new = known.entry((*index, uv.to_array().map(f32::to_bits))).or_insert_with(|| {
                    corners.push((*index as usize, uv));
                    corners.len() - 1
                });
                *index = u32::try_from(*new).unwrap_or(u32::MAX);
            }
        }
        mesh.uvs = corners.iter().map(|&(_, uv)| uv).collect();
        spread(&mut mesh.positions, &corners, 1);
        spread(&mut mesh.normals, &corners, 1);
        spread(&mut mesh.colors, &corners, 1);
        for attribute in &mut mesh.attributes {
            if attribute.domain == AttributeDomain::Vertex {
                spread(&mut attribute.values, &corners, attribute.width);
            }
        }
        Some(corners.iter().map(|&(old, _)| old as u32).collect())
    }
}

/// Rearranges vertex values, `width` for each vertex, from the old to the new vertices.
fn spread<T: Copy>(values: &mut Vec<T>, corners: &[(usize, Vec2)], width: usize) {
    if !values.is_empty() {
        let of = |&(old, _): &(usize, Vec2)| &values[old * width..(old + 1) * width];
        *values = corners.iter().flat_map(of).copied().collect();
    }
}
