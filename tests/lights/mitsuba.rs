//! Lights as Mitsuba 3 has them: the same small scenes in Kiln's words, against its pictures in `mitsuba.txt`, which
//! `make.py` makes.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use renderer::film::Filter;
use renderer::image::Image;
use renderer::render::{RenderSettings, Silent, render};
use renderer::scene::build::build;
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::LoadOptions;

const SIZE: [u32; 2] = [8, 6];

const CAMERA: &str = "camera view : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 60; }\n";

/// The picture of that name.
fn expected(name: &str) -> Vec<f32> {
    let text = include_str!("mitsuba.txt");
    let rows = text.lines().skip_while(|line| *line != name).skip(1);
    let rows = rows.take(SIZE[1] as usize);
    let values: Vec<f32> = rows
        .flat_map(|row| row.split(' ').map(|v| v.parse().expect("a number")))
        .collect();
    assert_eq!(values.len(), 8 * 6 * 3, "{name} is a picture");
    values
}

/// A picture of a scene.
fn rendered(text: &str, integrator: &str, spp: u64) -> Image {
    let text = format!("{CAMERA}film {{ size = (8, 6); filter = box; }}\nintegrator : {integrator}\n{text}");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("lights");
    let desc = SceneDesc::from_text("test.kiln", &text, &directory, &LoadOptions::default());
    let (desc, _) = desc.unwrap_or_else(|error| panic!("{text}\n{error}"));
    let built = build(&desc, None, 0).unwrap_or_else(|error| panic!("{error}"));
    let settings = RenderSettings {
        width: SIZE[0],
        height: SIZE[1],
        crop: None,
        variance: false,
        camera: built.camera,
        filter: Filter::pixel(),
        border: true,
        integrator: built.integrator,
        samples: 0..spp,
        seed: 1,
        threads: 2,
        time_limit: None,
        photon_map: None,
    };
    let rendered = render(&built.scene, &settings, &Silent, &AtomicBool::new(false))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rendered.film.counts().non_finite, 0);
    rendered.film.develop()
}

/// Compares a picture with Mitsuba's: all pixels within `tolerance` of the larger, and of a hundredth of the brightest.
#[track_caller]
fn compare(name: &str, text: &str, integrator: &str, spp: u64, tolerance: f32) {
    let (expected, found) = (expected(name), rendered(text, integrator, spp).data);
    let brightest = expected.iter().copied().fold(0.0, f32::max);
    for (i, (e, f)) in expected.iter().zip(&found).enumerate() {
        assert!(
            (e - f).abs() <= tolerance * (e.max(*f) + 0.01 * brightest),
            "{name} by {integrator}: pixel ({}, {}), channel {}: {f}, not {e}\n{found:?}",
            i / 3 % 8,
            i / 24,
            i % 3
        );
    }
}

#[test]
fn hidden_emitters_are_passed() {
    let text = "
        material lamp = emitter(radiance = (3, 2, 1));
        material bulb = emitter(radiance = 1);
        shape lamp : rectangle { size = 1.2; transform = translate(-1.2, 0, 1); material = lamp; }
        shape ball : sphere { radius = 0.5; center = (-1.2, 0.2, 0.1); material = bulb; }
        shape wall : rectangle { size = (8, 3); transform = translate(0, 1.5, -2); material = matte(albedo = 0.6); }
        light sky : environment { color = (0.25, 0.3, 0.4); }
    ";
    compare(
        "hide_emitters",
        text,
        "path { depth = 2; hide_emitters = true; }",
        1024,
        0.03,
    );
    compare(
        "hide_emitters",
        text,
        "photon { depth = 2; hide_emitters = true; }",
        1024,
        0.03,
    );
}
