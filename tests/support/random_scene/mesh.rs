//! Triangle meshes: generation, subdivision, permutation, transforms.

use glam::{DAffine3, DVec2, DVec3};

use crate::stats::Rng;

/// Indexed triangles.
#[derive(Clone, Debug, Default)]
pub struct TriangleMesh {
    /// Vertex positions.
    pub positions: Vec<DVec3>,
    /// Unit vertex normals; empty or one for each vertex.
    pub normals: Vec<DVec3>,
    /// Texture coordinates; empty or one for each vertex.
    pub uvs: Vec<DVec2>,
    /// Vertex indices, counter-clockwise from the front.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// A patch of `columns × rows` quads from the points, outward normals and coordinates that `f` returns for
    /// `[0,1]²`. It faces `∂u × ∂v`.
    pub fn patch(columns: u32, rows: u32, f: impl Fn(DVec2) -> (DVec3, DVec3)) -> TriangleMesh {
        let mut mesh = TriangleMesh::default();
        for row in 0..=rows {
            for column in 0..=columns {
                let uv = DVec2::new(f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
                let (p, n) = f(uv);
                mesh.positions.push(p);
                mesh.normals.push(n);
                mesh.uvs.push(uv);
            }
        }
        let at = |column: u32, row: u32| row * (columns + 1) + column;
        for row in 0..rows {
            for column in 0..columns {
                let (a, b) = (at(column, row), at(column + 1, row));
                let (c, d) = (at(column + 1, row + 1), at(column, row + 1));
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        mesh.without_degenerate()
    }

    /// The mesh without triangles of zero area, such as those at the poles of a sphere.
    fn without_degenerate(mut self) -> TriangleMesh {
        let p = &self.positions;
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| p[i as usize]);
            (b - a).cross(c - a).length()
        };
        let largest = self.triangles.iter().map(area).fold(0.0, f64::max);
        self.triangles = self.triangles.iter().filter(|t| area(t) > 1e-9 * largest).copied().collect();
        self
    }

    /// The mesh without normals.
    #[must_use]
    pub fn faceted(mut self) -> TriangleMesh {
        self.normals.clear();
        self
    }

    /// The mesh without texture coordinates.
    #[must_use]
    pub fn without_uvs(mut self) -> TriangleMesh {
        self.uvs.clear();
        self
    }

    /// The mesh with every triangle divided into four.
    #[must_use]
    pub fn quartered(&self) -> TriangleMesh {
        let mut fine = TriangleMesh { triangles: vec![], ..self.clone() };
        for &[a, b, c] in &self.triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(i, j)| {
                let (i, j) = (i as usize, j as usize);
                fine.positions.push((self.positions[i] + self.positions[j]) * 0.5);
                if !self.normals.is_empty() {
                    // Normals are interpolated before they are normalised.
                    fine.normals.push((self.normals[i] + self.normals[j]) * 0.5);
                }
                if !self.uvs.is_empty() {
                    fine.uvs.push((self.uvs[i] + self.uvs[j]) * 0.5);
                }
                fine.positions.len() as u32 - 1
            });
            fine.triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        fine
    }

    /// The mesh with permuted vertices and triangles, and rotated corners.
    #[must_use]
    pub fn shuffled(&self, rng: &mut Rng) -> TriangleMesh {
        let order = permutation(self.positions.len(), rng);
        let pick = |from: &[DVec3]| -> Vec<DVec3> {
            if from.is_empty() {
                vec![]
            } else {
                order.iter().map(|&i| from[i]).collect()
            }
        };
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new as u32;
        }
        let uvs = if self.uvs.is_empty() {
            vec![]
        } else {
            order.iter().map(|&i| self.uvs[i]).collect()
        };
        let triangles = permutation(self.triangles.len(), rng);
        TriangleMesh {
            positions: pick(&self.positions),
            normals: pick(&self.normals),
            uvs,
            triangles: triangles
                .iter()
                .map(|&t| {
                    let mut corners = self.triangles[t].map(|i| place[i as usize]);
                    // Triangles without texture coordinates get them by the order of their corners.
                    if !self.uvs.is_empty() {
                        corners.rotate_left((rng.next_u64() % 3) as usize);
                    }
                    corners
                })
                .collect(),
        }
    }

    /// The mesh in world space; the front stays in front if `world` mirrors.
    #[must_use]
    pub fn placed(&self, world: &DAffine3) -> TriangleMesh {
        let normal = world.matrix3.inverse().transpose();
        let mirrored = world.matrix3.determinant() < 0.0;
        TriangleMesh {
            positions: self.positions.iter().map(|&p| world.transform_point3(p)).collect(),
            normals: self.normals.iter().map(|&n| (normal * n).normalize_or_zero()).collect(),
            uvs: self.uvs.clone(),
            triangles: self
                .triangles
                .iter()
                .map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] })
                .collect(),
        }
    }
}

fn permutation(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
    }
    order
}
