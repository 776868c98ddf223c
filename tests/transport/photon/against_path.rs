//! Photon maps against the path tracer: regression scenes whose pictures may differ only by noise.

use renderer::image::Image;
use renderer::integrator::{Integrator, PathSettings, PhotonSettings};
use renderer::render::{RenderSettings, Rendered, SampleUnit};
use renderer::scene::build::{Built, build};
use support::scenes::{load_text, render_scene};

use super::mean;

/// A closed box of 2 m with the materials `floor` for its floor and `front` for its front.
const BOX: &str = "
    film { size = (24, 24); filter = box; }
    material white = matte(albedo = 0.8);
    shape bottom : rectangle { material = floor; transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); }
    shape top : rectangle { material = white; transform = translate(0, 1, 0) * rotate((1, 0, 0), 90); }
    shape back : rectangle { material = white; transform = translate(0, 0, -1); }
    shape near : rectangle { material = front; transform = translate(0, 0, 1) * rotate((0, 1, 0), 180); }
    shape left : rectangle { material = white; transform = translate(-1, 0, 0) * rotate((0, 1, 0), 90); }
    shape right : rectangle { material = white; transform = translate(1, 0, 0) * rotate((0, 1, 0), -90); }
    shape lamp : rectangle { size = 0.5; material = emitter(radiance = 10);
                             transform = translate(0, 0.99, 0) * rotate((1, 0, 0), 90); }
";

pub(crate) fn built(text: &str) -> (Built, [u32; 2]) {
    let desc = load_text(text, &[]);
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    (built, desc.film.size.value)
}

pub(crate) fn shot(scene: &(Built, [u32; 2]), integrator: Integrator, spp: u64) -> Rendered {
    let (built, size) = scene;
    let settings = RenderSettings {
        filter: built.filter.clone(),
        integrator,
        samples: 0..spp,
        total: spp,
        unit: SampleUnit::Path,
        seed: 3,
        threads: 2,
        ..RenderSettings::of_camera(built.camera.clone(), *size)
    };
    render_scene(&built.scene, &settings)
}

fn path(scene: &(Built, [u32; 2]), spp: u64) -> Image {
    shot(scene, Integrator::Path(PathSettings::default()), spp).state.film.develop()
}

fn progressive() -> Integrator {
    Integrator::Photon(PhotonSettings { progressive: true, ..PhotonSettings::default() })
}

/// Means of square blocks of pixels, over all channels.
fn blocks(image: &Image, side: usize) -> Vec<f64> {
    let (columns, rows) = (image.width / side, image.height / side);
    let mut sums = vec![0.0; columns * rows];
    for (i, value) in image.data.iter().enumerate() {
        let (x, y) = (i / 3 % image.width / side, i / 3 / image.width / side);
        if x < columns && y < rows {
            sums[y * columns + x] += f64::from(*value) / (3 * side * side) as f64;
        }
    }
    sums
}

#[test]
fn tilted_normals_scatter_photons_like_paths() {
    for tilt in [1.0, 2.0] {
        let scene = built(&format!(
            "{BOX}
             camera main : perspective {{ from = (0, 0, 0.9); to = (0, -0.9, -0.5); fov = 60; }}
             surface tilted(output closure color surface = 0)
             {{ surface = 0.8 * diffuse(normalize(N + {tilt} * normalize(dPdu))); }}
             material floor = tilted();
             material front = matte(albedo = 0.8);"
        ));
        let ratio = mean(&shot(&scene, progressive(), 80).state.film.develop()) / mean(&path(&scene, 512));
        assert!((ratio - 1.0).abs() < 0.02, "tilt {tilt}: {ratio}");
    }
}

#[test]
fn one_pass_includes_light_scattered_at_tilted_normals() {
    for tilt in [0.6, 1.5] {
        let scene = built(&format!(
            "{BOX}
             camera main : perspective {{ from = (0, 0, 0.9); to = (0, -0.1, -1); fov = 70; }}
             surface tilted(output closure color surface = 0)
             {{ surface = 0.8 * diffuse(normalize(N + {tilt} * normalize(dPdu))); }}
             material floor = tilted();
             material front = matte(albedo = 0.8);"
        ));
        let one_pass = Integrator::Photon(PhotonSettings::default());
        let ratio = mean(&shot(&scene, one_pass, 64).state.film.develop()) / mean(&path(&scene, 256));
        assert!((ratio - 1.0).abs() < 0.015, "tilt {tilt}: {ratio}");
    }
}

