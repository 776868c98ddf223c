//! Baked light against what it has to be: furnaces, lights whose coefficients are known, rooms that light must not enter,
//! and path tracing at points of the shipped scenes.

use std::f32::consts::PI;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Mat3A, Quat, Vec2, Vec3};
use renderer::bake::sh::{Order, basis, irradiance};
use renderer::bake::{
    BakeSettings, Baked, Include, Lightmap, ProbePlaces, Product, Scale, Side, Sides, Silent, Target, bake,
};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::integrator::{Context, Integrator, Pass, PathSettings};
use renderer::light::{DirectionalLight, EnvironmentLight, Light, PointLight};
use renderer::material::{MaterialId, Sides as MaterialSides};
use renderer::math::{Frame, Ray, offset_by_error};
use renderer::sampler::Sampler;
use renderer::sampling::cosine_hemisphere;
use renderer::scene::Scene;
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{SceneBuilder, mesh};

const GREY: &str = "Ci = 0.5 * diffuse(N);";

fn texture(resolution: u32) -> Target {
    Target::Texture {
        scale: Scale::Resolution(resolution),
        margin: 2,
        denoise: false,
        unwrap: true,
    }
}

fn settings(target: Target, include: Include, order: Order, samples: u32) -> BakeSettings {
    BakeSettings {
        target,
        sides: Sides::Auto,
        include,
        order,
        samples,
        integrator: Integrator::Path(PathSettings::default()),
        seed: 3,
        threads: 2,
        checkpoint: None,
        resume: false,
        scene_key: 0,
    }
}

fn run(scene: &Scene, settings: &BakeSettings) -> Baked {
    let names: Vec<String> = (0..scene.shapes().len()).map(|i| format!("shape {i}")).collect();
    bake(scene, &names, settings, &Silent, &AtomicBool::new(false))
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("nobody stops it")
}

fn lightmap(baked: &Baked) -> &Lightmap {
    match &baked.product {
        Product::Texture(map) => map,
        Product::Vertex(_) | Product::Probes(_) => panic!("a texture was baked"),
    }
}

/// Column, row, point and normal of all texels that stand for something seen.
fn texels(map: &Lightmap) -> Vec<(u32, u32, Vec3, Vec3)> {
    let all = (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y)));
    all.filter_map(|(x, y)| map.surface(x, y).map(|(p, n)| (x, y, p, n)))
        .collect()
}

fn relative(a: Rgb, b: f32) -> f32 {
    (a - Rgb::splat(b)).map(f32::abs).max_component() / b
}

/// A rounded, smoothly shaded solid: a cube blown up half-way to a ball.
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

/// A smoothly shaded ball of flat cells, convex to the last edge.
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
            // Cells that come to a point at a pole are one triangle.
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

/// Convex things, each alone: one in closed form, one with edges, one smooth and mirrored.
fn convex() -> Vec<(Geometry, Affine3A)> {
    let mirrored = Affine3A::from_mat3(Mat3A::from_diagonal(Vec3::new(-1.0, 0.7, 1.0)).into());
    vec![
        (Geometry::Sphere, Affine3A::from_scale(Vec3::new(1.0, 0.8, 1.0))),
        (mesh(Mesh::cube()), Affine3A::from_rotation_y(0.3)),
        (mesh(globe()), mirrored),
    ]
}

#[test]
fn white_furnace() {
    for (geometry, place) in convex() {
        let mut builder = SceneBuilder::new();
        let grey = builder.material(GREY);
        builder.shape(geometry, place, grey);
        builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
        let scene = builder.build();
        for order in [Order::One, Order::Two] {
            let baked = run(&scene, &settings(texture(96), Include::Both, order, 256));
            let map = lightmap(&baked);
            assert_eq!(map.objects.len(), 1, "nobody sees the inside");
            let texels = texels(map);
            assert!(texels.len() > 1000);
            for (x, y, _, n) in texels {
                let rebuilt = irradiance(map.coefficients(x, y), n);
                let worst = relative(map.irradiance(x, y), PI).max(relative(rebuilt, PI));
                assert!(
                    worst < 0.005,
                    "texel ({x}, {y}): {:?} {rebuilt:?} {n} {:?} {order:?}",
                    map.irradiance(x, y),
                    map.surface(x, y)
                );
            }

            let baked = run(&scene, &settings(Target::Vertex, Include::Both, order, 256));
            let Product::Vertex(light) = &baked.product else {
                panic!("vertices were baked")
            };
            for object in &light.objects {
                let mut used: Vec<u32> = object.mesh.triangles.iter().flatten().copied().collect();
                used.sort_unstable();
                used.dedup();
                for vertex in used.into_iter().map(|vertex| vertex as usize) {
                    let e = light.irradiance(object.first + vertex);
                    let coefficients = light.coefficients(object.first + vertex);
                    // All comes from about the normal.
                    let linear = [3, 1, 2].map(|i| coefficients[i].g);
                    let rebuilt = irradiance(coefficients, Vec3::from(linear).normalize());
                    let worst = relative(e, PI).max(relative(rebuilt, PI));
                    assert!(worst < 0.005, "vertex {vertex}: {e:?} {rebuilt:?}");
                }
            }
        }
    }
}

