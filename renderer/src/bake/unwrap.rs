//! Surfaces cut into charts that lie flat.
//!
//! A chart grows from a seed over smooth edges as long as its triangles face about the same way, and is then projected
//! along its mean normal: no triangle is turned over, none is squeezed to less than half. Where a projected chart lies
//! on itself, triangles leave it and start another. All lengths are the world's.
// In the manner of Cohen-Steiner et al. 2004, "Variational Shape Approximation", with a single pass.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{Affine3A, Vec2, Vec3};
use rustc_hash::FxHashMap;

use super::connect::{NONE, connect};
use super::overlap::overlaps;
use crate::geometry::Mesh;
use crate::math::coordinate_system;

/// Least cosine between a triangle's normal and its chart's mean normal.
const FACING: f32 = 0.6;
/// Least cosine between the shading normals of two triangles at their common edge, for a chart to cross it.
const SMOOTH: f32 = 0.9;

/// A mesh laid flat.
pub(super) struct Flat {
    /// The mesh, in its own space, its triangles in their order; each vertex belongs to one chart.
    pub(super) mesh: Mesh,
    /// By vertex: where it lies in its chart `[m]`, the chart's lower corner at zero.
    pub(super) places: Vec<Vec2>,
    /// By vertex: its chart.
    pub(super) vertex_chart: Vec<u32>,
    /// By triangle: its chart.
    pub(super) triangle_chart: Vec<u32>,
    /// Width and height of each block that is placed on its own `[m]`; by chart unless `fixed`.
    pub(super) blocks: Vec<Vec2>,
    /// Whether the charts lie where they are for good, in one block.
    pub(super) fixed: bool,
}

/// Cuts a mesh, placed in the world, into charts.
pub(super) fn unwrap(mesh: &Mesh, world_from_object: &Affine3A) -> Flat {
    let positions: Vec<Vec3> = (mesh.positions.iter())
        .map(|&p| world_from_object.transform_point3(p))
        .collect();
    let faces = Faces::new(mesh, &positions);
    let mut chart_of = vec![NONE; mesh.triangles.len()];
    let mut charts = 0;
    for seed in faces.by_size() {
        if chart_of[seed as usize] != NONE {
            continue;
        }
        for face in faces.chart(seed, &chart_of, &positions, &mesh.triangles) {
            chart_of[face as usize] = charts;
        }
        charts += 1;
    }
    // What has no area is nowhere, but every triangle is in some chart.
    for chart in &mut chart_of {
        if *chart == NONE {
            *chart = 0;
        }
    }
    let charts = charts.max(1);
    let (mesh, vertex_chart) = split(mesh, &chart_of, charts);
    let positions: Vec<Vec3> = (mesh.positions.iter())
        .map(|&p| world_from_object.transform_point3(p))
        .collect();
    let (places, blocks) = lay_flat(&mesh, &positions, &vertex_chart, &chart_of, &faces);
    Flat {
        mesh,
        places,
        vertex_chart,
        triangle_chart: chart_of,
        blocks,
        fixed: false,
    }
}

/// What charts grow over.
struct Faces {
    /// Unit normals; zero where there is no area.
    normals: Vec<Vec3>,
    areas: Vec<f32>,
    /// Neighbours across smooth edges.
    neighbours: Vec<[u32; 3]>,
}

