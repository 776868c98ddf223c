//! Choices of pilots: integrator, branches, light samples, guides; with time limits, for errors and for parts.

use std::path::Path;

use crate::program::{bytes, done, folder, message, run, scene_folder};
use serde_json::Value;

/// A ball lit by a light, in the open or behind a wall with a gap.
fn lit_ball(walls: &str) -> String {
    format!(
        "film {{ size = (64, 48); filter = box; }}\n\
         camera main : perspective {{ from = (-2, 0.5, 3); to = (-2, 0, 0); fov = 70; }}\n\
         material white = matte(albedo = 0.7); material glow = emitter(radiance = 60);\n\
         shape ball : sphere {{ material = white; center = (-2, -0.5, 0); radius = 0.5; }}\n\
         shape lamp : rectangle {{ material = glow; transform = translate(3, 0.99, 0) * rotate((1, 0, 0), 90) * scale(0.2); }}\n\
         {walls}"
    )
}

const FLOOR: &str = "shape floor : plane { size = 20; material = white; transform = translate(0, -1, 0); }";

const WALLS: &str = "shape room : cube { size = (12, 2, 8); material = white; }\n\
     shape wall : cube { size = (0.1, 2, 7.4); material = white; transform = translate(0.5, 0, -0.3); }";

/// Statistics of a render.
fn statistics(at: &Path, render: &str) -> Value {
    done(at, &format!("render {render} -o o.exr --stats s.json"));
    serde_json::from_slice(&bytes(at, "s.json")).unwrap()
}

#[test]
fn auto_chooses_paths_for_direct_light_and_photons_for_indirect_light_or_caustics() {
    // Its caustics are too rare for the pilot's samples, and too bright for unguided paths.
    let plates = include_str!("../../scenes/veach_plates.kiln")
        .replace("integrator : path { }", "integrator : auto { guide = false; }");
    let folder = folder(&[
        ("open.kiln", &lit_ball(FLOOR)),
        ("walls.kiln", &lit_ball(WALLS)),
        ("plates.kiln", &plates),
    ]);
    for (name, expected) in [("open", "path"), ("walls", "photon"), ("plates", "photon")] {
        let gains = [1, 3].map(|threads| {
            let line = format!(
                "render {name}.kiln -o o.exr --integrator auto --threads {threads} --spp 20000 --samples 0..1 --stats s.json"
            );
            let reported = message(&run(folder.path(), &line));
            assert!(reported.contains(&format!("auto: {expected}")), "{name}: {reported}");
            let stats: Value = serde_json::from_slice(&bytes(folder.path(), "s.json")).unwrap();
            assert_eq!(stats["decision"]["integrator"], expected, "{name}");
            stats["decision"]["gain"].as_f64().unwrap()
        });
        assert!(gains[0] > 1.0);
        assert_eq!(gains[0], gains[1], "{name}: one thread and three");
    }
}

/// Photon maps that take longer than the time limit are not chosen, regardless of the number of samples.
#[test]
fn auto_considers_the_time_limit() {
    let folder = scene_folder(&lit_ball(WALLS));
    let chosen = |options: &str| {
        let stats = statistics(folder.path(), &format!("a.kiln --integrator auto --spp 20000 {options}"));
        // Without time for a pilot, there is no decision, and the integrator is `path`.
        stats["decision"]["integrator"].as_str().unwrap_or("path").to_owned()
    };
    assert_eq!(chosen("--time 0.1s"), "path");
    // Renders of a sample range ignore the time limit, because other parts may have more time.
    assert_eq!(chosen("--time 0.1s --samples 0..1"), "photon");
}

/// Without a limit, the map of such a small picture has 2^18 photons, minus those that become irradiance records.
#[test]
fn photon_maps_fit_into_a_time_limit() {
    let folder = scene_folder(&lit_ball(FLOOR));
    let stored = |options: &str| {
        let stats = statistics(folder.path(), &format!("a.kiln --integrator photon --threads 1 {options}"));
        stats["photons"]["global"]["stored"].as_u64().unwrap()
    };
    assert!(stored("--spp 1") >= 1 << 18);
    let fewer = stored("--spp 1000000 --time 0.2s");
    assert!((1..1 << 17).contains(&fewer), "{fewer}");
}

