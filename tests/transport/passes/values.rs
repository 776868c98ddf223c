//! Values of the first surface, coverage and identifiers in known scenes.

use renderer::passes::{PassDesc, PassSet, crypto_id, id_as_float};
use renderer::render::RenderSettings;
use renderer::scene::build::{Built, build_with_values};
use support::scenes::load_text;

use super::{Layers, layers};

fn built(text: &str, passes: &[&str]) -> Built {
    let passes = passes.iter().flat_map(|text| PassDesc::parse(text).expect("a pass"));
    let values = PassSet::new(passes.collect()).expect("different names").shader_values();
    build_with_values(&load_text(text, &[]), None, 1, &values).unwrap_or_else(|errors| panic!("{errors}"))
}

fn rendered(text: &str, passes: &[&str], spp: u64) -> Layers {
    let built = built(text, passes);
    let settings = RenderSettings {
        integrator: built.integrator,
        filter: built.filter.clone(),
        // The pilot's choice depends on the visible background.
        adaptive: false,
        samples: 0..spp,
        total: spp,
        ..RenderSettings::of_camera(built.camera.clone(), [16, 16])
    };
    layers(&built, &built.names, passes, settings)
}

/// A wall at 5 m that fills the left half of the film, of opacity 0.25, in front of one at 8 m that fills the lower
/// half.
const WALLS: &str = r#"
    shape near : rectangle { size = (20, 20); transform = translate(-10, 0, -5); material = veil; }
    shape far : rectangle { size = (40, 40); transform = translate(0, -20, -8); material = grey; }
    material veil = cutout(base = matte(albedo = (0.8, 0.4, 0.2)), opacity = 0.25);
    material grey = matte(albedo = 0.5);
    light sky : environment { color = 1; }
    camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 60; }
    film { size = (16, 16); filter = box(0.5); }
    integrator : path { split = 1; light_samples = 1; guide = false; }
"#;

#[test]
fn coverage_and_values_are_weighted_by_visibility() {
    let passes = ["alpha", "depth", "N", "albedo", "opacity", "P", "crypto", "object_id", "facing"];
    let found = rendered(WALLS, &passes, 256);
    let pixel = |x: usize, y: usize| y * 16 + x;
    // Top left, top right, bottom left, bottom right: coverage and depth.
    let (alpha, depth) = (found.layered.picture.data.chunks_exact(4), found.of("depth"));
    let alpha: Vec<f32> = alpha.map(|pixel| pixel[3]).collect();
    let near = 0.25;
    for (x, y, covered, distance) in [
        (3, 3, near, 5.0),
        (12, 3, 0.0, 1e10),
        (3, 12, 1.0, 5.0 * near + 8.0 * (1.0 - near)),
        (12, 12, 1.0, 8.0),
    ] {
        let (a, z) = (alpha[pixel(x, y)], depth[pixel(x, y)][0]);
        assert!((a - covered).abs() < 0.02, "coverage at {x}, {y}: {a} for {covered}");
        assert!((z / distance - 1.0).abs() < 0.02, "depth at {x}, {y}: {z} for {distance}");
    }
    let albedo = &found.of("albedo")[pixel(3, 12)];
    for (v, expected) in albedo.iter().zip([0.8, 0.4, 0.2].map(|v| v * near + 0.5 * (1.0 - near))) {
        assert!((v - expected).abs() < 0.02, "{albedo:?}");
    }
    let opacity = &found.of("opacity")[pixel(3, 3)];
    assert!((opacity[0] - near).abs() < 1e-3, "{opacity:?}");
    // Cryptomatte ranks of identifiers: the far wall first.
    let crypto = &found.of("crypto_object00")[pixel(3, 12)];
    assert_eq!(crypto[0].to_bits(), id_as_float(crypto_id("far")).to_bits());
    assert_eq!(crypto[2].to_bits(), id_as_float(crypto_id("near")).to_bits());
    assert!((crypto[1] - 0.75).abs() < 0.02 && (crypto[3] - 0.25).abs() < 0.02, "{crypto:?}");
    // Names are sorted: `far` is 1, `near` 2.
    let numbers = found.of("object_id");
    assert_eq!(
        [(3, 3), (12, 3), (3, 12), (12, 12)].map(|(x, y)| numbers[pixel(x, y)][0]),
        [2.0, 0.0, 1.0, 1.0]
    );
}

