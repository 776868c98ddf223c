//! White furnace tests.

use support::random_scene::{RandomScene, Recipe, Setting, estimate, generate, load_scene, save_scene};

use super::for_each_seed;

fn furnace(name: &str, seed: u64, recipe: &Recipe, set: &[&str], lossless: bool) -> Result<(), String> {
    let scene = generate(seed, recipe);
    let keep = |scene: &RandomScene, what: &str| {
        let file = save_scene(scene, &format!("{name}-{seed}"));
        Err(format!("{what}\n    {}", file.display()))
    };
    let loaded = match load_scene(&scene, set) {
        Ok(loaded) => loaded,
        Err(errors) => return keep(&scene, &errors),
    };
    for (seeds, spp, sigmas) in [(0..8, 16, 4.0), (100..124, 64, 6.0)] {
        let pictures = estimate(&loaded, seeds, spp, None);
        let [(low, low_error), (high, high_error)] = pictures.extremes();
        let too_bright = high > 1.002 + sigmas * high_error;
        let too_dark = lossless && low < 0.998 - sigmas * low_error;
        if pictures.non_finite > 0 {
            return keep(&scene, "samples are not finite");
        }
        if !too_bright && !too_dark {
            return Ok(());
        }
        if spp == 64 {
            return keep(
                &scene,
                &format!("from {low:.4} ± {low_error:.4} to {high:.4} ± {high_error:.4}"),
            );
        }
    }
    Ok(())
}

const RECIPE: Recipe = Recipe {
    setting: Some(Setting::Furnace),
    world_bumps: true,
    ..Recipe::ANY
};

#[test]
fn radiance_in_a_furnace_is_at_most_one() {
    for_each_seed("furnace", 16, |seed| {
        furnace("furnace", seed, &RECIPE, &["integrator=path"], false)
    });
}

#[test]
fn lossless_objects_are_invisible_in_a_furnace() {
    let recipe = Recipe { lossless: true, ..RECIPE };
    for_each_seed("lossless", 12, |seed| {
        furnace("lossless", seed, &recipe, &["integrator=path", "integrator.rr_depth=100"], true)
    });
}
