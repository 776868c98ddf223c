//! Image comparison: RMSE, relative MSE, FLIP and difference images.
//!
//! - The second image is the reference. Both are converted to linear Rec.709; grey is repeated in all three channels;
//!   alpha counts where both have it, in every number but FLIP.
//! - Relative MSE is the quantity for thresholds: the mean over pixels and channels of (a − b)² / (b² + (0.1·mean b)²).
//! - FLIP is the LDR version ([`flip`]); values beyond `[0,1]` are clamped at exposure 0.
//! - Equal non-finite values have no error; other non-finite values have an infinite error.

pub mod flip;

use rayon::prelude::*;

use crate::{Image, srgb_from_linear};
use renderer_base::color::Rgb;

/// Error of comparing two images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The images differ in size.
    #[error("the images differ in size: {}×{} and {}×{} pixels", .a.0, .a.1, .b.0, .b.1)]
    Size {
        /// Width and height of the first.
        a: (usize, usize),
        /// Width and height of the second.
        b: (usize, usize),
    },
    /// The images have no pixels.
    #[error("the images have no pixels")]
    Empty,
}

/// Difference of two images.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Root of the mean squared difference over pixels and channels.
    pub rmse: f64,
    /// Relative mean squared error against the second image.
    pub rel_mse: f64,
    /// Mean FLIP error, 0 (the same) to 1.
    pub flip: f64,
    /// The FLIP error of each pixel, row by row.
    errors: Vec<f32>,
    /// The relative difference of the luminance of each pixel, in `[-1,1]`, positive where the first image is brighter.
    differences: Vec<f32>,
    width: usize,
    /// Maximum absolute difference of a value.
    pub max_error: f64,
    /// The pixel with that difference: column and row.
    pub max_error_at: (usize, usize),
    /// Mean of each channel of the first image, over finite values: red, green, blue, and alpha if both have it.
    pub mean_a: Vec<f64>,
    /// As the field before, of the second image.
    pub mean_b: Vec<f64>,
    /// Number of values of the first image that are not finite.
    pub non_finite_a: usize,
    /// As the field before, of the second image.
    pub non_finite_b: usize,
}

impl Report {
    /// Returns whether the relative MSE exceeds a threshold; NaN counts as exceeding it.
    pub fn exceeds(&self, threshold: f64) -> bool {
        self.rel_mse.is_nan() || self.rel_mse > threshold
    }

    /// A picture of where the images differ: the FLIP error of each pixel from black (none) over red and yellow to
    /// white (1). The values are linear, for an 8-bit format without exposure.
    pub fn picture(&self) -> Image {
        Image::from_fn(self.width, self.errors.len() / self.width, |x, y| {
            heat(self.errors[y * self.width + x])
        })
    }

    /// A picture of where the first image is too bright (red to yellow) or too dark (blue to cyan): the difference of the
    /// luminances over that of the reference and a tenth of its mean; black is none, the brightest colours are a
    /// difference as large as the reference. Its values are linear, as those of [`Report::picture`].
    pub fn false_color(&self) -> Image {
        Image::from_fn(self.width, self.differences.len() / self.width, |x, y| {
            diverging(self.differences[y * self.width + x])
        })
    }
}

/// Compares image `a` with the reference `b`.
///
/// # Errors
/// When they differ in size or are empty.
pub fn compare(a: &Image, b: &Image) -> Result<Report, CompareError> {
    let (a, b) = matched(a, b)?;
    let channels = a.channels;
    let (mean_a, mean_b) = (channel_means(&a), channel_means(&b));
    let floor = (0.1 * mean_b.iter().sum::<f64>() / channels as f64).powi(2);
    let (mut squares, mut relative) = (0.0, 0.0);
    let (mut max_error, mut max_index) = (0.0, 0);
    for (i, (&a, &b)) in a.data.iter().zip(&b.data).enumerate() {
        let difference = distance(a, b);
        squares += difference * difference;
        // Equal values are no error even where the reference is black throughout and the denominator zero.
        if difference > 0.0 {
            let b = if b.is_finite() { f64::from(b) } else { 0.0 };
            relative += difference * difference / (b * b + floor);
        }
        if difference > max_error {
            (max_error, max_index) = (difference, i);
        }
    }
    let count = a.data.len() as f64;
    let max_pixel = max_index / channels;
    let errors = flip::flip(&a, &b);
    Ok(Report {
        rmse: (squares / count).sqrt(),
        rel_mse: relative / count,
        flip: errors.iter().map(|&e| f64::from(e)).sum::<f64>() / errors.len() as f64,
        errors,
        differences: differences(&a, &b),
        width: a.width,
        max_error,
        max_error_at: (max_pixel % a.width, max_pixel / a.width),
        mean_a,
        mean_b,
        non_finite_a: a.non_finite(),
        non_finite_b: b.non_finite(),
    })
}

