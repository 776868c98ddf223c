//! Probes for Godot: the grid in tetrahedra, and a tree of planes that finds that of a point.
//!
//! - The grid gets a layer more on each side, half a spacing away, with the light of the nearest probe: Godot does not
//!   extrapolate well.
//! - Each cell is cut into six tetrahedra along its diagonal, so that those of neighbours meet.
//! - A node of the tree is a plane (normal, distance) and what is over and under it: a later node, or −1 − the number of
//!   a tetrahedron.

use std::f32::consts::PI;

use glam::{UVec3, Vec3};

use super::text::packed;
use renderer_bake::{Grid, Probes};
use renderer_base::color::Rgb;

/// Coefficients of a probe in Godot.
const COEFFICIENTS: usize = 9;

/// A plane, and the indices of its two sides.
struct PlaneNode {
    normal: Vec3,
    distance: f32,
    over: i32,
    under: i32,
}

/// The grid of probes as Godot has it.
pub(super) struct ProbeTree {
    /// Planes of points along each axis.
    axes: [Vec<f32>; 3],
    tetrahedra: Vec<[i32; 4]>,
    nodes: Vec<PlaneNode>,
}

impl ProbeTree {
    pub(super) fn over(grid: &Grid) -> ProbeTree {
        let axes = [0, 1, 2].map(|axis| {
            let (first, count) = (grid.origin[axis], grid.counts[axis]);
            let inner = (0..count).map(|i| first + i as f32 * grid.spacing);
            let last = first + (count - 1) as f32 * grid.spacing;
            let half = 0.5 * grid.spacing;
            [first - half]
                .into_iter()
                .chain(inner)
                .chain([last + half])
                .collect::<Vec<f32>>()
        });
        let mut tree = ProbeTree { axes, tetrahedra: vec![], nodes: vec![] };
        let cells = tree.counts() - UVec3::ONE;
        tree.split([UVec3::ZERO, cells]);
        tree
    }

    fn counts(&self) -> UVec3 {
        let [x, y, z] = [0, 1, 2].map(|axis: usize| self.axes[axis].len() as u32);
        UVec3::new(x, y, z)
    }

