//! Closed surfaces: oriented surfaces without a boundary, of one shape or of several that share their edges.
//!
//! The directed edges of a triangle mesh cancel where its faces meet; the rest is the boundary. Shapes whose boundaries
//! cancel each other bound one object: the wall of a rod and its two caps.

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashMap;

use super::weld::{tolerance, weld_within};
use super::{DisjointSets, Geometry, Mesh, Shape};

/// Rounding of vertices under different transforms, relative to their coordinates.
const PLACEMENT_ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Maximum number of pairs of vertices and edges that are tested for vertices on edges.
const MAX_PAIRS: usize = 1 << 27;

/// A directed edge of a boundary, with the index of its shape.
#[derive(Clone, Copy)]
struct Edge {
    ends: [Vec3; 2],
    shape: usize,
}

/// Elliptic boundary of a disk or a cylinder.
struct Rim {
    center: Vec3,
    /// Images of the unit vectors of the circle's plane.
    axes: [Vec3; 2],
    /// Unit axis about which the rim runs counter-clockwise.
    about: Vec3,
    shape: usize,
}

/// Shapes connected by shared edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeGroup {
    /// Indices of the shapes, ascending.
    pub shapes: Vec<usize>,
    /// True if the group has no boundary.
    pub is_closed: bool,
}

impl Shape {
    /// Returns whether the surface has no boundary.
    pub fn is_closed(&self) -> bool {
        match &self.geometry {
            Geometry::Mesh(mesh) => !mesh.triangles.is_empty() && boundary(mesh).is_empty(),
            Geometry::Sphere => true,
            // Tubes overlap where strands cross, so that they bound no body.
            Geometry::Disk
            | Geometry::Cylinder
            | Geometry::Cone(_)
            | Geometry::Curves(_)
            | Geometry::Points(_) => false,
        }
    }
}

/// Groups shapes by shared boundaries. A shape that is closed on its own is a group of one.
pub fn closed_groups(shapes: &[&Shape]) -> Vec<ShapeGroup> {
    let mut boundaries: FxHashMap<*const Mesh, Vec<[Vec3; 2]>> = FxHashMap::default();
    let (mut edges, mut rims) = (vec![], vec![]);
    for (index, shape) in shapes.iter().enumerate() {
        match &shape.geometry {
            Geometry::Mesh(mesh) => {
                let known = boundaries.entry(Arc::as_ptr(mesh)).or_insert_with(|| boundary(mesh));
                edges.extend(known.iter().map(|&ends| placed(ends, shape, index)));
            }
            Geometry::Sphere | Geometry::Curves(_) | Geometry::Points(_) => {}
            Geometry::Disk => rims.push(Rim::new(shape, index)),
            Geometry::Cylinder => rims.extend([Rim::new(shape, index), Rim::top(shape, index, 1.0)]),
            Geometry::Cone(top) => {
                rims.push(Rim::new(shape, index));
                rims.extend((*top > 0.0).then(|| Rim::top(shape, index, *top)));
            }
        }
    }
    let unbounded = |shape: &&Shape| shape.curves().is_some() || shape.points().is_some();
    let mut sets = DisjointSets::new(shapes.len());
    let mut join = |a: usize, b: usize| sets.join(a as u32, b as u32);
    let mut open: Vec<usize> = vec![];
    if !edges.is_empty() {
        let ends: Vec<Vec3> = edges.iter().flat_map(|edge| edge.ends).collect();
        let largest = ends.iter().fold(0.0f32, |most, p| most.max(p.abs().max_element()));
        let reach = tolerance(&ends).max(PLACEMENT_ROUNDING * largest);
        let rest = cancel(edges, reach, &mut join);
        open.extend(rest.iter().map(|edge| edge.shape));
    }
    open.extend(match_rims(&rims, join));
    open.extend((0..shapes.len()).filter(|&index| unbounded(&shapes[index])));
    groups(sets, shapes.len(), &open)
}

/// A world-space edge of a mesh, oriented so that the outer side of the surface is that of its normals.
fn placed([a, b]: [Vec3; 2], shape: &Shape, index: usize) -> Edge {
    let to_world = shape.placement().open();
    let [a, b] = [a, b].map(|p| to_world.point(p));
    Edge {
        ends: if to_world.is_mirrored() == shape.flip_normals {
            [a, b]
        } else {
            [b, a]
        },
        shape: index,
    }
}

