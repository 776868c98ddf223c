//! Ray differentials and texture filtering: patterns towards the horizon are grey at one sample per pixel, directly and
//! in mirrors. `KILN_PICTURES=folder` keeps the images.

use glam::{Affine3A, Vec3};
use renderer::camera::{CameraDesc, look_at};
use renderer::geometry::Mesh;
use renderer::image::{Image, WriteOptions, write};
use renderer::scene::Scene;
use support::scenes::{Look, SceneBuilder, film, mesh};
use tempfile::TempDir;

const SIZE: u32 = 96;

/// Squares of 1 m: a step of a zigzag along each axis.
const BY_STEP: &str = "float x = abs(mod(P[0], 2) - 1), z = abs(mod(P[2], 2) - 1);
    float a = STEP(0.5, x), b = STEP(0.5, z); Ci = (a * (1 - b) + b * (1 - a)) * emission();";

/// The squares as a texture.
const BY_TEXTURE: &str =
    "Ci = (float) texture(\"FILE\", P[0] / 8 + 0.0625, P[2] / 8 + 0.0625, \"wrap\", \"periodic\",
    \"colorspace\", \"raw\") * emission();";

fn picture(folder: &TempDir) -> String {
    let path = folder.path().join("checks.png");
    let texel = |x: u32, y: u32| image::Luma([255 * ((x / 8 + y / 8) % 2) as u8]);
    image::GrayImage::from_fn(64, 64, texel).save(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

fn quad(corners: [[f32; 3]; 4]) -> Mesh {
    Mesh {
        positions: corners.map(Vec3::from).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Mesh::default()
    }
}

/// A floor of that material up to the horizon, and optionally a mirror in the plane z = 0.
fn scene(floor: &str, with_mirror: bool) -> Scene {
    const HORIZON: f32 = 1e4;
    let mut scene = SceneBuilder::new();
    let floor = scene.material(floor);
    let ground = quad([
        [-HORIZON, 0.0, HORIZON],
        [HORIZON, 0.0, HORIZON],
        [HORIZON, 0.0, -HORIZON],
        [-HORIZON, 0.0, -HORIZON],
    ]);
    scene.shape(mesh(ground), Affine3A::IDENTITY, floor);
    if with_mirror {
        let mirror = scene.material("Ci = reflection(N);");
        let wall = quad([
            [-HORIZON, 0.0, 0.0],
            [HORIZON, 0.0, 0.0],
            [HORIZON, HORIZON, 0.0],
            [-HORIZON, HORIZON, 0.0],
        ]);
        scene.shape(mesh(wall), Affine3A::IDENTITY, mirror);
    }
    scene.build()
}

/// The floor from a height of 1 m, one sample per pixel, with the horizon in the middle. `side` is the camera's side
/// along z; it looks at the plane z = 0.
fn view(scene: &Scene, side: f32, name: &str) -> Image {
    let from = Vec3::new(0.3, 1.0, 5.0 * side);
    let camera = CameraDesc {
        world_from_camera: look_at(from, from - Vec3::Z * side, Vec3::Y).unwrap(),
        ..CameraDesc::pinhole(1.0)
    };
    let look = Look { size: [SIZE; 2], spp: 1, ..Look::default() };
    let image = film(scene, &camera, look).develop();
    if let Ok(folder) = std::env::var("KILN_PICTURES") {
        let path = std::path::Path::new(&folder).join(name);
        write(&path, &image, &WriteOptions::default()).unwrap();
    }
    image
}

/// Mean and variance of some rows below the horizon.
fn statistics(image: &Image, rows: std::ops::Range<u32>) -> (f32, f32) {
    let mut values = vec![];
    for y in rows {
        for x in 0..SIZE {
            values.push(image.pixel(x as usize, (SIZE / 2 + y) as usize)[0]);
        }
    }
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>();
    (mean, square / values.len() as f32)
}

/// Filtered versions of the squares.
fn filtered(folder: &TempDir) -> [(&'static str, String); 2] {
    [
        ("step", BY_STEP.replace("STEP", "aastep")),
        ("texture", BY_TEXTURE.replace("FILE", &picture(folder))),
    ]
}

#[test]
fn squares_near_the_horizon_are_filtered_to_grey() {
    let folder = TempDir::new().unwrap();
    for (name, floor) in filtered(&folder) {
        let image = view(&scene(&floor, false), 1.0, &format!("{name}.png"));
        // Beyond 24 m, a pixel covers several squares.
        let (mean, variance) = statistics(&image, 0..3);
        assert!((mean - 0.5).abs() < 0.03, "{name}: mean {mean}");
        assert!(variance < 4e-3, "{name}: variance {variance}");
        // Near squares are resolved.
        let (mean, variance) = statistics(&image, 28..48);
        assert!((mean - 0.5).abs() < 0.2 && variance > 0.15, "{name}: {mean}, {variance}");
    }
    let hard = view(&scene(&BY_STEP.replace("STEP", "step"), false), 1.0, "hard.png");
    let (_, variance) = statistics(&hard, 0..3);
    assert!(variance > 0.2, "without a filter the variance is {variance}");
}

#[test]
fn a_flat_mirror_shows_the_view_of_a_camera_behind_it() {
    let folder = TempDir::new().unwrap();
    for (name, floor) in filtered(&folder) {
        // The floor is symmetric about the mirror.
        let floor = floor.replace("P[2]", "abs(P[2])");
        let mirrored = view(&scene(&floor, true), 1.0, &format!("{name}_mirror.png"));
        let mut differences = 0;
        let direct = view(&scene(&floor, false), -1.0, &format!("{name}_behind.png"));
        for y in SIZE / 2..SIZE / 2 + 4 {
            for x in 0..SIZE {
                let at = |image: &Image, x: u32| image.pixel(x as usize, y as usize)[0];
                let (a, b) = (at(&mirrored, x), at(&direct, SIZE - 1 - x));
                differences += usize::from((a - b).abs() > 0.15);
            }
        }
        assert!(differences < 40, "{name}: {differences} pixels differ");
    }
}

/// The radiance of a floor below a light of 1 m at a height of 1 m.
fn floor_under(lamp: &str) -> f32 {
    let mut scene = SceneBuilder::new();
    let (lamp, floor) = (scene.material(lamp), scene.material("Ci = diffuse(N);"));
    let square = |h: f32, y: f32| [[-h, y, -h], [-h, y, h], [h, y, h], [h, y, -h]];
    let [a, b, c, d] = square(0.5, 1.0);
    scene.shape(mesh(quad([d, c, b, a])), Affine3A::IDENTITY, lamp);
    scene.shape(mesh(quad(square(2.0, 0.0))), Affine3A::IDENTITY, floor);
    let from = Vec3::new(0.0, 0.8, 0.0);
    let camera = CameraDesc {
        world_from_camera: look_at(from, Vec3::ZERO, Vec3::Z).unwrap(),
        ..CameraDesc::pinhole(1.0)
    };
    let look = Look { size: [16; 2], spp: 64, ..Look::default() };
    let image = film(&scene.build(), &camera, look).develop();
    let mean = |sum: f32, i: usize| sum + image.rgb(i % 16, i / 16).luminance() / 256.0;
    (0..256).fold(0.0, mean)
}

/// A light that emits in an eighth of its width gives as much light as a light of that size. Footprints of scattered
/// rays are wider, and light samples have no footprint; both must find the same light.
#[test]
fn minified_emission_textures_preserve_power() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lamp.png");
    let inside = |i: u32| (28..36).contains(&i);
    let texel = |x: u32, y: u32| image::Luma([255 * u8::from(inside(x) && inside(y))]);
    image::GrayImage::from_fn(64, 64, texel).save(&path).unwrap();
    let texels = format!(
        "(float) texture(\"{}\", P[0] + 0.5, P[2] + 0.5, \"colorspace\", \"raw\", \"interp\", \"bilinear\")",
        path.display()
    );
    let textured = floor_under(&format!("Ci = 100 * {texels} * emission();"));
    let drawn = floor_under("Ci = (max(abs(P[0]), abs(P[2])) < 0.0625 ? 100.0 : 0.0) * emission();");
    assert!(drawn > 0.1, "{drawn}");
    assert!((textured / drawn - 1.0).abs() < 0.02, "{textured}, not {drawn}");
}