#[test]
fn white_furnace_of_probes() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(Geometry::Sphere, Affine3A::IDENTITY, grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    // Where the ball is out of the way: far off, it takes a ten-thousandth of the view.
    let far = vec![Vec3::new(60.0, 0.0, 0.0), Vec3::new(0.0, -80.0, 20.0), Vec3::ZERO];
    for order in [Order::One, Order::Two] {
        let target = Target::Probes(ProbePlaces::Points(far.clone()));
        let baked = run(&scene, &settings(target, Include::Both, order, 1024));
        let Product::Probes(probes) = &baked.product else {
            panic!("probes were baked")
        };
        for n in [Vec3::X, Vec3::NEG_Y, Vec3::ONE.normalize()] {
            for probe in 0..2 {
                let e = irradiance(probes.coefficients(probe), n);
                assert!(relative(e, PI) < 0.005, "{probe} {n}: {e:?}");
            }
        }
        assert!(probes.is_valid(0) && probes.is_valid(1) && !probes.is_valid(2));
    }
}

/// Coefficients on the side that faces `side` of a floor that faces `up`, lit by `light` alone.
fn floor_coefficients(up: Vec3, side: Vec3, light: Light) -> Vec<Vec<Rgb>> {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let turn = Affine3A::from_quat(Quat::from_rotation_arc(Vec3::Z, up));
    builder.shape(mesh(Mesh::rectangle()), turn, grey);
    builder.light(light);
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(32), Include::Direct, Order::Two, 1024));
    let map = lightmap(&baked);
    let mut texels = texels(map);
    texels.retain(|(_, _, _, n)| n.dot(side) > 0.9);
    assert!(texels.len() > 50);
    texels
        .iter()
        .map(|&(x, y, ..)| map.coefficients(x, y).to_vec())
        .collect()
}

fn near(found: &[Vec<Rgb>], expected: &[f32]) {
    let norm = expected.iter().map(|c| c * c).sum::<f32>().sqrt();
    for coefficients in found {
        let difference: f32 = coefficients
            .iter()
            .zip(expected)
            .map(|(c, e)| (c.g - e).powi(2))
            .sum();
        assert!(difference.sqrt() < 0.01 * norm, "{coefficients:?}\n{expected:?}");
    }
}

#[test]
fn a_constant_environment_has_its_coefficients() {
    let sky = || Light::Environment(EnvironmentLight::Constant(Rgb::new(1.0, 2.0, 3.0)));
    // ∫ Y over the hemisphere about n: 2π·0.282095, then π·0.488603 n; the third band vanishes.
    for up in [Vec3::Z, Vec3::new(0.6, 0.0, -0.8), Vec3::new(1.0, 2.0, 2.0) / 3.0] {
        for side in [up, -up] {
            let y = basis(side);
            let expected: Vec<f32> = (0..9)
                .map(|i| match i {
                    0 => 2.0 * 2.0 * PI * y[0],
                    1..4 => 2.0 * PI * y[i],
                    _ => 0.0,
                })
                .collect();
            near(&floor_coefficients(up, side, sky()), &expected);
        }
    }
}

#[test]
fn a_directional_light_has_its_coefficients() {
    let direction = Vec3::new(-0.3, -0.8, 0.2).normalize();
    let light = Light::Directional(DirectionalLight {
        direction,
        irradiance: Rgb::splat(4.0),
    });
    let expected: Vec<f32> = basis(-direction).iter().map(|y| 4.0 * y).collect();
    let up = Vec3::new(0.2, 0.9, 0.1).normalize();
    near(&floor_coefficients(up, up, light), &expected);
}

/// A slab between two corners.
fn slab(builder: &mut SceneBuilder, from: Vec3, to: Vec3, material: MaterialId) {
    let place = Affine3A::from_translation(0.5 * (from + to)) * Affine3A::from_scale(0.5 * (to - from));
    builder.shape(mesh(Mesh::cube()), place, material);
}

