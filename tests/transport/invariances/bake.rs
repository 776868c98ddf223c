//! Baked light compared with a camera's view of the surface.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use glam::{DAffine3, DVec3, Vec2, Vec3};
use renderer::bake::sh::ShOrder;
use renderer::bake::{BakeSettings, Include, Product, Side, Sides, Target, bake};
use renderer::camera::{Camera, CameraDesc, Projection, look_at};
use renderer::integrator::{Integrator, PathSettings};
use support::random_scene::{
    Argument, Geometry, Loaded, MeshFormat, Node, Recipe, Setting, Shape, Surface, TriangleMesh,
    estimate_with, generate, load_scene, save_scene,
};
use support::stats::{Moments, Rng};

use super::for_each_seed;

const ALBEDO: f64 = 0.5;

/// Rays per vertex, for a noise of a few hundredths.
const SAMPLES: u32 = 1024;

/// Number of pictures with two samples per pixel of the view from a point of a vertex.
const PICTURES: u64 = 6;

/// Maximum relative difference of a vertex, and of the mean of all.
const LIMITS: [f64; 2] = [0.12, 0.03];

/// A patch of known albedo is added to the scene and baked with all light; a camera close to it must see the same
/// radiance.
#[test]
fn baked_light_matches_camera_radiance() {
    for_each_seed("bake", 4, |seed| {
        let recipe = Recipe {
            setting: Some(Setting::Open),
            delta_lights: seed % 2 == 0,
            specular: false,
            ..Recipe::ANY
        };
        let mut scene = generate(seed, &recipe);
        let mut rng = Rng::new(seed ^ 77);
        let target = scene.shapes.last().map_or(DVec3::ZERO, |shape| shape.world.translation);
        let camera = scene.camera.world.translation;
        // If the scene consists of a ground only, the camera's distance defines its size.
        let unit = scene
            .shapes
            .iter()
            .skip(1)
            .map(|s| s.world.matrix3.x_axis.length())
            .reduce(f64::max)
            .unwrap_or(0.1 * target.distance(camera));
        let place = camera + (target - camera) * rng.between(0.3, 0.6);
        let size = unit * rng.between(0.5, 1.5);
        let turn = rng.rotation();
        scene.materials.push(Surface::of(Node::new(
            "matte",
            vec![("albedo", Argument::Color(DVec3::splat(ALBEDO)))],
        )));
        let n = 1 + rng.below(3) as u32;
        let patch = TriangleMesh::patch(n, n, |uv| (DVec3::new(uv.x - 0.5, uv.y - 0.5, 0.0), DVec3::Z));
        scene.shapes.push(Shape {
            geometry: Geometry::Mesh(patch.into(), MeshFormat::Obj),
            world: DAffine3::from_scale_rotation_translation(DVec3::splat(size), turn, place),
            material: scene.materials.len() - 1,
            flip_normals: false,
            instance_of: None,
        });
        let loaded = load_scene(&scene, &["integrator=path"])?;
        let patch = loaded.index_of(scene.shapes.len() - 1);
        // Few rays hit a small bright object so rarely that their variance underestimates the error.
        let with_effort = |effort: u32| compare(&loaded, patch, size as f32, effort);
        let compared = with_effort(1).or_else(|_| with_effort(8)).or_else(|_| with_effort(32));
        compared.map_err(|message| {
            let file = save_scene(&scene, &format!("bake-{seed}"));
            format!("{message}\n    {}", file.display())
        })
    });
}

/// Compares with `effort` times the usual samples.
fn compare(loaded: &Loaded, patch: usize, size: f32, effort: u32) -> Result<(), String> {
    let scene = &loaded.built.scene;
    let settings = BakeSettings {
        target: Target::Vertex,
        sides: Sides::Auto,
        backs: None,
        include: Include::Both,
        order: ShOrder::One,
        samples: effort * SAMPLES,
        integrator: Integrator::Path(PathSettings::default()),
        seed: 3,
        threads: 1,
        checkpoint: None,
        resume: false,
        share: None,
        keep: None,
    };
    let baked = bake(
        scene,
        &loaded.names,
        &settings,
        &renderer::bake::Silent,
        &AtomicBool::new(false),
    )
    .map_err(|error| error.to_string())?
    .ok_or("nothing was baked")?;
    let Product::Vertex(light) = &baked.product else {
        return Err("vertices were asked for".to_owned());
    };
    let object = (light.objects.iter())
        .find(|object| object.shape.0 as usize == patch && object.side == Side::Front)
        .ok_or("the patch was not baked")?;
    let shape = &scene.shapes()[patch];
    let mut report = String::new();
    let mut wrong = 0;
    let mut variance = 0.0;
    let (mut found_all, mut seen_all) = (Moments::default(), Moments::default());
    let count = object.mesh.positions.len();
    for vertex in 0..count {
        let found = light.irradiance(object.first + vertex);
        let found = f64::from(found.r + found.g + found.b) / 3.0;
        // A bake samples points near the vertex, one in each of its triangles.
        let mut seen = Moments::default();
        let mut noise: f64 = 0.0;
        for (triangle, corners) in object.mesh.triangles.iter().enumerate() {
            let Some(corner) = corners.iter().position(|&i| i as usize == vertex) else {
                continue;
            };
            let weight = |other: usize| if other == corner { 0.94 } else { 0.03 };
            let point = shape.surface_point(triangle as u32, Vec2::new(weight(1), weight(2)));
            let (mean, error) =
                irradiance_seen(loaded, point.p, point.ng, size, u64::from(effort) * PICTURES)?;
            seen.add(mean);
            noise += error * error;
        }
        let noise = (noise + seen.variance()).sqrt();
        variance += noise * noise;
        let error = (found - seen.mean()).abs();
        found_all.add(found);
        seen_all.add(seen.mean());
        if error > LIMITS[0] * seen.mean().max(found) + 5.0 * noise + 1e-3 {
            wrong += 1;
            let _ = write!(report, " {found:.4} for {:.4} ± {noise:.4};", seen.mean());
        }
    }
    let (found, seen) = (found_all.mean(), seen_all.mean());
    let noise = variance.sqrt() / count as f64;
    if wrong > 0 || (found - seen).abs() > LIMITS[1] * seen + 5.0 * noise + 1e-3 {
        return Err(format!(
            "mean {found:.4} for {seen:.4}; {wrong} of {count} vertices differ:{report}"
        ));
    }
    Ok(())
}

/// The irradiance at a point from the picture of a camera just above it, and its standard error.
fn irradiance_seen(
    loaded: &Loaded,
    p: Vec3,
    n: Vec3,
    size: f32,
    pictures: u64,
) -> Result<(f64, f64), String> {
    let above = 0.02 * size;
    let up = n.any_orthonormal_vector();
    let desc = CameraDesc {
        world_from_camera: look_at(p + n * above, p, up).map_err(|error| error.to_string())?,
        projection: Projection::Orthographic {
            // The point is at least 1/100 of the size away from the border of the patch.
            width: Some(0.01 * size),
            height: None,
        },
        near: 0.0,
        far: 2.0 * above,
    };
    let camera = Camera::new(&desc, 32, 24).map_err(|error| error.to_string())?;
    let pictures = estimate_with(loaded, camera, 0..pictures, 2, None);
    let (mean, error) = pictures.mean_and_error();
    let factor = PI / ALBEDO;
    Ok((mean * factor, error * factor))
}
