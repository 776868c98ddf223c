//! Absorbing objects and nested objects: attenuation by Beer's law.

use std::f32::consts::{PI, SQRT_2};

use renderer::color::Rgb;
use renderer::integrator::{Integrator, PathSettings, PhotonSettings};

use super::against_path::{built, shot};

/// Absorption of the water [1/m].
const ABSORPTION: [f32; 3] = [1.0, 0.5, 0.0];

/// Water 1 m deep over a floor of albedo 0.5, as a box with a non-refracting surface, and a camera that looks down from
/// `height`.
fn pool(height: f32, things: &str) -> String {
    format!(
        "surface still(output closure color surface = 0)
         {{ surface = transparent() + anisotropic_vdf(color(0), color(1, 0.5, 0), 0.0); }}
         film {{ size = (4, 4); filter = box; }}
         camera main : orthographic {{ from = (0, {height}, 0); to = (0, 0, 0); up = (0, 0, 1); width = 0.001; }}
         material ground = matte(albedo = 0.5);
         shape floor : rectangle {{ size = 6; material = ground; transform = rotate((1, 0, 0), -90); }}
         shape water : cube {{ size = (4, 2, 4); material = still(); }}
         {things}"
    )
}

/// The radiance at the camera, equal for paths and photons, is `clear` attenuated over `distance` metres of water.
#[track_caller]
fn check(text: &str, clear: f32, distance: f32, spp: u64) {
    check_by(Integrator::Path(PathSettings::default()), text, clear, distance, spp);
    check_by(Integrator::Photon(PhotonSettings::default()), text, clear, distance, spp);
}

#[track_caller]
fn check_by(integrator: Integrator, text: &str, clear: f32, distance: f32, spp: u64) {
    for (found, absorption) in radiance(integrator, text, spp).into_iter().zip(ABSORPTION) {
        let expected = clear * (-absorption * distance).exp();
        let off = (found / expected - 1.0).abs();
        assert!(off < 0.005, "{found} is not {expected} by {}", integrator.name());
    }
}

/// The mean radiance at the camera.
fn radiance(integrator: Integrator, text: &str, spp: u64) -> [f32; 3] {
    let picture = shot(&built(text), integrator, spp).state.film.develop();
    let pixels = (0..16).map(|i| picture.rgb(i % 4, i / 4));
    (pixels.sum::<Rgb>() * (1.0 / 16.0)).to_array()
}

const SUN: &str = "light sun : directional { direction = (0, -1, 0); irradiance = 1; }";

/// Radiance of the floor in the sun.
const FLOOR_RADIANCE: f32 = 0.5 / PI;

#[test]
fn a_pool_floor_is_attenuated_by_water() {
    check(&pool(5.0, SUN), FLOOR_RADIANCE, 2.0, 4);
}

#[test]
fn a_camera_in_a_pool_is_in_water() {
    check(&pool(0.25, SUN), FLOOR_RADIANCE, 1.25, 4);
}

#[test]
fn light_in_a_pool_is_attenuated_by_water() {
    let lamp =
        "shape lamp : sphere { radius = 0.1; center = (0, 0.4, 0); material = emitter(radiance = 3); }";
    check(&pool(5.0, lamp), 3.0, 0.5, 4);
    // Seen from the side, on a floor below the light.
    let lit = "shape lamp : rectangle { size = 0.002; material = emitter(radiance = 1e6);
                                       transform = translate(0, 0.4, 0) * rotate((1, 0, 0), 90); }";
    check(&pool(0.25, lit), 0.5 / PI * 1e6 * 4e-6 / 0.16, 0.65, 64);
}

#[test]
fn glass_in_a_pool_displaces_water() {
    // Without reflections; on its axis, a sphere does not bend light.
    let ball =
        "shape ball : sphere { radius = 0.25; center = (0, 0.5, 0); material = glass(reflection_tint = 0); }
                shape lamp : rectangle { size = 1; material = emitter(radiance = 1);
                                         transform = translate(0, 0.02, 0) * rotate((1, 0, 0), -90); }";
    let through = 0.96_f32.powi(2);
    check(&pool(5.0, ball), through, 0.48, 4096);
}

/// An object of higher priority displaces water, with and without a medium; one of equal priority is in the water.
#[test]
fn objects_in_a_pool_displace_water_by_priority() {
    let pocket = |inside: &str, priority: u32| {
        format!(
            "{} surface pocket(output closure color surface = 0) {{ surface = transparent() {inside}; }}
             material gap = pocket() {{ priority = {priority}; }}
             shape air : cube {{ size = (1, 0.5, 1); material = gap; transform = translate(0, 0.5, 0); }}",
            pool(5.0, SUN)
        )
    };
    for inside in ["", "+ anisotropic_vdf(color(0), color(0), 0.0)", "+ color(1e-9) * absorption()"] {
        // Half a metre to the floor and again to the camera.
        check(&pocket(inside, 1), FLOOR_RADIANCE, 1.0, 4);
        check(&pocket(inside, 0), FLOOR_RADIANCE, 2.0, 4);
    }
}

/// A camera in nested objects: the interior list is known before the first ray.
#[test]
fn a_camera_in_nested_objects_is_in_the_highest_priority() {
    for (priority, distance) in [(1, 0.75), (0, 1.5)] {
        let text = format!(
            "{} surface pocket(output closure color surface = 0) {{ surface = transparent() + color(1e-9) * absorption(); }}
             material gap = pocket() {{ priority = {priority}; }}
             shape air : cube {{ size = (1, 0.5, 1); material = gap; transform = translate(0, 0.5, 0); }}",
            pool(0.5, SUN)
        );
        check(&text, FLOOR_RADIANCE, distance, 4);
    }
}