/// Six slabs about the box between two corners, each as thick as said.
fn walls(builder: &mut SceneBuilder, from: Vec3, to: Vec3, thick: f32) {
    let white = builder.material("Ci = 0.8 * diffuse(N);");
    let (outer_from, outer_to) = (from - thick, to + thick);
    for axis in 0..3 {
        let (mut a, mut b) = (outer_from, outer_to);
        b[axis] = from[axis];
        slab(builder, a, b, white);
        (a, b) = (outer_from, outer_to);
        a[axis] = to[axis];
        slab(builder, a, b, white);
    }
}

#[test]
fn a_closed_box_is_black_inside() {
    let mut builder = SceneBuilder::new();
    let (from, to) = (Vec3::splat(-1.0), Vec3::ONE);
    walls(&mut builder, from, to, 0.1);
    let grey = builder.material(GREY);
    builder.shape(Geometry::Sphere, Affine3A::from_scale(Vec3::splat(0.4)), grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    builder.light(Light::Point(PointLight {
        position: Vec3::new(0.3, 3.0, 0.2),
        intensity: Rgb::splat(100.0),
    }));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(256), Include::Both, Order::One, 64));
    let map = lightmap(&baked);
    let inside = |p: Vec3| p.abs().max_element() <= 1.0 + 1e-4;
    let (mut dark, mut lit) = (0, 0);
    for (x, y, p, _) in texels(map) {
        if inside(p) {
            dark += 1;
            assert!(
                map.irradiance(x, y).is_black(),
                "{p} has {:?}",
                map.irradiance(x, y)
            );
        } else if map.irradiance(x, y).luminance() > 0.5 {
            lit += 1;
        }
    }
    assert!(
        dark > 3000 && lit > 3000,
        "{dark} texels inside, {lit} lit ones outside"
    );
}

#[test]
fn a_wall_keeps_light_in_its_room() {
    // Two rooms under one roof, on one floor, a wall of two texels between them; the lamp is in the left one.
    let mut builder = SceneBuilder::new();
    walls(
        &mut builder,
        Vec3::new(-2.0, 0.0, -1.0),
        Vec3::new(2.0, 2.0, 1.0),
        0.1,
    );
    let grey = builder.material(GREY);
    slab(
        &mut builder,
        Vec3::new(-0.05, -0.05, -1.05),
        Vec3::new(0.05, 2.05, 1.05),
        grey,
    );
    builder.light(Light::Point(PointLight {
        position: Vec3::new(-1.0, 1.5, 0.0),
        intensity: Rgb::splat(20.0),
    }));
    let scene = builder.build();
    let mut settings = settings(texture(0), Include::Both, Order::One, 64);
    if let Target::Texture { scale, .. } = &mut settings.target {
        *scale = Scale::Density(20.0);
    }
    let baked = run(&scene, &settings);
    let map = lightmap(&baked);
    let left = |p: Vec3| p.x > -2.01 && p.x < -0.04 && p.y > -0.01 && p.y < 2.01 && p.z.abs() < 1.01;
    let right = |p: Vec3| p.x > 0.04 && p.x < 2.01 && p.y > -0.01 && p.y < 2.01 && p.z.abs() < 1.01;
    let (mut sum, mut count, mut dark) = (0.0, 0, 0);
    for (x, y, p, _) in texels(map) {
        if left(p) {
            sum += map.irradiance(x, y).luminance();
            count += 1;
        } else if right(p) {
            dark += 1;
            assert!(
                map.irradiance(x, y).is_black(),
                "{p} has {:?}",
                map.irradiance(x, y)
            );
        }
    }
    assert!(count > 2000 && dark > 2000, "{count} {dark}");

    // Nor is any found by looking the texture up on the dark side.
    let mean = sum / count as f32;
    let mut worst: f32 = 0.0;
    for (p, _, uv) in surface_points(&scene, map, 20_000) {
        if right(p) && p.x > 0.051 {
            worst = worst.max(map.lookup(uv).1.luminance() / mean);
        }
    }
    assert!(worst < 0.01, "{worst}");
}

/// A light from afar that puts so much on what faces it.
fn sun(direction: Vec3, irradiance: Rgb) -> Light {
    Light::Directional(DirectionalLight {
        direction,
        irradiance,
    })
}

