//! World-space mesh of a baked side, oriented towards that side.

use glam::Vec3;

use super::receiver::Side;
use renderer_geometry::{Mesh, Shape, weld};

/// A mesh in world space, its triangles counter-clockwise from the baked side.
pub(super) struct WorldMesh {
    pub(super) positions: Vec<Vec3>,
    /// Unit shading normals by vertex; empty if the mesh has none.
    pub(super) normals: Vec<Vec3>,
    /// In the order of the mesh.
    pub(super) triangles: Vec<[u32; 3]>,
    /// True if the second and third vertex of each triangle are swapped.
    is_turned: bool,
}

impl WorldMesh {
    /// A side of a shape, which has this mesh.
    pub(super) fn new(shape: &Shape, side: Side, mesh: &Mesh) -> WorldMesh {
        let to_world = shape.placement().open();
        let is_flipped = shape.flip_normals != (side == Side::Back);
        let sign = if is_flipped { -1.0 } else { 1.0 };
        let is_turned = to_world.is_mirrored() != is_flipped;
        let turn = |&[a, b, c]: &[u32; 3]| if is_turned { [a, c, b] } else { [a, b, c] };
        let positions = mesh.positions.iter().map(|&p| to_world.point(p));
        let normals = mesh.normals.iter();
        WorldMesh {
            positions: positions.collect(),
            normals: normals.map(|&n| to_world.normal(n).normalize_or(Vec3::Y) * sign).collect(),
            triangles: mesh.triangles.iter().map(turn).collect(),
            is_turned,
        }
    }

    /// Corner of this mesh for each corner of the original triangles.
    pub(super) fn corners(&self) -> [usize; 3] {
        if self.is_turned { [0, 2, 1] } else { [0, 1, 2] }
    }

    /// Smooth normal of each vertex: the angle-weighted mean over all faces at its position, also at hard edges.
    pub(super) fn smooth_normals(&self) -> Vec<Vec3> {
        let places = weld(&self.positions);
        let mut positions = vec![Vec3::ZERO; self.positions.len()];
        for (&place, &p) in places.iter().zip(&self.positions) {
            positions[place as usize] = p;
        }
        let welded = Mesh {
            positions,
            triangles: (self.triangles.iter())
                .map(|corners| corners.map(|vertex| places[vertex as usize]))
                .collect(),
            ..Mesh::default()
        };
        let normals = welded.smooth_normals();
        places.iter().map(|&place| normals[place as usize]).collect()
    }
}
