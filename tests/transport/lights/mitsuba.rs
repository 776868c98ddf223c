//! Lights against Mitsuba 3: small scenes in Kiln's format against pictures in `mitsuba.txt`, which `make.py` makes.

use std::path::Path;

use glam::Vec3;
use renderer::color::Rgb;
use renderer::image::Image;
use renderer::math::Ray;
use renderer::render::RenderSettings;
use renderer::scene::build::{Built, build};
use renderer::scene::load::LoadOptions;
use support::scenes::render_scene;

const SIZE: [u32; 2] = [8, 6];

const CAMERA: &str = "camera view : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 60; }\n";

/// The picture of that name.
fn expected(name: &str) -> Vec<f32> {
    let text = include_str!("../../lights/mitsuba.txt");
    let rows = text.lines().skip_while(|line| *line != name).skip(1);
    let rows = rows.take(SIZE[1] as usize);
    let values: Vec<f32> = rows
        .flat_map(|row| row.split(' ').map(|v| v.parse().expect("a number")))
        .collect();
    assert_eq!(values.len(), 8 * 6 * 3, "{name} is a picture");
    values
}

fn built(text: &str) -> Built {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("lights");
    let desc = renderer::scene::load::from_text("test.kiln", text, &directory, &LoadOptions::default());
    let (desc, _) = desc.unwrap_or_else(|error| panic!("{text}\n{error}"));
    build(&desc, None, 0).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// A picture of a scene.
fn rendered(text: &str, integrator: &str, spp: u64) -> Image {
    let text = format!("{CAMERA}film {{ size = (8, 6); filter = box; }}\nintegrator : {integrator}\n{text}");
    let built = built(&text);
    let settings = RenderSettings {
        integrator: built.integrator,
        samples: 0..spp,
        total: spp,
        seed: 1,
        threads: 2,
        ..RenderSettings::of_camera(built.camera.clone(), SIZE)
    };
    let rendered = render_scene(&built.scene, &settings);
    assert_eq!(rendered.state.film.counts().non_finite, 0);
    rendered.state.film.develop()
}

/// Compares a picture with Mitsuba's: all pixels within `tolerance` and 1/500 of the brightest.
#[track_caller]
fn compare(name: &str, text: &str, integrator: &str, spp: u64, tolerance: f32) {
    let (expected, found) = (expected(name), rendered(text, integrator, spp).data);
    let brightest = expected.iter().copied().fold(0.0, f32::max);
    for (i, (e, f)) in expected.iter().zip(&found).enumerate() {
        assert!(
            (e - f).abs() <= tolerance * e.max(*f) + 2e-3 * brightest,
            "{name} by {integrator}: pixel ({}, {}), channel {}: {f}, not {e}\n{found:?}",
            i / 3 % 8,
            i / 24,
            i % 3
        );
    }
}

#[test]
fn camera_rays_pass_hidden_emitters() {
    let text = "
        material lamp = emitter(radiance = (3, 2, 1));
        material bulb = emitter(radiance = 1);
        shape lamp : rectangle { size = 1.2; transform = translate(-1.2, 0, 1); material = lamp; }
        shape ball : sphere { radius = 0.5; center = (-1.2, 0.2, 0.1); material = bulb; }
        shape wall : rectangle { size = (8, 3); transform = translate(0, 1.5, -2); material = matte(albedo = 0.6); }
        light sky : environment { color = (0.25, 0.3, 0.4); }
    ";
    compare("hide_emitters", text, "path { depth = 2; hide_emitters = true; }", 1024, 0.03);
    compare(
        "hide_emitters",
        text,
        "photon { depth = 2; hide_emitters = true; photons = 1000; caustic_photons = 1000; }",
        1024,
        0.03,
    );
}

/// A wall for lights to shine at.
const WALL: &str = "shape wall : rectangle { size = (8, 6); material = matte(albedo = (0.8, 0.6, 0.4)); }\n";

/// Position and orientation of lights that Mitsuba places by `lookat`, in keys of cameras.
const SIDE: &str = "from = (1, 2, 3); to = (0.3, -0.2, 0); up = (0.2, 1, 0);";

#[test]
fn lights_without_size_match_mitsuba() {
    let spot = "position = (1, 2, 3); to = (0.3, -0.2, 0); intensity = (40, 50, 60);";
    let mirrored = "transform = look_at((1, 2, 3), (0.3, -0.2, 0), (0.2, 1, 0)) * scale(-1, 1, 1) * rotate((0, 1, 0), 180);";
    let slide = "map = \"slide.exr\"; wrap = repeat;";
    let projector = format!("projector {{ {SIDE} {slide} fov = 45; scale = 30;");
    let cases = [
        ("projector linear", projector.clone()),
        ("projector clamp", projector.replace("wrap = repeat;", "")),
        ("projector closest", format!("{projector} interpolation = closest;")),
        ("projector y", format!("{projector} fov_axis = y;")),
        ("projector mirrored", projector.replace(SIDE, mirrored)),
        ("spot", format!("spot {{ {spot} cutoff = 32; beam_width = 20;")),
        ("spot default", format!("spot {{ {spot}")),
        // Mitsuba's texture is upside down relative to Kiln's.
        (
            "spot slide",
            format!("spot {{ {spot} cutoff = 32; beam_width = 20; {slide} up = (-0.2, -1, 0);"),
        ),
        ("point", "point { position = (1, 0.5, 2); intensity = (10, 20, 30);".to_owned()),
        // (1, 0.5, 2), rotated by 30 degrees about y.
        (
            "point to_world",
            "point { position = (1.8660254, 0.5, 1.2320508); intensity = (10, 20, 30);".to_owned(),
        ),
        (
            "directional",
            "directional { direction = (0.3, -0.4, -0.8); irradiance = (1, 2, 3);".to_owned(),
        ),
        // Along +z of `to_world`.
        (
            "directional to_world",
            "directional { direction = (-0.7, -2.2, -3); irradiance = (1, 2, 3);".to_owned(),
        ),
    ];
    for (name, light) in cases {
        let text = format!("{WALL}light lamp : {light} }}");
        for integrator in
            ["path { depth = 2; }", "photon { depth = 2; photons = 1000; caustic_photons = 1000; }"]
        {
            compare(name, &text, integrator, 4096, 0.01);
        }
    }
}

#[test]
fn environments_match_mitsuba() {
    let map = "map = \"slide.exr\"; rows = poles;";
    let cases = [
        ("environment", map.to_owned()),
        ("environment scaled", format!("{map} scale = 2.5;")),
        ("environment turned", format!("{map} rotate = rotate((1, 2, -0.5), 70);")),
        // The position `from` of an environment has no effect.
        (
            "environment looking",
            format!("{map} rotate = look_at((0, 0, 0), (-0.7, -2.2, -3), (0.2, 1, 0));"),
        ),
        (
            "environment mirrored",
            format!("{map} rotate = rotate((0, 1, 0), 40) * scale(-1, 1, 1);"),
        ),
        ("environment png", map.replace("exr", "png")),
    ];
    for (name, keys) in cases {
        let text = format!("{CAMERA}light sky : environment {{ {keys} }}\n{WALL}");
        let scene = built(&text).scene;
        let rows = include_str!("../../lights/mitsuba.txt")
            .lines()
            .skip_while(|line| *line != name)
            .skip(1)
            .take(20);
        for row in rows {
            let v: Vec<f32> = row.split(' ').map(|v| v.parse().expect("a number")).collect();
            let direction = Vec3::from_slice(&v).normalize();
            let radiance: Rgb = scene
                .escape(Vec3::ZERO, &Ray::new(Vec3::ZERO, direction))
                .fold(Rgb::BLACK, |sum, light| sum + light.radiance);
            for (found, expected) in radiance.to_array().into_iter().zip(&v[3..]) {
                assert!((found - expected).abs() < 1e-4, "{name}: {radiance:?} for {row}");
            }
        }
    }
}

#[test]
fn a_directional_area_light_projects_its_outline() {
    // A sheet in place of the rectangle, 1.5 in front of the wall, seen from the side.
    let text = format!(
        "{WALL}light sheet : directional_area {{ size = (3, 9); irradiance = (1, 2, 3);
            transform = translate(1.5, 0, 5) * rotate((0, 1, 0), 180); }}
        shape back : rectangle {{ size = (3, 9); transform = translate(1.5, 0, 5); material = matte(albedo = 0); }}"
    );
    for integrator in ["path { depth = 2; }", "photon { depth = 2; photons = 1000; caustic_photons = 1000; }"]
    {
        let image = rendered(&text, integrator, 16);
        for x in 0..8 {
            let expected = if x < 4 { 0.0 } else { 1.0 / std::f32::consts::PI };
            let Rgb { r, g, b } = image.rgb(x, 2);
            for (found, albedo) in [(r, 0.8), (g, 1.2), (b, 1.2)] {
                assert!((found - albedo * expected).abs() < 1e-4, "{integrator}, column {x}: {found}");
            }
        }
    }
}