/// A rectangle across z between a bright and a dim half of the world.
fn sheet(place: Affine3A, flip_normals: bool, mesh: Mesh, sides: MaterialSides) -> Scene {
    let mut builder = SceneBuilder::new();
    let grey = builder.material_with(GREY, sides);
    builder
        .shape(Geometry::Mesh(Arc::new(mesh)), place, grey)
        .flip_normals = flip_normals;
    builder.light(sun(Vec3::NEG_Z, Rgb::splat(4.0)));
    builder.light(sun(Vec3::Z, Rgb::splat(0.25)));
    builder.build()
}

#[test]
fn each_side_of_a_sheet_has_its_own_light() {
    let mirrored = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let with_coordinates = Mesh {
        uvs2: vec![Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y],
        ..Mesh::rectangle()
    };
    let cases = [
        (Affine3A::IDENTITY, false, Mesh::rectangle()),
        (Affine3A::from_rotation_y(PI), true, Mesh::rectangle()),
        (mirrored, false, with_coordinates),
    ];
    let expected = |n: Vec3| if n.z > 0.0 { 4.0 } else { 0.25 };
    for (place, flip, mesh) in cases {
        let own = !mesh.uvs2.is_empty();
        let scene = sheet(place, flip, mesh, MaterialSides::default());
        let baked = run(&scene, &settings(texture(48), Include::Both, Order::Two, 512));
        let map = lightmap(&baked);
        let [front, back] = map.objects.as_slice() else {
            panic!("{:?}", map.objects)
        };
        assert_eq!((front.side, back.side), (Side::Front, Side::Back));
        assert_eq!(
            (front.name.as_str(), back.name.as_str()),
            ("shape 0", "shape 0.back")
        );
        assert!(front.own_coordinates == own && back.own_coordinates == own);
        for (object, baked) in [front, back].into_iter().enumerate() {
            let of = texels(map)
                .into_iter()
                .filter(|&(x, y, ..)| baked.rect.contains(x, y));
            let of: Vec<_> = of.collect();
            assert!(
                of.len() > 100 && of.iter().all(|t| t.3.dot(of[0].3) > 0.999),
                "{}",
                of.len()
            );
            for (x, y, _, n) in of {
                let e = map.irradiance(x, y);
                assert!(
                    relative(e, expected(n)) < 0.1,
                    "{object} at ({x}, {y}): {e:?} about {n}"
                );
            }
        }
        for (p, n, uv) in surface_points(&scene, map, 1000) {
            let e = map.lookup(uv).1;
            assert!(relative(e, expected(n)) < 0.1, "{p}: {e:?} about {n}");
        }

        let baked = run(&scene, &settings(Target::Vertex, Include::Both, Order::Two, 512));
        let Product::Vertex(light) = &baked.product else {
            panic!("vertices were baked")
        };
        let [front, back] = light.objects.as_slice() else {
            panic!("{} objects", light.objects.len())
        };
        assert_eq!((front.side, back.side), (Side::Front, Side::Back));
        for (object, expected) in [(front, 4.0), (back, 0.25)] {
            for vertex in 0..object.mesh.positions.len() {
                let e = light.irradiance(object.first + vertex);
                assert!(relative(e, expected) < 0.1, "{}: {e:?}", object.name);
            }
        }
    }
}

#[test]
fn both_sides_of_a_sheet_in_a_white_furnace() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(mesh(Mesh::rectangle()), Affine3A::from_rotation_y(0.3), grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(64), Include::Both, Order::One, 256));
    let map = lightmap(&baked);
    assert_eq!(map.objects.len(), 2);
    for (x, y, _, n) in texels(map) {
        let rebuilt = irradiance(map.coefficients(x, y), n);
        let worst = relative(map.irradiance(x, y), PI).max(relative(rebuilt, PI));
        assert!(worst < 0.005, "({x}, {y}) about {n}: {rebuilt:?}");
    }
}

/// How many backs there are.
fn backs(scene: &Scene, include: Include, sides: Sides) -> usize {
    let mut settings = settings(Target::Vertex, include, Order::One, 1);
    settings.sides = sides;
    let baked = run(scene, &settings);
    let Product::Vertex(light) = &baked.product else {
        panic!("vertices were baked")
    };
    let is_back = |object: &&renderer::bake::BakedVertices| object.side == Side::Back;
    light.objects.iter().filter(is_back).count()
}

