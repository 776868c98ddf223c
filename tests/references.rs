//! The six reference scenes against pictures that Mitsuba 3 made of the same numbers (`references/make.py`).
//!
//! Each scene is rendered with 16 independent seeds. Means over the whole picture must agree within 0.5 %, and a Z-test
//! at every pixel, with the variances of both pictures, must pass at 99.75 % of the pixels. Both variances are pooled
//! over 5×5 pixels: that of 16 seeds is itself noisy, and a pixel that saw no bright path thinks too well of itself.
//!
//! `KILN_REFERENCE_FACTOR=8 cargo test --release -p tests --test references` takes eight times the samples.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use renderer::image::{Image, WriteOptions, read, write};
use renderer::render::{RenderSettings, Silent, render};
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use support::stats::{accepted_share, z_score};

const SEEDS: u64 = 16;
const SIGNIFICANCE: f64 = 0.01;
const MIN_ACCEPTED: f64 = 0.9975;
const MAX_MEAN_ERROR: f64 = 0.005;

#[test]
fn cornell_box() {
    check("cornell_box", 12);
}

#[test]
fn veach_plates() {
    check("veach_plates", 32);
}

#[test]
fn sky_balls() {
    check("sky_balls", 96);
}

#[test]
fn lights_lens() {
    check("lights_lens", 32);
}

#[test]
fn cornell_spheres() {
    check("cornell_spheres", 128);
}

#[test]
fn two_rooms() {
    check("two_rooms", 192);
}

/// Mean of the seeds' pictures, and the variance of that mean, by value of the image.
struct Estimate {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

fn check(name: &str, spp: u64) {
    let factor: u64 = std::env::var("KILN_REFERENCE_FACTOR")
        .ok()
        .and_then(|f| f.parse().ok())
        .unwrap_or(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let references = root.join("references");
    let reference = read(&references.join(format!("{name}.exr"))).unwrap();
    let reference_variance = read(&references.join(format!("{name}_var.exr"))).unwrap();
    let estimate = estimate(
        &root.join(format!("../scenes/{name}.kiln")),
        spp * factor,
        &reference,
    );

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

    let mut report = String::new();
    let _ = write!(
        report,
        "{name}: mean {:+.3} %, accepted {:.3} %, mean |z| {mean_score:.3} ({SEEDS} × {} samples)",
        100.0 * mean_error,
        100.0 * accepted,
        spp * factor
    );
    println!("{report}");
    if mean_error.abs() > MAX_MEAN_ERROR || accepted < MIN_ACCEPTED {
        let folder = dump(name, &estimate, &reference, &scores);
        panic!("{report}; pictures are in {}", folder.display());
    }
}

fn estimate(scene: &Path, spp: u64, reference: &Image) -> Estimate {
    let (desc, _) = load(scene, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let [width, height] = desc.film.size.value;
    assert_eq!(
        (width as usize, height as usize),
        (reference.width, reference.height)
    );
    let mut sums = vec![0.0; reference.data.len()];
    let mut squares = vec![0.0; reference.data.len()];
    for seed in 0..SEEDS {
        let settings = RenderSettings {
            width,
            height,
            crop: None,
            variance: false,
            camera: built.camera,
            filter: built.filter.clone(),
            border: true,
            integrator: built.integrator,
            samples: 0..spp,
            seed,
            threads: 0,
            time_limit: None,
            photon_map: None,
        };
        let rendered = render(&built.scene, &settings, &Silent, &AtomicBool::new(false)).unwrap();
        assert_eq!(
            rendered.film.counts().non_finite,
            0,
            "samples that are not finite"
        );
        for (i, &v) in rendered.film.develop().data.iter().enumerate() {
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
