//! Analytic baked light: furnaces, lights with closed-form coefficients.

use std::f32::consts::PI;

use glam::{Affine3A, Mat3A, Quat, Vec3};
use renderer::bake::sh::{ShOrder, basis, irradiance};
use renderer::bake::{Include, ProbePlaces, Product, Target};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::light::{DirectionalLight, EnvironmentLight, Light};
use support::scenes::{SceneBuilder, mesh};

use super::{GREY, globe, lightmap, relative, run, settings, texels, texture};

/// Convex objects, each in its own scene: an analytic one, one with edges, a smooth and mirrored one.
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
        for order in [ShOrder::One, ShOrder::Two] {
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
                    // The light comes equally from all directions around the normal.
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
    // Probes at distances from which the ball covers a ten-thousandth of the view.
    let far = vec![Vec3::new(60.0, 0.0, 0.0), Vec3::new(0.0, -80.0, 20.0), Vec3::ZERO];
    for order in [ShOrder::One, ShOrder::Two] {
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

/// Coefficients on the side that faces `side` of a floor that faces `up`, lit only by `light`.
fn floor_coefficients(up: Vec3, side: Vec3, light: Light) -> Vec<Vec<Rgb>> {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let turn = Affine3A::from_quat(Quat::from_rotation_arc(Vec3::Z, up));
    builder.shape(mesh(Mesh::rectangle()), turn, grey);
    builder.light(light);
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(32), Include::Direct, ShOrder::Two, 1024));
    let map = lightmap(&baked);
    let mut texels = texels(map);
    texels.retain(|(_, _, _, n)| n.dot(side) > 0.9);
    assert!(texels.len() > 50);
    texels.iter().map(|&(x, y, ..)| map.coefficients(x, y).to_vec()).collect()
}

fn near(found: &[Vec<Rgb>], expected: &[f32]) {
    let norm = expected.iter().map(|c| c * c).sum::<f32>().sqrt();
    for coefficients in found {
        let difference: f32 = coefficients.iter().zip(expected).map(|(c, e)| (c.g - e).powi(2)).sum();
        assert!(difference.sqrt() < 0.01 * norm, "{coefficients:?}\n{expected:?}");
    }
}

#[test]
fn coefficients_of_a_constant_environment() {
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
fn coefficients_of_a_directional_light() {
    let direction = Vec3::new(-0.3, -0.8, 0.2).normalize();
    let light = Light::Directional(DirectionalLight::new(direction, Rgb::splat(4.0), 0.0));
    let expected: Vec<f32> = basis(-direction).iter().map(|y| 4.0 * y).collect();
    let up = Vec3::new(0.2, 0.9, 0.1).normalize();
    near(&floor_coefficients(up, up, light), &expected);
}
