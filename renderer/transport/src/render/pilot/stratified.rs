//! Variance of stratified samples, from the means of two sequences of a few samples.

use std::sync::atomic::AtomicBool;

use super::pixels::{Pilot, PixelGrid};
use crate::integrator::Prepared;
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_base::color::Rgb;

/// Luminance over the samples of a pixel.
#[derive(Default)]
pub(super) struct Pixel {
    pub(super) mean: f64,
    /// Variance of a sample, from the means of two sequences.
    pub(super) variance: f64,
}

/// Renders a pilot's pixels with two sequences of `samples` samples each.
pub(super) fn sample(
    scene: &Scene,
    settings: &RenderSettings,
    grid: PixelGrid,
    samples: u64,
    prepared: &Prepared,
    stop: &AtomicBool,
) -> Pilot<Pixel> {
    Pilot::new(scene, settings, grid, stop, |sample, context| {
        let means = [0, 1].map(|sequence| {
            let mut sum = 0.0;
            for index in 0..samples {
                let (ray, mut sampler) = sample(sequence << 32 | index);
                let light: Rgb = prepared.li(scene, &ray, &mut sampler, context);
                let luminance = f64::from(light.luminance());
                if luminance.is_finite() {
                    sum += luminance;
                }
            }
            sum / samples as f64
        });
        Pixel {
            mean: 0.5 * (means[0] + means[1]),
            variance: 0.5 * samples as f64 * (means[0] - means[1]).powi(2),
        }
    })
}
