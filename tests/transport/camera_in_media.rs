//! Cameras in media: near plane and hidden lights.

use std::f64::consts::PI;

use renderer::integrator::{Integrator, PathSettings};

use crate::photon::against_path::{built, shot};

/// The first channel of the central pixel.
fn radiance(text: &str, settings: PathSettings, spp: u64) -> f64 {
    let scene = built(text);
    let picture = shot(&scene, Integrator::Path(settings), spp).state.film.develop();
    f64::from(picture.rgb(4, 4).r)
}

/// Mean of the first channel of a picture with the same value everywhere.
fn mean_radiance(text: &str, spp: u64) -> f64 {
    let scene = built(text);
    let picture = shot(&scene, Integrator::Path(PathSettings::default()), spp)
        .state
        .film
        .develop();
    let pixels = (0..8).flat_map(|y| (0..8).map(move |x| (x, y)));
    pixels.map(|(x, y)| f64::from(picture.rgb(x, y).r)).sum::<f64>() / 64.0
}

fn camera(near: f32) -> String {
    format!(
        "film {{ size = (8, 8); filter = box; }}
         camera main : orthographic {{ from = (0, 0, 4); to = (0, 0, 0); width = 0.02; near = {near}; }}"
    )
}

/// Media before the near plane are clipped like surfaces.
#[test]
fn media_begin_at_the_near_plane() {
    let wall = "shape wall : rectangle { size = 8; transform = translate(0, 0, -2); material = emitter(radiance = 1); }";
    let everywhere = "scene { medium = soot(); }";
    let slab = "shape slab : cube { size = 2; material = soot(); }";
    for (medium, around, near, depth) in [
        ("0.5 * absorption()", everywhere, 0.0, 3.0),
        ("0.5 * absorption()", everywhere, 2.0, 2.0),
        // The camera is in the slab.
        ("2 * absorption()", slab, 4.0, 2.0),
        ("max(0, 4 + P[2]) * absorption()", slab, 4.0, 3.5),
    ] {
        let text = format!("{} volume soot() {{ Ci = {medium}; }} {around} {wall}", camera(near));
        let (found, expected) = (mean_radiance(&text, 4096), f64::exp(-depth));
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, not {expected}: {text}");
    }
}

/// Fog before and behind a hidden light is visible, the light is not; only single scattering counts.
#[test]
fn lights_in_fog_can_be_hidden() {
    const RADIUS: f64 = 0.25;
    let text = format!(
        "{} volume mist() {{ Ci = 0.9 * henyey_greenstein(0) + 0.1 * absorption(); }}
         shape box : cube {{ size = 2; material = mist(); }}
         shape lamp : sphere {{ radius = {RADIUS}; material = emitter(radiance = 8); }}",
        camera(0.0)
    );
    let settings = PathSettings {
        depth: Some(2),
        hide_emitters: true,
        ..PathSettings::default()
    };
    // Irradiance at a distance from the centre of the light, over its cone.
    let light = |distance: f64| {
        let steps = 200;
        let least = (1.0 - (RADIUS / distance).powi(2)).sqrt();
        let ray = |step: i32| {
            let cos = least + (1.0 - least) * (f64::from(step) + 0.5) / f64::from(steps);
            let half = (RADIUS * RADIUS - distance * distance * (1.0 - cos * cos)).max(0.0);
            (half.sqrt() - distance * cos).exp()
        };
        let mean = (0..steps).map(ray).sum::<f64>() / f64::from(steps);
        2.0 * PI * 8.0 * (1.0 - least) * mean
    };
    let part = |from: f64, to: f64| {
        let steps = 400;
        let at = |step: i32| from + (to - from) * (f64::from(step) + 0.5) / f64::from(steps);
        let scattered = |z: f64| 0.9 / (4.0 * PI) * (z - 1.0).exp() * light(z.abs());
        (0..steps).map(|step| scattered(at(step))).sum::<f64>() * (to - from) / f64::from(steps)
    };
    let expected = part(RADIUS, 1.0) + part(-1.0, -RADIUS);
    let found = radiance(&text, settings, 1 << 14);
    assert!((found / expected - 1.0).abs() < 0.04, "{found}, not {expected}");
}
