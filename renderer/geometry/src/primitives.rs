//! Meshes of simple solids: rectangle, cube, ground plane.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::Mesh;

impl Mesh {
    /// The square `[-1,1]²` in the xy plane, facing +z, with texture coordinates from (0,0) at (−1,−1) to (1,1).
    pub fn rectangle() -> Mesh {
        let mut mesh = Mesh::default();
        mesh.push_quad(Vec3::ZERO, Vec3::X, Vec3::Y);
        mesh
    }

    /// The cube `[-1,1]³`, facing outward, with the whole texture square on each face.
    pub fn cube() -> Mesh {
        let mut mesh = Mesh::default();
        // On the sides v runs up; on top and bottom u runs along x.
        for (s, t) in [
            (Vec3::X, Vec3::Y),
            (Vec3::NEG_X, Vec3::Y),
            (Vec3::Z, Vec3::Y),
            (Vec3::NEG_Z, Vec3::Y),
            (Vec3::X, Vec3::Z),
            (Vec3::X, Vec3::NEG_Z),
        ] {
            mesh.push_quad(s.cross(t), s, t);
        }
        mesh
    }

    /// A square ground of side `size` `[m]` in the xz plane about the origin, facing +y, its texture coordinates from
    /// (0,0) to (1,1) along +x and −z.
    pub fn plane(size: f32) -> Mesh {
        let mut mesh = Mesh::default();
        mesh.push_quad(Vec3::ZERO, Vec3::X * (size * 0.5), Vec3::NEG_Z * (size * 0.5));
        mesh
    }

    /// Adds the parallelogram `center ± s ± t`, facing `s × t`, with texture coordinates along `s` and `t`.
    fn push_quad(&mut self, center: Vec3, s: Vec3, t: Vec3) {
        let first = self.positions.len() as u32;
        for (u, v) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            self.positions.push(center + s * (2.0 * u - 1.0) + t * (2.0 * v - 1.0));
            self.normals.push(s.cross(t).normalize_or_zero());
            self.uvs.push(Vec2::new(u, v));
        }
        self.triangles
            .extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        let faces = self.faces.get_or_insert_default();
        Arc::make_mut(faces).push(&[first, first + 1, first + 2, first + 3]);
    }
}
