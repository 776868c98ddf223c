//! Requirements of engines: realisable coefficients, and irradiance that agrees with them.

use std::f32::consts::PI;

use glam::{Affine3A, Vec3};
use renderer::bake::sh::{BANDS, MAX_IRRADIANCE, ShOrder, irradiance};
use renderer::bake::{Coverage, Include, LightmapFilter, ProbePlaces, Product, Target};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::light::{DirectionalLight, EnvironmentLight, Light, PointLight};
use renderer::scene::Scene;
use support::scenes::{SceneBuilder, mesh};

use super::rooms::walls;
use super::{GREY, globe, lightmap, pillow, run, settings, texture};

/// A tilted ball, half sunk into a slab, under a sun from the side and a blue sky.
fn sunk_ball() -> Scene {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let ball = Affine3A::from_translation(Vec3::new(0.1, 0.1, 0.0)) * Affine3A::from_rotation_x(0.7);
    builder.shape(mesh(globe()), ball, grey);
    let slab = Affine3A::from_translation(Vec3::new(0.0, -1.0, 0.0))
        * Affine3A::from_scale(Vec3::new(2.0, 1.0, 2.0));
    builder.shape(mesh(Mesh::cube()), slab, grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::new(0.1, 0.2, 0.3))));
    builder.light(Light::Directional(DirectionalLight::new(
        Vec3::new(-0.8, -0.5, 0.1).normalize(),
        Rgb::splat(3.0),
        0.0,
    )));
    builder.build()
}

fn relative_rms_difference(pairs: &[[f32; 2]]) -> f64 {
    let sum = |f: &dyn Fn(&[f32; 2]) -> f32| pairs.iter().map(|p| f64::from(f(p)).powi(2)).sum::<f64>();
    (sum(&|[a, b]| a - b) / sum(&|[_, b]| *b)).sqrt()
}

#[test]
fn irradiance_agrees_with_coefficients_in_hidden_texels() {
    let scene = sunk_ball();
    let baked = run(&scene, &settings(texture(96), Include::Both, ShOrder::Two, 128));
    let map = lightmap(&baked);
    let rect = map.objects[0].rect;
    let compared = |coverage: Coverage| -> Vec<[f32; 2]> {
        let texels = rect.pixels().filter(|&(x, y)| map.coverage(x, y) == coverage);
        texels
            .flat_map(|(x, y)| {
                let n = map.normal(x, y).expect("it stands for a surface");
                let rebuilt = irradiance(map.coefficients(x, y), n).map(|v| v.max(0.0)).to_array();
                let kept = map.irradiance(x, y).to_array();
                [0, 1, 2].map(|i| [rebuilt[i], kept[i]])
            })
            .collect()
    };
    let [seen, filled] = [Coverage::Covered, Coverage::Filled].map(compared);
    let [of_seen, of_filled] = [&seen, &filled].map(|pairs| relative_rms_difference(pairs));
    println!(
        "{} values seen: {of_seen:.4} apart; {} filled: {of_filled:.4}",
        seen.len(),
        filled.len()
    );
    assert!(filled.len() > 500 && seen.len() > 500);
    assert!(of_filled < 1.2 * of_seen + 0.01, "{of_filled}, seen ones {of_seen}");

    let baked = run(&scene, &settings(Target::Vertex, Include::Both, ShOrder::Two, 128));
    let Product::Vertex(light) = &baked.product else {
        panic!("vertices were baked")
    };
    assert!(baked.stats.filled > 50, "{}", baked.stats.filled);
    let ball = &light.objects[0];
    let place = scene.shapes()[0].placement().open();
    let pairs: Vec<[f32; 2]> = (ball.mesh.normals.iter().enumerate())
        .flat_map(|(vertex, &n)| {
            let vertex = ball.first + vertex;
            let n = place.vector(n).normalize();
            let rebuilt = irradiance(light.coefficients(vertex), n).map(|v| v.max(0.0)).to_array();
            let kept = light.irradiance(vertex).to_array();
            [0, 1, 2].map(|i| [rebuilt[i], kept[i]])
        })
        .collect();
    let of_vertices = relative_rms_difference(&pairs);
    println!("vertices: {of_vertices:.4}");
    assert!(of_vertices < 1.2 * of_seen + 0.01, "{of_vertices}, seen texels {of_seen}");
}

