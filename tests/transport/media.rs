//! Participating media: phase functions, energy conservation, known solutions, and nested objects.

use std::f64::consts::PI;

use glam::{Vec2, Vec3};
use renderer::color::Rgb;
use renderer::integrator::{Integrator, PathSettings, PhotonSettings};
use renderer::medium::{Coefficients, Phase};
use renderer::render::RenderSettings;
use support::chi2::Chi2;
use support::scenes::render_scene;
use support::stats::{Rng, normal_limit};

use crate::photon::against_path::{built, shot};

#[test]
fn phase_functions_are_sampled_by_their_densities() {
    let mut mixture = Coefficients::default();
    mixture.scatter(Rgb::new(0.2, 1.0, 3.0), Phase::henyey_greenstein(0.8));
    mixture.scatter(Rgb::new(1.0, 0.5, 0.1), Phase::henyey_greenstein(-0.4));
    mixture.scatter(Rgb::splat(0.3), Phase::Rayleigh);
    let mut media = vec![mixture];
    for phase in [
        Phase::henyey_greenstein(0.0),
        Phase::henyey_greenstein(0.9),
        Phase::henyey_greenstein(-0.5),
        Phase::Rayleigh,
        Phase::draine(0.0, 1.0),
        Phase::draine(0.65, 30.0),
        Phase::draine(-0.3, 0.5),
    ] {
        let mut medium = Coefficients::default();
        medium.scatter(Rgb::WHITE, phase);
        media.push(medium);
    }
    let mut rng = Rng::new(1);
    for medium in media {
        let along = rng.direction();
        let found = Chi2::of(
            200_000,
            |wi| medium.phase(along, wi).1,
            || medium.sample_phase(along, rng.next_1d(), rng.next_2d()),
        );
        if let Err(problem) = found.verdict(1e-4, normal_limit(1e-5)) {
            panic!("{problem}: {medium:?}");
        }
        // The colour-dependent density is also normalised.
        let mut sum = [0.0f64; 3];
        for _ in 0..20_000 {
            let wi = medium.sample_phase(along, rng.next_1d(), rng.next_2d());
            let (f, pdf) = medium.phase(along, wi.expect("it scatters"));
            for (sum, f) in sum.iter_mut().zip(f.to_array()) {
                *sum += f64::from(f / pdf) / 20_000.0;
            }
        }
        assert!(sum.iter().all(|sum| (sum - 1.0).abs() < 0.05), "{sum:?}: {medium:?}");
    }
    let nothing = Coefficients::default();
    assert!(nothing.is_clear());
    assert!(nothing.sample_phase(Vec3::Z, 0.5, Vec2::splat(0.5)).is_none());
}

#[test]
fn mean_cosines_match_the_densities() {
    for phase in [Phase::henyey_greenstein(0.7), Phase::Rayleigh, Phase::draine(0.65, 3.0)] {
        let steps = 20_000;
        let (mut whole, mut mean) = (0.0, 0.0);
        for step in 0..steps {
            let cos = -1.0 + 2.0 * (f64::from(step) + 0.5) / f64::from(steps);
            let part = 2.0 * PI * f64::from(phase.density(cos as f32)) * 2.0 / f64::from(steps);
            whole += part;
            mean += part * cos;
        }
        assert!((whole - 1.0).abs() < 1e-3, "{whole}: {phase:?}");
        let expected = f64::from(phase.mean_cosine());
        assert!((mean - expected).abs() < 1e-3, "{mean}, not {expected}: {phase:?}");
    }
}

pub(crate) fn path() -> Integrator {
    Integrator::Path(PathSettings::default())
}

fn once() -> Integrator {
    Integrator::Path(PathSettings { depth: Some(2), ..PathSettings::default() })
}

/// Mean radiance of the picture.
pub(crate) fn mean(text: &str, integrator: Integrator, spp: u64) -> [f64; 3] {
    let scene = built(text);
    let picture = shot(&scene, integrator, spp).state.film.develop();
    let [width, height] = scene.1.map(|side| side as usize);
    let mut sum = [0.0; 3];
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        for (sum, v) in sum.iter_mut().zip(picture.rgb(x, y).to_array()) {
            *sum += f64::from(v) / (width * height) as f64;
        }
    }
    sum
}

#[track_caller]
pub(crate) fn expect(text: &str, integrator: Integrator, spp: u64, expected: [f64; 3], tolerance: f64) {
    let found = mean(text, integrator, spp);
    for (found, expected) in found.into_iter().zip(expected) {
        let error = (found - expected).abs();
        assert!(error <= tolerance * expected.max(1e-9), "{found} is not {expected}: {text}");
    }
}