/// Both images linear and with the same channels: RGB, or RGBA if both have alpha.
fn matched(a: &Image, b: &Image) -> Result<(Image, Image), CompareError> {
    if (a.width, a.height) != (b.width, b.height) {
        return Err(CompareError::Size { a: (a.width, a.height), b: (b.width, b.height) });
    }
    if [a, b].iter().any(|i| i.data.is_empty()) {
        return Err(CompareError::Empty);
    }
    let has_alpha = |i: &Image| matches!(i.channels, 2 | 4);
    let channels = if has_alpha(a) && has_alpha(b) { 4 } else { 3 };
    Ok((with_channels(a, channels), with_channels(b, channels)))
}

fn with_channels(image: &Image, channels: usize) -> Image {
    let image = image.clone().into_linear();
    if image.channels == channels {
        return image;
    }
    let mut out = Image::new(image.width, image.height, channels);
    let pixels = out
        .data
        .par_chunks_exact_mut(channels)
        .zip(image.data.par_chunks_exact(image.channels));
    pixels.for_each(|(out, pixel)| match *pixel {
        [grey] => out[..3].fill(grey),
        [grey, alpha] => {
            out[..3].fill(grey);
            out[3..].fill(alpha);
        }
        _ => out.copy_from_slice(&pixel[..channels]),
    });
    out
}

fn channel_means(image: &Image) -> Vec<f64> {
    let mean = |c: usize| {
        let values = image.data.iter().skip(c).step_by(image.channels).filter(|v| v.is_finite());
        let (sum, count) = values.fold((0.0, 0usize), |(sum, n), &v| (sum + f64::from(v), n + 1));
        sum / count.max(1) as f64
    };
    (0..image.channels).map(mean).collect()
}

fn distance(a: f32, b: f32) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        0.0
    } else if a.is_finite() && b.is_finite() {
        (f64::from(a) - f64::from(b)).abs()
    } else {
        f64::INFINITY
    }
}

/// The relative differences of luminances; where one is not finite, as large as shown.
fn differences(a: &Image, b: &Image) -> Vec<f32> {
    let luminances = |image: &Image| -> Vec<f32> {
        let pixels = image.data.chunks_exact(image.channels);
        pixels.map(|pixel| Rgb::new(pixel[0], pixel[1], pixel[2]).luminance()).collect()
    };
    let (a, b) = (luminances(a), luminances(b));
    let finite = b.iter().filter(|v| v.is_finite());
    let mean = finite.map(|&v| f64::from(v)).sum::<f64>() / b.len() as f64;
    let floor = (0.1 * mean).abs() as f32;
    let pairs = a.iter().zip(&b);
    pairs
        .map(|(&a, &b)| match (a - b) / (b.abs() + floor) {
            _ if a == b => 0.0,
            difference if difference.is_nan() => 1.0,
            difference => difference.clamp(-1.0, 1.0),
        })
        .collect()
}

/// A colour for a difference in `[-1,1]`: cyan and blue below zero, black at it, red and yellow above.
fn diverging(difference: f32) -> Rgb {
    // Small differences are lifted, or most pictures would be black.
    let t = srgb_from_linear(difference.abs());
    let (strong, weak) = ((2.0 * t).min(1.0), (2.0 * t - 1.0).max(0.0));
    match difference < 0.0 {
        true => Rgb::new(0.0, weak, strong),
        false => Rgb::new(strong, weak, 0.0),
    }
}

/// A colour from black over violet, red and yellow to white.
fn heat(error: f32) -> Rgb {
    const STOPS: [Rgb; 5] = [
        Rgb::BLACK,
        Rgb::new(0.10, 0.01, 0.15),
        Rgb::new(0.65, 0.03, 0.05),
        Rgb::new(0.95, 0.55, 0.03),
        Rgb::WHITE,
    ];
    // Small errors are lifted, or most pictures would be black.
    let t = srgb_from_linear(error.clamp(0.0, 1.0)).clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let i = (t as usize).min(STOPS.len() - 2);
    STOPS[i].lerp(STOPS[i + 1], t - i as f32)
}
