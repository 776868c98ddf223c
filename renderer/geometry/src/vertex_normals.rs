//! Vertex normals of meshes: computation, normalization, flat shading.

use glam::{Affine3A, Vec3};

use super::Mesh;
use super::placement::similarity_scale;
use renderer_base::math::{atan2, determinant};

impl Mesh {
    /// The mesh without vertex normals (flat shading).
    #[must_use]
    pub fn with_face_normals(self) -> Mesh {
        Mesh { normals: vec![], ..self }
    }

    /// The mesh with vertex normals: its own, or [`Mesh::smooth_normals`] in world space, since a non-uniform scale
    /// changes the angles of faces.
    #[must_use]
    pub fn with_vertex_normals(self, world_from_object: &Affine3A) -> Mesh {
        if !self.normals.is_empty() {
            return self;
        }
        let linear = world_from_object.matrix3;
        if similarity_scale(linear).is_some() {
            let normals = self.smooth_normals();
            return Mesh { normals, ..self };
        }
        let placed = Mesh {
            positions: self.positions.iter().map(|&p| linear * p).collect(),
            ..self
        };
        // A mirroring transform reverses the faces.
        let object_from_world = linear.transpose() * determinant(&linear).signum();
        let normals = placed.smooth_normals();
        let to_object = |&n: &Vec3| unit(object_from_world * n).unwrap_or(Vec3::Z);
        Mesh {
            positions: self.positions,
            normals: normals.iter().map(to_object).collect(),
            ..placed
        }
    }

    /// Reorders triangles so that their fronts (counter-clockwise) are on the side of the vertex normals; unchanged
    /// without normals.
    #[must_use]
    pub fn with_fronts_by_normals(mut self) -> Mesh {
        if self.normals.is_empty() {
            return self;
        }
        let (positions, normals) = (&self.positions, &self.normals);
        for triangle in &mut self.triangles {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
            let [u, v, w] = triangle.map(|vertex| normals[vertex as usize]);
            if (b - a).cross(c - a).dot(u + v + w) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        self
    }

    /// Normalizes normals; zero or non-finite ones become the mean of adjacent faces.
    pub(super) fn normalize_normals(&mut self) {
        // Normals of unit length within rounding keep their bits.
        let is_unit = |n: Vec3| (n.as_dvec3().length_squared() - 1.0).abs() < 2.5e-7;
        let mut any_bad = false;
        for n in self.normals.iter_mut().filter(|n| !is_unit(**n)) {
            match unit(*n) {
                Some(unit) => *n = unit,
                None => {
                    *n = Vec3::ZERO;
                    any_bad = true;
                }
            }
        }
        if any_bad {
            let smooth = self.smooth_normals();
            for (n, smooth) in self.normals.iter_mut().zip(smooth) {
                if *n == Vec3::ZERO {
                    *n = smooth;
                }
            }
        }
    }

    /// Unit vertex normals: mean of the adjacent face normals, weighted by angle.
    // Thürmer & Wüthrich 1998, "Computing Vertex Normals from Polygonal Facets".
    pub fn smooth_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for indices in &self.triangles {
            let p = indices.map(|index| self.positions[index as usize]);
            let n = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            for corner in 0..3 {
                let to_next = p[(corner + 1) % 3] - p[corner];
                let to_last = p[(corner + 2) % 3] - p[corner];
                let angle = atan2(to_next.cross(to_last).length(), to_next.dot(to_last));
                normals[indices[corner] as usize] += n * angle;
            }
        }
        // A vertex without faces gets an arbitrary unit normal.
        normals.iter().map(|&n| unit(n).unwrap_or(Vec3::Z)).collect()
    }
}

/// Normalizes in double precision, so that a normalized vector is unchanged when written and read again.
fn unit(n: Vec3) -> Option<Vec3> {
    n.as_dvec3().try_normalize().map(|n| n.as_vec3())
}