#[track_caller]
pub(crate) fn agree(a: [f64; 3], b: [f64; 3], tolerance: f64) {
    let near = a.iter().zip(b).all(|(a, b)| (a / b - 1.0).abs() < tolerance);
    assert!(near, "{a:?} and {b:?}");
}

const HEAD: &str = "film { size = (8, 8); filter = box; }
    camera main : perspective { from = (0, 0, 3); to = (0, 0, 0); fov = 50; }";

/// A camera along −z that sees one point.
const ALONG_Z: &str = "film { size = (8, 8); filter = box; }
    camera main : orthographic { from = (0.01, 0.01, 4); to = (0.01, 0.01, 0); width = 0.05; }";

/// A lossless medium is as bright as its surroundings, for any shape, phase function and density.
#[test]
fn lossless_media_vanish_in_a_furnace() {
    for (medium, spp) in [
        ("color(2, 5, 0.5) * henyey_greenstein(0.6)", 4096),
        ("5 * rayleigh()", 64),
        ("8 * max(0, noise(\"perlin\", 3 * P)) * henyey_greenstein(0.3)", 256),
        // Density between the probe points exceeds the majorant.
        (
            "(distance(P, point(0.1, 0.2, 0.3)) < 0.02 ? 50 : 0.5) * henyey_greenstein(0)",
            256,
        ),
        ("20 * step(0.5, P[0] + 0.3) * color(1, 0.2, 0.5) * draine(0.5, 2)", 1024),
    ] {
        let text = format!(
            "{HEAD} volume mist() {{ Ci = {medium}; }}
             shape ball : sphere {{ radius = 1; material = mist(); }}
             light sky : environment {{ color = 1; }}"
        );
        expect(&text, path(), spp, [1.0; 3], 0.015);
    }
}

/// If one colour channel is dense, the others are transmitted.
#[test]
fn channels_of_low_extinction_are_transmitted() {
    let text = format!(
        "{ALONG_Z} volume red() {{ Ci = color(500, 0, 0) * henyey_greenstein(0); }}
         shape slab : cube {{ size = 2; material = red(); }}
         shape wall : rectangle {{ size = 8; transform = translate(0, 0, -4); material = emitter(radiance = 1); }}"
    );
    let [_, green, blue] = mean(&text, once(), 256);
    for found in [green, blue] {
        assert!((found - 1.0).abs() < 0.02, "{found}");
    }
}

