//! Tangent frames (MikkTSpace) of a baked side, for the texture coordinates that it is baked to.

use glam::{Vec2, Vec3};

use super::world_mesh::WorldMesh;
use renderer_base::math::Frame;
use renderer_geometry::{CornerTangent, corner_tangents};

/// Three unit vectors, perpendicular to each other, of either handedness.
#[derive(Clone, Copy, Debug)]
pub(super) struct TangentFrame {
    /// Direction of increasing u.
    t: Vec3,
    /// Direction of increasing v.
    b: Vec3,
    /// The shading normal.
    n: Vec3,
}

impl TangentFrame {
    /// World to local.
    pub(super) fn to_local(self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.t), v.dot(self.b), v.dot(self.n))
    }
}

/// Tangents of a baked side in world space, by triangle and corner; may be empty.
pub(super) struct TangentSpace(Vec<[CornerTangent; 3]>);

impl TangentSpace {
    /// Without tangents, frames are arbitrary about the normal.
    pub(super) const NONE: TangentSpace = TangentSpace(vec![]);

    /// The tangents for texture coordinates by vertex, v up.
    pub(super) fn new(placed: &WorldMesh, uvs: &[Vec2]) -> TangentSpace {
        // Separate corners, since faceted meshes have a normal for each; the algorithm welds them.
        let corners = || placed.triangles.iter().flatten().map(|&vertex| vertex as usize);
        let positions: Vec<Vec3> = corners().map(|vertex| placed.positions[vertex]).collect();
        let normals: Vec<Vec3> = match placed.normals.is_empty() {
            true => positions
                .chunks_exact(3)
                .flat_map(|p| [(p[1] - p[0]).cross(p[2] - p[0]).normalize_or(Vec3::Z); 3])
                .collect(),
            false => corners().map(|vertex| placed.normals[vertex]).collect(),
        };
        let uvs: Vec<Vec2> = corners().map(|vertex| uvs[vertex]).collect();
        let triangles: Vec<[u32; 3]> = (0..placed.triangles.len() as u32)
            .map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner))
            .collect();
        let tangents = corner_tangents(&triangles, &positions, &normals, &uvs).unwrap_or_default();
        let in_order = |corners: [CornerTangent; 3]| placed.corners().map(|corner| corners[corner]);
        TangentSpace(tangents.into_iter().map(in_order).collect())
    }

    /// The frame about the shading normal `n` at the weights of a triangle's second and third vertex.
    pub(super) fn at(&self, triangle: u32, barycentric: Vec2, n: Vec3) -> TangentFrame {
        let Some(corners) = self.0.get(triangle as usize) else {
            let Frame { s: t, t: b, n } = Frame::from_normal(n);
            return TangentFrame { t, b, n };
        };
        let weights = [1.0 - barycentric.x - barycentric.y, barycentric.x, barycentric.y];
        let tangent = |&[x, y, z, _]: &CornerTangent| Vec3::new(x, y, z);
        let sum: Vec3 = corners.iter().zip(weights).map(|(corner, w)| tangent(corner) * w).sum();
        let frame = Frame::from_normal_tangent(n, sum);
        let sign = corners.iter().map(|corner| corner[3]).find(|&sign| sign != 0.0);
        TangentFrame { t: frame.s, b: frame.t * sign.unwrap_or(1.0), n }
    }
}
