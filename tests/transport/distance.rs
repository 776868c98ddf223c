//! Translation invariance: shipped scenes 10 km from the origin of the world look as they do near it.
//!
//! Pictures of three seeds are compared: the difference between both places is at most that between two seeds.

use std::path::Path;

use glam::{Vec3, Vec3A};
use renderer::image::Image;
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::build;
use renderer::scene::desc::{LightKind, SceneDesc};
use renderer::scene::load::{LoadOptions, load};
use support::scenes::render_scene;

const PLACE: Vec3 = Vec3::new(7000.0, -2000.0, -6800.0);
const SIZE: [u32; 2] = [30, 20];

fn scene(name: &str) -> SceneDesc {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenes/{name}.kiln"));
    let options = LoadOptions {
        set: vec!["integrator=path".into()],
        ..LoadOptions::default()
    };
    let (mut desc, _) = load(&file, &options).unwrap_or_else(|errors| panic!("{errors}"));
    desc.film.size.value = SIZE;
    desc
}

/// The scene with all shapes, lights and cameras translated.
fn moved(mut desc: SceneDesc, by: Vec3) -> SceneDesc {
    for shape in &mut desc.shapes {
        shape.world_from_object.translation += Vec3A::from(by);
    }
    for camera in &mut desc.cameras {
        camera.camera.world_from_camera.translation += Vec3A::from(by);
    }
    for light in &mut desc.lights {
        match &mut light.kind {
            LightKind::Environment { portals, .. } | LightKind::Background { portals, .. } => {
                portals.iter_mut().for_each(|portal| portal.p += by);
            }
            LightKind::Point { position, .. } | LightKind::Spot { position, .. } => *position += by,
            LightKind::Luminaire { world_from_light: place, .. }
            | LightKind::Projector { world_from_light: place, .. }
            | LightKind::DirectionalArea { world_from_sheet: place, .. } => {
                place.translation += Vec3A::from(by);
            }
            LightKind::Sky { .. } | LightKind::Directional { .. } => {}
        }
    }
    desc
}

fn picture(desc: &SceneDesc, seed: u64, spp: u64) -> Image {
    let built = build(desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        filter: built.filter.clone(),
        integrator: built.integrator,
        samples: 0..spp,
        total: spp,
        unit: SampleUnit::Path,
        seed,
        threads: 2,
        ..RenderSettings::of_camera(built.camera.clone(), SIZE)
    };
    render_scene(&built.scene, &settings).state.film.develop()
}

/// Relative squared difference, without the brightest pixels, which are noise.
fn difference(a: &Image, b: &Image) -> f64 {
    let mean = b.data.iter().copied().map(f64::from).sum::<f64>() / b.data.len() as f64;
    let square = |(&a, &b): (&f32, &f32)| {
        let (a, b) = (f64::from(a), f64::from(b));
        (a - b).powi(2) / (b * b + (0.1 * mean).powi(2))
    };
    let mut squares: Vec<f64> = a.data.iter().zip(&b.data).map(square).collect();
    squares.sort_unstable_by(f64::total_cmp);
    squares.truncate(squares.len() * 98 / 100);
    squares.iter().sum::<f64>() / squares.len() as f64
}

fn check(name: &str) {
    /// Samples per pixel; at this noise, surfaces that rays miss would be a larger difference.
    const SPP: u64 = 4;
    let near = scene(name);
    let far = moved(near.clone(), PLACE);
    let [one, other] = [1, 2].map(|seed| picture(&near, seed, SPP));
    let found = difference(&picture(&far, 3, SPP), &other);
    let noise = difference(&one, &other);
    assert!(
        found < 1.3 * noise + 0.002,
        "{name}: {found:.5} far away, {noise:.5} between seeds"
    );
}

#[test]
fn paths_are_translation_invariant() {
    for name in ["glass", "material_ball", "room"] {
        check(name);
    }
}