/// Parts of one picture must choose alike, regardless of their time limits.
#[test]
fn parts_with_a_time_limit_choose_guides_as_those_without() {
    let folder = scene_folder(&lit_ball(WALLS));
    let chosen = |options: &str| {
        let line = format!("a.kiln --integrator path --spp 20000 --samples 0..1 {options}");
        let stats = statistics(folder.path(), &line);
        ["guide", "split", "light_samples"].map(|key| stats[key].clone())
    };
    let without = chosen("");
    assert_eq!(without[0], true);
    assert_eq!(chosen("--time 0.02s"), without);
}

/// A time limit that suffices for all samples does not change the cost of maps.
#[test]
fn a_time_limit_that_does_not_bind_changes_no_decision() {
    let folder = scene_folder(&lit_ball(WALLS));
    let decision = |options: &str| {
        let stats = statistics(folder.path(), &format!("a.kiln --spp 256 --integrator auto {options}"));
        stats["decision"].clone()
    };
    let without = decision("");
    assert!(without["gain"].is_number(), "no pilot ran");
    assert_eq!(decision("--time 600s"), without);
}

/// Short renders have no pilots, and no photon maps.
#[test]
fn auto_renders_few_samples_by_unsplit_paths() {
    let folder = scene_folder(&lit_ball(WALLS));
    let stats = statistics(folder.path(), "a.kiln --spp 16 --integrator auto");
    assert!(stats["decision"].is_null());
    assert!(stats["photons"].is_null());
    assert_eq!([&stats["split"], &stats["light_samples"]], [1, 1]);
}

#[test]
fn auto_considers_the_requested_error() {
    let folder = scene_folder(&lit_ball(FLOOR));
    let gain = |error: f64, spp: u32| {
        let options = format!("--integrator auto --noise {error} --set sampler.spp={spp}");
        // A part decides for all samples that it may be merged with, not for its time limit.
        let stats = statistics(folder.path(), &format!("a.kiln --time 0.01s --samples 0..16 {options}"));
        assert_eq!(stats["decision"]["integrator"], "path");
        stats["decision"]["gain"].as_f64().unwrap()
    };
    let coarse = gain(0.05, 1);
    // `--noise` sets a number of samples different from the scene's.
    assert_eq!(coarse, gain(0.05, 4096));
    // The gain of maps grows with the number of samples.
    assert!(gain(0.005, 1) < coarse);
}

/// Statistics of samples of a shipped scene, in a render that is long enough for unrestricted pilots.
fn shipped(integrator: &str, scene: &str, options: &str) -> Value {
    let folder = folder(&[]);
    let scene = format!("{}/../scenes/{scene}.kiln", env!("CARGO_MANIFEST_DIR"));
    statistics(
        folder.path(),
        &format!("{scene} --integrator {integrator} --spp 8192 {options}"),
    )
}

/// Branches, light samples and guide that a pilot chose.
fn choice(integrator: &str, scene: &str, options: &str) -> [Value; 3] {
    let stats = shipped(integrator, scene, options);
    ["split", "light_samples", "guide"].map(|name| stats[name].clone())
}

fn choices_are_those_of_any_range(integrator: &str, scene: &str) {
    let chosen = choice(integrator, scene, "--samples 0..1 --threads 1");
    for options in ["--samples 0..1 --threads 3", "--samples 8..16 --checkpoint a.part"] {
        assert_eq!(choice(integrator, scene, options), chosen, "{scene} {options}");
    }
}

/// Rays of two camera rays per pixel with eight branches each.
fn rays(integrator: &str, kind: &str, options: &str) -> f64 {
    let options = format!("--samples 0..16 --size 128x128 {options}");
    shipped(integrator, "cornell_box", &options)["rays"][kind].as_f64().unwrap()
}

fn light_samples_take_shadow_rays(integrator: &str, one_branch: &str) {
    let [one, two, three] = [1, 2, 3].map(|count| {
        let options =
            format!("--set integrator.light_samples={count} --set {one_branch} --set integrator.guide=false");
        rays(integrator, "shadow", &options)
    });
    assert!(two > 1.03 * one, "{one} {two}");
    assert!(((three - two) / (two - one) - 1.0).abs() < 0.02, "{one} {two} {three}");
}

fn three_times_as_many(integrator: &str, kind: &str, [six, two]: [&str; 2]) {
    let [six, two] = [six, two].map(|option| rays(integrator, kind, &format!("--set {option}")));
    assert!((six / two - 3.0).abs() < 0.05, "{} times as many rays", six / two);
}

