//! Islands of a mesh: its connected components.

use rustc_hash::FxHashMap;

use crate::{DisjointSets, Mesh};

impl Mesh {
    /// The island of each triangle. Triangles are connected by shared vertices, or vertices at the same position;
    /// islands are numbered from 0 in the order of their first triangles.
    pub fn islands(&self) -> Vec<u32> {
        let mut sets = DisjointSets::new(self.positions.len());
        // Vertices at one position may differ in normals or texture coordinates.
        let mut first: FxHashMap<[u32; 3], u32> = FxHashMap::default();
        for (vertex, position) in (0..).zip(&self.positions) {
            // -0 and 0 are equal.
            let place = position.to_array().map(|x| (x + 0.0).to_bits());
            let known = *first.entry(place).or_insert(vertex);
            sets.join(known, vertex);
        }
        for &[a, b, c] in &self.triangles {
            sets.join(a, b);
            sets.join(a, c);
        }
        sets.numbers(self.triangles.iter().map(|triangle| triangle[0]))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn triangles_that_touch_are_one_island() {
        let at = |x: f32| Vec3::new(x, 0.0, 0.0);
        let mesh = Mesh {
            positions: [0.0, 1.0, 2.0, 5.0, 6.0, 7.0, 2.0, 3.0, 4.0, 9.0].map(at).to_vec(),
            // The second touches none, the third the first by a position, the last the second by a vertex.
            triangles: vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 5, 4]],
            ..Mesh::default()
        };
        assert_eq!(mesh.islands(), [0, 1, 0, 1]);
        assert_eq!(Mesh::default().islands(), [0_u32; 0]);
    }
}