#[test]
fn denoising_features_follow_mirrors() {
    // The mirror shows a red wall behind the camera.
    let scene = r#"
        shape glass : rectangle { size = (9, 9); transform = translate(0, 0, -3); material = mirror_surface(); }
        shape wall : rectangle { size = (90, 90); transform = translate(0, 0, 9) * rotate((0, 1, 0), 180); material = red; }
        material red = matte(albedo = (0.7, 0.1, 0.1));
        light sky : environment { color = 1; }
        film { size = (16, 16); }
        camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 30; }
    "#;
    let found = rendered(scene, &["albedo", "first_albedo", "N", "Ng", "roughness", "depth"], 4);
    let center = 8 * 16 + 8;
    let [albedo, first] = ["albedo", "first_albedo"].map(|layer| found.of(layer)[center].clone());
    assert!(albedo[0] > 0.5 && albedo[1] < 0.2, "the wall in the mirror: {albedo:?}");
    assert!(first[1] > 0.8, "the mirror itself: {first:?}");
    let normal = &found.of("N")[center];
    assert!(normal[2] < -0.9, "the wall faces the mirror: {normal:?}");
    let depth = found.of("depth")[center][0];
    assert!((depth - 3.0).abs() < 0.02, "the mirror's distance: {depth}");
    assert_eq!(found.of("roughness")[center][0], 0.0);
}

/// A transparent picture composited over a background equals the picture with that background.
#[test]
fn transparent_pictures_composite_over_others() {
    let background = 0.7;
    let scene = |film: &str| {
        WALLS
            .replace(
                "environment { color = 1; }",
                &format!("environment {{ color = {background}; }}"),
            )
            .replace("film { ", &format!("film {{ {film} "))
    };
    let with = rendered(&scene(""), &["alpha"], 64);
    let without = rendered(&scene("background = transparent;"), &["alpha"], 64);
    let pairs = with
        .layered
        .picture
        .data
        .chunks_exact(4)
        .zip(without.layered.picture.data.chunks_exact(4));
    let mut clear = 0;
    for (with, without) in pairs {
        let over = without[0] + (1.0 - without[3]) * background;
        assert!((over - with[0]).abs() < 1e-4, "{over} for {}", with[0]);
        clear += usize::from(without[3] == 0.0);
    }
    assert!(clear > 30, "{clear} pixels show the background alone");
}

/// Outputs of units and groups, and attributes, are layers; a single number is in all channels.
#[test]
fn shader_outputs_become_layers() {
    let scene = r#"
        surface marked(output color mask = 0, output float wear = 0, output closure color surface = 0) {
            mask = color(0.25, u, v);
            wear = 0.75;
            surface = diffuse(N);
        }
        group outer(output color mask, output closure color surface) {
            marked inner();
            mask = inner.mask * 0.5;
            surface = inner.surface;
        }
        shape left : rectangle { size = (9, 9); transform = translate(-4.5, 0, -2); material = marked(); attributes = { wet = 0.5; } }
        shape right : rectangle { size = (9, 9); transform = translate(4.5, 0, -2); material = outer();
            attributes = { wet = (0.1, 0.2, 0.3); } }
        light sky : environment { color = 1; }
        film { size = (16, 16); }
        camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 50; }
    "#;
    let found = rendered(scene, &["shader:mask", "worn=shader:wear", "attribute:wet"], 4);
    let at = |layer: &str, x: usize| found.of(layer)[8 * 16 + x].clone();
    let close = |a: Vec<f32>, b: [f32; 3]| {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} for {b:?}");
    };
    assert!((at("mask", 3)[0] - 0.25).abs() < 1e-5 && at("mask", 3)[1] > 0.5);
    assert!((at("mask", 12)[0] - 0.125).abs() < 1e-5);
    close(at("worn", 3), [0.75; 3]);
    close(at("worn", 12), [0.0; 3]);
    close(at("wet", 3), [0.5; 3]);
    close(at("wet", 12), [0.1, 0.2, 0.3]);
}

