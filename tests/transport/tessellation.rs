//! Subdivided and displaced shapes against formulas, and in sequences of frames.

use std::f32::consts::PI;
use std::fs;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use renderer::geometry::Mesh;
use renderer::integrator::{Integrator, PhotonSettings};
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::{SceneFrames, build};
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{load_text, render_scene};
use tempfile::TempDir;

const STAGE: &str = "
    film { size = (24, 16); filter = box; }
    camera main : perspective { from = (0, 3, 3); to = (0, 0, 0); fov = 45; }
    light day : directional { direction = (-1, -1, 0.3); irradiance = 3; }
    light sky : environment { color = 0.3; }
";

/// A cube of quadrilaterals.
const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
                    f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n";

fn mesh_of(desc: &SceneDesc, threads: usize) -> Arc<Mesh> {
    let built = build(desc, None, threads).unwrap_or_else(|errors| panic!("{errors}"));
    built.scene.shapes()[0].mesh().expect("it is a mesh").clone()
}

/// Loads a scene next to files.
fn load_with(files: &[(&str, &str)], scene: &str) -> SceneDesc {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("scene.kiln");
    fs::write(&path, format!("{STAGE}{scene}")).unwrap();
    load(&path, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}"))
        .0
}

/// A plane with waves, and their height and gradient.
fn waves(level: u32) -> SceneDesc {
    load_text(
        &format!(
            "{STAGE} displacement waves() {{ P += 0.2 * sin(3 * P[0]) * cos(2 * P[2]) * N; }}
         material m {{ surface = matte(albedo = 0.5); displacement = waves(); }}
         shape s : plane {{ size = 2; level = {level}; material = m; }}"
        ),
        &[],
    )
}

fn height(p: Vec3) -> f32 {
    0.2 * (3.0 * p.x).sin() * (2.0 * p.z).cos()
}

fn normal(p: Vec3) -> Vec3 {
    let dx = 0.6 * (3.0 * p.x).cos() * (2.0 * p.z).cos();
    let dz = -0.4 * (3.0 * p.x).sin() * (2.0 * p.z).sin();
    Vec3::new(-dx, 1.0, -dz).normalize()
}

/// Area of the displaced plane.
fn area() -> f64 {
    const STEPS: u32 = 1000;
    let at = |i: u32| (f64::from(i) + 0.5) * 2.0 / f64::from(STEPS) - 1.0;
    let cell = |i: u32| 1.0 / f64::from(normal(Vec3::new(at(i % STEPS) as f32, 0.0, at(i / STEPS) as f32)).y);
    (0..STEPS * STEPS).map(cell).sum::<f64>() * 4.0 / f64::from(STEPS * STEPS)
}

#[test]
fn displaced_planes_converge_to_the_formula() {
    let errors = [4, 5, 6].map(|level| {
        let mesh = mesh_of(&waves(level), 2);
        assert_eq!(mesh.triangles.len(), 2 << (2 * level));
        let mut error = 0.0f64;
        for (&p, &n) in mesh.positions.iter().zip(&mesh.normals) {
            assert!((p.y - height(p)).abs() < 1e-6, "{p}");
            error += f64::from(n.distance_squared(normal(p)));
        }
        let error = (error / mesh.positions.len() as f64).sqrt();
        [error, (area() - f64::from(mesh.area())).abs()]
    });
    // Normals at irregular vertices and borders are of first order, areas of second order.
    for pair in errors.windows(2) {
        assert!(pair[0][0] > 2.0 * pair[1][0] && pair[0][1] > 3.7 * pair[1][1], "{errors:?}");
    }
    assert!(errors[2][0] < 0.01, "{errors:?}");
}

