//! Tests of whole surfaces.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::FxHashMap;

use crate::{Crease, Diced, Dicing, Scheme, Subdivision, Surface};
use renderer_geometry::{Faces, Mesh};

fn subdivision(scheme: Scheme) -> Subdivision {
    Subdivision { scheme, ..Subdivision::default() }
}

fn diced(mesh: &Mesh, subdivision: &Subdivision, dicing: Dicing<'_>) -> Diced {
    let surface = Surface::new(mesh, subdivision, &[]).unwrap();
    let cells = surface.cells(mesh, dicing).unwrap();
    surface.dice(mesh, &cells).unwrap()
}

/// Edges that do not have one triangle on each side, by the bits of positions.
fn open_edges(mesh: &Mesh) -> usize {
    let mut sides: FxHashMap<[[u32; 3]; 2], i32> = FxHashMap::default();
    for triangle in &mesh.triangles {
        let bits = triangle.map(|vertex| mesh.positions[vertex as usize].to_array().map(f32::to_bits));
        for i in 0..3 {
            let (a, b) = (bits[i], bits[(i + 1) % 3]);
            if a != b {
                *sides.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
    }
    sides.values().filter(|sum| **sum != 0).count()
}

/// A closed polyhedron of quadrilaterals, triangles and pentagons: a cube with a cut corner.
fn cut_cube() -> Mesh {
    let positions = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 0.2, 1.0],
        [0.1, 1.0, 1.0],
        [1.0, 1.0, 0.3],
    ];
    let polygons: [&[u32]; 7] = [
        &[0, 3, 2, 1],
        &[0, 1, 5, 4],
        &[0, 4, 6, 3],
        &[1, 2, 9, 7, 5],
        &[3, 6, 8, 9, 2],
        &[4, 5, 7, 8, 6],
        &[7, 9, 8],
    ];
    let mut faces = Faces::default();
    let mut triangles = vec![];
    for polygon in polygons {
        faces.push(polygon);
        triangles.extend((1..polygon.len() - 1).map(|i| [polygon[0], polygon[i], polygon[i + 1]]));
    }
    let mesh = Mesh::new(positions.map(Vec3::from_array).to_vec(), triangles).unwrap();
    let uvs = mesh.positions.iter().map(|p| Vec2::new(p.x, p.y)).collect();
    Mesh { faces: Some(Arc::new(faces)), uvs, ..mesh }
}

#[test]
fn surfaces_have_no_cracks() {
    let near = Vec3::new(1.2, 0.4, 1.1);
    let edges = |a: Vec3, b: Vec3| a.distance(b) / (0.01 + 0.05 * near.distance(a.midpoint(b)));
    for mesh in [cut_cube(), Mesh::cube()] {
        for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Polygons] {
            for dicing in [
                Dicing::Level(0),
                Dicing::Level(1),
                Dicing::Level(3),
                Dicing::Level(6),
                Dicing::Edges(&edges),
            ] {
                let diced = diced(&mesh, &subdivision(scheme), dicing);
                assert_eq!(open_edges(&diced.mesh), 0, "{scheme:?}");
                assert!(diced.mesh.degenerate_count() == 0);
            }
        }
    }
}

#[test]
fn a_sharp_cube_is_a_cube() {
    let crease = |points: &[u32]| Crease { points: points.to_vec(), sharpness: 10.0 };
    let mesh = cut_cube();
    let all: Vec<Crease> = [[0, 3, 2, 1, 0], [4, 5, 7, 8, 6]].iter().map(|points| crease(points)).collect();
    let rest = [[0, 4], [1, 5], [3, 6], [6, 4], [2, 9], [7, 9], [8, 9]];
    let creases = all.into_iter().chain(rest.iter().map(|points| crease(points))).collect();
    let sharp = Subdivision { creases, ..subdivision(Scheme::CatmullClark) };
    let result = diced(&mesh, &sharp, Dicing::Level(4));
    let flat = diced(&mesh, &subdivision(Scheme::Polygons), Dicing::Level(4));
    assert!((result.mesh.area() - flat.mesh.area()).abs() < 1e-4);
    assert!(!result.duplicates.is_empty());
}