/// A triangle that a chart may take.
struct Candidate {
    /// Cosine to the chart's normal at the time.
    facing: f32,
    face: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.facing
            .total_cmp(&other.facing)
            .then(other.face.cmp(&self.face))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl Faces {
    fn new(mesh: &Mesh, positions: &[Vec3]) -> Faces {
        let cross = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|index| positions[index as usize].as_dvec3());
            (b - a).cross(c - a)
        };
        let normals: Vec<Vec3> = (mesh.triangles.iter())
            .map(|corners| cross(corners).normalize_or_zero().as_vec3())
            .collect();
        let areas = mesh.triangles.iter().map(|c| 0.5 * cross(c).length() as f32);
        let mut neighbours = connect(&mesh.positions, &mesh.triangles).neighbours;
        let normal_at = |face: usize, place: Vec3| {
            let corner = mesh.triangles[face]
                .iter()
                .find(|&&index| mesh.positions[index as usize] == place);
            let shading = corner.and_then(|&index| mesh.normals.get(index as usize));
            shading.copied().unwrap_or(normals[face])
        };
        for (face, (others, corners)) in neighbours.iter_mut().zip(&mesh.triangles).enumerate() {
            for (side, other) in others.iter_mut().enumerate() {
                let ends = [side, (side + 1) % 3].map(|corner| mesh.positions[corners[corner] as usize]);
                let smooth = |&end: &Vec3| normal_at(face, end).dot(normal_at(*other as usize, end)) > SMOOTH;
                if *other == NONE || !ends.iter().all(smooth) {
                    *other = NONE;
                }
            }
        }
        Faces {
            areas: areas.collect(),
            normals,
            neighbours,
        }
    }

    /// Those with area, the largest first.
    fn by_size(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.areas.len() as u32)
            .filter(|&face| self.normals[face as usize] != Vec3::ZERO)
            .collect();
        order.sort_by(|&a, &b| {
            let area = |face: u32| self.areas[face as usize];
            area(b).total_cmp(&area(a)).then(a.cmp(&b))
        });
        order
    }

    /// The triangles of the chart that grows from `seed` over those that have none yet.
    fn chart(&self, seed: u32, chart_of: &[u32], positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u32> {
        let normal = |face: u32| self.normals[face as usize];
        let mut sum = Vec3::ZERO;
        let mut taken: FxHashMap<u32, ()> = FxHashMap::default();
        let mut members = vec![];
        let mut heap = BinaryHeap::from([Candidate {
            facing: 1.0,
            face: seed,
        }]);
        while let Some(Candidate { face, .. }) = heap.pop() {
            let axis = sum.normalize_or(normal(seed));
            if taken.contains_key(&face) || normal(face).dot(axis) < FACING {
                continue;
            }
            taken.insert(face, ());
            members.push(face);
            sum += normal(face) * self.areas[face as usize];
            for next in self.neighbours[face as usize] {
                if next != NONE && chart_of[next as usize] == NONE && normal(next) != Vec3::ZERO {
                    heap.push(Candidate {
                        facing: normal(next).dot(axis),
                        face: next,
                    });
                }
            }
        }
        // The mean has moved while the chart grew; the seed stays whatever happens.
        let axis = sum.normalize_or(normal(seed));
        members.retain(|&face| face == seed || normal(face).dot(axis) >= 0.5 * FACING);
        self.without_overlap(members, axis, positions, triangles)
    }

    /// A chart's triangles, in the order of growth, less those that lie on earlier ones as seen along `axis`.
    fn without_overlap(
        &self,
        mut members: Vec<u32>,
        axis: Vec3,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
    ) -> Vec<u32> {
        let (s, t) = coordinate_system(axis);
        loop {
            let flat: Vec<[Vec2; 3]> = members
                .iter()
                .map(|&face| {
                    triangles[face as usize].map(|index| {
                        let p =
                            positions[index as usize] - positions[triangles[members[0] as usize][0] as usize];
                        Vec2::new(p.dot(s), p.dot(t))
                    })
                })
                .collect();
            let pairs = overlaps(&flat, usize::MAX);
            if pairs.is_empty() {
                return members;
            }
            let mut leaves = vec![false; members.len()];
            for (earlier, later) in pairs {
                if !leaves[earlier as usize] {
                    leaves[later as usize] = true;
                }
            }
            let mut index = 0;
            members.retain(|_| {
                index += 1;
                !leaves[index - 1]
            });
        }
    }
}

/// The mesh with a vertex of its own for each chart that uses it, and the vertices' charts.
fn split(mesh: &Mesh, chart_of: &[u32], charts: u32) -> (Mesh, Vec<u32>) {
    let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let (mut sources, mut vertex_chart) = (vec![], vec![]);
    let triangles = (mesh.triangles.iter().zip(chart_of))
        .map(|(corners, &chart)| {
            corners.map(|index| {
                *known.entry((index, chart)).or_insert_with(|| {
                    sources.push(index as usize);
                    vertex_chart.push(chart);
                    sources.len() as u32 - 1
                })
            })
        })
        .collect();
    debug_assert!(vertex_chart.iter().all(|&chart| chart < charts));
    let mesh = Mesh {
        positions: pick(&mesh.positions, &sources),
        triangles,
        normals: pick(&mesh.normals, &sources),
        uvs: pick(&mesh.uvs, &sources),
        uvs2: vec![],
        colors: pick(&mesh.colors, &sources),
    };
    (mesh, vertex_chart)
}

/// The values of an attribute at `sources`; none where there are none.
fn pick<T: Copy>(values: &[T], sources: &[usize]) -> Vec<T> {
    if values.is_empty() {
        vec![]
    } else {
        sources.iter().map(|&source| values[source]).collect()
    }
}

