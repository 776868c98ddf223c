//! Baked light: furnaces, lights with known coefficients, light leaks in rooms, and comparison with path tracing at
//! points of the shipped scenes.

mod analytic;
mod cache;
mod engines;
mod features;
mod path_traced;
mod rooms;
mod sides;
mod surface;
mod torture;

use std::f32::consts::PI;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Quat, Vec2, Vec3};
use renderer::bake::sh::ShOrder;
use renderer::bake::{
    BakeSettings, Baked, Include, Lightmap, LightmapFilter, Product, Scale, Sides, Silent, SurfaceTextures,
    Target, bake,
};
use renderer::color::Rgb;
use renderer::denoise::Denoiser;
use renderer::geometry::{Geometry, Mesh};
use renderer::image::Rect;
use renderer::integrator::{Integrator, PathSettings};
use renderer::light::{EnvironmentLight, Light, PointLight};
use renderer::scene::Scene;
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use rooms::walls;
use support::scenes::{SceneBuilder, mesh};

const GREY: &str = "Ci = 0.5 * diffuse(N);";

fn texture(resolution: u32) -> Target {
    scaled(Scale::Resolution(resolution))
}

/// A texture without a filter.
fn scaled(scale: Scale) -> Target {
    Target::Texture {
        scale,
        margin: 2,
        denoise: LightmapFilter::None,
        unwrap: true,
        topologies: vec![],
        textures: SurfaceTextures::default(),
        features: vec![],
    }
}

fn settings(target: Target, include: Include, order: ShOrder, samples: u32) -> BakeSettings {
    BakeSettings {
        target,
        sides: Sides::Auto,
        backs: None,
        include,
        order,
        samples,
        integrator: Integrator::Path(PathSettings::default()),
        seed: 3,
        threads: 2,
        checkpoint: None,
        resume: false,
        share: None,
        keep: None,
    }
}

fn run(scene: &Scene, settings: &BakeSettings) -> Baked {
    let names: Vec<String> = (0..scene.shapes().len()).map(|i| format!("shape {i}")).collect();
    bake(scene, &names, settings, &Silent, &AtomicBool::new(false))
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("the render is not interrupted")
}

fn lightmap(baked: &Baked) -> &Lightmap {
    match &baked.product {
        Product::Texture(map) => map,
        Product::Vertex(_) | Product::Probes(_) => panic!("a texture was baked"),
    }
}

/// Column, row, point and normal of all texels of visible surface.
fn texels(map: &Lightmap) -> Vec<(u32, u32, Vec3, Vec3)> {
    let all = (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y)));
    all.filter_map(|(x, y)| map.surface(x, y).map(|(p, n)| (x, y, p, n))).collect()
}

fn relative(a: Rgb, b: f32) -> f32 {
    (a - Rgb::splat(b)).map(f32::abs).max_component() / b
}

/// A smoothly shaded solid between a cube and a ball.
fn pillow() -> Mesh {
    let mut mesh = Mesh::default();
    for face in 0..6 {
        let turn = match face {
            0..4 => Quat::from_rotation_y(face as f32 * PI / 2.0),
            4 => Quat::from_rotation_x(PI / 2.0),
            _ => Quat::from_rotation_x(-PI / 2.0),
        };
        const N: u32 = 12;
        let first = mesh.positions.len() as u32;
        for j in 0..=N {
            for i in 0..=N {
                let at = Vec2::new(i as f32, j as f32) / N as f32 * 2.0 - 1.0;
                let p = turn * at.extend(1.0);
                mesh.positions.push(p.normalize() + p * 0.3);
            }
        }
        for j in 0..N {
            for i in 0..N {
                let a = first + j * (N + 1) + i;
                let (b, c, d) = (a + 1, a + N + 2, a + N + 1);
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    mesh.normals = mesh.smooth_normals();
    mesh.validate().unwrap()
}

/// A smoothly shaded ball of flat cells, strictly convex.
fn globe() -> Mesh {
    const COLUMNS: u32 = 32;
    const ROWS: u32 = 16;
    let mut mesh = Mesh::default();
    for row in 0..=ROWS {
        let (r, y) = (PI * row as f32 / ROWS as f32).sin_cos();
        for column in 0..COLUMNS {
            let (sin, cos) = (2.0 * PI * column as f32 / COLUMNS as f32).sin_cos();
            mesh.positions.push(Vec3::new(r * cos, y, -r * sin));
        }
    }
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let next = (column + 1) % COLUMNS;
            let [a, b, c, d] = [(row + 1, column), (row + 1, next), (row, next), (row, column)]
                .map(|(row, column)| row * COLUMNS + column);
            // Cells at a pole are single triangles.
            if row + 1 < ROWS {
                mesh.triangles.push([a, b, c]);
            }
            if row > 0 {
                mesh.triangles.push([a, c, d]);
            }
        }
    }
    mesh.normals = mesh.positions.clone();
    mesh.validate().unwrap()
}

#[test]
fn charts_are_continuous_across_seams() {
    let mut builder = SceneBuilder::new();
    let white = builder.material("Ci = 0.8 * diffuse(N);");
    let floor = Affine3A::from_translation(Vec3::new(0.0, -1.2, 0.0));
    builder.shape(mesh(Mesh::plane(8.0)), floor, white);
    builder.shape(Geometry::Sphere, Affine3A::IDENTITY, white);
    builder.shape(mesh(pillow()), Affine3A::from_translation(Vec3::new(2.6, 0.0, 0.0)), white);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::splat(0.3))));
    builder.light(Light::Point(PointLight {
        position: Vec3::new(2.0, 4.0, 3.0),
        intensity: Rgb::splat(40.0),
    }));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(256), Include::Indirect, ShOrder::Two, 64));
    let [before, after] = baked.stats.seams;
    println!("seams differ by {before:.4}, stitched by {after:.4}");
    assert!(after < 0.01 && after < 0.2 * before, "{before} before, {after} after stitching");
}

