//! Light leaks: rooms that must be dark, or lit only by their own light.

use std::f32::consts::PI;

use glam::{Affine3A, Mat3, Vec3};
use renderer::bake::sh::ShOrder;
use renderer::bake::{
    BakeSettings, Baked, Coverage, Include, ProbePlaces, Product, Scale, Side, Sides, Target,
};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::light::{EnvironmentLight, Light, PointLight};
use renderer::material::MaterialId;
use support::scenes::{SceneBuilder, mesh};

use super::path_traced::surface_points;
use super::{GREY, lightmap, pillow, run, scaled, settings, texels, texture};

/// A slab between two corners.
fn slab(builder: &mut SceneBuilder, from: Vec3, to: Vec3, material: MaterialId) {
    let place = Affine3A::from_translation(0.5 * (from + to)) * Affine3A::from_scale(0.5 * (to - from));
    builder.shape(mesh(Mesh::cube()), place, material);
}

/// Six slabs around the box between two corners, with the given thickness.
pub(super) fn walls(builder: &mut SceneBuilder, from: Vec3, to: Vec3, thick: f32) {
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
    let baked = run(&scene, &settings(texture(256), Include::Both, ShOrder::One, 32));
    let map = lightmap(&baked);
    let inside = |p: Vec3| p.abs().max_element() <= 1.0 + 1e-4;
    let (mut dark, mut lit) = (0, 0);
    for (x, y, p, _) in texels(map) {
        if inside(p) {
            dark += 1;
            assert!(map.irradiance(x, y).is_black(), "{p} has {:?}", map.irradiance(x, y));
        } else if map.irradiance(x, y).luminance() > 0.5 {
            lit += 1;
        }
    }
    assert!(dark > 3000 && lit > 3000, "{dark} texels inside, {lit} lit ones outside");
}

/// A hall for two rooms, and a grey material.
fn hall() -> (SceneBuilder, MaterialId) {
    let mut builder = SceneBuilder::new();
    walls(&mut builder, Vec3::new(-2.0, 0.0, -1.0), Vec3::new(2.0, 2.0, 1.0), 0.1);
    let grey = builder.material(GREY);
    (builder, grey)
}

#[test]
fn light_does_not_leak_through_a_wall() {
    // Two rooms with a common roof and floor, separated by a wall of two texels; the light is in the left room.
    let (mut builder, grey) = hall();
    slab(&mut builder, Vec3::new(-0.05, -0.05, -1.05), Vec3::new(0.05, 2.05, 1.05), grey);
    builder.light(Light::Point(PointLight {
        position: Vec3::new(-1.0, 1.5, 0.0),
        intensity: Rgb::splat(20.0),
    }));
    let scene = builder.build();
    let settings = settings(scaled(Scale::Density(20.0)), Include::Both, ShOrder::One, 32);
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
            assert!(map.irradiance(x, y).is_black(), "{p} has {:?}", map.irradiance(x, y));
        }
    }
    assert!(count > 2000 && dark > 2000, "{count} {dark}");

    // A bilinear lookup on the dark side finds no light either.
    let mean = sum / count as f32;
    let mut worst: f32 = 0.0;
    for (p, _, uv) in surface_points(&scene, map, 20_000) {
        if right(p) && p.x > 0.051 {
            worst = worst.max(map.lookup(uv).1.luminance() / mean);
        }
    }
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn a_box_room_is_lit_inside() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(mesh(Mesh::cube()), Affine3A::from_scale(Vec3::splat(2.0)), grey);
    builder.shape(mesh(pillow()), Affine3A::from_scale(Vec3::splat(0.3)), grey);
    builder.light(Light::Point(PointLight {
        position: Vec3::new(1.0, 1.5, 0.0),
        intensity: Rgb::splat(20.0),
    }));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(128), Include::Both, ShOrder::One, 16));
    let map = lightmap(&baked);
    let sides: Vec<(u32, Side)> = map.objects.iter().map(|o| (o.shape.0, o.side)).collect();
    assert_eq!(sides, [(0, Side::Front), (1, Side::Front), (0, Side::Back)]);
    for (x, y, p, n) in texels(map) {
        let inward = n.dot(p) < 0.0;
        let is_room = p.abs().max_element() > 1.9;
        let lit = map.irradiance(x, y).g > 0.1;
        assert!(lit == (inward || !is_room), "{p} about {n}: {:?}", map.irradiance(x, y));
    }
}