/// A shadow catcher is opaque in shadow and transparent elsewhere; a holdout hides objects behind it and is black; both
/// are absent from the picture and still light other objects.
#[test]
fn shadow_catchers_affect_only_alpha() {
    let scene = r#"
        shape floor : plane { size = 40; material = matte(albedo = 0.5); catcher = shadow; }
        shape roof : rectangle { size = (4, 40); transform = translate(-4, 3, 0) * rotate((1, 0, 0), 90); material = matte(albedo = 0.3); }
        shape hole : cube { size = (1, 6, 1); transform = translate(2.2, 0, 0); material = matte(albedo = 0.9); catcher = holdout; }
        light sun : directional { direction = (0, -1, 0); irradiance = 3; }
        camera main : perspective { from = (0, 2, 9); to = (0, 0.2, 0); fov = 40; }
        film { size = (16, 16); filter = box(0.5); }
    "#;
    let found = rendered(scene, &["alpha"], 64);
    let pixel = |x: usize, y: usize| found.layered.picture.data[(y * 16 + x) * 4..][..4].to_vec();
    // The shadow of the roof, the lit floor, and the hole.
    let (dark, lit, hole) = (pixel(0, 9), pixel(8, 12), pixel(12, 7));
    assert_eq!(dark, [0.0, 0.0, 0.0, 1.0], "in the shadow");
    assert_eq!(lit, [0.0; 4], "in the light");
    assert_eq!(hole, [0.0; 4], "in the hole");
    // The floor lights the roof from below.
    let roof = found.layered.picture.data.chunks_exact(4).any(|pixel| pixel[0] > 0.01);
    assert!(roof, "the floor reflects light");
}

/// A shader holds out a part of its coverage: that part is black and transparent.
#[test]
fn holdouts_of_shaders_reduce_alpha() {
    let scene = r#"
        surface parts(output closure color surface = 0) {
            surface = u < 0.5 ? holdout() : 0.25 * holdout() + 0.75 * emission();
        }
        shape behind : rectangle { size = (40, 40); transform = translate(0, 0, -3); material = emitter(radiance = 5); }
        shape front : rectangle { size = (4, 4); material = parts(); }
        camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 20; }
        film { size = (16, 16); filter = box(0.5); }
    "#;
    let found = rendered(scene, &["alpha"], 16);
    let pixel = |x: usize| found.layered.picture.data[(8 * 16 + x) * 4..][..4].to_vec();
    assert_eq!(pixel(3), [0.0; 4], "held out");
    assert_eq!(pixel(12), [0.75; 4], "held out by a quarter");
}

/// A held-out part of a wall has no radiance and no coverage, and nothing behind it is visible. Closure weights above
/// one in total are limited to one.
#[test]
fn holdout_closures_have_zero_alpha() {
    let seen = |surface: &str| {
        let scene = format!(
            r#"
            surface torn(output closure color surface = 0) {{ surface = {surface}; }}
            shape wall : rectangle {{ size = (40, 40); transform = translate(0, 0, -5); material = torn(); }}
            shape ground : rectangle {{ size = (60, 40); transform = translate(0, -20, -8); material = matte(albedo = 0.5); }}
            light sky : environment {{ color = 1; }}
            camera main : perspective {{ from = (0, 0, 0); to = (0, 0, -1); fov = 60; }}
            film {{ size = (16, 16); filter = box(0.5); background = transparent; }}
            integrator : path {{ split = 1; light_samples = 1; guide = false; }}
            "#
        );
        let passes = ["alpha", "crypto_object", "object_id", "opacity"];
        let found = rendered(&scene, &passes, 256);
        // In front of the sky, and in front of the ground.
        [(8, 3), (8, 12)].map(|(x, y)| {
            let pixel = y * 16 + x;
            let [r, g, b, alpha] = [0, 1, 2, 3].map(|c| found.layered.picture.data[4 * pixel + c]);
            assert!(r == g && g == b, "{surface}: {r} {g} {b}");
            let (crypto, number) = (&found.of("crypto_object00")[pixel], &found.of("object_id")[pixel]);
            let is_wall = crypto[0].to_bits() == id_as_float(crypto_id("wall")).to_bits();
            let coverage = if is_wall { crypto[1] } else { 0.0 };
            let numbered = number[0] == 2.0;
            (r, alpha, coverage, numbered, found.of("opacity")[pixel][0])
        })
    };
    let close = |surface: &str, expected: [[f32; 4]; 2]| {
        for ((light, alpha, coverage, _, opacity), expected) in seen(surface).into_iter().zip(expected) {
            for (v, e) in [light, alpha, coverage, opacity].into_iter().zip(expected) {
                let found = (light, alpha, coverage, opacity);
                assert!((v - e).abs() < 0.03, "{surface}: {found:?} is not {expected:?}");
            }
        }
    };
    // Radiance, alpha, coverage of the wall in its mask, and its opacity. The ground is behind the wall, and in its
    // shadow.
    let hole = seen("holdout()");
    for (light, alpha, coverage, numbered, opacity) in hole {
        assert_eq!((light, alpha, coverage, numbered, opacity), (0.0, 0.0, 0.0, false, 0.0));
    }
    for surface in ["2 * holdout()", "holdout() + transparent() * 0", "layer(holdout(), diffuse(N))"] {
        close(surface, [[0.0; 4]; 2]);
    }
    close("0.25 * holdout() + 0.75 * emission()", [[0.75, 0.75, 0.75, 0.75]; 2]);
    close("0.25 * emission() + -3 * holdout()", [[0.25, 1.0, 1.0, 1.0]; 2]);
    // Undeviated through the other half: the sky is transparent, the ground is visible.
    let [sky, ground] = seen("0.5 * holdout() + 0.5 * transparent()");
    assert!(sky.1.abs() < 0.05 && (ground.1 - 0.5).abs() < 0.05, "{sky:?} {ground:?}");
    assert!(sky.0 == 0.0 && ground.0 > 0.02, "{sky:?} {ground:?}");
    // The weights exceed one: transparency has precedence, and the holdout gets the rest.
    let [sky, ground] = seen("holdout() + 0.5 * transparent()");
    assert!(sky.1.abs() < 0.05 && (ground.1 - 0.5).abs() < 0.05, "{sky:?} {ground:?}");
}