#[test]
fn denoising_reduces_the_error() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/cornell_box.kiln");
    let (desc, _) = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let built = build(&desc, None, 2).unwrap_or_else(|e| panic!("{e}"));
    let baked = |samples, filter, seed| {
        let mut settings = settings(texture(96), Include::Indirect, ShOrder::One, samples);
        settings.seed = seed;
        if let Target::Texture { denoise, .. } = &mut settings.target {
            *denoise = filter;
        }
        run(&built.scene, &settings)
    };
    let reference = baked(512, LightmapFilter::None, 1);
    let reference = lightmap(&reference);
    let error = |baked: &Baked| {
        let map = lightmap(baked);
        let square = |a: Rgb, b: Rgb| f64::from((a - b).luminance().powi(2));
        let texels = texels(reference);
        let error: f64 = texels
            .iter()
            .map(|&(x, y, ..)| square(map.irradiance(x, y), reference.irradiance(x, y)))
            .sum();
        let all: f64 = texels
            .iter()
            .map(|&(x, y, ..)| square(reference.irradiance(x, y), Rgb::BLACK))
            .sum();
        (error / all).sqrt()
    };
    let noisy = error(&baked(32, LightmapFilter::None, 2));
    let mut filters = vec![(LightmapFilter::Bilateral, 0.5)];
    match Denoiser::open(1) {
        Ok(_) => filters.push((LightmapFilter::Learned, 0.5)),
        Err(error) => eprintln!("one filter is skipped: {error}"),
    }
    for (filter, limit) in filters {
        let filtered = error(&baked(32, filter, 2));
        println!(
            "relative RMSE at 32 rays: {noisy:.4}, denoised {filtered:.4} ({})",
            filter.name()
        );
        assert!(filtered < limit * noisy, "{noisy} becomes {filtered} ({})", filter.name());
    }
}