#[test]
fn backs_that_nobody_sees_take_no_room() {
    let sheet = |sides| sheet(Affine3A::IDENTITY, false, Mesh::rectangle(), sides);
    let one_sided = MaterialSides {
        one_sided: true,
        ..MaterialSides::default()
    };
    let culled = MaterialSides {
        culled: true,
        ..MaterialSides::default()
    };
    let plain = sheet(MaterialSides::default());
    assert_eq!(backs(&plain, Include::Both, Sides::Auto), 1);
    assert_eq!(backs(&plain, Include::Both, Sides::Front), 0);
    assert_eq!(
        backs(&plain, Include::Indirect, Sides::Auto),
        0,
        "nothing sends light on"
    );
    for sides in [one_sided, culled] {
        assert_eq!(backs(&sheet(sides), Include::Both, Sides::Auto), 0, "{sides:?}");
    }

    // A lamp scatters nothing; the ground's underside sees the sky alone; a ball has an inside.
    let mut builder = SceneBuilder::new();
    let (grey, lamp) = (builder.material(GREY), builder.material("Ci = emission();"));
    let lie = Affine3A::from_rotation_x(-PI / 2.0) * Affine3A::from_scale(Vec3::splat(9.0));
    builder.shape(mesh(Mesh::rectangle()), lie, grey);
    let above = Affine3A::from_translation(Vec3::new(0.0, 3.0, 0.0));
    builder.shape(mesh(Mesh::rectangle()), above, lamp);
    builder.shape(
        mesh(globe()),
        above * Affine3A::from_translation(Vec3::X * 2.0),
        grey,
    );
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    assert_eq!(backs(&scene, Include::Both, Sides::Auto), 0);
    assert_eq!(backs(&scene, Include::Indirect, Sides::Auto), 0);
}

#[test]
fn a_room_that_is_modelled_as_a_box_is_lit_inside() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(mesh(Mesh::cube()), Affine3A::from_scale(Vec3::splat(2.0)), grey);
    builder.shape(mesh(pillow()), Affine3A::from_scale(Vec3::splat(0.3)), grey);
    builder.light(Light::Point(PointLight {
        position: Vec3::new(1.0, 1.5, 0.0),
        intensity: Rgb::splat(20.0),
    }));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(128), Include::Both, Order::One, 16));
    let map = lightmap(&baked);
    let sides: Vec<(u32, Side)> = map.objects.iter().map(|o| (o.shape.0, o.side)).collect();
    assert_eq!(sides, [(0, Side::Front), (1, Side::Front), (0, Side::Back)]);
    for (x, y, p, n) in texels(map) {
        let inward = n.dot(p) < 0.0;
        let is_room = p.abs().max_element() > 1.9;
        let lit = map.irradiance(x, y).g > 0.1;
        assert!(
            lit == (inward || !is_room),
            "{p} about {n}: {:?}",
            map.irradiance(x, y)
        );
    }
}

#[test]
fn a_wall_without_thickness_keeps_two_lights_apart() {
    // Red light to the left of it, green light to the right; the rooms themselves are grey. No texel's point lies in a
    // corner to the last digit.
    const WALL: f32 = 0.017;
    let mut builder = SceneBuilder::new();
    walls(
        &mut builder,
        Vec3::new(-2.0, 0.0, -1.0),
        Vec3::new(2.0, 2.0, 1.0),
        0.1,
    );
    let grey = builder.material(GREY);
    let across = Affine3A::from_translation(Vec3::new(WALL, 1.0, 0.0)) * Affine3A::from_rotation_y(PI / 2.0);
    builder.shape(
        mesh(Mesh::rectangle()),
        across * Affine3A::from_scale(Vec3::splat(1.037)),
        grey,
    );
    for (x, color) in [(-1.0, Rgb::new(20.0, 0.0, 0.0)), (0.8, Rgb::new(0.0, 5.0, 0.0))] {
        builder.light(Light::Point(PointLight {
            position: Vec3::new(x, 1.4, 0.1),
            intensity: color,
        }));
    }
    let scene = builder.build();
    let texel = 0.05;
    for include in [Include::Both, Include::Indirect] {
        let mut settings = settings(texture(0), include, Order::One, 64);
        if let Target::Texture { scale, .. } = &mut settings.target {
            *scale = Scale::Density(1.0 / texel);
        }
        let baked = run(&scene, &settings);
        let map = lightmap(&baked);
        assert_eq!(map.objects.len(), 8);
        // The light of a room, own and foreign. One path in millions ends so close to a corner that it gets through.
        let shares = |p: Vec3, n: Vec3, e: Rgb| {
            let left = p.x < WALL - 1e-4 || p.x < WALL + 1e-4 && n.x < 0.0;
            if left { (e.r, e.g) } else { (e.g, e.r) }
        };
        let apart = |what: &str, light: Vec<(f32, f32)>| {
            let mean = light.iter().map(|l| f64::from(l.0)).sum::<f64>() / light.len() as f64;
            let foreign = light.iter().map(|l| f64::from(l.1)).sum::<f64>() / light.len() as f64;
            let leaks = light.iter().filter(|l| l.1 > 0.0).count();
            println!("{what}: {leaks} leaks, {foreign:e} of {mean}");
            assert!(
                leaks * 500 < light.len() && foreign < 1e-5 * mean,
                "{what}: {foreign} of {mean}"
            );
            let lit = light.iter().filter(|l| l.0 > 0.02).count();
            assert!(
                lit > 10_000 && lit > light.len() * 9 / 10,
                "{what}: {lit} of {}",
                light.len()
            );
        };
        let inside = |p: Vec3| p.x.abs() < 2.01 && p.y > -0.01 && p.y < 2.01 && p.z.abs() < 1.01;
        let of_texels = texels(map).into_iter().filter(|t| inside(t.2));
        let of_texels = of_texels.map(|(x, y, p, n)| shares(p, n, map.irradiance(x, y)));
        apart("texels", of_texels.collect());
        // The wall hides nothing: the floor has light of its own up to it, on both sides.
        for side in [-1.0, 1.0] {
            let beside = |p: Vec3| (0.0..texel).contains(&(side * (p.x - WALL))) && p.y.abs() < 1e-3;
            let beside = texels(map)
                .into_iter()
                .filter(|t| inside(t.2) && beside(t.2) && t.3.y > 0.9);
            let count = beside.count();
            assert!(count > 35, "{count} texels of floor beside the wall");
        }
        // A lookup mixes them only where a texel of floor or roof lies on both sides.
        let points = surface_points(&scene, map, 50_000).into_iter();
        let points = points.filter(|(p, n, _)| inside(*p) && (p.x.abs() > 2.0 * texel || n.x.abs() > 0.5));
        let of_lookups = points.map(|(p, n, uv)| shares(p, n, map.lookup(uv).1));
        apart("lookups", of_lookups.collect());
    }
}