/// Projects each chart along its mean normal and turns it so that it fills its box best.
fn lay_flat(
    mesh: &Mesh,
    positions: &[Vec3],
    vertex_chart: &[u32],
    chart_of: &[u32],
    faces: &Faces,
) -> (Vec<Vec2>, Vec<Vec2>) {
    let charts = chart_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut axes = vec![Vec3::ZERO; charts];
    for (face, &chart) in chart_of.iter().enumerate() {
        axes[chart as usize] += faces.normals[face] * faces.areas[face];
    }
    let mut places: Vec<Vec2> = (positions.iter().zip(vertex_chart))
        .map(|(p, &chart)| {
            let (s, t) = coordinate_system(axes[chart as usize].normalize_or(Vec3::Z));
            Vec2::new(p.dot(s), p.dot(t))
        })
        .collect();

    // Turn each chart along one of its longest edges.
    let mut edges: Vec<Vec<Vec2>> = vec![vec![]; charts];
    for (corners, &chart) in mesh.triangles.iter().zip(chart_of) {
        for side in 0..3 {
            let [a, b] = [side, (side + 1) % 3].map(|c| places[corners[c] as usize]);
            edges[chart as usize].push(b - a);
        }
    }
    let mut members: Vec<Vec<u32>> = vec![vec![]; charts];
    for (vertex, &chart) in (0u32..).zip(vertex_chart) {
        members[chart as usize].push(vertex);
    }
    let mut blocks = vec![Vec2::ZERO; charts];
    for (chart, (edges, members)) in edges.iter_mut().zip(&members).enumerate() {
        const TRIES: usize = 12;
        edges.sort_by(|a, b| b.length_squared().total_cmp(&a.length_squared()));
        edges.truncate(TRIES);
        let turned = |x: Vec2, p: Vec2| Vec2::new(p.dot(x), x.perp_dot(p));
        let extent = |x: Vec2| {
            let corners = members.iter().map(|&v| turned(x, places[v as usize]));
            corners.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(lo, hi), p| {
                (lo.min(p), hi.max(p))
            })
        };
        let area = |x: &Vec2| {
            let (lo, hi) = extent(*x);
            (hi - lo).element_product()
        };
        let directions = edges.iter().filter_map(|edge| edge.try_normalize());
        let mut x = directions
            .min_by(|a, b| area(a).total_cmp(&area(b)))
            .unwrap_or(Vec2::X);
        let (mut lo, mut hi) = extent(x);
        if hi.y - lo.y > hi.x - lo.x {
            // Charts that lie on their long side are packed closer.
            x = x.perp();
            (lo, hi) = extent(x);
        }
        blocks[chart] = hi - lo;
        for &vertex in members {
            let place = &mut places[vertex as usize];
            *place = turned(x, *place) - lo;
        }
    }
    (places, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mesh: &Mesh, most: usize) {
        let flat = unwrap(mesh, &Affine3A::IDENTITY);
        assert!(flat.blocks.len() <= most, "{} charts", flat.blocks.len());
        assert_eq!(flat.mesh.triangles.len(), mesh.triangles.len());
        for (a, b) in mesh.triangles.iter().zip(&flat.mesh.triangles) {
            for corner in 0..3 {
                let old = mesh.positions[a[corner] as usize];
                assert_eq!(old, flat.mesh.positions[b[corner] as usize]);
            }
        }
        for chart in 0..flat.blocks.len() as u32 {
            let triangles: Vec<[Vec2; 3]> = (flat.mesh.triangles.iter().zip(&flat.triangle_chart))
                .filter(|&(_, &c)| c == chart)
                .map(|(t, _)| t.map(|index| flat.places[index as usize]))
                .collect();
            assert!(overlaps(&triangles, 1).is_empty(), "chart {chart} lies on itself");
        }
    }

    #[test]
    fn solids() {
        check(&Mesh::cube(), 6);
        check(&Mesh::rectangle(), 1);
        check(
            &super::super::tessellate::tessellate(crate::geometry::Analytic::Sphere),
            16,
        );
        check(
            &super::super::tessellate::tessellate(crate::geometry::Analytic::Cylinder),
            6,
        );
    }

    #[test]
    fn a_spiral_ramp_is_cut() {
        // Two turns of a helicoid: seen from above it lies on itself.
        let mut mesh = Mesh::default();
        for i in 0..=64u32 {
            let (sin, cos) = (i as f32 * std::f32::consts::TAU / 32.0).sin_cos();
            for r in [1.0, 2.0] {
                mesh.positions.push(Vec3::new(r * cos, i as f32 * 0.05, -r * sin));
            }
        }
        for i in 0..64u32 {
            let a = 2 * i;
            mesh.triangles.extend([[a, a + 1, a + 3], [a, a + 3, a + 2]]);
        }
        check(&mesh, 8);
    }
}