/// The boundary of a mesh, object space.
fn boundary(mesh: &Mesh) -> Vec<[Vec3; 2]> {
    // Matches equal positions first, which is fast and suffices for most meshes.
    let mut places: FxHashMap<[u32; 3], u32> = FxHashMap::default();
    let number = |p: &Vec3| {
        let next = places.len() as u32;
        let key = p.to_array().map(|x| (x + 0.0).to_bits());
        *places.entry(key).or_insert(next)
    };
    let ids: Vec<u32> = mesh.positions.iter().map(number).collect();
    let mut sides = vec![];
    for triangle in &mesh.triangles {
        let corners = [0, 1, 2, 0].map(|corner| {
            let index = triangle[corner];
            (ids[index as usize], index)
        });
        sides.extend(
            corners
                .windows(2)
                .map(|pair| Side::new([pair[0].0, pair[1].0], [pair[0].1, pair[1].1])),
        );
    }
    let rest = unmatched(sides, |_| {});
    if rest.is_empty() {
        return vec![];
    }
    let edges = rest.iter().map(|side| Edge {
        ends: side.value.map(|index| mesh.positions[index as usize]),
        shape: 0,
    });
    let rest = cancel(edges.collect(), tolerance(&mesh.positions), |_, _| {});
    rest.iter().map(|edge| edge.ends).collect()
}

/// Removes pairs of opposite edges within `reach` [m], and joins their shapes.
fn cancel(edges: Vec<Edge>, reach: f32, mut join: impl FnMut(usize, usize)) -> Vec<Edge> {
    let edges = split(edges, reach);
    let ends: Vec<Vec3> = edges.iter().flat_map(|edge| edge.ends).collect();
    let ids = weld_within(&ends, reach);
    let sides = edges
        .iter()
        .zip(ids.chunks_exact(2))
        .map(|(edge, ids)| Side::new([ids[0], ids[1]], *edge))
        .collect();
    let rest = unmatched(sides, |run: &[Side<Edge>]| {
        for pair in run.windows(2) {
            join(pair[0].value.shape, pair[1].value.shape);
        }
    });
    rest.iter().map(|side| side.value).collect()
}

/// Splits edges at vertices on them (T-junctions).
fn split(edges: Vec<Edge>, reach: f32) -> Vec<Edge> {
    let mut ends: Vec<Vec3> = edges.iter().flat_map(|edge| edge.ends).collect();
    ends.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
    ends.dedup();
    let mut pairs = 0;
    let mut parts = vec![];
    for edge in edges {
        let [a, b] = edge.ends;
        let along = b - a;
        let from = ends.partition_point(|p| p.x < a.x.min(b.x) - reach);
        let to = ends.partition_point(|p| p.x <= a.x.max(b.x) + reach);
        pairs += to - from;
        let mut inner: Vec<(f32, Vec3)> = vec![];
        if pairs < MAX_PAIRS && along.length() > 4.0 * reach {
            let share = |p: Vec3| (p - a).dot(along) / along.length_squared();
            let on_edge = ends[from..to].iter().filter_map(|&p| {
                let (u, far) = (share(p), p.distance(a).min(p.distance(b)) > 2.0 * reach);
                (far && u > 0.0 && u < 1.0 && p.distance(a + along * u) <= reach).then_some((u, p))
            });
            inner.extend(on_edge);
            inner.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            inner.dedup_by(|(_, p), (_, q)| p.distance(*q) <= 2.0 * reach);
        }
        let mut start = a;
        for end in inner.into_iter().map(|(_, p)| p).chain([b]) {
            parts.push(Edge { ends: [start, end], ..edge });
            start = end;
        }
    }
    parts
}

/// A directed edge between welded vertices.
#[derive(Clone, Copy)]
struct Side<T> {
    /// The lower vertex, then the upper one.
    key: [u32; 2],
    runs_up: bool,
    value: T,
}

impl<T> Side<T> {
    fn new([from, to]: [u32; 2], value: T) -> Side<T> {
        Side { key: [from.min(to), from.max(to)], runs_up: from < to, value }
    }
}