#[test]
fn charts_meet_without_seams() {
    let mut builder = SceneBuilder::new();
    let white = builder.material("Ci = 0.8 * diffuse(N);");
    let floor = Affine3A::from_translation(Vec3::new(0.0, -1.2, 0.0));
    builder.shape(mesh(Mesh::plane(8.0)), floor, white);
    builder.shape(Geometry::Sphere, Affine3A::IDENTITY, white);
    builder.shape(
        mesh(pillow()),
        Affine3A::from_translation(Vec3::new(2.6, 0.0, 0.0)),
        white,
    );
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::splat(0.3))));
    builder.light(Light::Point(PointLight {
        position: Vec3::new(2.0, 4.0, 3.0),
        intensity: Rgb::splat(40.0),
    }));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(256), Include::Indirect, Order::Two, 64));
    let [before, after] = baked.stats.seams;
    println!("seams differ by {before:.4}, stitched by {after:.4}");
    assert!(
        after < 0.01 && after < 0.2 * before,
        "{before} before, {after} after stitching"
    );
}

/// Points of all surfaces, uniform by area, with their normals and lightmap coordinates.
fn surface_points(scene: &Scene, map: &Lightmap, count: usize) -> Vec<(Vec3, Vec3, Vec2)> {
    let mut triangles = vec![];
    let mut total = 0.0;
    for (object, baked) in map.objects.iter().enumerate() {
        let shape = &scene.shapes()[baked.shape.0 as usize];
        for (triangle, corners) in baked.mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|i| {
                shape
                    .world_from_object
                    .transform_point3(baked.mesh.positions[i as usize])
            });
            total += f64::from((b - a).cross(c - a).length());
            triangles.push((total, object, triangle));
        }
    }
    let mut sampler = Sampler::new(99);
    (0..count)
        .map(|index| {
            sampler.start(glam::UVec2::new(7, 7), index as u64);
            let at = f64::from(sampler.next_1d()) * total;
            let (_, object, triangle) =
                triangles[triangles.partition_point(|t| t.0 < at).min(triangles.len() - 1)];
            let u = sampler.next_2d();
            let weights = [1.0 - u.x.sqrt(), u.y * u.x.sqrt()];
            let baked = &map.objects[object];
            let shape = &scene.shapes()[baked.shape.0 as usize];
            let corners = baked.mesh.triangles[triangle].map(|i| i as usize);
            let mix = |values: [Vec2; 3]| {
                values[0] * (1.0 - weights[0] - weights[1]) + values[1] * weights[0] + values[2] * weights[1]
            };
            let uv = mix(corners.map(|i| baked.mesh.uvs2[i]));
            let [a, b, c] = corners.map(|i| baked.mesh.positions[i]);
            let object_p = a * (1.0 - weights[0] - weights[1]) + b * weights[0] + c * weights[1];
            let point = shape
                .analytic_near(object_p)
                .unwrap_or_else(|| shape.surface_point(triangle as u32, Vec2::from(weights)));
            let n = match baked.side {
                Side::Front => point.n,
                Side::Back => -point.n,
            };
            (point.p, n, uv)
        })
        .collect()
}

