//! The result of dicing.

use glam::Vec3;

use renderer_geometry::Mesh;

/// A surface as a triangle mesh.
#[derive(Clone, Debug, Default)]
pub struct Diced {
    /// The mesh; its normals are those of the surface.
    pub mesh: Mesh,
    /// For each triangle, the first triangle of the polygon of the cage that contains it.
    pub sources: Vec<u32>,
    /// Vertices that share a point of the surface with an earlier vertex.
    pub duplicates: Vec<Duplicate>,
}

/// Vertex at a seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The vertex.
    pub vertex: u32,
    /// The first vertex at this point.
    pub point: u32,
    /// The first vertex at this point between the same sharp edges: both have one normal.
    pub normal: u32,
}

impl Diced {
    /// Moves the vertices to new positions, one for each, which is the mean at vertices of one point, so that seams do not
    /// open. The normals become those of the triangles around.
    pub fn displace(&mut self, positions: Vec<Vec3>) {
        let mut sums: rustc_hash::FxHashMap<u32, (Vec3, u32)> = rustc_hash::FxHashMap::default();
        for duplicate in &self.duplicates {
            let first = positions[duplicate.point as usize];
            let (sum, count) = sums.entry(duplicate.point).or_insert((first, 1));
            *sum += positions[duplicate.vertex as usize];
            *count += 1;
        }
        self.mesh.positions = positions;
        for (&point, &(sum, count)) in &sums {
            self.mesh.positions[point as usize] = sum / count as f32;
        }
        for duplicate in &self.duplicates {
            self.mesh.positions[duplicate.vertex as usize] = self.mesh.positions[duplicate.point as usize];
        }
        self.set_normals();
    }

    /// Sets the normals to means of those of the triangles around each point, which are exact for spheres.
    // Max 1999, "Weights for Computing Vertex Normals from Facet Normals".
    fn set_normals(&mut self) {
        let mesh = &mut self.mesh;
        let mut normals = vec![Vec3::ZERO; mesh.positions.len()];
        for triangle in &mesh.triangles {
            let p = triangle.map(|vertex| mesh.positions[vertex as usize]);
            for corner in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|i| p[(corner + i) % 3]);
                let (next, last) = (b - a, c - a);
                let lengths = next.length_squared() * last.length_squared();
                if lengths > 0.0 {
                    normals[triangle[corner] as usize] += next.cross(last) / lengths;
                }
            }
        }
        for duplicate in &self.duplicates {
            if duplicate.normal != duplicate.vertex {
                let n = normals[duplicate.vertex as usize];
                normals[duplicate.normal as usize] += n;
            }
        }
        for duplicate in &self.duplicates {
            normals[duplicate.vertex as usize] = normals[duplicate.normal as usize];
        }
        mesh.normals = normals.into_iter().map(|n| n.normalize_or_zero()).collect();
    }
}