/// Far from the origin, positions are less precise than the sides of grid cells; light must still cross each cell in
/// one step.
#[test]
fn heterogeneous_media_far_from_the_origin_are_as_fast() {
    let text = "film { size = (8, 8); filter = box; }
        camera main : perspective { from = (3000, 0.2, 2003); to = (3000, 0, 2000); fov = 50; }
        volume mist() { Ci = 3 * max(0, noise(\"perlin\", 3 * P)) * henyey_greenstein(0.3); }
        shape ball : sphere { radius = 1; material = mist(); center = (3000, 0, 2000); }
        light sky : environment { color = 1; }";
    expect(text, path(), 64, [1.0; 3], 0.015);
}

/// An absorbing slab, homogeneous and heterogeneous.
#[test]
fn transmittance_matches_the_optical_depth() {
    for (medium, depth) in [("2 * absorption()", 4.0), ("2 * max(0, P[2]) * absorption()", 1.0)] {
        let text = format!(
            "{ALONG_Z} volume soot() {{ Ci = {medium}; }}
             shape slab : cube {{ size = 2; material = soot(); }}
             shape wall : rectangle {{ size = 8; transform = translate(0, 0, -4); material = emitter(radiance = 1); }}"
        );
        expect(&text, path(), 1024, [f64::exp(-depth); 3], 0.03);
    }
}

/// Single backscattering of a slab, from a sun behind the camera: σs p(−1) E (1 − exp(−2 σt L)) / 2 σt.
#[test]
fn single_scattering_of_a_slab_matches_its_integral() {
    let (absorbing, g, length) = (0.3, 0.4f64, 2.0);
    let back = (1.0 - g * g) / (4.0 * PI * (1.0 + g).powi(3));
    let expected = [0.5, 1.0, 0.2].map(|scattering: f64| {
        let extinction = scattering + absorbing;
        scattering * back * (1.0 - f64::exp(-2.0 * extinction * length)) / (2.0 * extinction)
    });
    for density in ["1", "(P[0] < 100 ? 1 : 0.5)"] {
        let text = format!(
            "{ALONG_Z}
             volume haze() {{ Ci = {density} * (color(0.5, 1, 0.2) * henyey_greenstein(0.4) + 0.3 * absorption()); }}
             shape slab : cube {{ size = (40, 40, 2); material = haze(); }}
             light sun : directional {{ direction = (0, 0, -1); irradiance = 1; }}"
        );
        expect(&text, once(), 2048, expected, 0.03);
    }
}

/// A half-space with isotropic scattering, seen and lit along its normal: ω E H(1)² / 8π, by Chandrasekhar's function
/// H.
#[test]
fn half_spaces_match_chandrasekhars_h_function() {
    let albedo = 0.9;
    let expected = albedo * chandrasekhar_h(albedo).powi(2) / (8.0 * PI);
    let text = format!(
        "{ALONG_Z} volume stuff() {{ Ci = 10 * (0.9 * henyey_greenstein(0) + 0.1 * absorption()); }}
         shape slab : cube {{ size = (60, 60, 20); transform = translate(0, 0, -10); material = stuff(); }}
         light sun : directional {{ direction = (0, 0, -1); irradiance = 1; }}"
    );
    expect(&text, path(), 2048, [expected; 3], 0.02);
}

/// H(1) for isotropic scattering: 1 / H(μ) = √(1 − ω) + ω/2 ∫ μ' H(μ') / (μ + μ') dμ', by iteration.
fn chandrasekhar_h(albedo: f64) -> f64 {
    const STEPS: usize = 400;
    let at = |i: usize| (i as f64 + 0.5) / STEPS as f64;
    let next = |h: &[f64], mu: f64| {
        let parts = h.iter().enumerate().map(|(i, h)| at(i) * h / (mu + at(i)));
        1.0 / ((1.0 - albedo).sqrt() + 0.5 * albedo * parts.sum::<f64>() / STEPS as f64)
    };
    let mut h = vec![1.0; STEPS];
    for _ in 0..200 {
        h = (0..STEPS).map(|i| next(&h, at(i))).collect();
    }
    next(&h, 1.0)
}

/// Single scattering of a point light at (1, 0, −3) towards the origin, seen along −z: ∫ σs p I exp(−σt (s + r)) / r²
/// ds.
fn scattered_light(extinction: f64, albedo: f64, g: f64) -> f64 {
    let steps = 100_000;
    let step_length = 40.0 / f64::from(steps);
    let mut sum = 0.0;
    for step in 0..steps {
        let s = step_length * (f64::from(step) + 0.5);
        let z = s - 3.0;
        let r = f64::hypot(1.0, z);
        // Light arrives along (−1, 0, −z) / r and is scattered towards +z.
        let cos = -z / r;
        let square = 1.0 + g * g - 2.0 * g * cos;
        let phase = (1.0 - g * g) / (4.0 * PI * square * square.sqrt());
        sum += albedo * extinction * phase * f64::exp(-extinction * (s + r)) / (r * r) * step_length;
    }
    sum
}

fn lamp_in_fog(medium: &str) -> String {
    format!(
        "film {{ size = (8, 8); filter = box; }}
         camera main : orthographic {{ from = (0, 0, 0); to = (0, 0, -1); width = 0.001; }}
         volume fog() {{ Ci = {medium}; }}
         scene {{ medium = fog(); }}
         material black = matte(albedo = 0);
         shape before : rectangle {{ size = 200; transform = translate(0, 0, -100); material = black; }}
         shape behind : rectangle {{ size = 200; transform = translate(0, 0, 100); material = black; }}
         light lamp : point {{ position = (1, 0, -3); intensity = 1; }}"
    )
}

/// Fog that fills the scene, seen from a point away from the light: homogeneous, by colour, and formally heterogeneous.
/// Each path segment has light samples, so that few samples are enough.
#[test]
fn single_scattering_of_a_point_light_matches_its_integral() {
    let scattering = "(0.8 * henyey_greenstein(0.5) + 0.2 * absorption())";
    let even = [scattered_light(0.4, 0.8, 0.5); 3];
    let by_color = [0.4, 0.8, 0.05].map(|extinction| scattered_light(extinction, 0.8, 0.5));
    for (medium, expected) in [
        (format!("0.4 * {scattering}"), even),
        (format!("color(0.4, 0.8, 0.05) * {scattering}"), by_color),
        (format!("(P[0] < 100 ? 0.4 : 0) * {scattering}"), even),
    ] {
        expect(&lamp_in_fog(&medium), once(), 512, expected, 0.02);
    }
}

/// Thin fog scatters few paths, but every path segment has a light sample.
#[test]
fn thin_fog_near_a_light_has_little_noise() {
    let scene = built(&lamp_in_fog("0.01 * henyey_greenstein(0)"));
    let picture = shot(&scene, once(), 64).state.film.develop();
    let values: Vec<f64> = (0..64).map(|i| f64::from(picture.rgb(i % 8, i / 8).g)).collect();
    let expected = scattered_light(0.01, 1.0, 0.0);
    let error = values.iter().map(|v| (v / expected - 1.0).powi(2)).sum::<f64>() / 64.0;
    assert!(error.sqrt() < 0.05, "{}", error.sqrt());
}

/// Light samples on path segments use random numbers of the path alone.
#[test]
fn pictures_of_fog_do_not_depend_on_threads() {
    let text = "film { size = (16, 16); filter = box; }
        camera main : perspective { from = (0, 0, 3); to = (0, 0, 0); fov = 50; }
        volume mist() { Ci = 0.3 * henyey_greenstein(0.4) + (P[1] > 0 ? 0.1 : 0.2) * absorption(); }
        scene { medium = mist(); }
        shape floor : rectangle { size = 4; transform = translate(0, 0, -1); material = matte(albedo = 0.7); }
        shape ball : sphere { radius = 0.2; center = (0.5, 0.5, 0); material = emitter(radiance = 4); }
        light lamp : point { position = (-0.5, 0.2, 0.3); intensity = 0.3; }";
    let scene = built(text);
    let by = |threads: usize| {
        let settings = RenderSettings {
            samples: 0..4,
            total: 4,
            threads,
            integrator: path(),
            ..RenderSettings::of_camera(scene.0.camera.clone(), scene.1)
        };
        let picture = render_scene(&scene.0.scene, &settings).state.film.develop();
        let pixel = |i: usize| picture.rgb(i % 16, i / 16).to_array().map(f32::to_bits);
        (0..256).map(pixel).collect::<Vec<_>>()
    };
    assert_eq!(by(1), by(2));
}

/// Paths and photons agree for objects in fog.
#[test]
fn photons_match_paths_in_fog() {
    let text = "film { size = (64, 64); filter = box; }
        volume mist() { Ci = color(0.5, 0.7, 0.9) * henyey_greenstein(0.5) + color(0.1, 0.05, 0.02) * absorption(); }
        shape fog : cube { size = 3.9; material = mist(); }
        shape floor : plane { size = 8; material = matte(albedo = 0.6); transform = translate(0, -2, 0); }
        shape ball : sphere { radius = 0.6; material = matte(albedo = (0.8, 0.3, 0.2)); }
        shape lamp : sphere { radius = 0.4; material = emitter(radiance = 5); transform = translate(0.8, 1.2, 0.4); }
        camera main : perspective { from = (0, 0.5, 7); to = (0, 0, 0); fov = 40; }";
    let photon = Integrator::Photon(PhotonSettings { photons: Some(100_000), ..PhotonSettings::default() });
    let varying = text.replace("color(0.5, 0.7, 0.9)", "(P[0] < 100 ? 1 : 0) * color(0.5, 0.7, 0.9)");
    let paths = mean(text, path(), 128);
    agree(mean(text, photon, 32), paths, 0.03);
    agree(mean(&varying, path(), 64), paths, 0.03);
    agree(mean(&varying, photon, 24), paths, 0.03);
}

/// Overlapping objects have the same picture from both sides.
#[test]
fn overlapping_media_mix() {
    for from in ["-6", "7"] {
        let text = format!(
            "film {{ size = (8, 8); filter = box; }}
             group fog(color a = 1, output closure color surface) {{
                 cutout hole(opacity = 0); absorbing body(base = hole.surface, absorption = a); surface = body.surface; }}
             shape a : cube {{ size = (2, 4, 4); material = fog(a = (1, 0, 0)); }}
             shape b : cube {{ size = (2, 4, 4); material = fog(a = (0, 1, 0)); transform = translate(1, 0, 0); }}
             light sky : environment {{ color = 1; }}
             camera main : orthographic {{ from = ({from}, 0.1, 0.1); to = (0.5, 0.1, 0.1); width = 0.1; }}"
        );
        let left = f64::exp(-2.0);
        expect(&text, path(), 16, [left, left, 1.0], 1e-3);
    }
}

/// Glass in water bends light like glass with the ratio of the indices in a vacuum; a liquid that overlaps its glass
/// ends where the glass begins.
#[test]
fn nested_dielectrics_refract_by_their_relative_index() {
    let scene = |things: &str| {
        let text = format!(
            "film {{ size = (16, 16); filter = box; }}
             camera main : perspective {{ from = (0, 0.3, 2.5); to = (0, 0, 0); fov = 40; }}
             group board(output closure color surface) {{
                 checker c(a = 0.9, b = 0.1); emitter e(radiance = c.result); surface = e.surface; }}
             shape wall : rectangle {{ size = 6; transform = translate(0, 0, -2.5); material = board(); }}
             {things}"
        );
        mean(&text, path(), 64)
    };
    let sea = "material water = glass(ior = 1.33, reflection_tint = 0); shape sea : cube { size = 20; material = water; }";
    let ball = |ior: f32| format!("shape ball : sphere {{ radius = 0.8; material = glass(ior = {ior}); }}");
    let nested = scene(&format!("{sea} {}", ball(1.5)));
    let alone = scene(&ball(1.5 / 1.33));
    agree(nested, alone, 0.02);
    let given = scene(&format!(
        "{sea} material relative = glass(ior = 1.5) {{ relative_ior = true; }}
         shape ball : sphere {{ radius = 0.8; material = relative; }}"
    ));
    assert!((given[0] / alone[0] - 1.0).abs() > 0.02, "{given:?} and {alone:?}");
    // The liquid is larger than the cavity of its glass.
    let drink = |size: f32| {
        scene(&format!(
            "material pot = glass(ior = 1.5) {{ priority = 2; }}
             material drink = glass(ior = 1.33, attenuation_distance = 0.5, attenuation_color = (0.9, 0.4, 0.1))
             {{ priority = 1; }}
             shape outside : sphere {{ radius = 1; material = pot; }}
             shape within : sphere {{ radius = 0.7; flip_normals = true; material = pot; }}
             shape filling : sphere {{ radius = {size}; material = drink; }}"
        ))
    };
    agree(drink(0.8), drink(0.95), 0.02);
}

/// A camera, a light and a wall in a box of fog see each other as in fog that fills the scene.
#[test]
fn fog_in_a_box_matches_fog_of_the_scene() {
    let scene = |fog: &str| {
        let text = format!(
            "film {{ size = (8, 8); filter = box; }}
             volume mist() {{ Ci = 0.3 * henyey_greenstein(0.2) + 0.1 * absorption(); }}
             camera main : perspective {{ from = (0, 0, 2); to = (0, 0, 0); fov = 60; }}
             shape floor : rectangle {{ size = 4; transform = translate(0, 0, -1); material = matte(albedo = 0.7); }}
             shape lamp : sphere {{ radius = 0.2; center = (0.5, 0.5, 0); material = emitter(radiance = 4); }}
             {fog}"
        );
        mean(&text, path(), 512)
    };
    agree(
        scene("scene { medium = mist(); }"),
        scene("shape fog : cube { size = 60; material = mist(); }"),
        0.02,
    );
}

/// Emission of a medium without absorption adds up along the ray; with absorption, it approaches a limit.
#[test]
fn media_emit_light() {
    let dense = 1.0 - f64::exp(-6.0);
    for (medium, expected) in [
        ("0.5 * emission()", 1.0),
        ("(P[0] < 9 ? 0.5 : 0) * emission()", 1.0),
        ("3 * emission() + 3 * absorption()", dense),
        ("(P[0] < 9 ? 3 : 0) * (emission() + absorption())", dense),
    ] {
        let text = format!(
            "{ALONG_Z} volume glow() {{ Ci = {medium}; }}
             shape slab : cube {{ size = 2; material = glow(); }}"
        );
        expect(&text, path(), 512, [expected; 3], 0.03);
    }
}

/// Invalid coefficients do not affect the picture.
#[test]
fn invalid_coefficients_count_as_zero() {
    for medium in [
        "(P[0] > 0 ? -1 : 1) * henyey_greenstein(0)",
        "(P[0] > 0 ? log(-1) : 1) * henyey_greenstein(0)",
        "(P[0] > 0 ? 1e30 * 1e30 : 1) * henyey_greenstein(2)",
    ] {
        let text = format!(
            "{HEAD} volume mist() {{ Ci = {medium}; }}
             shape ball : sphere {{ radius = 1; material = mist(); }}
             light sky : environment {{ color = 1; }}"
        );
        let found = mean(&text, path(), 2);
        assert!(found.iter().all(|v| (0.3..2.0).contains(v)), "{found:?}: {medium}");
    }
}

/// Light that a glass ball focuses into fog, with volume photon lookups along camera rays.
#[test]
fn photons_find_caustics_in_fog() {
    let text = "
        film { size = (24, 24); filter = box; }
        volume mist(color scattering = color(0.05, 0.1, 0.15)) { Ci = scattering * henyey_greenstein(0.3) + 0.02 * absorption(); }
        shape fog : cube { size = 7.8; material = mist(); }
        shape ball : sphere { radius = 0.8; material = glass(ior = 1.5); transform = translate(0, 0.9, 0); }
        shape lamp : sphere { radius = 0.5; material = emitter(radiance = 20); transform = translate(0, 3.2, 0); }
        camera main : perspective { from = (0, -0.8, 7); to = (0, -0.8, 0); fov = 20; }";
    let photons = Integrator::Photon(PhotonSettings::default());
    let progressive = Integrator::Photon(PhotonSettings { progressive: true, ..PhotonSettings::default() });
    // Reference by paths with 8,192 samples.
    let expected = [0.01912, 0.03501, 0.04824];
    agree(expected, mean(text, photons, 64), 0.05);
    agree(expected, mean(text, progressive, 32), 0.05);
}

/// A thin plume in a scene that is a hundred times as wide, seen by a narrow camera: exp(−4).
#[test]
fn thin_media_in_wide_scenes_are_found() {
    let plume = |medium: &str, at: [f32; 2], more: &str| {
        let [x, z] = at;
        format!(
            "film {{ size = (8, 8); filter = box; }}
             volume plume() {{ float r = hypot(P[0] - ({x}), P[2] - ({z})); if (r < 0.5) Ci = {medium}; }}
             shape ground : plane {{ size = 400; material = matte(); }}
             shape w : rectangle {{ size = 6; material = emitter(radiance = 1); transform = translate({x}, 3, {z} - 4); }}
             shape tower : cube {{ size = 6; transform = translate(80, 3, -80); }}
             camera main : orthographic {{ from = ({x}, 2, {z} + 5); to = ({x}, 2, {z}); width = 0.1; }}
             {more}"
        )
    };
    for at in [[0.0, 0.0], [37.0, -61.0]] {
        for more in [
            "scene { medium = plume(); }",
            "shape air : cube { size = (300, 5.8, 300); material = plume(); transform = translate(0, 2.95, 0); }",
        ] {
            let text = plume("4 * absorption()", at, more);
            expect(&text, path(), 1024, [f64::exp(-4.0); 3], 0.05);
        }
        // In homogeneous fog, which all probes find.
        let text = plume(
            "4 * absorption(); else Ci = 0.01 * absorption()",
            at,
            "scene { medium = plume(); }",
        );
        expect(&text, path(), 1024, [f64::exp(-4.0 - 0.01 * 8.0); 3], 0.05);
    }
}

/// Instances share the majorants of a medium that depends only on object space, for any transforms.
#[test]
fn instances_of_a_medium_share_majorants() {
    let text = |medium: &str| {
        let balls = (0..60).map(|i| {
            let (x, y) = (3 * (i % 8) - 10, 3 * (i / 8) - 10);
            format!(
                "shape b{i} : sphere {{ material = m; transform = translate({x}, {y}, 0.3) * rotate((1, 2, 3), {i}); }}\n"
            )
        });
        format!(
            "film {{ size = (8, 8); }} light sky : environment {{ color = 1; }}
             camera main : perspective {{ from = (0, 0, 40); to = (0, 0, 0); fov = 40; }}
             volume v() {{ Ci = {medium}; }} material m = v(); {}",
            balls.collect::<String>()
        )
    };
    let stats = |medium: &str| built(&text(medium)).0.scene.medium_stats();
    let local = stats("max(0, 0.3 + noise(\"perlin\", 2 * transform(\"object\", P))) * henyey_greenstein(0)");
    assert_eq!((local.media, local.grids), (60, 1));
    // Different media share the number of probes.
    let different = stats("max(0, 0.3 + noise(\"perlin\", 2 * P)) * henyey_greenstein(0)");
    assert_eq!((different.media, different.grids), (60, 60));
    assert!(different.cells < 8 * local.cells, "{different:?}, {local:?}");
}
