//! Z-test of the six reference scenes against images of Mitsuba 3 with the same parameters (`references/make.py`).
//!
//! Each scene is rendered with 16 independent seeds at half the reference's width and height. Means over the whole
//! picture must agree within 0.5 % or three standard deviations, and a Z-test at every pixel, with the variances of
//! both pictures, must pass at 99.75 % of the pixels. Both variances are pooled over 5×5 pixels: the variance of 16
//! seeds is itself noisy, and a pixel without a sample of a bright path underestimates it.
//!
//! `KILN_REFERENCE_FACTOR=8 cargo test --release --workspace --test transport references::` uses eight times the
//! samples at full size.

use std::path::Path;

use renderer::render::SampleUnit;
use support::reference::{Effort, judge};

const MIN_ACCEPTED: f64 = 0.9975;
const MAX_MEAN_ERROR: f64 = 0.005;

#[test]
fn cornell_box() {
    check("cornell_box", 8);
}

#[test]
fn veach_plates() {
    check("veach_plates", 64);
}

#[test]
fn sky_balls() {
    check("sky_balls", 48);
}

#[test]
fn lights_lens() {
    check("lights_lens", 32);
}

#[test]
fn cornell_spheres() {
    check("cornell_spheres", 64);
}

#[test]
fn two_rooms() {
    check("two_rooms", 16);
}

fn check(name: &str, spp: u64) {
    let factor: u64 = std::env::var("KILN_REFERENCE_FACTOR")
        .ok()
        .and_then(|f| f.parse().ok())
        .unwrap_or(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scene = root.join(format!("../scenes/{name}.kiln"));
    let effort = Effort {
        seeds: 16,
        spp: spp * factor,
        unit: SampleUnit::CameraRay,
        shrink: if factor > 1 { 1 } else { 2 },
    };
    let verdict = judge(name, &scene, &root.join("references"), effort);
    println!("{}", verdict.text);
    // Rare caustics make the mean of few samples uncertain.
    let max_mean_error = MAX_MEAN_ERROR.max(3.0 * verdict.mean_sigma);
    if verdict.mean_error.abs() > max_mean_error || verdict.accepted < MIN_ACCEPTED {
        panic!("{}; pictures are in {}", verdict.text, verdict.dump().display());
    }
}
