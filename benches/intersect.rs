//! Rays per second on one thread: the closest hit, the hit with its interaction, and shadow rays; in a box like Cornell's and
//! among 120 thousand triangles. Run it with `cargo bench -p benches --bench intersect`; items are rays.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::{Affine3A, Quat, Vec2, Vec3};
use renderer::accel::{ALL, Accel};
use renderer::geometry::{Geometry, Mesh, Shape, Tangents, add_world_meshes};
use renderer::math::{Frame, Ray};

/// Rays per measurement: too many for the cache to hold rays of the previous measurement.
const RAYS: usize = 1 << 16;

fn main() {
    divan::main();
}

/// Shapes, rays as a path tracer traces them, and for each hit the ray to the light.
struct Scene {
    shapes: Vec<Shape>,
    accel: Accel,
    paths: Vec<Ray>,
    shadows: Vec<Ray>,
}

#[divan::bench(args = ["box", "grid"])]
fn closest_hit(bencher: Bencher, name: &str) {
    let scene = scene(name);
    bencher.counter(ItemsCount::new(scene.paths.len())).bench_local(|| {
        for ray in &scene.paths {
            black_box(scene.accel.intersect(ray, ALL));
        }
    });
}

#[divan::bench(args = ["box", "grid"])]
fn closest_hit_with_interaction(bencher: Bencher, name: &str) {
    let scene = scene(name);
    bencher.counter(ItemsCount::new(scene.paths.len())).bench_local(|| {
        for ray in &scene.paths {
            if let Some(hit) = scene.accel.intersect(ray, ALL) {
                let shape = &scene.shapes[hit.shape.0 as usize];
                black_box(shape.interaction(hit.shape, &hit, ray, Tangents::ByUv));
            }
        }
    });
}

#[divan::bench(args = ["box", "grid"])]
fn shadow(bencher: Bencher, name: &str) {
    let scene = scene(name);
    bencher.counter(ItemsCount::new(scene.shadows.len())).bench_local(|| {
        for ray in &scene.shadows {
            black_box(scene.accel.occluded(ray, ALL));
        }
    });
}

#[divan::bench(sample_count = 10)]
fn build(bencher: Bencher) {
    let shapes = grid();
    bencher.bench_local(|| Accel::build(&shapes, &[], 0).expect("Embree builds"));
}

fn scene(name: &str) -> Scene {
    let mut shapes = if name == "box" { cornell_box() } else { grid() };
    add_world_meshes(&mut shapes);
    let accel = Accel::build(&shapes, &[], 1).expect("Embree builds");
    let (paths, shadows) = paths(&shapes, &accel);
    Scene { shapes, accel, paths, shadows }
}

/// Five walls, a light and two blocks in `[-1,1]³`, open towards +z.
fn cornell_box() -> Vec<Shape> {
    let wall = |turn: Quat, distance: f32, size: f32| {
        let matrix = Affine3A::from_quat(turn)
            * Affine3A::from_translation(Vec3::Z * -distance)
            * Affine3A::from_scale(Vec3::splat(size));
        Shape::new(Geometry::Mesh(Arc::new(Mesh::rectangle())), matrix)
    };
    let block = |scale: Vec3, degrees: f32, place: Vec3| {
        let turn = Quat::from_rotation_y(degrees.to_radians());
        let matrix = Affine3A::from_scale_rotation_translation(scale, turn, place);
        Shape::new(Geometry::Mesh(Arc::new(Mesh::cube())), matrix)
    };
    let turn = Quat::from_axis_angle;
    let right = std::f32::consts::FRAC_PI_2;
    vec![
        wall(Quat::IDENTITY, 1.0, 1.0),
        wall(turn(Vec3::Y, right), 1.0, 1.0),
        wall(turn(Vec3::Y, -right), 1.0, 1.0),
        wall(turn(Vec3::X, -right), 1.0, 1.0),
        wall(turn(Vec3::X, right), 1.0, 1.0),
        wall(turn(Vec3::X, right), 0.99, 0.25),
        block(Vec3::new(0.3, 0.6, 0.3), 18.0, Vec3::new(-0.33, -0.4, -0.3)),
        block(Vec3::new(0.3, 0.3, 0.3), -17.0, Vec3::new(0.33, -0.7, 0.35)),
    ]
}

/// The box with a bumpy sheet of 120 thousand triangles over its floor.
fn grid() -> Vec<Shape> {
    const SIDE: u32 = 245;
    let mut mesh = Mesh::default();
    for i in 0..=SIDE {
        for j in 0..=SIDE {
            let (x, z) = (i as f32 / SIDE as f32 * 2.0 - 1.0, j as f32 / SIDE as f32 * 2.0 - 1.0);
            let y = -0.7 + 0.1 * (x * 20.0).sin() * (z * 20.0).cos();
            mesh.positions.push(Vec3::new(x, y, z));
            mesh.uvs.push(Vec2::new(x, z));
        }
    }
    for i in 0..SIDE {
        for j in 0..SIDE {
            let a = i * (SIDE + 1) + j;
            let c = a + SIDE + 1;
            mesh.triangles.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
        }
    }
    let mut shapes = cornell_box();
    shapes.push(Shape::new(Geometry::Mesh(Arc::new(mesh)), Affine3A::IDENTITY));
    shapes
}

/// Camera rays and four diffuse bounces of each.
fn paths(shapes: &[Shape], accel: &Accel) -> (Vec<Ray>, Vec<Ray>) {
    let mut state = 1u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let (mut rays, mut shadows) = (Vec::new(), Vec::new());
    while rays.len() < RAYS || shadows.len() < RAYS {
        let target = Vec3::new(random() * 2.0 - 1.0, random() * 2.0 - 1.0, 1.0);
        let camera = Vec3::new(0.0, 0.0, 4.0);
        let mut ray = Ray::new(camera, (target - camera).normalize());
        for _ in 0..4 {
            rays.push(ray);
            let Some(hit) = accel.intersect(&ray, ALL) else {
                break;
            };
            let found = shapes[hit.shape.0 as usize].interaction(hit.shape, &hit, &ray, Tangents::ByUv);
            let n = if found.n.dot(found.wo) < 0.0 { -found.n } else { found.n };

            let to_light = Vec3::new(random() * 0.5 - 0.25, 0.98, random() * 0.5 - 0.25) - found.p;
            let shadow = Ray::new(found.ray_end().ray_origin(to_light), to_light.normalize());
            shadows.push(Ray { t_max: to_light.length() * 0.999, ..shadow });

            let (r, phi) = (random().sqrt(), random() * std::f32::consts::TAU);
            let local = Vec3::new(r * phi.cos(), r * phi.sin(), (1.0 - r * r).max(0.0).sqrt());
            ray = found.spawn_ray(Frame::from_normal(n).to_world(local));
        }
    }
    rays.truncate(RAYS);
    shadows.truncate(RAYS);
    (rays, shadows)
}
