//! Tangents by MikkTSpace, the standard frame of tangent-space normal maps.
//!
//! Tangents belong to corners of triangles: at the seam of a mirrored texture, the corners of a vertex differ.

use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use glam::{Vec2, Vec3};

use renderer_base::math::acos;

/// Unit tangent of a corner, and the sign of its bitangent `sign · n × t`; zero if the algorithm finds none, as for
/// isolated triangles without area.
pub type CornerTangent = [f32; 4];

/// The tangents of all corners of `triangles`, for texture coordinates `uvs` whose v runs up; `normals` are of unit length.
/// All lists but the triangles are by vertex. `None` if the mesh is too large for the algorithm.
pub fn corner_tangents(
    triangles: &[[u32; 3]],
    positions: &[Vec3],
    normals: &[Vec3],
    uvs: &[Vec2],
) -> Option<Vec<[CornerTangent; 3]>> {
    let mut corners = Corners {
        triangles,
        positions,
        normals,
        uvs,
        tangents: vec![[[0.0; 4]; 3]; triangles.len()],
    };
    generate_tangents(&mut corners).ok()?;
    Some(corners.tangents)
}

/// Triangles with the tangent of each corner.
struct Corners<'a> {
    triangles: &'a [[u32; 3]],
    positions: &'a [Vec3],
    normals: &'a [Vec3],
    uvs: &'a [Vec2],
    tangents: Vec<[CornerTangent; 3]>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.triangles[face][corner] as usize
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
        self.triangles.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.positions[self.vertex(face, corner)].to_array()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.normals[self.vertex(face, corner)].to_array()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.uvs[self.vertex(face, corner)].to_array()
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[face][corner] = tangent.map_or([0.0; 4], |tangent| tangent.tangent_encoded());
    }
}
