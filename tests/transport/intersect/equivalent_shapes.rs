//! Equivalent surfaces in two representations, at all scales: rays hit both at the same points.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use renderer::geometry::{Geometry, Mesh, Shape, add_world_meshes};
use support::random::Random;
use support::scenes::globe;

use super::{build, mesh, trace};

/// Tolerances for surfaces that are equal up to rounding.
struct Tolerance {
    /// Distance between points, relative to the shape's radius.
    distance: f32,
    /// Distance between unit normals.
    normal: f32,
    /// Cosine with the normal below which a ray may hit only one of them.
    grazing: f32,
}

/// Flat faces are equal up to rounding.
const FLAT: Tolerance = Tolerance { distance: 1e-5, normal: 1e-3, grazing: 1e-2 };

/// Rays at `one` and at `other`, both with random transforms, have the same hit points and normals. At most one ray in
/// a hundred may hit only one of them: those at silhouettes.
#[track_caller]
fn check_alike(
    tolerance: &Tolerance,
    uneven: bool,
    one: impl Fn(Affine3A) -> Vec<Shape>,
    other: impl Fn(Affine3A) -> Vec<Shape>,
) {
    let mut random = Random(20);
    let (mut hits, mut alone) = (0, 0);
    for number in 0..60 {
        let world_from_object = random.place(number, uneven);
        let pair = [one(world_from_object), other(world_from_object)];
        let accels = pair.each_ref().map(|shapes| build(shapes));
        let center = Vec3::from(world_from_object.translation);
        let axes = world_from_object.matrix3;
        let radius =
            (axes.x_axis.length_squared() + axes.y_axis.length_squared() + axes.z_axis.length_squared())
                .sqrt();
        let rounding = 64.0 * f32::EPSILON * (center.abs().max_element() + radius);
        for _ in 0..300 {
            let ray = random.ray_at(center, radius);
            let found = [0, 1].map(|index| trace(&accels[index], &pair[index], &ray));
            match found {
                [Some(a), Some(b)] => {
                    hits += 1;
                    let cosine = a.ng.dot(ray.direction).abs().min(b.ng.dot(ray.direction).abs());
                    // Different faces may be hit only at their common edge.
                    let close = tolerance.distance * radius + rounding;
                    let same = (a.t - b.t).abs() * cosine < close
                        && a.ng.distance(b.ng) < tolerance.normal + rounding / radius;
                    alone += u32::from(!same);
                    assert!(
                        same || cosine < tolerance.grazing || a.p.distance(b.p) < close,
                        "{a:?} is not {b:?} under {world_from_object:?}"
                    );
                }
                [None, None] => {}
                _ => alone += 1,
            }
        }
    }
    assert!(hits > 3_000, "{hits}");
    assert!(alone * 100 <= hits, "{alone} of {hits}");
}

fn alone(geometry: Geometry) -> impl Fn(Affine3A) -> Vec<Shape> {
    move |place| {
        let mut shapes = vec![Shape::new(geometry.clone(), place)];
        add_world_meshes(&mut shapes);
        shapes
    }
}

/// The mesh twice, which makes instances; the second at a large distance.
fn instance(of: Mesh) -> impl Fn(Affine3A) -> Vec<Shape> {
    let geometry = mesh(of);
    move |place| {
        let far = Affine3A::from_translation(Vec3::splat(1e3));
        vec![Shape::new(geometry.clone(), place), Shape::new(geometry.clone(), place * far)]
    }
}

/// The mesh with every triangle divided into four.
fn cut_in_four(of: &Mesh) -> Mesh {
    let mut cut = Mesh::default();
    for corners in &of.triangles {
        let [a, b, c] = corners.map(|index| of.positions[index as usize]);
        let first = cut.positions.len() as u32;
        let middle = |a: Vec3, b: Vec3| (a + b) * 0.5;
        cut.positions.extend([a, b, c, middle(a, b), middle(b, c), middle(c, a)]);
        let triangles = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
        cut.triangles
            .extend(triangles.map(|corners| corners.map(|corner| first + corner)));
    }
    cut
}

#[test]
fn instances_match_copies() {
    for uneven in [false, true] {
        for one in [Mesh::cube(), globe(12, 24)] {
            check_alike(&FLAT, uneven, alone(mesh(one.clone())), instance(one));
        }
    }
}

#[test]
fn transformed_meshes_match_placed_meshes() {
    let carried = |place: Affine3A| {
        let mut moved = Mesh::cube();
        for p in &mut moved.positions {
            *p = place.transform_point3(*p);
        }
        // A mirror image lists its vertices in the other order.
        if place.matrix3.determinant() < 0.0 {
            for triangle in &mut moved.triangles {
                triangle.swap(1, 2);
            }
        }
        moved.normals.clear();
        vec![Shape::new(mesh(moved), Affine3A::IDENTITY)]
    };
    for uneven in [false, true] {
        check_alike(&FLAT, uneven, alone(mesh(Mesh::cube())), carried);
    }
}

#[test]
fn divided_triangles_match_whole_triangles() {
    for uneven in [false, true] {
        for one in [Mesh::cube(), globe(12, 24)] {
            let four = cut_in_four(&one);
            check_alike(&FLAT, uneven, alone(mesh(one)), alone(mesh(four)));
        }
    }
}

#[test]
fn a_cube_matches_six_rectangles() {
    let six = |place: Affine3A| {
        let sides = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|n| [n, -n]);
        let rectangle = Arc::new(Mesh::rectangle());
        sides
            .map(|n| {
                let s = n.any_orthonormal_vector().abs();
                let side = Affine3A::from_mat3_translation(glam::Mat3::from_cols(s, n.cross(s), n), n);
                Shape::new(Geometry::Mesh(rectangle.clone()), place * side)
            })
            .collect()
    };
    for uneven in [false, true] {
        check_alike(&FLAT, uneven, alone(mesh(Mesh::cube())), six);
    }
}

#[test]
fn analytic_shapes_match_fine_meshes() {
    const SECTORS: u32 = 128;
    let chord = std::f32::consts::PI / SECTORS as f32;
    let round = Tolerance { distance: chord * chord, normal: 2.0 * chord, grazing: 0.3 };
    let about = |sector: u32| {
        let (sin, cos) = ((sector % SECTORS) as f32 / SECTORS as f32 * std::f32::consts::TAU).sin_cos();
        Vec3::new(cos, sin, 0.0)
    };
    let mut disk = Mesh { positions: vec![Vec3::ZERO], ..Mesh::default() };
    let (mut cylinder, mut cone) = (Mesh::default(), Mesh::default());
    for sector in 0..SECTORS {
        disk.positions.push(about(sector));
        disk.triangles.push([0, 1 + sector, 1 + (sector + 1) % SECTORS]);
        cylinder.positions.extend([about(sector), about(sector) + Vec3::Z]);
        cone.positions.extend([about(sector), about(sector) * 0.3 + Vec3::Z]);
        let [a, b] = [2 * sector, 2 * ((sector + 1) % SECTORS)];
        cylinder.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
    cone.triangles.clone_from(&cylinder.triangles);
    for (analytic, fine) in [
        (Geometry::Sphere, globe(SECTORS / 2, SECTORS)),
        (Geometry::Disk, disk),
        (Geometry::Cylinder, cylinder),
        (Geometry::Cone(0.3), cone),
    ] {
        // Without stretching, which would rotate normals by more than a chord's angle.
        check_alike(&round, false, alone(analytic), alone(mesh(fine)));
    }
}
