//! Unwrapping: cuts a mesh into charts, projects and relaxes each, and rotates it to its smallest box.
//!
//! Lengths are in world space.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::chart::{Charts, charts};
use super::relax::relax;
use renderer_base::math::coordinate_system;
use renderer_geometry::{Mesh, weld};

/// Flattened mesh.
#[derive(Clone)]
pub(super) struct Flat {
    /// Mesh in object space, with triangles in their order; each vertex belongs to one chart.
    pub(super) mesh: Mesh,
    /// Position of each vertex in its chart `[m]`, from the chart's lower corner. Shapes with one layout share the list.
    pub(super) places: Arc<[Vec2]>,
    /// Chart of each vertex.
    pub(super) vertex_chart: Vec<u32>,
    /// Chart of each triangle.
    pub(super) triangle_chart: Vec<u32>,
    /// Width and height of each separately placed block `[m]`; blocks are charts unless `fixed`.
    pub(super) blocks: Vec<Vec2>,
    /// True if the charts keep their positions, as one block.
    pub(super) fixed: bool,
    /// True if other objects share the layout, which is then not rotated in the texture.
    pub(super) shared: bool,
}

impl Flat {
    /// The layout for a mesh with corresponding triangles.
    pub(super) fn of_mesh(&self, mesh: &Mesh) -> Flat {
        let mut sources = vec![0; self.places.len()];
        for (to, from) in self.mesh.triangles.iter().zip(&mesh.triangles) {
            for (&to, &from) in to.iter().zip(from) {
                sources[to as usize] = from;
            }
        }
        Flat {
            mesh: picked(mesh, self.mesh.triangles.clone(), &sources),
            ..self.clone()
        }
    }
}

/// Cuts a mesh in world space into charts.
pub(super) fn unwrap(mesh: &Mesh, world_from_object: &Affine3A) -> Flat {
    let positions: Vec<Vec3> = (mesh.positions.iter())
        .map(|&p| world_from_object.transform_point3(p))
        .collect();
    let charts = charts(mesh, &positions);
    let (mesh, vertex_chart) = split(mesh, &charts.of);
    let positions: Vec<Vec3> = (mesh.positions.iter())
        .map(|&p| world_from_object.transform_point3(p))
        .collect();
    let (places, blocks) = lay_flat(&mesh, &positions, &vertex_chart, &charts);
    Flat {
        mesh,
        places: places.into(),
        vertex_chart,
        triangle_chart: charts.of,
        blocks,
        fixed: false,
        shared: false,
    }
}

/// Mesh with separate vertices for each chart, and the vertices' charts.
fn split(mesh: &Mesh, chart_of: &[u32]) -> (Mesh, Vec<u32>) {
    let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let (mut sources, mut vertex_chart) = (vec![], vec![]);
    let triangles = (mesh.triangles.iter().zip(chart_of))
        .map(|(corners, &chart)| {
            corners.map(|index| {
                *known.entry((index, chart)).or_insert_with(|| {
                    sources.push(index);
                    vertex_chart.push(chart);
                    sources.len() as u32 - 1
                })
            })
        })
        .collect();
    (picked(mesh, triangles, &sources), vertex_chart)
}

/// Mesh with these triangles and the vertices of `mesh` at `sources`.
fn picked(mesh: &Mesh, triangles: Vec<[u32; 3]>, sources: &[u32]) -> Mesh {
    Mesh {
        positions: pick(&mesh.positions, sources),
        triangles,
        normals: pick(&mesh.normals, sources),
        uvs: pick(&mesh.uvs, sources),
        colors: pick(&mesh.colors, sources),
        ..Mesh::default()
    }
}

/// Returns the values of an attribute at `sources`; empty if the mesh does not have the attribute.
fn pick<T: Copy>(values: &[T], sources: &[u32]) -> Vec<T> {
    if values.is_empty() {
        vec![]
    } else {
        sources.iter().map(|&source| values[source as usize]).collect()
    }
}

