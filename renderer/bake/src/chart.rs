//! Chart segmentation: grows charts over smooth edges, bounded by normal deviation and without overlap in projection.
//!
//! A chart grows from a seed over smooth edges while its triangles have similar normals. In projection along its axis,
//! triangles must not flip, shrink to less than a third of their area, or overlap others; such triangles belong to other
//! charts. Tiny charts are merged into their neighbours.
// In the manner of Cohen-Steiner et al. 2004, "Variational Shape Approximation", with a single pass.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{Vec2, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};

use super::adjacency::{NONE, find_adjacency};
use super::overlap::overlaps;
use renderer_base::math::coordinate_system;
use renderer_geometry::Mesh;

/// Minimum cosine between a triangle's normal and its chart's mean normal.
const MIN_CHART_COSINE: f32 = 0.6;
/// Minimum cosine for triangles of tiny charts that are merged into a neighbour.
const MIN_TINY_CHART_COSINE: f32 = 0.3;
/// Maximum number of triangles of a tiny chart.
const TINY_CHART_TRIANGLES: usize = 12;
/// Minimum cosine between the shading normals of two triangles at their common edge, for a chart to cross it.
const MIN_SMOOTH_COSINE: f32 = 0.9;

/// Charts of a mesh.
pub(super) struct Charts {
    /// Chart of each triangle.
    pub(super) of: Vec<u32>,
    /// Unit vector of projection of each chart.
    pub(super) axes: Vec<Vec3>,
}

/// Cuts a mesh whose vertices are at `positions` into charts.
pub(super) fn charts(mesh: &Mesh, positions: &[Vec3]) -> Charts {
    let faces = Faces::new(mesh, positions);
    let mut charts = Charts { of: vec![NONE; mesh.triangles.len()], axes: vec![] };
    for seed in faces.by_size() {
        if charts.of[seed as usize] == NONE {
            let (members, axis) = faces.chart(seed, &charts.of);
            for face in members {
                charts.of[face as usize] = charts.axes.len() as u32;
            }
            charts.axes.push(axis);
        }
    }
    faces.absorb_crumbs(&mut charts);
    charts.renumber();
    charts
}

impl Charts {
    /// Renumbers charts in the order of triangles, without merged ones. Triangles without area belong to the first chart,
    /// since every triangle needs one.
    fn renumber(&mut self) {
        let mut known = FxHashMap::default();
        let mut axes = vec![];
        for chart in self.of.iter_mut().filter(|chart| **chart != NONE) {
            *chart = *known.entry(*chart).or_insert_with(|| {
                axes.push(self.axes[*chart as usize]);
                axes.len() as u32 - 1
            });
        }
        for chart in self.of.iter_mut().filter(|chart| **chart == NONE) {
            *chart = 0;
        }
        self.axes = if axes.is_empty() { vec![Vec3::Z] } else { axes };
    }
}

/// The triangles of the mesh with their smooth neighbours.
struct Faces<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// Unit normals; zero for triangles without area.
    normals: Vec<Vec3>,
    areas: Vec<f32>,
    /// Neighbours across smooth edges.
    neighbours: Vec<[u32; 3]>,
}