/// Returns the sides without an opposite side. `matched` gets the sides of each edge with opposite ones.
fn unmatched<T: Copy>(mut sides: Vec<Side<T>>, mut matched: impl FnMut(&[Side<T>])) -> Vec<Side<T>> {
    sides.retain(|side| side.key[0] != side.key[1]);
    sides.sort_by_key(|side| side.key);
    let mut rest = vec![];
    for run in sides.chunk_by(|a, b| a.key == b.key) {
        let up = run.iter().filter(|side| side.runs_up).count();
        let down = run.len() - up;
        if up.min(down) > 0 {
            matched(run);
        }
        let more = run.iter().filter(|side| side.runs_up == (up > down));
        rest.extend(more.take(up.abs_diff(down)));
    }
    rest
}

impl Rim {
    /// The rim of a shape at z = 0, which runs counter-clockwise about +z.
    fn new(shape: &Shape, index: usize) -> Rim {
        Rim::at(shape, index, Vec3::ZERO, [1.0, 1.0])
    }

    /// The rim of a shape at z = 1, of a radius relative to that at z = 0.
    fn top(shape: &Shape, index: usize, radius: f32) -> Rim {
        Rim::at(shape, index, Vec3::Z, [radius, -1.0])
    }

    /// The rim of a shape about z at an offset; `side` is 1 if the rim runs counter-clockwise about +z.
    fn at(shape: &Shape, index: usize, offset: Vec3, [radius, side]: [f32; 2]) -> Rim {
        let to_world = shape.placement().open();
        let matrix = &to_world.world_from_object().matrix3;
        let normal = to_world.normal(Vec3::Z).normalize_or_zero();
        let flip = if shape.flip_normals { -1.0 } else { 1.0 };
        Rim {
            center: to_world.point(offset),
            axes: [matrix.x_axis, matrix.y_axis].map(|axis| Vec3::from(axis) * radius),
            about: normal * (side * flip),
            shape: index,
        }
    }

    /// Returns whether another rim coincides with this one in the opposite direction.
    fn cancels(&self, other: &Rim) -> bool {
        const ALIGNED: f32 = 1.0 - 1e-5;
        let size = self.axes[0].length().max(self.axes[1].length());
        let reach = (1e-5 * size).max(PLACEMENT_ROUNDING * self.center.abs().max_element());
        // Ellipses are equal if the sums of the dyadic products of their axes are.
        let image = |rim: &Rim, v: Vec3| rim.axes[0] * rim.axes[0].dot(v) + rim.axes[1] * rim.axes[1].dot(v);
        let is_same = |v: Vec3| (image(self, v) - image(other, v)).length() <= 2.0 * size * reach;
        self.center.distance(other.center) <= reach
            && self.about.dot(other.about) < -ALIGNED
            && Vec3::AXES.into_iter().all(is_same)
    }
}

/// Joins the shapes of cancelling rims and returns the shapes of the other rims.
fn match_rims(rims: &[Rim], mut join: impl FnMut(usize, usize)) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rims.len()).collect();
    order.sort_by(|&a, &b| rims[a].center.x.total_cmp(&rims[b].center.x));
    let mut is_free = vec![true; rims.len()];
    for (place, &a) in order.iter().enumerate() {
        let size = rims[a].axes[0].length() + rims[a].axes[1].length();
        let far = 1e-5 * size + 2.0 * PLACEMENT_ROUNDING * rims[a].center.abs().max_element();
        let near = order[place + 1..]
            .iter()
            .take_while(|&&b| rims[b].center.x - rims[a].center.x <= far);
        for &b in near {
            if is_free[a] && is_free[b] && rims[a].cancels(&rims[b]) {
                (is_free[a], is_free[b]) = (false, false);
                join(rims[a].shape, rims[b].shape);
            }
        }
    }
    let free = rims.iter().zip(is_free).filter(|(_, is_free)| *is_free);
    free.map(|(rim, _)| rim.shape).collect()
}