#[test]
fn light_does_not_leak_through_a_wall_without_thickness() {
    // Red light on the left, green light on the right; the rooms are grey. The position keeps texel centres off the
    // corners.
    const WALL: f32 = 0.017;
    let (mut builder, grey) = hall();
    let across = Affine3A::from_translation(Vec3::new(WALL, 1.0, 0.0)) * Affine3A::from_rotation_y(PI / 2.0);
    builder.shape(mesh(Mesh::rectangle()), across * Affine3A::from_scale(Vec3::splat(1.037)), grey);
    for (x, color) in [(-1.0, Rgb::new(20.0, 0.0, 0.0)), (0.8, Rgb::new(0.0, 5.0, 0.0))] {
        builder.light(Light::Point(PointLight { position: Vec3::new(x, 1.4, 0.1), intensity: color }));
    }
    let scene = builder.build();
    let texel = 0.05;
    for include in [Include::Both, Include::Indirect] {
        let settings = settings(scaled(Scale::Density(1.0 / texel)), include, ShOrder::One, 32);
        let baked = run(&scene, &settings);
        let map = lightmap(&baked);
        assert_eq!(map.objects.len(), 8);
        // Light of the room itself, and of the other room. One path in millions ends so close to a corner that it
        // leaks.
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
            assert!(lit > 10_000 && lit > light.len() * 9 / 10, "{what}: {lit} of {}", light.len());
        };
        let inside = |p: Vec3| p.x.abs() < 2.01 && p.y > -0.01 && p.y < 2.01 && p.z.abs() < 1.01;
        let of_texels = texels(map).into_iter().filter(|t| inside(t.2));
        let of_texels = of_texels.map(|(x, y, p, n)| shares(p, n, map.irradiance(x, y)));
        apart("texels", of_texels.collect());
        // The wall hides no texels: the floor has its own light up to the wall on both sides.
        for side in [-1.0, 1.0] {
            let near_wall = |p: Vec3| (0.0..texel).contains(&(side * (p.x - WALL))) && p.y.abs() < 1e-3;
            let near_wall = texels(map).into_iter().filter(|t| inside(t.2) && near_wall(t.2) && t.3.y > 0.9);
            let count = near_wall.count();
            assert!(count > 35, "{count} texels of floor at the wall");
        }
        // A lookup mixes both only if a texel of floor or roof is on both sides.
        let points = surface_points(&scene, map, 50_000).into_iter();
        let points = points.filter(|(p, n, _)| inside(*p) && (p.x.abs() > 2.0 * texel || n.x.abs() > 0.5));
        let of_lookups = points.map(|(p, n, uv)| shares(p, n, map.lookup(uv).1));
        apart("lookups", of_lookups.collect());
    }
}

#[test]
fn points_in_intersecting_solids_are_hidden() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(mesh(Mesh::plane(4.0)), Affine3A::IDENTITY, grey);
    // Near the inner corner of the last two blocks, most rays within the first block hit their outsides.
    let blocks = [
        (Vec3::new(-1.0, -0.1, -1.0), Vec3::new(1.0, 1.0, 1.0)),
        (Vec3::new(0.1, -0.2, -1.2), Vec3::new(1.2, 0.8, 0.3)),
        (Vec3::new(-1.2, -0.3, 0.1), Vec3::new(0.3, 0.9, 1.2)),
    ];
    for (from, to) in blocks {
        slab(&mut builder, from, to, grey);
    }
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let mut settings = settings(texture(128), Include::Direct, ShOrder::One, 16);
    settings.sides = Sides::Front;
    let baked = run(&scene, &settings);
    let map = lightmap(&baked);
    for (x, y, p, n) in texels(map) {
        let (p, e) = (p + 1e-3 * n, map.irradiance(x, y).luminance());
        let within = (blocks.iter()).any(|&(from, to)| p.cmpgt(from).all() && p.cmplt(to).all());
        assert!(!within && (e > 0.1 || n.y < -0.9 || p.y < 0.0), "{p} has {e}");
    }

    let points = vec![Vec3::new(0.05, 0.3, 0.05), Vec3::new(0.2, 0.3, 0.2), Vec3::new(1.5, 0.3, 0.0)];
    settings.target = Target::Probes(ProbePlaces::Points(points));
    let baked = run(&scene, &settings);
    let Product::Probes(probes) = &baked.product else {
        panic!("probes were baked");
    };
    let valid: Vec<bool> = (0..3).map(|probe| probes.is_valid(probe)).collect();
    assert_eq!(valid, [false, false, true], "{:?}", probes.openness);
}

/// Bakes the fronts of a scene under a white sky, with the given texels per metre and rays per texel.
fn bake_fronts(mut scene: SceneBuilder, density: f32, samples: u32) -> Baked {
    scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let target = scaled(Scale::Density(density));
    let settings = BakeSettings {
        sides: Sides::Front,
        ..settings(target, Include::Both, ShOrder::One, samples)
    };
    run(&scene.build(), &settings)
}

