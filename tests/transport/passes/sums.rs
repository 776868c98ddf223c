//! Sums of components and of light groups equal the picture in random scenes, for `path` and `photon`.

use renderer::passes::COMPONENTS;
use renderer::render::RenderSettings;
use renderer::scene::SceneNames;
use support::random_scene::{Recipe, generate, load_scene, save_scene};

use super::layers;

const SIZE: [u32; 2] = [24, 18];

/// Each light in a group of its own.
fn each_light(names: &SceneNames) -> SceneNames {
    let mut names = names.clone();
    for (index, light) in names.lights.iter_mut().enumerate() {
        light.group = Some(format!("g{index}").into());
    }
    names
}

const RECIPE: Recipe = Recipe {
    delta_lights: true,
    world_bumps: true,
    specular: true,
    ..Recipe::ANY
};

/// Returns the mean light scattered by media relative to the picture.
fn check(seed: u64, recipe: &Recipe, set: &[&str]) -> f64 {
    let scene = generate(seed, recipe);
    let loaded = load_scene(&scene, set).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
    let built = &loaded.built;
    let names = each_light(&built.names);
    let groups: Vec<String> = (0..names.lights.len()).map(|index| format!("light_g{index}")).collect();
    let settings = RenderSettings {
        integrator: built.integrator,
        samples: 0..8,
        total: 8,
        threads: 1,
        ..RenderSettings::of_camera(built.camera.clone(), SIZE)
    };
    let mut passes: Vec<&str> = vec!["components", "all=C.*[LBO]", "light_rest"];
    passes.extend(groups.iter().map(String::as_str));
    let found = layers(built, &names, &passes, settings);
    let components: Vec<String> = COMPONENTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let what = || {
        format!(
            "seed {seed}, {set:?}, {}",
            save_scene(&scene, &format!("passes-{seed}")).display()
        )
    };
    let groups: Vec<String> = groups.into_iter().chain(["light_rest".to_owned()]).collect();
    for layers in [&components, &groups, &vec!["all".to_owned()]] {
        found.assert_sum(layers, &what());
    }
    (found.mean("direct_volume") + found.mean("indirect_volume")) / found.mean("all").max(1e-9)
}

fn scenes(name: &str, count: u64, set: &[&str]) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("KILN_FIRST").unwrap_or(0);
    let count = number("KILN_SCENES").unwrap_or(count);
    (first..first + count).for_each(|seed| {
        check(seed, &RECIPE, set);
    });
    println!("{name}: {count} scenes");
}

#[test]
fn components_add_up_by_path() {
    scenes("path", 20, &["integrator=path"]);
}

#[test]
fn components_add_up_by_guided_paths() {
    scenes("guided", 4, &["integrator=path", "integrator.guide=true", "integrator.split=3"]);
}

#[test]
fn components_add_up_by_photon() {
    let set = ["integrator=photon", "integrator.photons=5000", "integrator.caustic_photons=5000"];
    scenes("photon", 12, &set);
}

#[test]
fn components_add_up_without_gathering() {
    let set = [
        "integrator=photon",
        "integrator.photons=5000",
        "integrator.caustic_photons=5000",
        "integrator.gather=0",
    ];
    scenes("direct", 4, &set);
}

/// Light of media is a component of its own and is not black.
#[test]
fn components_add_up_in_media() {
    let recipe = Recipe { media: true, ..RECIPE };
    let photon = ["integrator=photon", "integrator.photons=5000", "integrator.caustic_photons=5000"];
    for set in [&["integrator=path"][..], &photon] {
        let shares: Vec<f64> = (0..8).map(|seed| check(seed, &recipe, set)).collect();
        let found = shares.iter().filter(|&&share| share > 0.02).count();
        assert!(found > 3, "{shares:?}");
    }
}