/// The groups of the sets in the order of their first shapes; `open` are shapes with a boundary.
fn groups(mut sets: DisjointSets, count: usize, open: &[usize]) -> Vec<ShapeGroup> {
    let numbers = sets.numbers(0..count as u32);
    let mut groups: Vec<ShapeGroup> = vec![];
    for (shape, &number) in numbers.iter().enumerate() {
        if number as usize == groups.len() {
            groups.push(ShapeGroup { shapes: vec![], is_closed: true });
        }
        groups[number as usize].shapes.push(shape);
    }
    for &shape in open {
        groups[numbers[shape] as usize].is_closed = false;
    }
    groups
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;

    use super::*;

    fn cube() -> Mesh {
        Mesh::cube()
    }

    /// The triangles of the cube whose indices pass.
    fn part(keeps: impl Fn(usize) -> bool) -> Arc<Mesh> {
        let cube = cube();
        let triangles = cube.triangles.iter().enumerate();
        let kept = triangles.filter(|(index, _)| keeps(*index)).map(|(_, t)| *t);
        Arc::new(Mesh::new(cube.positions.clone(), kept.collect()).expect("the mesh is valid"))
    }

    fn shape(mesh: &Arc<Mesh>, place: Affine3A) -> Shape {
        Shape::new(Geometry::Mesh(mesh.clone()), place)
    }

    #[test]
    fn rounded_positions_close_a_mesh() {
        let mut cube = cube();
        assert!(boundary(&cube).is_empty());
        for (i, p) in cube.positions.iter_mut().enumerate() {
            *p += Vec3::new(1.0, -1.0, 1.0) * (i % 3) as f32 * 2e-7;
        }
        assert!(boundary(&cube).is_empty());
        cube.positions[0].x += 1e-4;
        assert!(!boundary(&cube).is_empty());
    }

    #[test]
    fn parts_of_a_surface_are_one_group() {
        let (few, rest) = (part(|index| index < 4), part(|index| index >= 4));
        let moved = Affine3A::from_translation(Vec3::new(7001.3, 0.1, 3.3));
        for place in [Affine3A::IDENTITY, moved, Affine3A::from_scale(Vec3::new(-1e-3, 1e-3, 2e-3))] {
            let [a, b] = [&few, &rest].map(|mesh| shape(mesh, place));
            let whole = shape(&Arc::new(cube()), place);
            let groups = closed_groups(&[&a, &whole, &b]);
            let shapes: Vec<_> = groups.iter().map(|group| (&group.shapes[..], group.is_closed)).collect();
            assert_eq!(shapes, [(&[0, 2][..], true), (&[1][..], true)]);
            assert!(!closed_groups(&[&a])[0].is_closed);
            let mut turned = b.clone();
            turned.flip_normals = true;
            assert!(closed_groups(&[&a, &turned]).iter().all(|group| !group.is_closed));
        }
    }

    #[test]
    fn a_face_may_be_next_to_two() {
        // The lower half of a tetrahedron's face is cut at the middle of an edge that its neighbour has whole.
        let p = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X * 0.5];
        let triangles = vec![[0, 2, 1], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3]];
        assert!(boundary(&Mesh::new(p, triangles).expect("the mesh is valid")).is_empty());
    }

    #[test]
    fn caps_close_a_cylinder() {
        let place = Affine3A::from_scale_rotation_translation(
            Vec3::new(0.2, 0.3, 2.0),
            glam::Quat::from_rotation_x(0.7),
            Vec3::new(3.0, 100.0, -2.0),
        );
        let wall = Shape::new(Geometry::Cylinder, place);
        let top = Shape::new(Geometry::Disk, place * Affine3A::from_translation(Vec3::Z));
        let turned = Affine3A::from_rotation_y(std::f32::consts::PI);
        let bottom = Shape::new(Geometry::Disk, place * turned);
        let groups = closed_groups(&[&wall, &top, &bottom]);
        assert_eq!(groups.len(), 1);
        assert!(groups[0].is_closed);
        let cone = Shape::new(Geometry::Cone(0.4), place);
        let narrow =
            place * Affine3A::from_translation(Vec3::Z) * Affine3A::from_scale(Vec3::new(0.4, 0.4, 1.0));
        let narrow = Shape::new(Geometry::Disk, narrow);
        assert!(closed_groups(&[&cone, &narrow, &bottom])[0].is_closed);
        let tip = Shape::new(Geometry::Cone(0.0), place);
        assert!(closed_groups(&[&tip, &bottom])[0].is_closed);
        assert!(closed_groups(&[&tip, &narrow, &bottom]).iter().any(|group| !group.is_closed));
        let up = Shape::new(Geometry::Disk, place);
        assert!(closed_groups(&[&wall, &top, &up]).iter().all(|group| !group.is_closed));
    }
}
