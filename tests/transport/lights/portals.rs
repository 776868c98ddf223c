//! Portals: densities, effect on pictures, and invalid portals.

use std::f64::consts::PI;

use glam::{Affine3A, Quat, Vec3};
use renderer::color::Rgb;
use renderer::geometry::Shape;
use renderer::light::{
    EnvironmentLight, EnvironmentMap, EnvironmentOptions, Light, LightViewer, Portal, PortalLight,
};
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{load_text, mesh};
use support::stats::{Moments, Rng};

use super::Mesh;
use super::picture::{picture, pixels};

/// Two windows of a room about the origin, in perpendicular walls.
fn windows(scale: f32) -> Vec<Portal> {
    let window = |turn: f32, width: f32| {
        let place = Affine3A::from_scale(Vec3::splat(scale))
            * Affine3A::from_quat(Quat::from_rotation_y(turn))
            * Affine3A::from_translation(Vec3::new(0.4, 0.3, -2.0))
            * Affine3A::from_scale(Vec3::new(width, 0.5, 1.0));
        Portal::of(&Shape::new(mesh(Mesh::rectangle()), place)).expect("a rectangle")
    };
    vec![window(0.3, 0.7), window(1.9, 0.2)]
}

fn sky() -> EnvironmentLight {
    let texel = |i: usize| match (i % 32, i / 32) {
        (20, 5) => Rgb::splat(300.0),
        (_, row) => Rgb::new(1.0, 0.8, 0.1 * row as f32),
    };
    let texels = (0..32 * 16).map(texel).collect();
    EnvironmentLight::Map(EnvironmentMap::new(texels, 32, EnvironmentOptions::default()))
}

#[test]
fn densities_match_samples() {
    for scale in [1e-3, 1.0, 1e4] {
        for environment in [EnvironmentLight::Constant(Rgb::WHITE), sky()] {
            let is_even = matches!(environment, EnvironmentLight::Constant(_));
            let light = PortalLight::new(environment, windows(scale));
            let light = Light::Portals(Box::new(light));
            // In the middle, in a corner, at one of the windows, and outside.
            for (p, is_inside) in [
                ((0.0, 0.0, 0.0), true),
                ((1.5, -0.9, 1.5), true),
                ((-0.3, 0.4, -1.8), true),
                ((-9.0, 0.5, -9.0), false),
            ] {
                let p = Vec3::from(p) * scale;
                let mut rng = Rng::new(3);
                let (mut chosen, mut moments, mut beyond) = (0, [Moments::default(); 2], 0);
                let weigh = |d: Vec3| f64::from((2.0 * d.x - 3.0 * d.y + d.z).sin());
                const COUNT: u32 = 20_000;
                for _ in 0..COUNT {
                    let sample = light.sample_li(&LightViewer::at(p), 0, rng.next_choice(), rng.next_2d());
                    moments[0].add(sample.map_or(0.0, |sample| weigh(sample.wi)));
                    if let Some(sample) = sample {
                        chosen += 1;
                        let (_, pdf) = light.le_pdf(&LightViewer::at(p), sample.wi);
                        beyond += u32::from((pdf / sample.pdf - 1.0).abs() > 1e-2);
                    }
                }
                let name = format!("{p} of a room of {scale}, even: {is_even}");
                assert_eq!(chosen > 0, is_inside || !is_even, "{name}");
                assert!(beyond < COUNT / 50, "{name}: {beyond} densities are others");
                let mut integral = Moments::default();
                for _ in 0..30 * COUNT {
                    let d = rng.direction();
                    let density = 4.0 * PI * f64::from(light.le_pdf(&LightViewer::at(p), d).1);
                    integral.add(density);
                    moments[1].add(density * weigh(d));
                }
                let error = 5.0 * integral.variance_of_mean().sqrt() + 1e-3;
                let expected = f64::from(chosen) / f64::from(COUNT);
                assert!((integral.mean() - expected).abs() < error, "{name}: {}", integral.mean());
                let variance: f64 = moments.iter().map(Moments::variance_of_mean).sum();
                let apart = (moments[0].mean() - moments[1].mean()).abs();
                assert!(apart < 5.0 * variance.sqrt() + 1e-3, "{name}: {apart}");
            }
        }
    }
}

