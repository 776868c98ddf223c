//! Baked light compared with path tracing at random points.

use std::f32::consts::PI;
use std::path::Path;

use glam::{Vec2, Vec3};
use renderer::bake::sh::{ShOrder, irradiance};
use renderer::bake::{Include, Lightmap, Side};
use renderer::color::Rgb;
use renderer::integrator::{
    Context, Contribution, Integrator, MisContext, Pass, PathSettings, Prepared, RadianceSink,
};
use renderer::light::LightSampleContext;
use renderer::math::{Frame, Ray, RayEnd};
use renderer::sampler::Sampler;
use renderer::sampling::cosine_hemisphere;
use renderer::scene::Scene;
use renderer::scene::build::{Built, build};
use renderer::scene::load::{LoadOptions, load};

use super::{lightmap, run, settings, texels, texture};

/// Sum of indirect light.
struct Scattered(Rgb);

impl RadianceSink for Scattered {
    fn add(&mut self, label: Contribution, radiance: Rgb) {
        if label.scattered {
            self.0 += radiance;
        }
    }
}

/// Points of all surfaces, uniform by area, with normals and lightmap coordinates.
pub(super) fn surface_points(scene: &Scene, map: &Lightmap, count: usize) -> Vec<(Vec3, Vec3, Vec2)> {
    let mut triangles = vec![];
    let mut total = 0.0;
    for (object, baked) in map.objects.iter().enumerate() {
        let shape = &scene.shapes()[baked.shape.0 as usize];
        for (triangle, corners) in baked.mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|i| shape.placement().open().point(baked.mesh.positions[i as usize]));
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

/// Returns whether all texels of a bilinear lookup belong to a surface.
fn is_seen(map: &Lightmap, uv: Vec2) -> bool {
    let place = Vec2::new(uv.x, 1.0 - uv.y) * Vec2::new(map.width as f32, map.height as f32) - 0.5;
    let texel = |dx: f32, dy: f32| map.surface((place.x + dx) as u32, (place.y + dy) as u32);
    [(0.01, 0.01), (0.99, 0.01), (0.01, 0.99), (0.99, 0.99)]
        .iter()
        .all(|&(dx, dy)| texel(dx, dy).is_some())
}

/// Indirect irradiance by path tracing at points numbered from `first`: separate estimates from each half of the
/// samples.
pub(super) fn path_traced(
    scene: &Scene,
    points: &[(Vec3, Vec3, Vec2)],
    samples: u32,
    first: u32,
) -> Vec<[Rgb; 2]> {
    let path = Integrator::Path(PathSettings::default());
    let prepared = Prepared::new(&path, scene, &Pass::first(5, points.len() as u64)).unwrap();
    let mut context = Context::new(scene);
    let mut sampler = Sampler::new(11);
    let half = samples / 2;
    (points.iter().enumerate())
        .map(|(index, &(p, n, _))| {
            let frame = Frame::from_normal(n);
            [1, 2].map(|key| {
                let sum: Rgb = (0..half)
                    .map(|sample| {
                        sampler.start(glam::UVec2::new(first + index as u32, key), u64::from(sample));
                        let w = frame.to_world(cosine_hemisphere(sampler.next_2d()));
                        let ray = Ray::new(RayEnd { p, p_error: 1e-5, ng: n }.ray_origin(w), w);
                        let arrival = MisContext { at: LightSampleContext::in_space(p), pdf: None };
                        let mut light = Scattered(Rgb::BLACK);
                        let start = scene.start_in_space(&ray);
                        prepared.incident_radiance(
                            scene,
                            start,
                            arrival,
                            &mut sampler,
                            &mut context,
                            &mut light,
                        );
                        light.0
                    })
                    .sum();
                sum * (PI / half as f32)
            })
        })
        .collect()
}

fn shipped(name: &str, integrator: &str) -> Built {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes").join(name);
    let options = LoadOptions {
        set: vec![format!("integrator={integrator}").into()],
        ..LoadOptions::default()
    };
    let (desc, _) = load(&file, &options).unwrap_or_else(|e| panic!("{e}"));
    build(&desc, None, 2).unwrap_or_else(|e| panic!("{e}"))
}

/// Relative RMSE of a scene's indirect irradiance against path tracing: of the irradiance itself, and of
/// reconstructions from order 2 and order 1. The noise of the reference, known from its halves, is subtracted.
fn errors(
    name: &str,
    integrator: &str,
    resolution: u32,
    samples: u32,
    points: usize,
    reference_samples: u32,
) -> [f64; 3] {
    let built = shipped(name, integrator);
    let scene = &built.scene;
    let mut settings = settings(texture(resolution), Include::Indirect, ShOrder::Two, samples);
    settings.integrator = built.integrator;
    let baked = run(scene, &settings);
    let stats = &baked.stats;
    println!(
        "{name} with {integrator}: prepare {:.1?}, gather {:.1?}, seams {:?}",
        stats.prepare, stats.gather, stats.seams
    );
    let map = lightmap(&baked);
    let points = surface_points(scene, map, points);
    let halves = path_traced(scene, &points, reference_samples, 0);
    let reference: Vec<Rgb> = halves.iter().map(|&[a, b]| (a + b) * 0.5).collect();
    let mean = reference.iter().map(|e| f64::from(e.luminance())).sum::<f64>() / reference.len() as f64;
    let (mut sums, mut squares, mut noise, mut count) = ([0.0; 3], 0.0, 0.0, 0);
    let mut means = [0.0; 2];
    for ((&(_, n, uv), reference), [a, b]) in points.iter().zip(&reference).zip(halves) {
        // Points below objects are hidden and their texels only filled, so that they are excluded. Outer walls are
        // dark.
        if f64::from(reference.luminance()) < 0.02 * mean || !is_seen(map, uv) {
            continue;
        }
        let (coefficients, irradiance_found) = map.lookup(uv);
        let found = [irradiance_found, irradiance(&coefficients, n), irradiance(&coefficients[..4], n)];
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
fn cornell_box_matches_path_tracing() {
    let [irradiance, second, first] = errors("cornell_box.kiln", "photon", 128, 256, 300, 2048);
    println!("cornell_box: irradiance {irradiance:.4}, order 2 {second:.4}, order 1 {first:.4}");
    assert!(irradiance < 0.03 && second < 0.03, "{irradiance} {second}");
}

#[test]
fn single_bounce_light_matches_path_tracing() {
    let mean = |integrator: &str| {
        let built = shipped("cornell_box.kiln", integrator);
        let mut settings = settings(texture(64), Include::Indirect, ShOrder::One, 64);
        settings.integrator = built.integrator.with_depth(Some(3));
        let baked = run(&built.scene, &settings);
        let map = lightmap(&baked);
        let light = texels(map)
            .iter()
            .map(|&(x, y, _, _)| f64::from(map.irradiance(x, y).luminance()))
            .sum::<f64>();
        light / texels(map).len() as f64
    };
    let (photon, path) = (mean("photon"), mean("path"));
    assert!((photon / path - 1.0).abs() < 0.015, "{photon} is not {path}");
}

#[test]
fn depth_one_has_no_indirect_light() {
    let built = shipped("cornell_box.kiln", "path");
    let mut settings = settings(texture(64), Include::Both, ShOrder::One, 1);
    settings.integrator = built.integrator.with_depth(Some(1));
    let baked = run(&built.scene, &settings);
    let map = lightmap(&baked);
    assert!(texels(map).iter().all(|&(x, y, _, _)| map.irradiance(x, y).is_black()));
}

/// The measure of bake quality; runs for a minute or two on two cores.
#[test]
#[ignore = "takes minutes; run with `--ignored --nocapture` in release"]
fn shipped_scenes_match_path_tracing() {
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