/// Weights of layers, and of shaders that read `I`, are those for the viewer: photons must not evaluate them from the
/// light.
#[test]
fn photons_evaluate_closures_for_the_viewer() {
    let facing = "surface facing(output closure color surface = 0)
                  { float c = abs(dot(normalize(I), N)); surface = 0.95 * c * c * diffuse(N); }";
    let materials = [
        "material floor = plastic(albedo = 0.95, alpha = 0, ior = 1.8); material front = floor;",
        "material floor = plastic(albedo = 0.95, alpha = 0.4, ior = 2.5); material front = floor;",
        "material floor = facing(); material front = matte(albedo = 0.8);",
    ];
    for material in materials {
        let mut text = format!(
            "{BOX}
             camera main : perspective {{ from = (0, 0, 0.9); to = (0, -0.3, -1); fov = 70; }}
             {facing}
             {material}"
        );
        if material.contains("front = floor") {
            text = text.replace("material = white;", "material = floor;");
            text = text.replace("material front = floor;", "");
            text = text.replace("material = front;", "material = floor;");
        }
        let scene = built(&text);
        let ratio = mean(&shot(&scene, progressive(), 16).state.film.develop()) / mean(&path(&scene, 128));
        assert!((ratio - 1.0).abs() < 0.03, "{material}: {ratio}");
    }
}

#[test]
fn photons_of_nan_are_dropped_and_counted() {
    let scene = built(&format!(
        "{BOX}
         camera main : perspective {{ from = (0, 0, 0.9); to = (0, -0.3, -1); fov = 60; }}
         surface bad(output closure color surface = 0)
         {{ surface = ((u < 0.1 && v < 0.1) ? (1e30 + u) * 1e30 - (2e30 + u) * 1e30 : 0.8) * diffuse(N); }}
         material floor = matte(albedo = 0.8);
         material front = bad();"
    ));
    let rendered = shot(&scene, progressive(), 64);
    let lost = rendered.stats.photons.as_ref().map_or(0, |photons| photons.non_finite);
    assert!(lost > 0, "photons hit the spot");
    let ratio = mean(&rendered.state.film.develop()) / mean(&path(&scene, 512));
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

/// Small objects over a wide floor, lit through narrow lobes: one default pass.
fn small_in_wide(text: &str) {
    let scene = built(text);
    let (ours, path) = (
        shot(&scene, Integrator::Photon(PhotonSettings::default()), 128)
            .state
            .film
            .develop(),
        path(&scene, 512),
    );
    let ratio = mean(&ours) / mean(&path);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    for (i, (ours, path)) in blocks(&ours, 8).into_iter().zip(blocks(&path, 8)).enumerate() {
        assert!((ours / path - 1.0).abs() < 0.1, "block {i}: {ours} for {path}");
    }
}

#[test]
fn rough_metal_over_a_wide_glass_floor_matches_paths() {
    small_in_wide(
        "film { size = (48, 40); filter = box; }
         camera main : perspective { from = (1.2, 2, 6); to = (0.5, 0.8, 0); fov = 20; }
         light sky : environment { color = (0.7, 0.9, 1.2); ground = 0.3; }
         shape floor : plane { size = 77; material = glass(ior = 1.33, alpha = 0); }
         shape can : cylinder { radius = 0.48; height = 0.48; transform = translate(0.6, 0.8, 0) * rotate((1, 0.3, 0.4), 70);
                                material = metal(eta = (0.464, 0.613, 1.23), extinction = (3.858, 2.223, 3.351), alpha = 0.3); }",
    );
}

#[test]
fn rough_metal_next_to_a_mirror_on_a_wide_floor_matches_paths() {
    small_in_wide(
        "film { size = (48, 40); filter = box; }
         camera main : perspective { from = (2, 2.2, 4); to = (0, 0.5, 0); fov = 25; }
         light sky : environment { color = (0.395, 0.847, 0.502); }
         shape floor : plane { size = 40; material = matte(albedo = (0.667, 0.125, 0.402)); }
         shape mirror : sphere { radius = 0.55; center = (0, 0.6, 0);
                                 material = metal(eta = (0.646, 1.368, 0.207), extinction = (3.539, 3.174, 3.511), alpha = 0); }
         shape rough : sphere { radius = 0.33; center = (0.9, 0.7, 0.2);
                                material = metal(eta = (1.343, 0.836, 0.251), extinction = (3.725, 3.23, 2.289), alpha = 0.3); }",
    );
}

#[test]
fn caustics_do_not_leak_through_a_wall() {
    // A common floor of two rooms: in the bright one, a metal ball casts a caustic at the foot of the wall between
    // them.
    let rooms = built(
        "film { size = (24, 24); filter = box; }
         camera main : perspective { from = (6, 1, 0); to = (0, -1, 0); fov = 30; }
         material white = matte(albedo = 0.5);
         shape bottom : rectangle { size = 40; material = white;
                                    transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); }
         shape wall : rectangle { size = (40, 4); material = white; transform = rotate((0, 1, 0), 90); }
         shape ball : sphere { center = (-0.7, -0.5, 0); radius = 0.4; material = metal(alpha = 0.02); }
         shape lamp : rectangle { size = 0.5; material = emitter(radiance = 50);
                                  transform = translate(-1.5, 1, 0) * rotate((1, 0, 0), 90); }
         light night : sky { sun_scale = 0; sky_scale = 0.001; }",
    );
    let paths = path(&rooms, 64);
    let photons = shot(&rooms, Integrator::Photon(PhotonSettings::default()), 64);
    let photons = photons.state.film.develop();
    let foot = blocks(&photons, 4).into_iter().zip(blocks(&paths, 4));
    let worst = foot.map(|(a, b)| a / b).fold(0.0, f64::max);
    assert!(worst < 1.1, "{worst}");
}

