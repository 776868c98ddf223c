//! Reuse of light from an earlier bake: unchanged light is reused, and changes are detected.

use glam::{Affine3A, Vec3};
use renderer::bake::sh::ShOrder;
use renderer::bake::{BakeCache, BakeSettings, Baked, Include, Scale, Target};
use renderer::color::Rgb;
use renderer::geometry::Geometry;
use renderer::light::{EnvironmentLight, Light};
use renderer::scene::Scene;
use support::scenes::{SceneBuilder, mesh};

use super::{lightmap, run, settings, texels, texture};

/// A wide floor under a sky, with a ball.
fn scene(ball: Vec3, sky: f32) -> Scene {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(super::GREY);
    let floor = Affine3A::from_scale(Vec3::new(8.0, 0.5, 8.0));
    builder.shape(mesh(renderer::geometry::Mesh::cube()), floor, grey);
    let place = Affine3A::from_translation(ball) * Affine3A::from_scale(Vec3::splat(0.5));
    builder.shape(Geometry::Sphere, place, grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::splat(sky))));
    builder.build()
}

fn keeping(kept: Option<BakeCache>) -> BakeSettings {
    let mut target = texture(96);
    if let Target::Texture { scale, .. } = &mut target {
        *scale = Scale::Density(4.0);
    }
    BakeSettings {
        keep: kept,
        ..settings(target, Include::Both, ShOrder::One, 128)
    }
}

fn light(baked: &Baked) -> Vec<Rgb> {
    let map = lightmap(baked);
    texels(map).iter().map(|&(x, y, ..)| map.irradiance(x, y)).collect()
}

/// The greatest relative difference of two bakes over lit texels.
fn difference(a: &Baked, b: &Baked) -> f32 {
    let (a, b) = (lightmap(a), lightmap(b));
    let both = texels(a).into_iter().filter(|&(x, y, ..)| b.surface(x, y).is_some());
    let of = |(x, y, ..): (u32, u32, Vec3, Vec3)| {
        let (a, b) = (a.irradiance(x, y).g, b.irradiance(x, y).g);
        (a - b).abs() / b.max(0.1)
    };
    both.map(of).fold(0.0, f32::max)
}

#[test]
fn only_changed_light_is_gathered_again() {
    let here = Vec3::new(-5.0, 1.2, 0.0);
    let first = run(&scene(here, 1.0), &keeping(Some(BakeCache::default())));
    assert_eq!(first.stats.kept, 0);
    let plain = run(&scene(here, 1.0), &keeping(None));
    assert_eq!(light(&first), light(&plain));
    let kept = first.kept.clone().unwrap();
    let again = run(&scene(here, 1.0), &keeping(Some(kept.clone())));
    assert_eq!(again.stats.kept, again.stats.points);
    assert_eq!(light(&again), light(&plain));
    assert_eq!(again.kept.unwrap(), kept);

    // The ball moves by its radius: light changes on the nearby floor, and not far away.
    let there = scene(here + 0.5 * Vec3::Z, 1.0);
    let moved = run(&there, &keeping(Some(kept.clone())));
    let share = moved.stats.kept as f32 / moved.stats.points as f32;
    assert!((0.5..0.95).contains(&share), "{share}");
    let whole = run(&there, &keeping(None));
    assert!(difference(&moved, &whole) < 0.06, "{}", difference(&moved, &whole));
    assert!(difference(&plain, &whole) > 0.3, "{}", difference(&plain, &whole));

    // A sky brighter by 3 % changes all light.
    let brighter = run(&scene(here, 1.03), &keeping(Some(kept)));
    let share = brighter.stats.kept as f32 / brighter.stats.points as f32;
    assert!(share < 0.02, "{share}");
}

#[test]
fn other_settings_invalidate_the_cache() {
    let scene = scene(Vec3::new(0.0, 1.2, 0.0), 1.0);
    let kept = run(&scene, &keeping(Some(BakeCache::default()))).kept;
    let other = BakeSettings { samples: 64, ..keeping(kept) };
    let baked = run(&scene, &other);
    assert_eq!(baked.stats.kept, 0);
    assert!(
        baked.notes.iter().any(|note| note.contains("other settings")),
        "{:?}",
        baked.notes
    );
}

#[test]
fn cache_files_round_trip() {
    let scene = scene(Vec3::new(0.0, 1.2, 0.0), 1.0);
    let kept = run(&scene, &keeping(Some(BakeCache::default()))).kept.unwrap();
    let bytes = kept.bytes();
    assert_eq!(BakeCache::read(&bytes), Ok(kept));
    for bit in [3, 8 * 20, 8 * (bytes.len() / 2), 8 * bytes.len() - 1] {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(BakeCache::read(&bad).is_err(), "{bit}");
    }
    for length in [0, 10, 16, 23, bytes.len() - 1] {
        assert!(BakeCache::read(&bytes[..length]).is_err(), "{length}");
    }
}