/// Candidate triangle of a growing chart.
struct Candidate {
    /// Cosine to the chart's normal when it was found.
    facing: f32,
    face: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.facing.total_cmp(&other.facing).then(other.face.cmp(&self.face))
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

impl<'a> Faces<'a> {
    fn new(mesh: &'a Mesh, positions: &'a [Vec3]) -> Faces<'a> {
        let cross = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|index| positions[index as usize].as_dvec3());
            (b - a).cross(c - a)
        };
        let normals: Vec<Vec3> = (mesh.triangles.iter())
            .map(|corners| cross(corners).normalize_or_zero().as_vec3())
            .collect();
        let areas = mesh.triangles.iter().map(|c| 0.5 * cross(c).length() as f32);
        let mut neighbours = find_adjacency(&mesh.positions, &mesh.triangles).neighbours;
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
                let smooth = |&end: &Vec3| {
                    normal_at(face, end).dot(normal_at(*other as usize, end)) > MIN_SMOOTH_COSINE
                };
                if *other == NONE || !ends.iter().all(smooth) {
                    *other = NONE;
                }
            }
        }
        Faces {
            positions,
            triangles: &mesh.triangles,
            areas: areas.collect(),
            normals,
            neighbours,
        }
    }

    /// Triangles with area, the largest first.
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

    /// Triangles of the chart that grows from `seed` over triangles without a chart, and its axis.
    fn chart(&self, seed: u32, chart_of: &[u32]) -> (Vec<u32>, Vec3) {
        let normal = |face: u32| self.normals[face as usize];
        let mut sum = Vec3::ZERO;
        let mut taken = FxHashSet::default();
        let mut members = vec![];
        let mut heap = BinaryHeap::from([Candidate { facing: 1.0, face: seed }]);
        while let Some(Candidate { face, .. }) = heap.pop() {
            let axis = sum.normalize_or(normal(seed));
            if normal(face).dot(axis) < MIN_CHART_COSINE || !taken.insert(face) {
                continue;
            }
            members.push(face);
            sum += normal(face) * self.areas[face as usize];
            for next in self.neighbours[face as usize] {
                if next != NONE && chart_of[next as usize] == NONE && normal(next) != Vec3::ZERO {
                    heap.push(Candidate { facing: normal(next).dot(axis), face: next });
                }
            }
        }
        // The mean normal has changed while the chart grew.
        let axis = sum.normalize_or(normal(seed));
        members.retain(|&face| normal(face).dot(axis) >= MIN_TINY_CHART_COSINE);
        if members.first() == Some(&seed) {
            (self.without_overlap(members, axis), axis)
        } else {
            (vec![seed], normal(seed))
        }
    }

    /// Merges triangles of tiny charts into larger neighbours, if normals are close enough and nothing overlaps.
    fn absorb_crumbs(&self, charts: &mut Charts) {
        // A tiny chart of several triangles is merged from its border inwards.
        const ROUNDS: usize = 4;
        for _ in 0..ROUNDS {
            let mut members = vec![vec![]; charts.axes.len()];
            for (face, &chart) in (0u32..).zip(&charts.of) {
                if chart != NONE {
                    members[chart as usize].push(face);
                }
            }
            let crumbs = members.iter().filter(|faces| faces.len() <= TINY_CHART_TRIANGLES).flatten();
            let is_large = |chart: u32| chart != NONE && members[chart as usize].len() > TINY_CHART_TRIANGLES;
            let mut joining: Vec<(u32, u32)> = crumbs
                .filter_map(|&face| Some((self.host(face, charts, is_large)?, face)))
                .collect();
            if joining.is_empty() {
                return;
            }
            joining.sort_unstable();
            for guests in joining.chunk_by(|a, b| a.0 == b.0) {
                let chart = guests[0].0;
                let mut all = members[chart as usize].clone();
                all.extend(guests.iter().map(|guest| guest.1));
                for face in self.without_overlap(all, charts.axes[chart as usize]) {
                    charts.of[face as usize] = chart;
                }
            }
        }
    }

    /// The neighbouring chart whose axis is closest to the triangle's normal, if any is close enough.
    fn host(&self, face: u32, charts: &Charts, is_large: impl Fn(u32) -> bool) -> Option<u32> {
        let facing = |chart: u32| self.normals[face as usize].dot(charts.axes[chart as usize]);
        let beside = self.neighbours[face as usize].into_iter().filter(|&other| other != NONE);
        beside
            .map(|other| charts.of[other as usize])
            .filter(|&chart| is_large(chart) && facing(chart) > MIN_TINY_CHART_COSINE)
            .max_by(|&a, &b| facing(a).total_cmp(&facing(b)).then(b.cmp(&a)))
    }

    /// Triangles in the order of growth, without those that overlap earlier ones in projection along `axis`.
    fn without_overlap(&self, mut members: Vec<u32>, axis: Vec3) -> Vec<u32> {
        let (s, t) = coordinate_system(axis);
        let origin = self.positions[self.triangles[members[0] as usize][0] as usize];
        let flat = |&face: &u32| {
            self.triangles[face as usize].map(|index| {
                let p = self.positions[index as usize] - origin;
                Vec2::new(p.dot(s), p.dot(t))
            })
        };
        loop {
            let pairs = overlaps(&members.iter().map(flat).collect::<Vec<_>>(), usize::MAX);
            if pairs.is_empty() {
                return members;
            }
            let mut leaves = vec![false; members.len()];
            for (earlier, later) in pairs {
                if !leaves[earlier as usize] {
                    leaves[later as usize] = true;
                }
            }
            let mut leaves = leaves.into_iter();
            members.retain(|_| leaves.next() == Some(false));
        }
    }
}
