//! Additivity of light.

use support::random_scene::{Limits, Recipe, compare, estimate, generate, load_scene, save_scene};

use super::{ALPHA, PATH, Same, describe, for_each_seed, sum_of};

#[test]
fn pictures_are_linear_in_radiance() {
    for_each_seed("twice", 6, |seed| {
        let scene = generate(seed, &Recipe::ANY);
        Same { name: "twice", factor: 0.5, ..Same::default() }.check(&scene, &scene.brightened(2.0))
    });
}

#[test]
fn pictures_of_separate_lights_add_up() {
    let limits = Limits { mean: 0.005, block: 0.02 };
    for_each_seed("sum", 8, |seed| {
        let scene = generate(seed, &Recipe::ANY);
        let parts: Vec<_> = (0..scene.light_count())
            .map(|light| scene.lit_by(|index| index == light))
            .collect();
        let all = load_scene(&scene, PATH)?;
        for (stage, (seeds, spp)) in [(0..8, 16), (100..124, 64)].into_iter().enumerate() {
            let whole = estimate(&all, seeds.clone(), spp, None);
            let sum = sum_of(&parts, seeds, spp)?;
            let found = compare(&whole, &sum, limits, ALPHA[stage]);
            if !found.differs {
                return Ok(());
            }
            if stage == 1 {
                let file = save_scene(&scene, &format!("sum-{seed}"));
                return Err(format!("{}\n    {}", describe(&found), file.display()));
            }
        }
        Ok(())
    });
}