/// Two plates, only one of them lit, with adjacent charts.
#[test]
fn filters_do_not_mix_charts() {
    if let Err(error) = Denoiser::open(1) {
        eprintln!("skipped: {error}");
        return;
    }
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let place = |z: f32| Affine3A::from_translation(Vec3::new(0.0, 0.0, z));
    builder.shape(mesh(Mesh::rectangle()), place(0.0), grey);
    builder.shape(
        mesh(Mesh::rectangle()),
        place(-1.0) * Affine3A::from_scale(Vec3::splat(0.5)),
        grey,
    );
    builder.light(Light::Point(PointLight {
        position: Vec3::new(0.0, 0.0, 1.0),
        intensity: Rgb::WHITE,
    }));
    let scene = builder.build();
    let run = |threads| {
        let mut settings = settings(texture(96), Include::Direct, ShOrder::Two, 16);
        settings.sides = Sides::Front;
        settings.threads = threads;
        if let Target::Texture { denoise, .. } = &mut settings.target {
            *denoise = LightmapFilter::Learned;
        }
        run(&scene, &settings)
    };
    let baked = run(1);
    let map = lightmap(&baked);
    let [lit, dark] = [0, 1].map(|object| map.objects[object].rect);
    let light = |rect: Rect| -> Vec<f32> {
        let pixels = rect.pixels();
        let used = pixels.filter(|&(x, y)| map.is_used(x, y));
        used.map(|(x, y)| map.irradiance(x, y).g).collect()
    };
    assert!(light(lit).len() > 1000 && light(lit).iter().all(|&e| e > 0.01));
    assert!(light(dark).len() > 500 && light(dark).iter().all(|&e| e == 0.0));
    // Below the light, E = 1; elsewhere it decreases with cos³.
    for (x, y, p, _) in texels(map).into_iter().filter(|texel| texel.2.z > -0.5) {
        let expected = (1.0 + p.length_squared()).powf(-1.5);
        let found = map.irradiance(x, y).g;
        assert!((found / expected - 1.0).abs() < 0.05, "{found} for {expected} at {p}");
    }
    let other = run(3);
    let all = Rect::of_size(map.width, map.height).pixels();
    for (x, y) in all {
        assert_eq!(map.coefficients(x, y), lightmap(&other).coefficients(x, y));
        assert_eq!(map.irradiance(x, y), lightmap(&other).irradiance(x, y));
    }
}

#[test]
fn bakes_do_not_depend_on_threads() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/cornell_box.kiln");
    let (desc, _) = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let built = build(&desc, None, 1).unwrap_or_else(|e| panic!("{e}"));
    let run = |threads| {
        let mut settings = settings(texture(64), Include::Both, ShOrder::Two, 16);
        settings.threads = threads;
        if let Target::Texture { denoise, .. } = &mut settings.target {
            *denoise = LightmapFilter::Bilateral;
        }
        let baked = run(&built.scene, &settings);
        let map = lightmap(&baked);
        let all = (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y)));
        all.flat_map(|(x, y)| {
            let coefficients = map.coefficients(x, y).iter().chain([&Rgb::BLACK]);
            let mut values: Vec<u32> = coefficients.flat_map(|c| c.to_array().map(f32::to_bits)).collect();
            values.extend(map.irradiance(x, y).to_array().map(f32::to_bits));
            values
        })
        .collect::<Vec<u32>>()
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn intersecting_leaves_are_not_black() {
    // Sheets around one stem, with texels so large that each contains the back of another sheet.
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    for turn in 0..8 {
        let place = Affine3A::from_rotation_y(PI * turn as f32 / 8.0);
        builder.shape(mesh(Mesh::rectangle()), place, grey);
    }
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let mut settings = settings(texture(0), Include::Both, ShOrder::One, 64);
    if let Target::Texture { scale, .. } = &mut settings.target {
        *scale = Scale::Density(1.5);
    }
    let baked = run(&scene, &settings);
    let map = lightmap(&baked);
    let seen = texels(map);
    for object in &map.objects {
        let of = seen.iter().filter(|&&(x, y, ..)| object.rect.contains(x, y));
        let light: Vec<f32> = of.map(|&(x, y, ..)| map.irradiance(x, y).g).collect();
        assert!(light.len() >= 4 && light.iter().all(|&e| e > 0.1), "{}: {light:?}", object.name);
    }
}

#[test]
fn instances_have_separate_light() {
    // Two instances of a mesh, one of them in a dark box.
    let mut builder = SceneBuilder::new();
    walls(&mut builder, Vec3::splat(-1.0), Vec3::ONE, 0.1);
    let grey = builder.material(GREY);
    let shared = Arc::new(pillow());
    for x in [0.0, 5.0] {
        let place =
            Affine3A::from_translation(Vec3::new(x, 0.0, 0.0)) * Affine3A::from_scale(Vec3::splat(0.4));
        builder.shape(Geometry::Mesh(shared.clone()), place, grey);
    }
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(128), Include::Both, ShOrder::One, 16));
    let map = lightmap(&baked);
    let mean = |object: usize| {
        let rect = map.objects[object].rect;
        let of: Vec<f32> = (texels(map).into_iter())
            .filter(|&(x, y, ..)| rect.contains(x, y))
            .map(|(x, y, ..)| map.irradiance(x, y).g)
            .collect();
        of.iter().sum::<f32>() / of.len() as f32
    };
    assert_eq!(mean(6), 0.0);
    assert!(mean(7) > 2.0, "{}", mean(7));
}
