//! Equivalent geometry: instances, subdivision, mesh formats.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};
use support::random_scene::{
    Geometry, Limits, MeshFormat, RandomScene, Recipe, Shape, TriangleMesh, generate,
};
use support::stats::Rng;

use super::{Same, for_each_seed};

fn check(name: &str, count: u64, limits: Limits, change: impl Fn(&RandomScene, &mut Rng) -> RandomScene) {
    check_changes(name, count, |seed| generate(seed, &Recipe::ANY), limits, change);
}

/// Compares scenes with changed ones.
pub(super) fn check_changes(
    name: &str,
    count: u64,
    scene: impl Fn(u64) -> RandomScene,
    limits: Limits,
    change: impl Fn(&RandomScene, &mut Rng) -> RandomScene,
) {
    for_each_seed(name, count, |seed| {
        let scene = scene(seed);
        let other = change(&scene, &mut Rng::new(seed));
        Same { name, limits, ..Same::default() }.check(&scene, &other)
    });
}

const EXACT: Limits = Limits { mean: 0.003, block: 0.01 };

/// Limits for approximately equal surfaces: facets, and normals interpolated in other steps.
pub(super) const NEAR: Limits = Limits { mean: 0.01, block: 0.04 };

#[test]
fn instances_match_copies() {
    check("instance_copy", 8, EXACT, |scene, _| copied(scene));
}

/// The scene with a separate mesh in place of each instance.
pub(super) fn copied(scene: &RandomScene) -> RandomScene {
    scene.with_shapes(|_, shape| {
        let mut copy = shape.clone();
        if let Geometry::Mesh(mesh, format) = &shape.geometry {
            copy.geometry = Geometry::Mesh(Arc::new(mesh.placed(&shape.world)), *format);
            copy.world = DAffine3::IDENTITY;
        }
        vec![copy]
    })
}

#[test]
fn instances_match_separate_shapes() {
    check("instance_shape", 4, EXACT, |scene, _| {
        scene.with_shapes(|_, shape| vec![shape.clone()])
    });
}

#[test]
fn meshes_match_subdivided_meshes() {
    check("quartered", 6, NEAR, |scene, _| {
        scene.with_meshes(None, TriangleMesh::quartered)
    });
}

#[test]
fn meshes_match_permuted_meshes() {
    check("shuffled", 6, EXACT, |scene, rng| {
        scene.with_meshes(None, |mesh| mesh.shuffled(rng))
    });
}

#[test]
fn meshes_are_equal_in_all_formats() {
    check("formats", 6, EXACT, |scene, rng| {
        let format = MeshFormat::ALL[rng.below(4) as usize];
        scene.with_meshes(Some(format), TriangleMesh::clone)
    });
}

#[test]
fn a_cube_matches_six_rectangles() {
    check("cube", 6, EXACT, |scene, _| {
        scene.with_shapes(|_, shape| match shape.geometry {
            Geometry::Cube { size } => faces(shape, size),
            _ => vec![shape.clone()],
        })
    });
}

/// The faces of a box, with the box's texture coordinates on each.
fn faces(shape: &Shape, size: DVec3) -> Vec<Shape> {
    let sides = [
        (DVec3::X, DVec3::Y),
        (DVec3::NEG_X, DVec3::Y),
        (DVec3::Z, DVec3::Y),
        (DVec3::NEG_Z, DVec3::Y),
        (DVec3::X, DVec3::Z),
        (DVec3::X, DVec3::NEG_Z),
    ];
    sides
        .into_iter()
        .map(|(s, t)| {
            let n = s.cross(t);
            let half = n.abs().dot(size) * 0.5;
            let frame = DAffine3::from_cols(s, t, n, n * half);
            Shape {
                geometry: Geometry::Rectangle { size: [s.abs().dot(size), t.abs().dot(size)] },
                world: shape.world * frame,
                ..shape.clone()
            }
        })
        .collect()
}

#[test]
fn a_rectangle_matches_a_mesh() {
    check("rectangle", 6, EXACT, |scene, rng| {
        let n = 1 + rng.below(5) as u32;
        scene.with_shapes(|_, shape| {
            let mesh = match shape.geometry {
                Geometry::Rectangle { size: [x, y] } => TriangleMesh::patch(n, n, |uv| {
                    (DVec3::new((uv.x - 0.5) * x, (uv.y - 0.5) * y, 0.0), DVec3::Z)
                }),
                Geometry::Plane { size } => {
                    TriangleMesh::patch(n, n, |uv| (DVec3::new(uv.x - 0.5, 0.0, 0.5 - uv.y) * size, DVec3::Y))
                }
                _ => return vec![shape.clone()],
            };
            vec![Shape {
                geometry: Geometry::Mesh(Arc::new(mesh), MeshFormat::PlyBinary),
                ..shape.clone()
            }]
        })
    });
}

#[test]
fn analytic_shapes_match_fine_meshes() {
    check("analytic", 8, NEAR, |scene, _| {
        scene.with_shapes(|_, shape| {
            let mesh = match shape.geometry {
                Geometry::Sphere { center, radius } => TriangleMesh::patch(192, 96, |uv| {
                    let (sin_phi, cos_phi) = (TAU * uv.x).sin_cos();
                    let (sin_theta, cos_theta) = (PI * uv.y).sin_cos();
                    let n = DVec3::new(sin_theta * cos_phi, sin_theta * sin_phi, -cos_theta);
                    (center + n * radius, n)
                }),
                // u is the radius and v the angle.
                Geometry::Disk { radius } => TriangleMesh::patch(4, 192, |uv| {
                    let turn = DQuat::from_rotation_z(TAU * uv.y);
                    (turn * DVec3::X * (radius * uv.x), DVec3::Z)
                }),
                Geometry::Cylinder { radius, height } => TriangleMesh::patch(192, 2, |uv| {
                    let n = DQuat::from_rotation_z(TAU * uv.x) * DVec3::X;
                    (n * radius + DVec3::Z * (height * uv.y), n)
                }),
                _ => return vec![shape.clone()],
            };
            vec![Shape {
                geometry: Geometry::Mesh(Arc::new(mesh), MeshFormat::PlyBinary),
                ..shape.clone()
            }]
        })
    });
}