#[test]
fn linear_values_are_kept() {
    // On a plane, the limit surface of a regular grid and its coordinates are the grid's.
    let plane = Mesh::plane(2.0);
    let result = diced(&plane, &subdivision(Scheme::Polygons), Dicing::Level(3));
    assert_eq!(result.mesh.positions.len(), 81);
    for (p, uv) in result.mesh.positions.iter().zip(&result.mesh.uvs) {
        assert!((Vec2::new(p.x, -p.z) * 0.5 + 0.5).distance(*uv) < 1e-6);
    }
}

#[test]
fn seams_stay_closed_when_displaced() {
    let mut result = diced(&Mesh::cube(), &subdivision(Scheme::Polygons), Dicing::Level(3));
    assert!(!result.duplicates.is_empty());
    let moved = result
        .mesh
        .positions
        .iter()
        .zip(&result.mesh.normals)
        .map(|(&p, &n)| p + 0.1 * n)
        .collect();
    result.displace(moved);
    assert_eq!(open_edges(&result.mesh), 0);
}

/// Deterministic random numbers below a count.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn unit(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }
}

/// A closed cage: a box of bent quadrilaterals, some of which are cut or joined with a neighbour.
fn random_cage(random: &mut Random) -> (Mesh, Vec<Crease>) {
    let side = 1 + random.below(2) as i32;
    let mut numbers = FxHashMap::default();
    let mut positions = vec![];
    let mut quads: Vec<Vec<u32>> = vec![];
    for axis in 0..3 {
        for end in [0, side] {
            for a in 0..side {
                for b in 0..side {
                    let mut corners = [[a, b], [a + 1, b], [a + 1, b + 1], [a, b + 1]].map(|[s, t]| {
                        let mut place = [0; 3];
                        (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (end, s, t);
                        *numbers.entry(place).or_insert_with(|| {
                            let bent = Vec3::from_array([0; 3].map(|_: i32| 0.4 * random.unit()));
                            positions.push(Vec3::from_array(place.map(|x| x as f32)) + bent);
                            positions.len() as u32 - 1
                        })
                    });
                    if end == 0 {
                        corners.reverse();
                    }
                    quads.push(corners.to_vec());
                }
            }
        }
    }
    let mut polygons = vec![];
    for quad in quads {
        match random.below(4) {
            0 => polygons.extend([vec![quad[0], quad[1], quad[2]], vec![quad[0], quad[2], quad[3]]]),
            1 => {
                let center = quad.iter().map(|&corner| positions[corner as usize]).sum::<Vec3>() / 4.0;
                positions.push(center);
                let middle = positions.len() as u32 - 1;
                polygons.push(vec![quad[0], quad[1], quad[2], middle]);
                polygons.push(vec![quad[0], middle, quad[2], quad[3]]);
            }
            _ => polygons.push(quad),
        }
    }
    let mut faces = Faces::default();
    let mut triangles = vec![];
    let mut creases = vec![];
    for polygon in &polygons {
        faces.push(polygon);
        triangles.extend((1..polygon.len() - 1).map(|i| [polygon[0], polygon[i], polygon[i + 1]]));
        if random.below(4) == 0 {
            let sharpness = [0.7, 1.5, 3.0, 10.0][random.below(4)];
            creases.push(Crease { points: polygon[..2].to_vec(), sharpness });
        }
    }
    let mesh = Mesh::new(positions, triangles).unwrap();
    (Mesh { faces: Some(Arc::new(faces)), ..mesh }, creases)
}

#[test]
fn random_cages_with_mixed_rates_have_no_cracks() {
    let mut random = Random(1);
    for index in 0..200 {
        let (mesh, creases) = random_cage(&mut random);
        let scheme = [Scheme::CatmullClark, Scheme::Loop, Scheme::Polygons][index % 3];
        let creases = if scheme == Scheme::Loop { vec![] } else { creases };
        let near = mesh.positions[0];
        let size = 0.1 + 0.4 * random.unit();
        let edges = |a: Vec3, b: Vec3| a.distance(b) / (size * (0.1 + near.distance(a.midpoint(b))));
        let mut result = diced(&mesh, &Subdivision { creases, ..subdivision(scheme) }, Dicing::Edges(&edges));
        assert_eq!(open_edges(&result.mesh), 0, "cage {index}, {scheme:?}");
        let moved = result.mesh.positions.iter().map(|&p| p + 0.05 * (7.0 * p.x).sin()).collect();
        result.displace(moved);
        assert_eq!(open_edges(&result.mesh), 0, "displaced cage {index}, {scheme:?}");
    }
}
