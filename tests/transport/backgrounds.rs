//! Environments with background shaders: against environments without, and against known irradiance; shaders of the
//! wrong kind.

use std::path::Path;

use glam::Vec3;
use renderer::color::Rgb;
use renderer::integrator::PathSettings;
use renderer::scene::build::{Built, build};
use renderer::scene::load::{LoadOptions, from_text};
use support::scenes::{Look, all_around, mean, spot_meter};

fn scene(declarations: &str) -> Result<Built, String> {
    let text = format!(
        "film {{ size = (8, 8); }} camera main : perspective {{ from = (0, 0, 4); }}\n{declarations}"
    );
    let loaded = from_text("test.kiln", &text, Path::new(""), &LoadOptions::default());
    let (desc, _) = loaded.map_err(|errors| errors.to_string())?;
    build(&desc, None, 2).map_err(|errors| errors.to_string())
}

fn look(spp: u64) -> Look {
    Look {
        spp,
        path: PathSettings { depth: Some(2), ..PathSettings::default() },
        ..Look::default()
    }
}

/// Radiance of a floor of albedo 0.5 under a light, and the mean radiance of the light.
fn floor_and_sky(light: &str) -> [Rgb; 2] {
    let floor = "shape floor : plane { size = 1; material = matte(albedo = 0.5); }";
    let built = scene(&format!("{light} {floor}")).unwrap_or_else(|errors| panic!("{errors}"));
    let floor = spot_meter(Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, 1e-4);
    let sky = all_around(Vec3::Y * 100.0);
    [floor, sky].map(|camera| mean(&built.scene, &camera, look(256)).0)
}

#[track_caller]
fn check_alike(found: [Rgb; 2], expected: [Rgb; 2], tolerance: f32) {
    for (found, expected) in found.into_iter().zip(expected) {
        let [a, b] = [found, expected].map(|rgb| Vec3::from(rgb.to_array()));
        let error = (a - b).abs().max_element();
        assert!(error <= tolerance * b.max_element(), "{a} is not {b}");
    }
}

#[test]
fn a_uniform_background_equals_a_uniform_environment() {
    let shader = "background sky(color c = 1) { Ci = c * background(); }
        light l : environment { shader = sky(c = (0.2, 0.4, 0.6)); scale = 2; }";
    let plain = "light l : environment { color = (0.4, 0.8, 1.2); }";
    check_alike(floor_and_sky(shader), floor_and_sky(plain), 0.01);
}

#[test]
fn a_gradient_shader_equals_a_gradient_environment() {
    let shader = "shader sky(color above = 1, color below = 0, output closure color surface = 0) {
            surface = mix(below, above, 0.5 + 0.5 * I[1]) * emission();
        }
        light l : environment { shader = sky(above = (1, 2, 3), below = 0.5); resolution = 256; }";
    let plain = "light l : environment { color = (1, 2, 3); ground = 0.5; }";
    check_alike(floor_and_sky(shader), floor_and_sky(plain), 0.02);
}

/// A disk of the sky of radius 10° and radiance 100 gives the irradiance 100 π sin² 10°.
#[test]
fn a_sun_in_a_background_shader_is_sampled() {
    let sun = |direction: &str, rotate: &str| {
        floor_and_sky(&format!(
            "background sky(vector sun = 0) {{ Ci = 100 * (dot(I, normalize(sun)) > cos(radians(10))) * background(); }}
            light l : environment {{ shader = sky(sun = vector({direction})); {rotate} }}"
        ))[0]
    };
    let disk = 0.5 * 100.0 * 10f32.to_radians().sin().powi(2);
    let check = |found: Rgb, expected: f32| {
        assert!((found.g / expected - 1.0).abs() < 0.02, "{found:?} is not {expected}");
    };
    check(sun("0, 1, 0", ""), disk);
    check(sun("1, 1, 0", ""), disk * 0.5f32.sqrt());
    check(sun("1, 1, 0", "rotate = 70;"), disk * 0.5f32.sqrt());
    assert_eq!(sun("0, -1, 0", ""), Rgb::BLACK);
}

#[test]
fn backgrounds_read_coordinates_and_images() {
    // The centre column of a map, at u = 0.5, is +z; v points down.
    let shader = "background sky() { Ci = color(u, v, length(P - I) < 1e-6) * background(); }
        light l : environment { shader = sky(); resolution = 64; }";
    let built = scene(shader).unwrap();
    let towards = |d: Vec3| {
        let camera = spot_meter(-d, Vec3::ZERO, 1e-4);
        mean(&built.scene, &camera, look(4)).0.to_array()
    };
    let close = |found: [f32; 3], expected: [f32; 3]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01), "{found:?}");
    };
    close(towards(Vec3::new(0.0, 0.01, 1.0)), [0.5, 0.497, 1.0]);
    close(towards(Vec3::new(1.0, 0.0, 0.01)), [0.25, 0.5, 1.0]);
    close(towards(Vec3::new(0.1, -1.0, 0.0)), [0.25, 0.968, 1.0]);
}

#[test]
fn shaders_of_the_wrong_kind_are_errors() {
    let message = |declarations: &str| scene(declarations).expect_err("it is a mistake");
    let cases = [
        (
            "displacement lift() { P += N; }\nshape s : sphere { material = lift(); }",
            "`lift` is a displacement shader, not a surface",
            "displacement = lift()",
        ),
        (
            "background sky() { Ci = background(); }\nshape s : sphere { material = sky(); }",
            "`sky` is a background shader, not a surface",
            "shader = sky()",
        ),
        (
            "volume fog() { Ci = 0; }\nlight l : environment { shader = fog(); }",
            "`fog` is a volume shader, not an environment",
            "interior = fog()",
        ),
    ];
    for (text, expected, hint) in cases {
        let found = message(text);
        assert!(found.contains(expected) && found.contains(hint), "{text}\n{found}");
        assert!(found.contains("test.kiln:"), "{found}");
    }
    let found = message("light l : environment { shader = matte(); map = \"sky.exr\"; }");
    assert!(found.contains("either `shader` or `map`"), "{found}");
}