/// Asserts that some non-negative radiance has these coefficients.
fn possible(coefficients: &[Rgb], irradiance: Option<Rgb>, what: &str) {
    for channel in 0..3 {
        let c: Vec<f32> = coefficients.iter().map(|color| color.to_array()[channel]).collect();
        assert!(c.iter().all(|v| v.is_finite()) && c[0] >= 0.0, "{what}: {c:?}");
        for (range, most) in BANDS {
            let length = c[range].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
            assert!(length <= most * f64::from(c[0]) * (1.0 + 1e-5), "{what}: {c:?}");
        }
        if let Some(e) = irradiance {
            let e = e.to_array()[channel];
            assert!(
                (0.0..=MAX_IRRADIANCE * c[0] * (1.0 + 1e-5)).contains(&e),
                "{what}: {e} of {c:?}"
            );
        }
    }
}

#[test]
fn coefficients_are_those_of_non_negative_radiance() {
    // Small bright spots, seams of smooth surfaces, and intersecting objects.
    let mut builder = SceneBuilder::new();
    walls(&mut builder, Vec3::splat(-2.0), Vec3::splat(2.0), 0.1);
    let grey = builder.material(GREY);
    let red = builder.material("Ci = color(0.9, 0.001, 0) * diffuse(N);");
    let at = |x: f32, y: f32, scale: f32| {
        Affine3A::from_translation(Vec3::new(x, y, 0.0)) * Affine3A::from_scale(Vec3::splat(scale))
    };
    builder.shape(mesh(pillow()), at(-1.0, -1.9, 0.5), grey);
    builder.shape(mesh(globe()), at(0.8, -1.8, 0.6), red);
    builder.shape(Geometry::Sphere, at(1.0, 0.9, 0.4), grey);
    for (x, power) in [(1.55, 10.0), (-0.3, 0.001)] {
        builder.light(Light::Point(PointLight {
            position: Vec3::new(x, 1.0 / PI, 0.2),
            intensity: Rgb::new(1.0, 0.5, 0.01) * power,
        }));
    }
    let scene = builder.build();
    for include in [Include::Both, Include::Indirect] {
        for denoise in [LightmapFilter::None, LightmapFilter::Bilateral] {
            let mut target = texture(128);
            if let Target::Texture { denoise: filter, .. } = &mut target {
                *filter = denoise;
            }
            let baked = run(&scene, &settings(target, include, ShOrder::Two, 8));
            let map = lightmap(&baked);
            for (x, y) in renderer::image::Rect::of_size(map.width, map.height).pixels() {
                let what = format!("texel ({x}, {y}), {:?}", map.coverage(x, y));
                possible(map.coefficients(x, y), Some(map.irradiance(x, y)), &what);
            }
        }
        let baked = run(&scene, &settings(Target::Vertex, include, ShOrder::Two, 8));
        let Product::Vertex(light) = &baked.product else {
            panic!("vertices were baked")
        };
        for vertex in 0..light.len() {
            let what = format!("vertex {vertex}");
            possible(light.coefficients(vertex), Some(light.irradiance(vertex)), &what);
        }
        let probes = Target::Probes(ProbePlaces::Grid(Some(0.7)));
        let baked = run(&scene, &settings(probes, include, ShOrder::Two, 8));
        let Product::Probes(probes) = &baked.product else {
            panic!("probes were baked")
        };
        for probe in 0..probes.points.len() {
            possible(probes.coefficients(probe), None, &format!("probe {probe}"));
        }
    }
}
