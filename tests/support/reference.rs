//! Z-test of pictures against reference pictures of another renderer with the same parameters.
//!
//! A scene is rendered with a few independent seeds. A Z-test at every pixel uses the variances of both pictures,
//! pooled over 5×5 pixels: the variance of a few seeds is itself noisy, and a pixel without a sample of a bright path
//! underestimates it.

use std::path::{Path, PathBuf};

use crate::scenes::render_scene;
use renderer::image::{Image, WriteOptions, read, write};
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use shading::hir::verify::verify_all;

use crate::pilot_result::with_pilot_result;
use crate::stats::{accepted_share, z_score};

const SIGNIFICANCE: f64 = 0.01;

/// Amount of work of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Number of independent pictures.
    pub seeds: u64,
    /// Samples per pixel of each picture.
    pub spp: u64,
    /// Unit of the samples.
    pub unit: SampleUnit,
    /// Side of the square of reference pixels averaged to one pixel here. Values above one require box filters of one
    /// pixel in both pictures. Sensitivity to errors in a share of the picture is that of full size, since a pixel has
    /// equally many samples and the reference's has more.
    pub shrink: usize,
}

/// Result of comparing a picture with its reference.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Relative difference of the means over the whole picture.
    pub mean_error: f64,
    /// Standard deviation of `mean_error`.
    pub mean_sigma: f64,
    /// Share of the values that pass the Z-test at a significance of 1 %.
    pub accepted: f64,
    /// Summary of the result.
    pub text: String,
    /// Pictures to write for inspection of a failure.
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
pub fn judge(name: &str, scene: &Path, folder: &Path, effort: Effort) -> Verdict {
    let read = |suffix: &str| {
        let image = read(&folder.join(format!("{name}{suffix}.exr"))).unwrap();
        shrunk(image, effort.shrink)
    };
    let (reference, mut reference_variance) = (read(""), read("_var"));
    let pixels = (effort.shrink * effort.shrink) as f32;
    reference_variance.data.iter_mut().for_each(|variance| *variance /= pixels);
    let estimate = estimate(scene, effort, &reference);

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
            "{name}: mean {:+.3} %, accepted {:.3} %, mean |z| {mean_score:.3} ({} × {} samples)",
            100.0 * mean_error,
            100.0 * accepted,
            effort.seeds,
            effort.spp,
        ),
        pictures: Pictures { name: name.to_owned(), estimate, reference, scores },
    }
}

impl Verdict {
    /// Writes pictures for inspection and prints their paths.
    pub fn dump(&self) -> PathBuf {
        let Pictures { name, estimate, reference, scores } = &self.pictures;
        dump(name, estimate, reference, scores)
    }
}

/// Mean of the pictures of all seeds, and the variance of that mean, by value of the image.
#[derive(Clone, Debug)]
struct Estimate {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

/// Downsamples an image: each square of pixels becomes a pixel with their mean.
fn shrunk(image: Image, shrink: usize) -> Image {
    if shrink == 1 {
        return image;
    }
    let (width, height, channels) = (image.width / shrink, image.height / shrink, image.channels);
    assert!(width * shrink == image.width && height * shrink == image.height);
    let mut data = vec![0.0; width * height * channels];
    for (row, values) in image.data.chunks_exact(image.width * channels).enumerate() {
        for (at, value) in values.iter().enumerate() {
            let (column, channel) = (at / channels, at % channels);
            let pixel = row / shrink * width + column / shrink;
            data[pixel * channels + channel] += value / (shrink * shrink) as f32;
        }
    }
    Image { width, height, data, ..image }
}

fn estimate(scene: &Path, effort: Effort, reference: &Image) -> Estimate {
    let Effort { seeds, spp, unit, shrink } = effort;
    verify_all();
    let mut options = LoadOptions::default();
    if shrink > 1 {
        let size = format!("film.size=({}, {})", reference.width, reference.height);
        options.set.push(size.as_str().into());
    }
    let (desc, _) = load(scene, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let mut sums = vec![0.0; reference.data.len()];
    let mut squares = vec![0.0; reference.data.len()];
    let mut settings = RenderSettings {
        samples: 0..spp,
        total: spp,
        unit,
        ..RenderSettings::new(&desc, &built)
    };
    for seed in 0..seeds {
        settings.seed = seed;
        let rendered = render_scene(&built.scene, &settings);
        assert_eq!(rendered.state.film.counts().non_finite, 0, "samples that are not finite");
        // The pilot result of the first picture is reused for the others.
        settings.integrator = with_pilot_result(&rendered);
        let picture = rendered.state.film.develop();
        assert_eq!((picture.width, picture.height), (reference.width, reference.height));
        for (i, &v) in picture.data.iter().enumerate() {
            sums[i] += f64::from(v);
            squares[i] += f64::from(v) * f64::from(v);
        }
    }
    let n = seeds as f64;
    let mean: Vec<f64> = sums.iter().map(|s| s / n).collect();
    let variance = squares
        .iter()
        .zip(&mean)
        .map(|(s, m)| (s / n - m * m).max(0.0) / (n - 1.0))
        .collect();
    Estimate { mean, variance }
}

/// The mean of each value over the 5×5 pixels around it, clipped at the edges.
fn pooled(values: &[f64], width: usize, height: usize) -> Vec<f64> {
    let mut result = Vec::with_capacity(values.len());
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let rows = y.saturating_sub(2)..(y + 3).min(height);
                let columns = x.saturating_sub(2)..(x + 3).min(width);
                let count = (rows.len() * columns.len()) as f64;
                let window =
                    rows.flat_map(|y| columns.clone().map(move |x| values[3 * (y * width + x) + channel]));
                result.push(window.sum::<f64>() / count);
            }
        }
    }
    result
}

/// Writes pictures for inspection of a failure.
fn dump(name: &str, estimate: &Estimate, reference: &Image, scores: &[f64]) -> PathBuf {
    let folder = std::env::temp_dir().join("kiln-references");
    std::fs::create_dir_all(&folder).unwrap();
    let save = |kind: &str, values: Vec<f32>| {
        let image = Image { data: values, ..reference.clone() };
        write(&folder.join(format!("{name}_{kind}.exr")), &image, &WriteOptions::default()).unwrap();
    };
    save("kiln", estimate.mean.iter().map(|&v| v as f32).collect());
    save("reference", reference.data.clone());
    save("variance", estimate.variance.iter().map(|&v| v as f32).collect());
    save("z", scores.iter().map(|&v| v as f32).collect());
    folder
}