#[test]
fn displaced_planes_look_like_meshes_of_the_formula() {
    let samples = |desc: &SceneDesc, integrator: Option<Integrator>| {
        let built = build(desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
        let settings = RenderSettings {
            integrator: integrator.unwrap_or(built.integrator),
            samples: 0..64,
            total: 64,
            unit: SampleUnit::Path,
            adaptive: false,
            threads: 2,
            ..RenderSettings::new(desc, &built)
        };
        render_scene(&built.scene, &settings).state.film.develop().data
    };
    let desc = waves(6);
    let mut written = desc.clone();
    const SIDE: u32 = 96;
    let grid = |i: u32| i as f32 / SIDE as f32 * 2.0 - 1.0;
    let points = (0..=SIDE).flat_map(|j| (0..=SIDE).map(move |i| Vec3::new(grid(i), 0.0, grid(j))));
    let points: Vec<Vec3> = points.collect();
    let cell = |i: u32| {
        let first = i / SIDE * (SIDE + 1) + i % SIDE;
        [[first, first + SIDE + 1, first + 1], [first + 1, first + SIDE + 1, first + SIDE + 2]]
    };
    let mesh = Mesh {
        positions: points.iter().map(|&p| p.with_y(height(p))).collect(),
        normals: points.iter().map(|&p| normal(p)).collect(),
        triangles: (0..SIDE * SIDE).flat_map(cell).collect(),
        ..Mesh::default()
    };
    written.shapes[0].geometry = mesh.validate().unwrap().into();
    written.materials[written.shapes[0].material.0 as usize].displacement = None;
    let photon = Some(Integrator::Photon(PhotonSettings::default()));
    for (integrator, tolerance) in [(None, 0.02), (photon, 0.03)] {
        let [a, b] = [&desc, &written].map(|desc| samples(desc, integrator));
        let difference: f32 = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum();
        assert!(difference < tolerance * a.iter().sum::<f32>(), "{difference}");
    }
}

#[test]
fn limits_of_cubes_and_octahedra_are_those_of_the_masks() {
    let cube = load_with(
        &[("a.obj", CUBE)],
        "shape s : mesh { file = \"a.obj\"; subdivision = catmull_clark; level = 2; }",
    );
    let mesh = mesh_of(&cube, 2);
    // (9 V + 4 ΣE + ΣF) / 24 at a point of three faces.
    let corners = mesh.positions.iter().filter(|p| p.abs().distance(Vec3::splat(0.5)) < 1e-6);
    assert_eq!(corners.count(), 8);
    let octahedron = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\n\
                      f 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    let desc = load_with(
        &[("a.obj", octahedron)],
        "shape s : mesh { file = \"a.obj\"; subdivision = loop; level = 3; }",
    );
    // Loop's limit: 1 / (n + 3 / (8 β)) for each neighbour, whose sum is 0, and the rest for the point.
    let beta = (0.625 - (0.375 + 0.25 * (PI / 2.0).cos()).powi(2)) / 4.0;
    let own = 1.0 - 4.0 / (4.0 + 0.375 / beta);
    let mesh = mesh_of(&desc, 2);
    let tips = mesh.positions.iter().filter(|p| p.distance(Vec3::X * own) < 1e-5);
    assert_eq!(tips.count(), 1);
}

#[test]
fn texture_coordinates_and_seams_survive() {
    let uvs: String = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| format!("vt {u} {v}\n")).concat();
    let faces = ["1 4 3 2", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8", "5 6 7 8"].map(|face| {
        let corners = face.split(' ').zip(1..).map(|(v, vt)| format!("{v}/{vt}"));
        format!("f {}\n", corners.collect::<Vec<_>>().join(" "))
    });
    let points: String = CUBE
        .lines()
        .filter(|line| line.starts_with('v'))
        .map(|line| format!("{line}\n"))
        .collect();
    let desc = load_with(
        &[("a.obj", &format!("{points}{uvs}{}", faces.concat()))],
        "displacement lift() { P += (0.1 + 0.1 * u) * N; }
         material m { surface = matte(); displacement = lift(); }
         shape s : mesh { file = \"a.obj\"; subdivision = catmull_clark; level = 3; material = m; }",
    );
    let mesh = mesh_of(&desc, 2);
    assert_eq!(mesh.positions.len(), 6 * 81, "each face has its vertices");
    assert!(mesh.uvs.iter().all(|uv| uv.clamp(Vec2::ZERO, Vec2::ONE).distance(*uv) < 1e-6));
    // Euler: a closed surface of n quadrilaterals has n + 2 points.
    let mut points: Vec<[u32; 3]> = mesh.positions.iter().map(|p| p.to_array().map(f32::to_bits)).collect();
    points.sort_unstable();
    points.dedup();
    assert_eq!(points.len(), 6 * 64 + 2);
}