#[test]
fn walls_far_from_the_origin_match_paths() {
    // Coordinates along x are rounded to 8 mm, so that photons are not exactly in their plane.
    let room = built(
        "film { size = (16, 12); filter = box; }
         camera main : perspective { transform = translate(100000, 0.5, 2.6) * rotate((1, 0, 0), -15); fov = 60; }
         material white = matte(albedo = 0.6);
         shape room : cube { size = 6; flip_normals = true; material = white; transform = translate(100000, 0, 0); }
         shape lamp : rectangle { size = 1; material = emitter(radiance = 20);
                                  transform = translate(100000, 2.9, 0) * rotate((1, 0, 0), 90); }
         shape block : cube { size = 1; material = white;
                              transform = translate(100000, -2.5, 0) * rotate((0, 1, 0), 30); }",
    );
    let photons = shot(&room, Integrator::Photon(PhotonSettings::default()), 64);
    let ratio = mean(&photons.state.film.develop()) / mean(&path(&room, 256));
    assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
}

#[test]
fn frosted_objects_absorb_photons_like_paths() {
    small_in_wide(
        "film { size = (48, 40); filter = box; }
         camera main : perspective { from = (2, 2.2, 4); to = (0, 0.5, 0); fov = 25; }
         light sky : environment { color = 0.8; }
         shape floor : plane { size = 20; material = matte(albedo = 0.6); }
         shape ball : sphere { radius = 0.55; center = (0, 0.6, 0);
                               material = glass(alpha = 0.09, attenuation_color = 0.5, attenuation_distance = 0.6); }",
    );
}

#[test]
fn coloured_glass_stores_about_as_many_photons_as_clear_glass() {
    let share = |tint: &str| {
        let scene = built(&format!(
            "film {{ size = (8, 8); filter = box; }}
             camera main : perspective {{ from = (2, 2.2, 4); to = (0, 0.5, 0); fov = 25; }}
             light sky : environment {{ color = 0.8; }}
             shape floor : plane {{ size = 20; material = matte(albedo = 0.6); }}
             shape ball : sphere {{ radius = 0.5; center = (0, 0.52, 0);
                                   material = glass(transmission_tint = {tint}); }}",
        ));
        let stats = shot(&scene, Integrator::Photon(PhotonSettings::default()), 1).stats;
        let stats = stats.photons.expect("it has photons");
        let [_, stored] = stats.stored;
        let [_, shot] = stats.shot;
        stored as f64 / shot as f64
    };
    let (clear, blue) = (share("1"), share("(0.02, 0.02, 1)"));
    assert!(blue > 0.7 * clear, "{blue} of {clear}");
}

/// Transparent surfaces do not bound irradiance records: an invisible shell, the transparent parts of a decal, panes,
/// and the boundary of fog, each close to the walls. Photons on a veil do not count for the floor behind it.
#[test]
fn transparent_surfaces_do_not_bound_irradiance_records() {
    let scene = |content: &str| {
        built(&format!(
            "{BOX}
             camera main : perspective {{ from = (0, -0.2, 0.9); to = (0, -0.3, -1); fov = 80; }}
             material floor = matte(albedo = 0.8);
             material front = matte(albedo = 0.8);
             {content}"
        ))
    };
    let near_floor = "transform = translate(0, -0.995, 0) * rotate((1, 0, 0), -90);";
    let contents = [
        "shape nothing : cube { size = 1.99; material = cutout(opacity = 0); }".to_owned(),
        format!("shape nothing : rectangle {{ size = 1.98; material = cutout(opacity = 0); {near_floor} }}"),
        format!(
            "group decal(output closure color surface) {{ dots d(scale = 6); matte m(albedo = 0.3);
                 cutout c(base = m.surface, opacity = d.mask); surface = c.surface; }}
             shape cards : rectangle {{ size = 1.98; material = decal(); {near_floor} }}"
        ),
        format!("shape pane : rectangle {{ size = 1.98; material = thin_glass(); {near_floor} }}"),
        format!(
            "group veil(output closure color surface) {{
                 matte m(albedo = 0.3); cutout c(base = m.surface, opacity = 0.2); surface = c.surface; }}
             shape veil : rectangle {{ size = 1.98; material = veil(); {near_floor} }}"
        ),
        "group fog(output closure color surface) {
             cutout c(opacity = 0); absorbing a(base = c.surface, absorption = 0.3); surface = a.surface; }
         shape air : cube { size = 1.98; material = fog(); }"
            .to_owned(),
    ];
    for content in contents {
        let scene = scene(&content);
        // Wide kernels, which overlap surfaces close to the walls.
        let one_pass = Integrator::Photon(PhotonSettings {
            photons: Some(60_000),
            caustic_photons: Some(60_000),
            ..PhotonSettings::default()
        });
        let ratio = mean(&shot(&scene, one_pass, 64).state.film.develop()) / mean(&path(&scene, 256));
        assert!((ratio - 1.0).abs() < 0.015, "{content}: {ratio}");
    }
}
