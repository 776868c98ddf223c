//! `photon` compared with `path`.

use support::random_scene::{
    Limits, RandomScene, Recipe, compare, estimate, generate, load_scene, save_scene,
};

use super::{ALPHA, PATH, Same, describe, for_each_seed};

/// Scenes without light that only one of the integrators finds: light of lights without size on lobes without
/// roughness.
fn scene(seed: u64) -> RandomScene {
    let specular = seed.is_multiple_of(2);
    let recipe = Recipe {
        specular,
        delta_lights: !specular,
        world_bumps: true,
        ..Recipe::ANY
    };
    generate(seed, &recipe)
}

pub(super) fn check(
    name: &str,
    count: u64,
    scene: impl Fn(u64) -> RandomScene,
    set: &[&str],
    limits: Limits,
    spp: u64,
) {
    for_each_seed(name, count, |seed| {
        let scene = scene(seed);
        let path = load_scene(&scene, &["integrator=path"])?;
        let photon = load_scene(&scene, set)?;
        for (stage, (seeds, factor)) in [(0..4, 1), (100..116, 4)].into_iter().enumerate() {
            let one = estimate(&path, seeds.clone(), 4 * spp * factor, None);
            let seeds = seeds.start + 1000..seeds.end + 1000;
            let other = estimate(&photon, seeds, spp * factor, None);
            let found = compare(&one, &other, limits, ALPHA[stage]);
            if !found.differs && one.non_finite + other.non_finite == 0 {
                return Ok(());
            }
            if stage == 1 || one.non_finite + other.non_finite > 0 {
                let file = save_scene(&scene, &format!("{name}-{seed}"));
                let counts = format!("not finite: {} and {}", one.non_finite, other.non_finite);
                return Err(format!("{}; {counts}\n    {}", describe(&found), file.display()));
            }
        }
        Ok(())
    });
}

pub(super) const ONE_PASS: [&str; 3] =
    ["integrator=photon", "integrator.photons=120000", "integrator.caustic_photons=120000"];

pub(super) const ONE_PASS_LIMITS: Limits = Limits { mean: 0.01, block: 0.1 };

#[test]
fn progressive_photon_maps_match_paths() {
    // A kernel loses photons within its radius of an edge; the bias decreases slowly with the radius.
    let limits = Limits { mean: 0.01, block: 0.2 };
    let set = ["integrator=photon", "integrator.progressive=true", "integrator.photons=6000"];
    check("progressive", 6, scene, &set, limits, 8);
}

#[test]
fn photon_maps_match_paths() {
    check("photon", 3, scene, &ONE_PASS, ONE_PASS_LIMITS, 16);
}

/// Irradiance records near transparent surfaces.
#[test]
fn photon_maps_match_paths_near_shells() {
    let shelled = |seed| {
        let recipe = Recipe { delta_lights: false, anywhere: false, ..Recipe::ANY };
        generate(seed, &recipe).with_shells()
    };
    check("shells", 3, shelled, &ONE_PASS, ONE_PASS_LIMITS, 16);
}

#[test]
fn guided_paths_match_unguided_paths() {
    for_each_seed("guided", 4, |seed| {
        let guided: &[&str] = &["integrator=path", "integrator.depth=8", "integrator.guide=true"];
        let scene = scene(seed);
        Same { name: "guided", set: [PATH, guided], ..Same::default() }.check(&scene, &scene)
    });
}