#[test]
fn threads_do_not_matter() {
    let desc = load_with(
        &[("a.obj", CUBE)],
        "displacement bumps() { P += 0.1 * noise(\"perlin\", 5 * P) * N; }
         material m { surface = matte(); displacement = bumps(); }
         shape s : mesh { file = \"a.obj\"; subdivision = catmull_clark; dicing = 0.3; material = m; }",
    );
    let [one, three] = [1, 3].map(|threads| mesh_of(&desc, threads));
    assert!(one == three);
    assert!(one.triangles.len() > 2000, "{}", one.triangles.len());
}

#[test]
fn frames_are_divided_for_their_camera() {
    let text = "camera main : perspective { from = (0, 0, 20); to = (0, 0, 0); fov = 45; \
                motion = { at(0, translate(0, 0, 0)), at(10, translate(0, 0, -15)) }; }";
    let desc = load_with(
        &[("a.obj", CUBE)],
        "shape s : mesh { file = \"a.obj\"; subdivision = catmull_clark; dicing = 0.5; }",
    );
    let moving = load_text(&format!("{text} shape s : sphere {{ }}"), &[]);
    let mut desc = SceneDesc { cameras: moving.cameras, ..desc };
    let mut frames = SceneFrames::new(desc.clone(), None, 2, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let far = frames.built().scene.shapes()[0].mesh().unwrap().triangles.len();
    frames.set_frame(10.0).unwrap_or_else(|errors| panic!("{errors}"));
    desc.set_frame(10.0);
    let near = frames.built().scene.shapes()[0].mesh().unwrap().clone();
    assert!(near.triangles.len() > 4 * far);
    assert!(*near == *mesh_of(&desc, 2));
}

#[test]
fn moving_cages_are_divided_once() {
    let moved = CUBE.replace("v 1 1 1\n", "v 2 2 2\n");
    let scene = "shape s : mesh {
        keys = { at(0, \"a.obj\"), at(1, \"b.obj\") }; subdivision = catmull_clark; level = 3; }";
    let stage = STAGE.replace("filter = box;", "filter = box; shutter = (0, 1);");
    let folder = TempDir::new().unwrap();
    for (name, text) in [("a.obj", CUBE), ("b.obj", &moved)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("scene.kiln");
    fs::write(&path, format!("{stage}{scene}")).unwrap();
    let desc = load(&path, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}"))
        .0;
    let built = build(&desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
    let shape = &built.scene.shapes()[0];
    assert!(shape.is_moving());
    let at_rest = load_with(
        &[("a.obj", CUBE)],
        "shape s : mesh { file = \"a.obj\"; subdivision = catmull_clark; level = 3; }",
    );
    assert!(shape.mesh().unwrap().positions == mesh_of(&at_rest, 2).positions);
}

#[test]
fn library_units_displace_by_heights_and_vectors() {
    let moved = |displacement: &str| {
        let desc = load_text(
            &format!(
                "{STAGE} material m {{ surface = matte(); displacement = {displacement}; }}
                 shape s : rectangle {{ size = 2; level = 1; material = m;
                     transform = translate(1, 2, 3) * rotate((0, 0, 1), 90); }}"
            ),
            &[],
        );
        mesh_of(&desc, 1).positions[0] - Vec3::new(-1.0, -1.0, 0.0)
    };
    let cases = [
        ("displace(height = 1, scale = 0.2)", Vec3::new(0.0, 0.0, 0.1)),
        ("displace_vector(offset = (0.1, 0.2, 0.3))", Vec3::new(0.1, 0.2, 0.3)),
        (
            "displace_vector(offset = (0.1, 0.2, 0.3), space = \"object\")",
            Vec3::new(0.1, 0.2, 0.3),
        ),
        // World x is object −y.
        (
            "displace_vector(offset = 1, midlevel = 0.9, scale = 2, space = \"world\")",
            Vec3::new(0.2, -0.2, 0.2),
        ),
    ];
    for (displacement, expected) in cases {
        let found = moved(displacement);
        assert!(found.distance(expected) < 1e-5, "{displacement}: {found}");
    }
}

#[test]
fn bumps_look_like_displacement() {
    let picture = |mode: &str, dicing: &str| {
        let desc = load_text(
            &format!(
                "{STAGE} displacement waves() {{ P += 0.004 * sin(30 * P[0]) * cos(20 * P[2]) * N; }}
                 material m {{ surface = matte(albedo = 0.5); displacement = waves(); displacement_mode = {mode}; }}
                 shape s : plane {{ size = 2; {dicing} material = m; }}"
            ),
            &[],
        );
        let built = build(&desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
        let settings = RenderSettings {
            samples: 0..64,
            total: 64,
            unit: SampleUnit::Path,
            adaptive: false,
            threads: 2,
            ..RenderSettings::new(&desc, &built)
        };
        let picture = render_scene(&built.scene, &settings).state.film.develop().data;
        (picture, built.scene.shapes()[0].mesh().unwrap().triangles.len())
    };
    let (displaced, _) = picture("true", "level = 9;");
    for (mode, dicing, triangles) in [("bump", "", 2), ("both", "level = 4;", 512)] {
        let (bent, count) = picture(mode, dicing);
        assert_eq!(count, triangles);
        let error = |a: &[f32]| a.iter().zip(&displaced).map(|(a, b)| (a - b).abs()).sum::<f32>();
        let flat = error(&picture("bump", "").0.iter().map(|_| 0.0).collect::<Vec<_>>());
        assert!(error(&bent) < 0.03 * flat, "{mode}: {} of {flat}", error(&bent));
    }
}
