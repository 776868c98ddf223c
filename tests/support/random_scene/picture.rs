//! Pictures of random scenes, and tests of their equality.
//!
//! Pictures are rendered with several seeds and averaged over blocks of pixels. The test compares the differences
//! between the blocks of two scenes, seed by seed, with zero, by the variance between seeds, pooled over neighbouring
//! blocks. Scenes that differ are rendered again with new seeds and more samples, so that random deviations vanish and
//! defects remain.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::scenes::render_scene;
use renderer::camera::Camera;
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::{Built, build};
use renderer::scene::load::{LoadOptions, load};
use shading::hir::verify::verify_all;

use super::RandomScene;
use crate::pilot_result::with_pilot_result;
use crate::stats::{normal_limit, sidak};

/// Width of the film of all pictures, in pixels.
const WIDTH: usize = 32;
const HEIGHT: usize = 24;
/// Side of a block, in pixels.
const BLOCK: usize = 4;
const COLUMNS: usize = WIDTH / BLOCK;
const ROWS: usize = HEIGHT / BLOCK;

/// A loaded scene with its temporary files.
pub struct Loaded {
    /// The scene.
    pub built: Built,
    /// Names of its shapes, in the order of the built scene: instances come last.
    pub names: Vec<String>,
    _folder: tempfile::TempDir,
}

/// Writes the scene to a temporary folder and loads it, with changes such as `integrator=photon`.
///
/// # Errors
/// The diagnostics, as text.
pub fn load_scene(scene: &RandomScene, set: &[&str]) -> Result<Loaded, String> {
    verify_all();
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let file = scene.write(folder.path());
    let options = LoadOptions {
        set: set.iter().map(|&s| s.into()).collect(),
        ..LoadOptions::default()
    };
    let (desc, _) = load(&file, &options).map_err(|errors| errors.to_string())?;
    let built = build(&desc, None, 1).map_err(|errors| errors.to_string())?;
    Ok(Loaded {
        built,
        names: desc.shapes.into_iter().map(|shape| shape.name.to_string()).collect(),
        _folder: folder,
    })
}

impl Loaded {
    /// The index in the built scene of the random scene's shape `number`.
    pub fn index_of(&self, number: usize) -> usize {
        let name = format!("s{number}");
        // The mesh of a file has a name of the form `shape.mesh`.
        let of_file = format!("{name}.");
        let found = |other: &String| *other == name || other.starts_with(&of_file);
        self.names.iter().position(found).expect("every shape is built")
    }
}

/// Saves a failed scene for manual inspection; returns its file.
pub fn save_scene(scene: &RandomScene, name: &str) -> PathBuf {
    let folder = std::env::var_os("KILN_FINDINGS")
        .map_or_else(|| std::env::temp_dir().join("kiln-random-scenes"), PathBuf::from);
    scene.write(&folder.join(Path::new(name)))
}

/// Block means of pictures by seed, in three channels.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    blocks: Vec<Vec<f64>>,
    /// Samples that were not finite.
    pub non_finite: u64,
}

/// Allowed differences between pictures.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Relative difference of the whole pictures' means.
    pub mean: f64,
    /// Relative difference of a block's mean.
    pub block: f64,
}

/// The differences between the pictures of two scenes.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Relative difference of the means: second over first, minus 1.
    pub mean: f64,
    /// Standard deviation of `mean`.
    pub mean_sigma: f64,
    /// The largest difference of a block beyond the limit, in standard deviations.
    pub worst_score: f64,
    /// Position of the worst block, column and row in pixels, and its value in both pictures.
    pub worst: (usize, usize, f64, f64),
    /// True if the difference is significant and exceeds the limit.
    pub differs: bool,
    /// True if the noise is low enough to measure the mean to 1 %.
    pub is_sharp: bool,
}

/// Renders with the given seeds. Pixels above `clamp`, if given, are clamped, which removes the noise of rare bright
/// samples if both pictures have the same distribution.
pub fn estimate(scene: &Loaded, seeds: Range<u64>, spp: u64, clamp: Option<f32>) -> Pictures {
    estimate_with(scene, scene.built.camera.clone(), seeds, spp, clamp)
}

/// [`estimate`] with another camera than the scene's.
pub fn estimate_with(
    scene: &Loaded,
    camera: Camera,
    seeds: Range<u64>,
    spp: u64,
    clamp: Option<f32>,
) -> Pictures {
    let mut pictures = Pictures::default();
    let mut integrator = scene.built.integrator;
    for seed in seeds {
        let settings = RenderSettings {
            filter: scene.built.filter.clone(),
            integrator,
            samples: 0..spp,
            total: spp,
            // Many branches would leave few paths. That they agree with whole paths has a test of its own.
            unit: SampleUnit::Path,
            seed,
            threads: 1,
            ..RenderSettings::of_camera(camera.clone(), [WIDTH as u32, HEIGHT as u32])
        };
        let rendered = render_scene(&scene.built.scene, &settings);
        integrator = with_pilot_result(&rendered);
        pictures.non_finite += rendered.state.film.counts().non_finite;
        let image = rendered.state.film.develop();
        let limit = clamp.unwrap_or(f32::INFINITY);
        let mut blocks = vec![0.0; 3 * COLUMNS * ROWS];
        for (index, value) in image.data.iter().enumerate() {
            let (pixel, channel) = (index / 3, index % 3);
            let (x, y) = (pixel % WIDTH / BLOCK, pixel / WIDTH / BLOCK);
            blocks[3 * (y * COLUMNS + x) + channel] += f64::from(value.min(limit)) / (BLOCK * BLOCK) as f64;
        }
        pictures.blocks.push(blocks);
    }
    pictures
}