/// Holdouts are black in mirrors; the mirrors themselves have full coverage.
#[test]
fn holdouts_are_black_in_mirrors() {
    let scene = r#"
        surface hole(output closure color surface = 0) { surface = holdout(); }
        shape glass : rectangle { size = (9, 9); transform = translate(0, 0, -3); material = mirror_surface(); }
        shape wall : rectangle { size = (90, 90); transform = translate(0, 0, 9) * rotate((0, 1, 0), 180); material = hole(); }
        light sky : environment { color = 1; }
        film { size = (16, 16); background = transparent; }
        camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 30; }
    "#;
    let found = rendered(scene, &["alpha"], 4);
    assert_eq!(found.layered.picture.data[4 * (8 * 16 + 8)..][..4], [0.0, 0.0, 0.0, 1.0]);
}

/// A wall behind haze: denoising features are a mixture of both, without holes; depth is that of the wall.
#[test]
fn haze_has_an_albedo_and_faces_the_viewer() {
    let text = "shape wall : rectangle { size = 60; transform = translate(0, 0, -8); material = matte(albedo = 0.5); }
        shape haze : cube { size = (60, 60, 4); transform = translate(0, 0, -4);
                            material = fog(density = 0.25, albedo = 0.8, anisotropy = 0); }
        light sky : environment { color = 1; }
        camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 20; }
        film { size = (16, 16); filter = box(0.5); }
        integrator : path { split = 1; light_samples = 1; guide = false; }";
    let found = rendered(text, &["albedo", "N", "depth", "alpha", "direct_volume"], 256);
    let left = f32::exp(-1.0);
    let middle = 8 * 16 + 8;
    let (albedo, normal) = (&found.of("albedo")[middle], &found.of("N")[middle]);
    let expected = 0.5 * left + 0.8 * (1.0 - left);
    assert!((albedo[0] - expected).abs() < 0.04, "{albedo:?}, not {expected}");
    assert!(normal[2] > 0.85, "{normal:?}");
    assert!((found.of("depth")[middle][0] - 8.0).abs() < 0.1);
    assert!(found.of("direct_volume")[middle][0] > 0.05);
}

#[test]
fn coverage_does_not_depend_on_the_throughput_of_camera_rays() {
    let shader = r#"
        shader vignette(output vector direction = 0, output color throughput = 0.25)
        {
            if (v > 0.5) direction = vector(u - 0.5, v - 0.5, 1);
        }"#;
    let camera = "camera main : custom { shader = vignette(); from = (0, 0, 0); to = (0, 0, -1); }";
    let text = WALLS.replace(
        "camera main : perspective { from = (0, 0, 0); to = (0, 0, -1); fov = 60; }",
        camera,
    );
    let found = rendered(&format!("{shader}{text}"), &["alpha"], 256);
    let alpha: Vec<f32> = found.layered.picture.data.chunks_exact(4).map(|pixel| pixel[3]).collect();
    for (x, y, covered) in [(3, 3, 0.25), (12, 3, 0.0), (3, 12, 0.0), (12, 12, 0.0)] {
        let found = alpha[y * 16 + x];
        assert!((found - covered).abs() < 0.02, "coverage at {x}, {y}: {found} for {covered}");
    }
}