/// Whether all texels of a bilinear lookup stand for something that is seen.
fn is_seen(map: &Lightmap, uv: Vec2) -> bool {
    let place = Vec2::new(uv.x, 1.0 - uv.y) * Vec2::new(map.width as f32, map.height as f32) - 0.5;
    let texel = |dx: f32, dy: f32| map.surface((place.x + dx) as u32, (place.y + dy) as u32);
    [(0.01, 0.01), (0.99, 0.01), (0.01, 0.99), (0.99, 0.99)]
        .iter()
        .all(|&(dx, dy)| texel(dx, dy).is_some())
}

/// Indirect irradiance at points, by path tracing with so many samples: that of either half of them.
fn path_traced(scene: &Scene, points: &[(Vec3, Vec3, Vec2)], samples: u32) -> Vec<[Rgb; 2]> {
    let path = Integrator::Path(PathSettings::default());
    let prepared = path.prepare(scene, &Pass::first(5, points.len() as u64)).unwrap();
    let mut context = Context::new(scene);
    let mut sampler = Sampler::new(11);
    let half = samples / 2;
    (points.iter().enumerate())
        .map(|(index, &(p, n, _))| {
            let frame = Frame::from_normal(n);
            [1, 2].map(|key| {
                let sum: Rgb = (0..half)
                    .map(|sample| {
                        sampler.start(glam::UVec2::new(index as u32, key), u64::from(sample));
                        let w = frame.to_world(cosine_hemisphere(sampler.next_2d()));
                        let ray = Ray::new(offset_by_error(p, 1e-5, n, w), w);
                        prepared.incoming(scene, &ray, false, &mut sampler, &mut context)
                    })
                    .sum();
                sum * (PI / half as f32)
            })
        })
        .collect()
}