/// Water of the same depth in the sun, as a surface only.
fn sea(height: f32) -> String {
    pool(height, SUN).replace(
        "shape water : cube { size = (4, 2, 4);",
        "shape water : rectangle { size = 60; transform = translate(0, 1, 0) * rotate((1, 0, 0), -90);",
    )
}

#[test]
fn a_sheet_of_water_is_the_surface_of_a_sea() {
    check(&sea(5.0), FLOOR_RADIANCE, 2.0, 4);
}

#[test]
fn a_camera_under_a_sea_is_in_water() {
    check(&sea(0.25), FLOOR_RADIANCE, 1.25, 4);
}

/// A ray from the camera to the outside passes the hole; other rays find that there is water.
#[test]
fn a_camera_under_a_sea_with_a_hole_is_in_water() {
    let sea = sea(0.25).replace(
        "{ surface = transparent() +",
        "{ surface = transparent();
           if (distance(P, point(0.375, 1, 0.5625)) > 0.2) surface +=",
    );
    // Only random paths find light that depends on the point.
    check(&sea, FLOOR_RADIANCE, 1.25, 16384);
}

#[test]
fn a_camera_in_a_glass_ball_in_a_pool_is_in_no_water() {
    let ball =
        "shape ball : sphere { radius = 0.25; center = (0, 0.5, 0); material = glass(reflection_tint = 0); }
         shape lamp : rectangle { size = 1; material = emitter(radiance = 1);
                                  transform = translate(0, 0.02, 0) * rotate((1, 0, 0), -90); }";
    check(&pool(0.5, ball), 0.96 * 1.5 * 1.5, 0.23, 4096);
}

#[test]
fn light_samples_through_rough_glass_are_attenuated_by_water_behind_it() {
    let slab = "shape slab : cube { size = (3, 0.2, 3); transform = translate(0, 0.5, 0);
                                    material = glass(alpha = 0.05, reflection_tint = 0); }";
    let lamp = "shape lamp : rectangle { size = 0.02; material = emitter(radiance = 1000);
                                         transform = translate(0, 0.9, 0) * rotate((1, 0, 0), 90); }";
    let up = pool(0.2, &format!("{lamp}{slab}")).replace("to = (0, 0, 0)", "to = (0, 1, 0)");
    let [red, green, blue] = radiance(Integrator::Path(PathSettings::default()), &up, 256);
    for (found, absorption) in [(red / blue, ABSORPTION[0]), (green / blue, ABSORPTION[1])] {
        let expected = (-absorption * 0.5).exp();
        assert!((found / expected - 1.0).abs() < 0.02, "{found} is not {expected}");
    }
}

/// Only photons find light through a surface with slight refraction.
#[test]
fn photons_are_attenuated_by_water() {
    let glassy = pool(5.0, SUN).replace(
        "surface = transparent() +",
        "surface = dielectric_bsdf(N, vector(0), color(1), color(1), 0.0, 0.0, 1.001, \"ggx\") +",
    );
    let photons = Integrator::Photon(PhotonSettings::default());
    let [red, green, blue] = radiance(photons, &glassy, 64);
    assert!((blue / FLOOR_RADIANCE - 1.0).abs() < 0.3, "{blue} is not {FLOOR_RADIANCE}");
    for (found, absorption) in [(red / blue, ABSORPTION[0]), (green / blue, ABSORPTION[1])] {
        let expected = (-absorption * 2.0).exp();
        assert!((found / expected - 1.0).abs() < 0.01, "{found} is not {expected}");
    }
}

#[test]
fn water_in_front_of_hidden_lights_is_visible() {
    let lamp =
        "shape lamp : sphere { radius = 0.01; center = (0, 0.1, 0); material = emitter(radiance = 1e-9); }";
    let slanted = SUN.replace("(0, -1, 0)", "(1, -1, 0)");
    let hiding = Integrator::Path(PathSettings { hide_emitters: true, ..PathSettings::default() });
    let text = pool(0.25, &format!("{slanted}{lamp}"));
    check_by(hiding, &text, FLOOR_RADIANCE / SQRT_2, 0.25 + SQRT_2, 128);
}

/// Between panes, a photon is reflected hundreds of times. The limit is on segments, not only on photons.
#[test]
fn photons_between_panes_are_limited_by_their_segments() {
    let panes = |i: i32| {
        let y = 1.0 + 0.05 * f64::from(i);
        format!(
            "shape p{i} : cube {{ size = (4, 0.01, 4); material = glass(); transform = translate(0, {y}, 0); }}\n"
        )
    };
    let text = format!(
        "film {{ size = (4, 4); filter = box; }}
         light p : point {{ position = (0, 3, 0); intensity = 10; }}
         shape floor : plane {{ size = 4; material = matte(albedo = 0.5); }}
         camera main : perspective {{ from = (0.6, 0.8, 0.7); to = (0, 0, 0); fov = 30; }}
         {}",
        (0..30).map(panes).collect::<String>()
    );
    let count = 8192;
    let settings = PhotonSettings {
        photons: Some(count),
        caustic_photons: Some(count),
        ..PhotonSettings::default()
    };
    let rendered = shot(&built(&text), Integrator::Photon(settings), 1);
    let photons = rendered.stats.photons.expect("it has photons");
    assert!(photons.shot.iter().all(|&shot| shot > 0), "{:?}", photons.shot);
    // For each of two maps, one pilot and one batch with about 45 segments per photon; without a limit 8 batches.
    let most = 2 * 2 * 60 * count;
    assert!(photons.rays < most, "{}", photons.rays);
}