impl Pictures {
    /// The mean over all blocks and seeds.
    pub fn mean(&self) -> f64 {
        let values: Vec<f64> = self.blocks.iter().flatten().copied().collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The mean over all blocks, and its standard error between seeds.
    pub fn mean_and_error(&self) -> (f64, f64) {
        let means: Vec<f64> = (self.blocks.iter())
            .map(|blocks| blocks.iter().sum::<f64>() / blocks.len() as f64)
            .collect();
        let (mean, variance) = moments(&means);
        (mean, variance.sqrt())
    }

    /// The smallest and the largest mean of a block, with their standard errors.
    pub fn extremes(&self) -> [(f64, f64); 2] {
        let n = self.blocks.len() as f64;
        let values = (0..self.blocks[0].len()).map(|i| {
            let mean = self.blocks.iter().map(|b| b[i]).sum::<f64>() / n;
            let square = self.blocks.iter().map(|b| (b[i] - mean).powi(2)).sum::<f64>();
            (mean, (square / (n - 1.0) / n).sqrt())
        });
        let lowest = values.clone().min_by(|a, b| a.0.total_cmp(&b.0));
        let highest = values.max_by(|a, b| a.0.total_cmp(&b.0));
        [lowest, highest].map(|found| found.expect("there are blocks"))
    }

    /// The values times a factor.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Pictures {
        self.blocks.iter_mut().flatten().for_each(|v| *v *= factor);
        self
    }

    /// The sum of two pictures, seed by seed.
    #[must_use]
    pub fn plus(mut self, other: &Pictures) -> Pictures {
        if self.blocks.is_empty() {
            return other.clone();
        }
        for (a, b) in self.blocks.iter_mut().zip(&other.blocks) {
            for (a, b) in a.iter_mut().zip(b) {
                *a += b;
            }
        }
        self.non_finite += other.non_finite;
        self
    }
}

/// Compares the pictures of two scenes at a significance for the whole comparison.
pub fn compare(a: &Pictures, b: &Pictures, limits: Limits, alpha: f64) -> Comparison {
    let n = a.blocks.len() as f64;
    let count = a.blocks[0].len();
    let total = a.mean().abs().max(b.mean().abs());
    let mean_of = |pictures: &Pictures, i: usize| pictures.blocks.iter().map(|p| p[i]).sum::<f64>() / n;
    let differences: Vec<(f64, f64)> = (0..count)
        .map(|i| {
            let all: Vec<f64> = a.blocks.iter().zip(&b.blocks).map(|(a, b)| b[i] - a[i]).collect();
            moments(&all)
        })
        .collect();
    let limit = normal_limit(sidak(alpha, count + 1));

    let whole: Vec<f64> = (a.blocks.iter().zip(&b.blocks))
        .map(|(a, b)| (b.iter().sum::<f64>() - a.iter().sum::<f64>()) / count as f64)
        .collect();
    let (mean, variance) = moments(&whole);
    let mean_sigma = variance.sqrt();
    let mean_excess = mean.abs() - limits.mean * total;
    let mut differs = mean_excess > 0.0 && mean_excess > limit * mean_sigma;

    let mut worst_score: f64 = 0.0;
    let mut worst = (0, 0, 0.0, 0.0);
    for i in 0..count {
        let (block, channel) = (i / 3, i % 3);
        let (x, y) = (block % COLUMNS, block / COLUMNS);
        let pooled = neighbours(x, y).map(|(x, y)| differences[3 * (y * COLUMNS + x) + channel].1);
        let (sum, pooled_count) = pooled.fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
        let variance = differences[i].1.max(sum / f64::from(pooled_count));
        let (value_a, value_b) = (mean_of(a, i), mean_of(b, i));
        // A dim block of a bright picture may differ by rounding.
        let allowed = limits.block * value_a.abs().max(value_b.abs()) + 1e-3 * limits.block * total + 1e-12;
        let excess = differences[i].0.abs() - allowed;
        let score = if excess > 0.0 {
            excess / variance.sqrt().max(1e-6 * total)
        } else {
            0.0
        };
        if score > worst_score {
            worst_score = score;
            worst = (BLOCK * x, BLOCK * y, value_a, value_b);
        }
    }
    differs |= worst_score > limit;
    let scale = total.max(f64::MIN_POSITIVE);
    Comparison {
        mean: mean / scale,
        mean_sigma: mean_sigma / scale,
        worst_score,
        worst,
        differs,
        is_sharp: limit * mean_sigma < 0.01 * scale,
    }
}

/// The mean, and the variance of the mean.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, squares / (n - 1.0).max(1.0) / n)
}

fn neighbours(x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    let rows = y.saturating_sub(1)..(y + 2).min(ROWS);
    rows.flat_map(move |y| (x.saturating_sub(1)..(x + 2).min(COLUMNS)).map(move |x| (x, y)))
}
