//! Invariances of random scenes: changes that preserve the picture, or change it in a known manner, without a
//! reference. `KILN_SCENES=N` tests N scenes, and `KILN_FIRST=N` starts at that seed.
//!
//! Scenes with different pictures are rendered again, with new seeds and more samples. If they differ again, the test
//! fails, and saves the scene in the folder `KILN_FINDINGS`, or in a temporary folder.

use std::panic::{AssertUnwindSafe, catch_unwind};

use support::random_scene::{
    Comparison, Limits, Pictures, RandomScene, compare, estimate, load_scene, save_scene,
};

mod bake;
mod contacts;
mod copies;
mod furnace;
mod lights;
mod materials;
mod media;
mod paths;
mod photon;
mod whole;

/// The value of an environment variable as a number.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Runs a test on `count` scenes by seed, unless the environment sets another number. `test` returns a message if
/// its scene fails.
fn for_each_seed(name: &str, count: u64, test: impl Fn(u64) -> Result<(), String>) {
    let first = number("KILN_FIRST").unwrap_or(0);
    let count = number("KILN_SCENES").unwrap_or(count);
    let mut wrong = vec![];
    for seed in first..first + count {
        let answer = catch_unwind(AssertUnwindSafe(|| test(seed)))
            .unwrap_or_else(|panic| Err(format!("panicked: {:?}", panic.downcast_ref::<String>())));
        if let Err(message) = answer {
            println!("{name}, seed {seed}: {message}");
            wrong.push(seed);
        }
    }
    println!("{name}: {} of {count} scenes are wrong", wrong.len());
    assert!(wrong.is_empty(), "{name}: wrong at seeds {wrong:?}");
}

/// A comparison of two scenes with equal pictures.
struct Same<'a> {
    name: &'a str,
    /// Changes on loading, for each of the two.
    set: [&'a [&'a str]; 2],
    limits: Limits,
    /// True if rare bright pixels are clamped: valid if the samples of both have the same distribution.
    clamped: bool,
    /// Initial samples per pixel and seed.
    spp: u64,
    /// Factor applied to the second picture.
    factor: f64,
}

const PATH: &[&str] = &["integrator=path", "integrator.depth=8", "integrator.guide=false"];

impl Default for Same<'_> {
    fn default() -> Self {
        Same {
            name: "",
            set: [PATH, PATH],
            limits: Limits { mean: 0.003, block: 0.01 },
            clamped: true,
            spp: 8,
            factor: 1.0,
        }
    }
}

/// Significance of the first comparison, and of the second, which decides.
const ALPHA: [f64; 2] = [0.01, 1e-6];

impl Same<'_> {
    /// Compares the pictures; the error describes the difference.
    fn check(&self, a: &RandomScene, b: &RandomScene) -> Result<(), String> {
        let seed = a.seed;
        let [first, second] = [(a, self.set[0]), (b, self.set[1])].map(|(scene, set)| load_scene(scene, set));
        let keep = |what: &str| {
            let file = save_scene(a, &format!("{}-{seed}-a", self.name));
            save_scene(b, &format!("{}-{seed}-b", self.name));
            format!("{what}\n    {}", file.display())
        };
        let (first, second) = match (first, second) {
            (Ok(first), Ok(second)) => (first, second),
            (Err(errors), _) | (_, Err(errors)) => return Err(keep(&format!("does not load: {errors}"))),
        };
        let mut outcome = None;
        for (stage, alpha) in ALPHA.into_iter().enumerate() {
            let (seeds, spp) = [(0..8, self.spp), (100..124, 4 * self.spp)][stage].clone();
            let probe = estimate(&first, 50..51, 8, None);
            let clamp = self.clamped.then(|| (20.0 * probe.mean() + 1e-6) as f32);
            let one = estimate(&first, seeds.clone(), spp, clamp);
            let clamp = clamp.map(|limit| limit / self.factor as f32);
            let other = estimate(&second, seeds, spp, clamp).times(self.factor);
            if one.non_finite + other.non_finite > 0 {
                let counts = format!("{} and {} samples are not finite", one.non_finite, other.non_finite);
                return Err(keep(&counts));
            }
            let comparison = compare(&one, &other, self.limits, alpha);
            if !comparison.differs {
                return Ok(());
            }
            outcome = Some(comparison);
        }
        Err(keep(&describe(&outcome.expect("there was a look"))))
    }
}

/// Describes a difference.
fn describe(found: &Comparison) -> String {
    let (x, y, a, b) = found.worst;
    format!(
        "mean {:+.2} % ± {:.2}, worst block at ({x}, {y}): {b:.4} for {a:.4}, score {:.0}",
        100.0 * found.mean,
        100.0 * found.mean_sigma,
        found.worst_score
    )
}

fn sum_of(scenes: &[RandomScene], seeds: std::ops::Range<u64>, spp: u64) -> Result<Pictures, String> {
    let mut sum = Pictures::default();
    for (index, scene) in scenes.iter().enumerate() {
        // Independent random numbers for each, so that the noise of the sum is independent.
        let shift = 1000 * (index as u64 + 1);
        let pictures = estimate(&load_scene(scene, PATH)?, seeds.start + shift..seeds.end + shift, spp, None);
        sum = sum.plus(&pictures);
    }
    Ok(sum)
}
