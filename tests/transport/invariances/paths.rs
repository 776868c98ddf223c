//! Splitting, Russian roulette and guiding of paths change the noise, not the picture.

use support::random_scene::{Limits, RandomScene, Recipe, generate};

use super::{PATH, Same, for_each_seed};

fn check(name: &str, count: u64, set: &[&str]) {
    check_split(name, count, |seed| generate(seed, &Recipe::ANY), set);
}

/// Compares paths with these settings with long unsplit paths.
pub(super) fn check_split(name: &str, count: u64, scene: impl Fn(u64) -> RandomScene, set: &[&str]) {
    let whole: Vec<&str> = PATH
        .iter()
        .copied()
        .chain(["integrator.split=1", "integrator.light_samples=1", "integrator.rr_depth=100"])
        .collect();
    let other: Vec<&str> = PATH.iter().chain(set).copied().collect();
    for_each_seed(name, count, |seed| {
        let scene = scene(seed);
        Same {
            name,
            set: [&whole, &other],
            limits: Limits { mean: 0.01, block: 0.1 },
            // Samples of split paths have less variance.
            clamped: false,
            ..Same::default()
        }
        .check(&scene, &scene)
    });
}

#[test]
fn split_paths_match_unsplit_paths() {
    check("split", 6, &["integrator.split=5", "integrator.rr_depth=100"]);
}

#[test]
fn russian_roulette_is_unbiased() {
    check("roulette", 6, &["integrator.split=1"]);
}

#[test]
fn split_and_guided_paths_match_unsplit_paths() {
    check("split-guided", 4, &["integrator.split=2", "integrator.guide=true"]);
}

#[test]
fn several_light_samples_match_one() {
    for set in [
        ["integrator.split=1", "integrator.light_samples=3"],
        ["integrator.split=4", "integrator.light_samples=2"],
    ] {
        check("light-samples", 3, &set);
    }
}