#[test]
fn a_pilot_splits_and_guides_paths_where_indirect_light_is_noisy() {
    // If two numbers of branches are nearly equally good, rounding decides.
    for (scene, splits, light_samples, guide) in [
        ("cornell_box", &[4][..], 1, false),
        ("cornell_spheres", &[1, 2], 1, true),
        ("two_rooms", &[2, 4], 1, true),
        // Rare caustics, which only photons sample.
        ("veach_plates", &[4, 8], 4, true),
        ("lights_lens", &[1], 1, false),
    ] {
        let [split, lights, guided] = choice("path", scene, "--samples 0..1");
        assert!(splits.iter().any(|&count| split == count), "{scene}: {split}");
        assert_eq!(lights, light_samples, "{scene}");
        assert_eq!(guided, guide, "{scene}");
    }
    choices_are_those_of_any_range("path", "cornell_spheres");
    three_times_as_many("path", "indirect", ["integrator.split=6", "integrator.split=2"]);
    light_samples_take_shadow_rays("path", "integrator.split=1");
}

#[test]
fn a_pilot_chooses_gather_rays_and_their_light_samples() {
    for (scene, gather, light_samples) in [("cornell_box", 8, 2), ("two_rooms", 8, 1), ("veach_plates", 4, 8)]
    {
        let [split, lights, guided] = choice("photon", scene, "--samples 0..1");
        assert_eq!(split, gather, "{scene}");
        assert_eq!(lights, light_samples, "{scene}");
        assert_eq!(guided, false, "{scene}");
    }
    choices_are_those_of_any_range("photon", "two_rooms");
    for guide in [false, true] {
        let options = format!("--samples 0..1 --size 64x64 --set integrator.guide={guide}");
        let [.., guided] = choice("photon", "cornell_box", &options);
        assert_eq!(guided, guide);
    }
    three_times_as_many("photon", "gather", ["integrator.gather=6", "integrator.gather=2"]);
    light_samples_take_shadow_rays("photon", "integrator.gather=1");
}

/// Pilots count rays: light samples that need no ray, and branches that end immediately.
#[test]
fn pilots_choose_one_branch_and_light_sample_if_few_rays_are_traced() {
    let scenes = [
        "light e : spot { position = (0, 3, 0); to = (0, 0, 0); cutoff = 12; intensity = 10; }
         material m = matte(albedo = 0.1);
         shape s : rectangle { material = m; transform = rotate((1, 0, 0), -90) * scale(25); }",
        "light sun : directional { direction = (-1, -0.2, 0.8); irradiance = 3; }
         material m = matte(albedo = 0.12);
         shape s : sphere { radius = 1.2; material = m; }",
        "material m = gltf_pbr(base_color = 0, metallic = 1, roughness = 1, emissive = (1, 0, 0));
         shape s : disk { radius = 1; material = m; }",
        "shape s : sphere { }",
    ];
    for scene in scenes {
        let camera = "camera main : perspective { from = (0, 3, 4); to = (0, 0, 0); fov = 60; }\n";
        let folder = scene_folder(&format!("{camera}{scene}"));
        for integrator in ["path", "photon", "auto"] {
            let line = format!("a.kiln --size 64x48 --spp 1024 --samples 0..1 --integrator {integrator}");
            assert_eq!(statistics(folder.path(), &line)["split"], 1, "{scene} {integrator}");
        }
    }
}

/// A matte ball in glass under a parallel sun: no path finds its light, only photons do.
#[test]
fn light_that_no_path_finds_is_rendered_by_auto_and_reported_by_path() {
    let folder = scene_folder(
        "film { size = (64, 64); filter = box; }
         camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 40; }
         light sun : directional { direction = (0, -1, -1); irradiance = 3; }
         shape ball : sphere { radius = 0.5; material = matte(albedo = 0.5); }
         shape glass : sphere { radius = 1; material = glass(ior = 1.5); }",
    );
    let at = folder.path();
    for spp in [16, 64, 1024] {
        done(
            at,
            &format!("render a.kiln --integrator auto --spp {spp} --crop 28,28,36,36 -o o.exr"),
        );
        let image = renderer::image::read(&at.join("o.exr")).unwrap();
        let center = (0..8).flat_map(|y| (0..8).map(move |x| (x, y)));
        let mean = center.map(|(x, y)| image.rgb(x, y).luminance()).sum::<f32>() / 64.0;
        assert!((0.21..0.25).contains(&mean), "{spp} samples: {mean}");
    }
    let reported = |options: &str| {
        let line = format!("render a.kiln --integrator path --spp 4 -o o.exr {options}");
        message(&run(at, &line)).contains("cannot find the light")
    };
    assert!(reported(""));
    assert!(!reported("--set light.sun.angle=1"), "a sun with a size is found");
}