    /// The point at these planes.
    fn point(&self, at: UVec3) -> Vec3 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.axes[axis][at[axis] as usize]);
        Vec3::new(x, y, z)
    }

    /// The points; x runs fastest, then y, then z.
    fn places(&self) -> impl Iterator<Item = UVec3> + use<> {
        let UVec3 { x, y, z } = self.counts();
        (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| UVec3::new(i, j, k))))
    }

    /// Adds the nodes of the cells in a box; returns what leads to them.
    fn split(&mut self, [from, to]: [UVec3; 2]) -> i32 {
        let size = to - from;
        let axis = (0..3).max_by_key(|&axis| (size[axis], 2 - axis)).unwrap_or(0);
        if size[axis] == 1 {
            return self.cell(from);
        }
        let middle = from[axis] + size[axis] / 2;
        let (mut low, mut high) = (to, from);
        low[axis] = middle;
        high[axis] = middle;
        let mut normal = Vec3::ZERO;
        normal[axis] = 1.0;
        let node = self.node(normal, self.axes[axis][middle as usize]);
        let over = self.split([high, to]);
        let under = self.split([from, low]);
        self.set(node, over, under)
    }

    /// Adds the nodes and tetrahedra of a cell.
    fn cell(&mut self, at: UVec3) -> i32 {
        let [xy, yz, xz] = [[0, 1], [1, 2], [0, 2]].map(|axes| (axes, self.diagonal(at, axes)));
        let node = |tree: &mut ProbeTree, plane: &([usize; 2], (Vec3, f32))| tree.node(plane.1.0, plane.1.1);
        // A tetrahedron goes from the first corner to the last, along the axes in this order.
        let root = node(self, &xy);
        let first = node(self, &yz);
        let xyz = self.tetrahedron(at, [0, 1, 2]);
        let second = node(self, &xz);
        let (xzy, zxy) = (self.tetrahedron(at, [0, 2, 1]), self.tetrahedron(at, [2, 0, 1]));
        self.set(second, xzy, zxy);
        self.set(first, xyz, second as i32);
        let third = node(self, &xz);
        let yxz = self.tetrahedron(at, [1, 0, 2]);
        let fourth = node(self, &yz);
        let (yzx, zyx) = (self.tetrahedron(at, [1, 2, 0]), self.tetrahedron(at, [2, 1, 0]));
        self.set(fourth, yzx, zyx);
        self.set(third, yxz, fourth as i32);
        self.set(root, first as i32, third as i32)
    }

    /// The plane of a cell on whose upper side a point is farther along the first axis than along the second.
    fn diagonal(&self, at: UVec3, [a, b]: [usize; 2]) -> (Vec3, f32) {
        let (low, high) = (self.point(at), self.point(at + UVec3::ONE));
        let size = high - low;
        let mut normal = Vec3::ZERO;
        normal[a] = size[b];
        normal[b] = -size[a];
        let normal = normal.normalize();
        (normal, normal.dot(low))
    }

    fn tetrahedron(&mut self, at: UVec3, order: [usize; 3]) -> i32 {
        let counts = self.counts();
        let index = |at: UVec3| ((at.z * counts.y + at.y) * counts.x + at.x) as i32;
        let mut corner = at;
        let mut corners = [index(at); 4];
        for (axis, slot) in order.into_iter().zip(&mut corners[1..]) {
            corner[axis] += 1;
            *slot = index(corner);
        }
        self.tetrahedra.push(corners);
        -(self.tetrahedra.len() as i32)
    }

    fn node(&mut self, normal: Vec3, distance: f32) -> usize {
        self.nodes.push(PlaneNode { normal, distance, over: 0, under: 0 });
        self.nodes.len() - 1
    }

    fn set(&mut self, node: usize, over: i32, under: i32) -> i32 {
        self.nodes[node].over = over;
        self.nodes[node].under = under;
        node as i32
    }

    /// The coefficients of all points: Godot multiplies by the cosine's factors and by albedo, without 1/π.
    pub(super) fn colors(&self, probes: &Probes) -> Vec<[Rgb; COEFFICIENTS]> {
        let inner = self.counts() - UVec3::splat(2);
        let probe = |at: UVec3| {
            let at = at.clamp(UVec3::ONE, inner) - UVec3::ONE;
            ((at.z * inner.y + at.y) * inner.x + at.x) as usize
        };
        let color = |at: UVec3| {
            let mut colors = [Rgb::BLACK; COEFFICIENTS];
            for (to, &from) in colors.iter_mut().zip(probes.coefficients(probe(at))) {
                *to = from / PI;
            }
            colors
        };
        self.places().map(color).collect()
    }

    /// The members of Godot's data of probes.
    pub(super) fn text(&self, colors: &[[Rgb; COEFFICIENTS]]) -> [(&'static str, String); 6] {
        let low = self.point(UVec3::ZERO);
        let size = self.point(self.counts() - UVec3::ONE) - low;
        let bounds = low.to_array().into_iter().chain(size.to_array());
        let words = self.nodes.iter().flat_map(|node| {
            let Vec3 { x, y, z } = node.normal;
            let plane = [x, y, z, node.distance].map(|v| v.to_bits().cast_signed());
            plane.into_iter().chain([node.over, node.under])
        });
        let points = self.places().flat_map(|at| self.point(at).to_array());
        let sh = colors.iter().flatten().flat_map(|color| {
            let [r, g, b] = color.to_array();
            [r, g, b, 1.0]
        });
        [
            ("bounds", packed("AABB", bounds)),
            ("bsp", packed("PackedInt32Array", words)),
            ("interior", "true".to_owned()),
            ("points", packed("PackedVector3Array", points)),
            ("sh", packed("PackedColorArray", sh)),
            ("tetrahedra", packed("PackedInt32Array", self.tetrahedra.iter().flatten())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shares of corners at a point, found as Godot finds them.
    fn shares(tree: &ProbeTree, p: Vec3) -> [(usize, f32); 4] {
        let mut node = 0;
        while node >= 0 {
            let at = &tree.nodes[node as usize];
            let next = if at.normal.dot(p) > at.distance { at.over } else { at.under };
            assert!(next < 0 || next > node, "Godot takes trees alone");
            node = next;
        }
        let corners = tree.tetrahedra[(-node - 1) as usize].map(|corner| corner as usize);
        let points: Vec<Vec3> = tree.places().map(|at| tree.point(at)).collect();
        let [a, b, c, d] = corners.map(|corner| points[corner]);
        let volume = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).dot((c - a).cross(d - a));
        let all = volume(a, b, c, d);
        let shares = [volume(p, b, c, d), volume(a, p, c, d), volume(a, b, p, d), volume(a, b, c, p)];
        std::array::from_fn(|i| (corners[i], shares[i] / all))
    }

    #[test]
    fn points_find_their_tetrahedron() {
        for counts in [UVec3::new(3, 2, 4), UVec3::ONE] {
            let grid = Grid { origin: Vec3::new(-1.0, 0.5, 2.0), spacing: 0.75, counts };
            let tree = ProbeTree::over(&grid);
            let points: Vec<Vec3> = tree.places().map(|at| tree.point(at)).collect();
            let (low, high) = (points[0], points[points.len() - 1]);
            let random = |n: u32| (n as f32 * 0.618_034 + 0.1).fract();
            for n in 0..2_000 {
                let u = Vec3::new(random(n), random(7 * n + 1), random(13 * n + 3));
                let p = low + (high - low) * u;
                let shares = shares(&tree, p);
                assert!(shares.iter().all(|share| (-1e-4..=1.0001).contains(&share.1)), "{p} {shares:?}");
                let found: Vec3 = shares.iter().map(|&(corner, share)| points[corner] * share).sum();
                assert!((found - p).length() < 1e-4, "{p} {found}");
            }
        }
    }
}