/// Relative RMSE of a scene's indirect irradiance against path tracing: of the irradiance itself, and rebuilt from order
/// 2 and order 1. What noise of the reference adds to it is known from its halves, and taken out.
fn errors(
    name: &str,
    integrator: &str,
    resolution: u32,
    samples: u32,
    points: usize,
    reference_samples: u32,
) -> [f64; 3] {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes").join(name);
    let (desc, _) = load(
        &file,
        &LoadOptions {
            set: vec![format!("integrator={integrator}")],
        },
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let built = build(&desc, None, 2).unwrap_or_else(|e| panic!("{e}"));
    let scene = &built.scene;
    let mut settings = settings(texture(resolution), Include::Indirect, Order::Two, samples);
    settings.integrator = built.integrator;
    let baked = run(scene, &settings);
    let stats = &baked.stats;
    println!(
        "{name} with {integrator}: prepare {:.1?}, gather {:.1?}, seams {:?}",
        stats.prepare, stats.gather, stats.seams
    );
    let map = lightmap(&baked);
    let points = surface_points(scene, map, points);
    let halves = path_traced(scene, &points, reference_samples);
    let reference: Vec<Rgb> = halves.iter().map(|&[a, b]| (a + b) * 0.5).collect();
    let mean = reference.iter().map(|e| f64::from(e.luminance())).sum::<f64>() / reference.len() as f64;
    let (mut sums, mut squares, mut noise, mut count) = ([0.0; 3], 0.0, 0.0, 0);
    let mut means = [0.0; 2];
    for ((&(_, n, uv), reference), [a, b]) in points.iter().zip(&reference).zip(halves) {
        // Nobody sees points under things; what they are filled with is no error. Outer walls are dark.
        if f64::from(reference.luminance()) < 0.02 * mean || !is_seen(map, uv) {
            continue;
        }
        let (coefficients, irradiance_found) = map.lookup(uv);
        let found = [
            irradiance_found,
            irradiance(&coefficients, n),
            irradiance(&coefficients[..4], n),
        ];
        for (sum, found) in sums.iter_mut().zip(found) {
            *sum += f64::from((found - *reference).luminance()).powi(2);
        }
        squares += f64::from(reference.luminance()).powi(2);
        noise += f64::from((a - b).luminance()).powi(2) / 4.0;
        count += 1;
        means[0] += f64::from(irradiance_found.luminance());
        means[1] += f64::from(reference.luminance());
    }
    println!(
        "{count} points, mean {:.4} of the reference's, whose noise is {:.4}",
        means[0] / means[1],
        (noise / squares).sqrt()
    );
    assert!(count > points.len() / 5, "{count} points are lit");
    sums.map(|sum: f64| ((sum - noise).max(0.0) / squares).sqrt())
}

#[test]
fn cornell_box_is_as_path_traced() {
    let [irradiance, second, first] = errors("cornell_box.kiln", "photon", 128, 256, 300, 4096);
    println!("cornell_box: irradiance {irradiance:.4}, order 2 {second:.4}, order 1 {first:.4}");
    assert!(irradiance < 0.03 && second < 0.03, "{irradiance} {second}");
}

/// The figures that baking is measured by: a minute or two on two cores.
#[test]
#[ignore = "takes minutes; run with `--ignored --nocapture` in release"]
fn shipped_scenes_are_as_path_traced() {
    let mut worst: f64 = 0.0;
    for name in ["cornell_box.kiln", "two_rooms.kiln"] {
        for (integrator, samples) in [("photon", 256), ("path", 1024)] {
            let [irradiance, second, first] = errors(name, integrator, 256, samples, 1000, 8192);
            println!("{name}: irradiance {irradiance:.4}, order 2 {second:.4}, order 1 {first:.4}");
            worst = worst.max(irradiance).max(second);
        }
    }
    assert!(worst < 0.03, "{worst}");
}

#[test]
fn denoising_takes_noise_away_and_nothing_else() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/cornell_box.kiln");
    let (desc, _) = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let built = build(&desc, None, 2).unwrap_or_else(|e| panic!("{e}"));
    let baked = |samples, filter, seed| {
        let mut settings = settings(texture(96), Include::Indirect, Order::One, samples);
        settings.seed = seed;
        if let Target::Texture { denoise, .. } = &mut settings.target {
            *denoise = filter;
        }
        run(&built.scene, &settings)
    };
    let reference = baked(1024, false, 1);
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
    let (noisy, filtered) = (error(&baked(32, false, 2)), error(&baked(32, true, 2)));
    println!("relative RMSE at 32 rays: {noisy:.4}, denoised {filtered:.4}");
    assert!(filtered < 0.5 * noisy, "{noisy} becomes {filtered}");
}

#[test]
fn threads_leave_no_trace() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/cornell_box.kiln");
    let (desc, _) = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let built = build(&desc, None, 1).unwrap_or_else(|e| panic!("{e}"));
    let run = |threads| {
        let mut settings = settings(texture(64), Include::Both, Order::Two, 16);
        settings.threads = threads;
        if let Target::Texture { denoise, .. } = &mut settings.target {
            *denoise = true;
        }
        let baked = run(&built.scene, &settings);
        let map = lightmap(&baked);
        let all = (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y)));
        all.flat_map(|(x, y)| {
            let coefficients = map.coefficients(x, y).iter().chain([&Rgb::BLACK]);
            let mut values: Vec<u32> = coefficients
                .flat_map(|c| c.to_array().map(f32::to_bits))
                .collect();
            values.extend(map.irradiance(x, y).to_array().map(f32::to_bits));
            values
        })
        .collect::<Vec<u32>>()
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn leaves_among_leaves_are_not_black() {
    // Sheets about one stem, on texels so large that each has another's back within it.
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    for turn in 0..8 {
        let place = Affine3A::from_rotation_y(PI * turn as f32 / 8.0);
        builder.shape(mesh(Mesh::rectangle()), place, grey);
    }
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let mut settings = settings(texture(0), Include::Both, Order::One, 64);
    if let Target::Texture { scale, .. } = &mut settings.target {
        *scale = Scale::Density(1.5);
    }
    let baked = run(&scene, &settings);
    let map = lightmap(&baked);
    let seen = texels(map);
    for object in &map.objects {
        let of = seen.iter().filter(|&&(x, y, ..)| object.rect.contains(x, y));
        let light: Vec<f32> = of.map(|&(x, y, ..)| map.irradiance(x, y).g).collect();
        assert!(
            light.len() >= 4 && light.iter().all(|&e| e > 0.1),
            "{}: {light:?}",
            object.name
        );
    }
}

#[test]
fn instances_have_their_own_light() {
    // One mesh twice, one of them in a dark box.
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
    let baked = run(&scene, &settings(texture(128), Include::Both, Order::One, 16));
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