/// A closed box with a window, seen from inside.
const ROOM: &str = r#"
    film { size = (12, 12); filter = box; }
    camera main : perspective { from = (0, 0, 0.9); to = (0.2, -0.6, -1); fov = 70; }
    light sky : environment { LIGHT }
    material white = matte(albedo = 0.6);
    shape floor : rectangle { size = 2; material = white; transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); }
    shape top : rectangle { size = 2; material = white; transform = translate(0, 1, 0) * rotate((1, 0, 0), 90); }
    shape back : rectangle { size = 2; material = white; transform = translate(0, 0, -1); }
    shape front : rectangle { size = 2; material = white; transform = translate(0, 0, 1) * rotate((0, 1, 0), 180); }
    shape l : rectangle { size = 2; material = white; transform = translate(-1, 0, 0) * rotate((0, 1, 0), 90); }
    shape r1 : rectangle { size = (2, 1.6); material = white; transform = translate(1, -0.2, 0) * rotate((0, 1, 0), -90); }
    shape r2 : rectangle { size = (1.7, 0.4); material = white; transform = translate(1, 0.8, -0.15) * rotate((0, 1, 0), -90); }
    shape window : rectangle { size = (0.3, 0.4); transform = translate(1, 0.8, 0.85) * rotate((0, 1, 0), -90); }
"#;

#[test]
fn portals_reduce_noise_without_bias() {
    let room = |light: &str| ROOM.replace("LIGHT", light);
    let open = room("color = 3;").replace("shape window", "// shape window");
    let with_portal = room("color = 3; portals = window;");
    let (open_mean, portal_mean) = (picture(&open, &[], 2048), picture(&with_portal, &[], 512));
    assert!(
        open_mean > 0.0 && (portal_mean / open_mean - 1.0).abs() < 0.02,
        "{open_mean} {portal_mean}"
    );
    let exact = pixels(&with_portal, &[], 1024);
    let error = |text: &str| -> f64 {
        let squares = pixels(text, &[], 16)
            .iter()
            .zip(&exact)
            .map(|(a, b)| f64::from(a - b).powi(2))
            .sum::<f64>();
        squares / exact.len() as f64
    };
    let (open, portal) = (error(&open), error(&with_portal));
    assert!(portal < 0.2 * open, "mean square error {portal} with a portal, {open} without");
}

#[test]
fn portals_change_the_fingerprint() {
    let fingerprint = |light: &str| {
        let desc = load_text(&ROOM.replace("LIGHT", light), &[]);
        let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
        (built.scene.shapes().len(), built.scene.fingerprint())
    };
    let (without, with) = (fingerprint("color = 3;"), fingerprint("color = 3; portals = (window);"));
    assert_eq!(without.0, with.0 + 1, "a portal is not a shape");
    assert_ne!(without.1, with.1);
}

#[test]
fn invalid_portals_are_reported() {
    let errors = |text: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("scene.kiln");
        std::fs::write(&path, text).expect("the scene can be written");
        match load(&path, &LoadOptions::default()) {
            Ok(_) => panic!("the portals are accepted: {text}"),
            Err(errors) => errors.to_string(),
        }
    };
    let unknown = errors(&ROOM.replace("LIGHT", "portals = (window, widnow);"));
    assert!(unknown.contains("there is no shape or import `widnow`"), "{unknown}");
    assert!(unknown.contains("window"), "{unknown}");
    let ball = ROOM.replace("LIGHT", "portals = ball;") + "shape ball : sphere { radius = 1; }";
    let message = errors(&ball);
    assert!(
        message.contains("`ball` is not a rectangle") && message.contains("two triangles"),
        "{message}"
    );
}