/// Adjacent blocks on a floor with edges at texel centres: below the edges, half of all directions are open.
#[test]
fn texels_at_joints_match_their_neighbours() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let floor = Affine3A::from_rotation_x(-0.5 * PI) * Affine3A::from_scale(Vec3::new(4.0, 4.0, 1.0));
    builder.shape(mesh(Mesh::rectangle()), floor, grey);
    for (from, to) in [(-1.0, 0.0), (0.0, 1.0), (1.0, 2.3)] {
        slab(&mut builder, Vec3::new(from, 0.0, -1.0), Vec3::new(to, 1.0, 1.0), grey);
    }
    let baked = bake_fronts(builder, 16.0, 256);
    let map = lightmap(&baked);
    let light = |x: u32, y: u32| {
        let is_gathered = map.is_used(x, y) && map.coverage(x, y) == Coverage::Covered;
        is_gathered.then(|| map.irradiance(x, y).luminance())
    };
    let mut compared = 0;
    for (x, y, p, n) in texels(map) {
        let neighbours = (0..9).filter_map(|i| {
            let at = (x.checked_add_signed(i % 3 - 1)?, y.checked_add_signed(i / 3 - 1)?);
            let is_other = at != (x, y) && at.0 < map.width && at.1 < map.height;
            is_other.then(|| light(at.0, at.1)).flatten()
        });
        let mut neighbours: Vec<f32> = neighbours.collect();
        let Some(e) = light(x, y).filter(|_| neighbours.len() > 2) else {
            continue;
        };
        neighbours.sort_by(f32::total_cmp);
        let median = neighbours[neighbours.len() / 2];
        assert!((e / median - 1.0).abs() < 0.16, "{p} about {n}: {e} and neighbours {median}");
        compared += 1;
    }
    assert!(compared > 20_000, "{compared}");
}

/// The irradiance below a slab of glass or fog that rests on a black floor.
#[test]
fn a_floor_below_glass_or_fog_receives_attenuated_light() {
    // Transmittance by cosine of the direction: Fresnel's equations at two interfaces with all interreflections; Beer's
    // law.
    let glass = |cos: f64| {
        let (ior, sin2): (f64, f64) = (1.5, 1.0 - cos * cos);
        let cos_t = (1.0 - sin2 / (ior * ior)).sqrt();
        let s = ((cos - ior * cos_t) / (cos + ior * cos_t)).powi(2);
        let p = ((ior * cos - cos_t) / (ior * cos + cos_t)).powi(2);
        0.5 * ((1.0 - s) / (1.0 + s) + (1.0 - p) / (1.0 + p))
    };
    let fog = |cos: f64| (-0.8 / cos).exp();
    let integral = |passed: &dyn Fn(f64) -> f64| -> f64 {
        let cosines = (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0);
        cosines.map(|cos| 2.0 * std::f64::consts::PI * cos * passed(cos) / 1000.0).sum()
    };
    for (body, expected) in [
        ("Ci = dielectric_bsdf(N, dPdu, 1, 1, 0, 0, 1.5, \"ggx\");", integral(&glass)),
        (
            "Ci = transparent() + medium_vdf(0, 0.1, exp(-0.8), 0.0, 1.0, 0);",
            integral(&fog),
        ),
    ] {
        let mut builder = SceneBuilder::new();
        let (black, slab_material) = (builder.material("Ci = 0 * diffuse(N);"), builder.material(body));
        // An exact matrix, because a rotation would be rounded.
        let turned = Affine3A::from_mat3(Mat3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y));
        let floor = turned * Affine3A::from_scale(Vec3::new(3.0, 3.0, 1.0));
        builder.shape(mesh(Mesh::rectangle()), floor, black);
        slab(
            &mut builder,
            Vec3::new(-2.0, 0.0, -2.0),
            Vec3::new(2.0, 0.1, 2.0),
            slab_material,
        );
        let baked = bake_fronts(builder, 4.0, 1024);
        let map = lightmap(&baked);
        let below = texels(map)
            .into_iter()
            .filter(|(_, _, p, n)| n.y > 0.9 && p.y.abs() < 1e-3 && p.x.abs() < 1.5 && p.z.abs() < 1.5);
        let light: Vec<f64> = below.map(|(x, y, ..)| f64::from(map.irradiance(x, y).luminance())).collect();
        assert!(light.len() > 100, "{}", light.len());
        for e in light {
            assert!((e / expected - 1.0).abs() < 0.06, "{e}, expected {expected}: {body}");
        }
    }
}