/// Projects each chart to its plane. Returns the positions of the vertices in their charts, and the extents of the
/// charts.
fn lay_flat(
    mesh: &Mesh,
    positions: &[Vec3],
    vertex_chart: &[u32],
    charts: &Charts,
) -> (Vec<Vec2>, Vec<Vec2>) {
    let mut chart_triangles: Vec<Vec<[u32; 3]>> = vec![vec![]; charts.axes.len()];
    for (corners, &chart) in mesh.triangles.iter().zip(&charts.of) {
        chart_triangles[chart as usize].push(*corners);
    }
    let welded = weld(&mesh.positions);
    let pieces: Vec<Piece> = (chart_triangles.par_iter().zip(&charts.axes))
        .map(|(triangles, &axis)| Piece::new(triangles, positions, &welded, axis))
        .collect();
    let places = (0u32..).zip(vertex_chart).map(|(vertex, &chart)| {
        let piece = &pieces[chart as usize];
        piece.nodes.get(&vertex).map_or(Vec2::ZERO, |&node| piece.places[node as usize])
    });
    (places.collect(), pieces.iter().map(|piece| piece.extent).collect())
}

/// A single chart. Vertices at one position are one node, even if other attributes differ.
struct Piece {
    /// By vertex.
    nodes: FxHashMap<u32, u32>,
    places: Vec<Vec2>,
    extent: Vec2,
}

impl Piece {
    /// `places` numbers the vertices' positions.
    fn new(triangles: &[[u32; 3]], positions: &[Vec3], places: &[u32], axis: Vec3) -> Piece {
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        let mut nodes = FxHashMap::default();
        let mut node_positions = vec![];
        for &vertex in triangles.iter().flatten() {
            let node = *known.entry(places[vertex as usize]).or_insert_with(|| {
                node_positions.push(positions[vertex as usize]);
                node_positions.len() as u32 - 1
            });
            nodes.insert(vertex, node);
        }
        let (s, t) = coordinate_system(axis);
        let mut places: Vec<Vec2> = node_positions.iter().map(|p| Vec2::new(p.dot(s), p.dot(t))).collect();
        let triangles: Vec<[u32; 3]> =
            triangles.iter().map(|corners| corners.map(|vertex| nodes[&vertex])).collect();
        relax(&triangles, &node_positions, &mut places);
        let extent = turn(&triangles, &mut places);
        Piece { nodes, places, extent }
    }
}

/// Rotates a chart along the one of its longest edges that gives the smallest box, with the lower corner at zero and
/// the longer side along x; returns the box.
fn turn(triangles: &[[u32; 3]], places: &mut [Vec2]) -> Vec2 {
    const TRIES: usize = 12;
    let sides = triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]);
    let mut edges: Vec<Vec2> = sides.map(|(a, b)| places[b as usize] - places[a as usize]).collect();
    edges.sort_by(|a, b| b.length_squared().total_cmp(&a.length_squared()));
    edges.truncate(TRIES);
    let turned = |x: Vec2, p: Vec2| Vec2::new(p.dot(x), x.perp_dot(p));
    let bounds = |x: Vec2| {
        let corners = places.iter().map(|&p| turned(x, p));
        corners.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)))
    };
    let area = |x: &Vec2| {
        let (lo, hi) = bounds(*x);
        (hi - lo).element_product()
    };
    let directions = edges.iter().filter_map(|edge| edge.try_normalize());
    let mut x = directions.min_by(|a, b| area(a).total_cmp(&area(b))).unwrap_or(Vec2::X);
    let (mut lo, mut hi) = bounds(x);
    if hi.y - lo.y > hi.x - lo.x {
        x = x.perp();
        (lo, hi) = bounds(x);
    }
    for place in places {
        *place = turned(x, *place) - lo;
    }
    hi - lo
}

#[cfg(test)]
mod tests {
    use super::super::overlap::overlaps;
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
        check(&super::super::tessellate::tessellate(renderer_geometry::Analytic::Sphere), 16);
        check(&super::super::tessellate::tessellate(renderer_geometry::Analytic::Cylinder), 6);
    }

    #[test]
    fn a_spiral_ramp_is_cut() {
        // Two turns of a helicoid, which overlap in projection.
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
