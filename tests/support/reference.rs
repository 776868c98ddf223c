//! Pictures against those that another renderer made of the same numbers.
//!
//! A scene is rendered with 16 independent seeds. A Z-test at every pixel weighs the difference of the means by the
//! variances of both pictures. Both are pooled over 5×5 pixels: that of 16 seeds is itself noisy, and a pixel that saw no
//! bright path thinks too well of itself.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use renderer::image::{Image, WriteOptions, read, write};
use renderer::integrator::{Branching, Integrator};
use renderer::render::{RenderSettings, Rendered, Silent, render};
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use shading::hir::verify::verify_all;

use crate::stats::{accepted_share, z_score};

const SEEDS: u64 = 16;
const SIGNIFICANCE: f64 = 0.01;

/// How a picture compares with its reference.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Relative difference of the means over the whole picture.
    pub mean_error: f64,
    /// Its standard deviation.
    pub mean_sigma: f64,
    /// Share of the values that pass the Z-test at one per cent.
    pub accepted: f64,
    /// All of it in words.
    pub text: String,
    /// Where the pictures are written when somebody needs to see what is wrong.
    pictures: Pictures,
}

#[derive(Clone, Debug)]
struct Pictures {
    name: String,
    estimate: Estimate,
    reference: Image,
    scores: Vec<f64>,
}

/// Renders a scene and compares it with `NAME.exr` and its variance `NAME_var.exr` in `folder`.
///
/// # Panics
/// When the scene does not load, the reference is missing or of another size, or samples are not finite.
pub fn judge(name: &str, scene: &Path, folder: &Path, spp: u64) -> Verdict {
    let reference = read(&folder.join(format!("{name}.exr"))).unwrap();
    let reference_variance = read(&folder.join(format!("{name}_var.exr"))).unwrap();
    let estimate = estimate(scene, spp, &reference);

    let (width, height) = (reference.width, reference.height);
    let ours = pooled(&estimate.variance, width, height);
    let theirs: Vec<f64> = reference_variance.data.iter().map(|&v| f64::from(v)).collect();
    let theirs = pooled(&theirs, width, height);
    let scores: Vec<f64> = (0..reference.data.len())
        .map(|i| {
            let expected = f64::from(reference.data[i]);
            let floor = (1e-4 * expected).powi(2);
            z_score(estimate.mean[i], ours[i] + floor, expected, theirs[i])
        })
        .collect();
    let accepted = accepted_share(&scores, SIGNIFICANCE);
    let mean_score = scores.iter().map(|z| z.abs()).sum::<f64>() / scores.len() as f64;
    let mean = estimate.mean.iter().sum::<f64>() / estimate.mean.len() as f64;
    let expected = reference.data.iter().map(|&v| f64::from(v)).sum::<f64>() / reference.data.len() as f64;
    let mean_error = mean / expected - 1.0;
    let variance: f64 = reference_variance.data.iter().map(|&v| f64::from(v)).sum();
    let variance = variance + estimate.variance.iter().sum::<f64>();
    Verdict {
        mean_error,
        mean_sigma: variance.sqrt() / (expected * scores.len() as f64),
        accepted,
        text: format!(
            "{name}: mean {:+.3} %, accepted {:.3} %, mean |z| {mean_score:.3} ({SEEDS} × {spp} samples)",
            100.0 * mean_error,
            100.0 * accepted,
        ),
        pictures: Pictures {
            name: name.to_owned(),
            estimate,
            reference,
            scores,
        },
    }
}

impl Verdict {
    /// Writes what a person needs to see what is wrong, and says where.
    ///
    /// # Panics
    /// When that cannot be written.
    pub fn dump(&self) -> PathBuf {
        let Pictures {
            name,
            estimate,
            reference,
            scores,
        } = &self.pictures;
        dump(name, estimate, reference, scores)
    }
}

/// Mean of the seeds' pictures, and the variance of that mean, by value of the image.
#[derive(Clone, Debug)]
struct Estimate {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

fn estimate(scene: &Path, spp: u64, reference: &Image) -> Estimate {
    verify_all();
    let (desc, _) = load(scene, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let mut sums = vec![0.0; reference.data.len()];
    let mut squares = vec![0.0; reference.data.len()];
    let mut settings = RenderSettings {
        samples: 0..spp,
        total: spp,
        ..RenderSettings::new(&desc, &built)
    };
    for seed in 0..SEEDS {
        settings.seed = seed;
        let rendered = render(&built.scene, &settings, &Silent, &AtomicBool::new(false)).unwrap();
        assert_eq!(
            rendered.state.film.counts().non_finite,
            0,
            "samples that are not finite"
        );
        // What the pilots of the first picture chose is good for the others.
        settings.integrator = chosen(&rendered);
        let picture = rendered.state.film.develop();
        assert_eq!(
            (picture.width, picture.height),
            (reference.width, reference.height)
        );
        for (i, &v) in picture.data.iter().enumerate() {
            sums[i] += f64::from(v);
            squares[i] += f64::from(v) * f64::from(v);
        }
    }
    let n = SEEDS as f64;
    let mean: Vec<f64> = sums.iter().map(|s| s / n).collect();
    let variance = squares
        .iter()
        .zip(&mean)
        .map(|(s, m)| (s / n - m * m).max(0.0) / (n - 1.0))
        .collect();
    Estimate { mean, variance }
}

/// The integrator of a picture with what its pilots have chosen.
fn chosen(rendered: &Rendered) -> Integrator {
    let Branching {
        branches,
        light_samples,
        guide,
    } = rendered.stats.branching;
    let mut integrator = rendered.state.integrator;
    match &mut integrator {
        Integrator::Path(path) => {
            path.split = branches.or(path.split);
            path.light_samples = light_samples.or(path.light_samples);
            path.guide = guide.or(path.guide);
        }
        Integrator::Photon(photon) => {
            photon.gather = branches.or(photon.gather);
            photon.light_samples = light_samples.or(photon.light_samples);
            photon.guide = guide.or(photon.guide);
        }
        Integrator::Auto(_) => unreachable!("it has decided"),
    }
    integrator
}

/// Each value's mean over the 5×5 pixels about its own, cut off at the edges.
fn pooled(values: &[f64], width: usize, height: usize) -> Vec<f64> {
    let mut result = Vec::with_capacity(values.len());
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let rows = y.saturating_sub(2)..(y + 3).min(height);
                let columns = x.saturating_sub(2)..(x + 3).min(width);
                let count = (rows.len() * columns.len()) as f64;
                let window = rows.flat_map(|y| {
                    columns
                        .clone()
                        .map(move |x| values[3 * (y * width + x) + channel])
                });
                result.push(window.sum::<f64>() / count);
            }
        }
    }
    result
}

/// Writes what a person needs to see what is wrong.
fn dump(name: &str, estimate: &Estimate, reference: &Image, scores: &[f64]) -> PathBuf {
    let folder = std::env::temp_dir().join("kiln-references");
    std::fs::create_dir_all(&folder).unwrap();
    let save = |kind: &str, values: Vec<f32>| {
        let image = Image {
            data: values,
            ..reference.clone()
        };
        write(
            &folder.join(format!("{name}_{kind}.exr")),
            &image,
            &WriteOptions::default(),
        )
        .unwrap();
    };
    save("kiln", estimate.mean.iter().map(|&v| v as f32).collect());
    save("reference", reference.data.clone());
    save("variance", estimate.variance.iter().map(|&v| v as f32).collect());
    save("z", scores.iter().map(|&v| v as f32).collect());
    folder
}
