//! Sample density: the number of camera rays per sample at each pixel, higher where the picture is noisier.
//!
//! Edges of bright shapes, soft shadows and rough reflections need many rays, even surfaces few. A pilot measures the
//! relative noise around each pixel and the cost of a sample there. For minimum error in a given time, the number of rays is
//! proportional to the noise divided by the square root of the cost. Densities chosen from half of the pilot are tested on
//! the other half, so that rare bright paths leave them uniform. The pilot has its own random numbers, so pixels stay
//! unbiased.
// Mitchell 1987, "Generating Antialiased Images at Low Sampling Densities": density by local contrast. Kirk & Arvo 1991,
// "Unbiased Sampling Techniques for Image Synthesis": samples that choose the density must not count.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::UVec2;

use super::RenderSettings;
use super::pilot::Pilot;
use crate::integrator::{Integrator, Prepared};
use crate::scene::Scene;
use renderer_base::math::exp2;
use renderer_image::Rect;

/// Number of samples of each pixel before densities are chosen; fewer samples do not justify a pilot.
pub(super) const UNIFORM_SAMPLES: u64 = 16;

/// Maximum number of rays of a sample.
pub const MAX_RAYS: u64 = 8;

/// Number of samples of the pilot at a pixel: two pairs.
const PILOT_SAMPLES: usize = 4;

/// Side of the squares in which the noise of a large film is measured [pixels].
const SQUARE_SIDE: u32 = 16;

/// Approximate number of pixels at which the noise of the film is measured.
const PILOT_PIXELS: usize = 1 << 14;

/// Minimum predicted gain: error of uniform sampling divided by the error with the chosen densities.
const MIN_GAIN: f64 = 1.08;

/// Share of the pixels with the largest errors, which are clamped.
const OUTLIERS: f64 = 0.01;

/// Cost of generating a camera ray and adding its sample to the film [rays].
const CAMERA_COST: f32 = 1.0;

/// Radius over which the noise of a pixel is averaged [pixels].
const BLUR_RADIUS: u32 = 2;

/// Sample density of the pixels of a film.
#[derive(Debug)]
pub(super) struct SampleDensity {
    rect: Rect,
    densities: Vec<Density>,
    /// Predicted error of uniform sampling divided by the error with these densities, in equal time.
    pub(super) gain: f64,
}

/// Binary logarithm of the number of rays per sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Density(i8);

impl SampleDensity {
    /// Returns whether a render with these settings chooses densities. Adaptive sampling towards a noise goal distributes samples
    /// itself, and in progressive passes the photons cost more than the samples.
    pub(super) fn is_wanted(settings: &RenderSettings, integrator: &Integrator) -> bool {
        settings.adaptive && settings.noise.is_none() && integrator.samples_per_pass().is_none()
    }

    /// Measures noise and chooses densities, on the current `rayon` pool; the result does not depend on threads, crop and range
    /// of samples. `None` if uniform sampling is as good, or if it is stopped.
    pub(super) fn new(
        scene: &Scene,
        settings: &RenderSettings,
        prepared: &Prepared,
        stop: &AtomicBool,
    ) -> Option<SampleDensity> {
        let film = Rect::of_size(settings.width, settings.height);
        let measure = |rect| Patch::measure(scene, settings, prepared, rect, stop);
        let patches: Vec<Patch> = measured_parts(&film).into_iter().map(measure).collect();
        let mean = mean_of(patches.iter().flat_map(Patch::means));
        let gain = 0.5 * (predicted_gain(&patches, [0, 1], mean) + predicted_gain(&patches, [1, 0], mean));
        let pays = gain >= MIN_GAIN;
        if !pays || stop.load(Ordering::Relaxed) {
            return None;
        }
        let weight = |patch: &Patch| patch.weight(&[0, 1], mean);
        let typical = mean_of(patches.iter().flat_map(weight));
        let densities = |patch: &Patch, rect: Rect| -> Vec<Density> {
            let weight = weight(patch);
            let pixels = rect.pixels();
            pixels.map(|(x, y)| Density::of(weight[patch.index(x, y)] / typical)).collect()
        };
        let rect = settings.rendered();
        let densities = match &patches[..] {
            [whole] => densities(whole, rect),
            _ => strips(rect)
                .flat_map(|strip| densities(&measure(strip.grown(BLUR_RADIUS).and(&film)), strip))
                .collect(),
        };
        Some(SampleDensity { rect, densities, gain })
    }

    /// Rays of a pixel for a range of samples.
    #[inline]
    pub(super) fn rays(&self, x: u32, y: u32, samples: &Range<u64>) -> Range<u64> {
        let column = (x - self.rect.x0) as usize;
        let row = (y - self.rect.y0) as usize;
        let density = self.densities[row * self.rect.width() as usize + column];
        density.rays_before(samples.start)..density.rays_before(samples.end)
    }
}

impl Density {
    /// Density of a pixel with this weight relative to the mean.
    fn of(weight: f32) -> Density {
        /// Geometric means of neighbouring densities.
        const BOUNDS: [f32; 4] = [0.707, 1.414, 2.828, 5.657];
        Density(BOUNDS.iter().filter(|&&bound| weight > bound).count() as i8 - 1)
    }

    /// Number of rays of the samples before this one.
    fn rays_before(self, sample: u64) -> u64 {
        let more = sample.saturating_sub(UNIFORM_SAMPLES);
        let rays = match self.0 {
            0.. => more << self.0,
            _ => more.div_ceil(1 << -self.0),
        };
        sample.min(UNIFORM_SAMPLES) + rays
    }
}

/// Pilot samples of the pixels of a rectangle.
struct Patch {
    rect: Rect,
    /// Luminance of the samples.
    pixels: Vec<[f32; PILOT_SAMPLES]>,
    /// Mean cost of a sample around each pixel [rays].
    costs: Vec<f32>,
}

impl Patch {
    fn measure(
        scene: &Scene,
        settings: &RenderSettings,
        prepared: &Prepared,
        rect: Rect,
        stop: &AtomicBool,
    ) -> Patch {
        let places: Vec<UVec2> = rect.pixels().map(UVec2::from).collect();
        let pilot = Pilot::at(scene, settings, &places, |place, sampler, context| {
            let window = settings.filter.window(place, None);
            let before = context.stats.rays();
            let samples = std::array::from_fn(|index| {
                if stop.load(Ordering::Relaxed) {
                    return 0.0;
                }
                sampler.start(place, index as u64);
                let (film_sample, weight) = settings.film_sample(place, &window, sampler);
                let ray = scene.camera_ray(&settings.camera, &film_sample, &mut context.shading);
                let light = prepared.li(scene, &ray, sampler, context) * weight;
                if light.is_finite() { light.luminance() } else { 0.0 }
            });
            let rays = (context.stats.rays() - before) as f32;
            (samples, CAMERA_COST + rays / PILOT_SAMPLES as f32)
        });
        let (pixels, costs): (Vec<_>, Vec<_>) = pilot.pixels.into_iter().unzip();
        Patch { costs: binomial_blur(&rect, costs), rect, pixels }
    }

    fn index(&self, x: u32, y: u32) -> usize {
        (y - self.rect.y0) as usize * self.rect.width() as usize + (x - self.rect.x0) as usize
    }

    fn means(&self) -> impl Iterator<Item = f32> {
        self.pixels
            .iter()
            .map(|samples| samples.iter().sum::<f32>() / PILOT_SAMPLES as f32)
    }

    /// Denominators of relative errors by pixel: squared mean brightness around the pixel, with a lower bound relative
    /// to the picture's `mean`.
    fn scales(&self, mean: f32) -> Vec<f32> {
        let light = binomial_blur(&self.rect, self.means().collect());
        light
            .iter()
            .map(|light| (light * light + 1e-2 * mean * mean).max(f32::MIN_POSITIVE))
            .collect()
    }

    /// Optimal number of rays of each pixel, up to a common factor, from the noise of these pairs of samples.
    fn weight(&self, pairs: &[usize], mean: f32) -> Vec<f32> {
        let differences = self.pixels.iter().map(|samples| {
            let of_pair = |pair: &usize| (samples[2 * pair] - samples[2 * pair + 1]).abs();
            pairs.iter().map(of_pair).sum()
        });
        let noise = binomial_blur(&self.rect, differences.collect());
        let relative_to = self.scales(mean).into_iter().zip(&self.costs);
        noise
            .iter()
            .zip(relative_to)
            .map(|(noise, (scale, cost))| noise / (scale * cost).sqrt())
            .collect()
    }

    /// Relative squared difference of a pair of samples at each pixel.
    fn errors(&self, pair: usize, mean: f32) -> Vec<f32> {
        let scales = self.scales(mean).into_iter();
        let pixels = self.pixels.iter();
        pixels
            .zip(scales)
            .map(|(samples, scale)| (samples[2 * pair] - samples[2 * pair + 1]).powi(2) / scale)
            .collect()
    }
}

/// Values of the pixels of a rectangle averaged over neighbours, by a binomial kernel.
fn binomial_blur(rect: &Rect, mut values: Vec<f32>) -> Vec<f32> {
    let (width, height) = (rect.width() as usize, rect.height() as usize);
    let mut old = vec![0.0; width.max(height)];
    let mut smooth = |start: usize, step: usize, count: usize| {
        for i in 0..count {
            old[i] = values[start + i * step];
        }
        for i in 0..count {
            let (before, after) = (old[i.saturating_sub(1)], old[(i + 1).min(count - 1)]);
            values[start + i * step] = 0.25 * (before + after) + 0.5 * old[i];
        }
    };
    for _ in 0..BLUR_RADIUS {
        (0..height).for_each(|row| smooth(row * width, 1, width));
        (0..width).for_each(|column| smooth(column, width, height));
    }
    values
}

/// Gain of the densities chosen from the pair of samples `choose`, estimated from the error of the pair `judge`: error × cost of
/// uniform sampling divided by that with the densities.
fn predicted_gain(patches: &[Patch], [choose, judge]: [usize; 2], mean: f32) -> f64 {
    let weight: Vec<f32> = patches.iter().flat_map(|patch| patch.weight(&[choose], mean)).collect();
    let errors: Vec<f32> = patches.iter().flat_map(|patch| patch.errors(judge, mean)).collect();
    let costs = patches.iter().flat_map(|patch| &patch.costs);
    let mut sorted = errors.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let most = sorted[((1.0 - OUTLIERS) * (sorted.len() - 1) as f64) as usize];
    let typical = mean_of(weight.iter().copied());
    let mut even = Work::default();
    let mut uneven = Work::default();
    for ((weight, error), &cost) in weight.into_iter().zip(errors).zip(costs) {
        let rays = exp2(f64::from(Density::of(weight / typical).0));
        even.add(1.0, error.min(most), cost);
        uneven.add(rays, error.min(most), cost);
    }
    let (even, uneven) = (even.product(), uneven.product());
    if uneven > 0.0 { even / uneven } else { 1.0 }
}

/// Error and cost of a picture.
#[derive(Default)]
struct Work {
    error: f64,
    cost: f64,
}

impl Work {
    /// Adds a pixel with `rays` rays; `error` and `cost` are those of a single ray.
    fn add(&mut self, rays: f64, error: f32, cost: f32) {
        self.error += f64::from(error) / rays;
        self.cost += f64::from(cost) * rays;
    }

    fn product(&self) -> f64 {
        self.error * self.cost
    }
}

/// Parts of the film in which noise is measured: a small film as a whole, else squares spread over it.
fn measured_parts(film: &Rect) -> Vec<Rect> {
    if film.area() <= PILOT_PIXELS {
        return vec![*film];
    }
    let tiles = [film.width(), film.height()].map(|length| length.div_ceil(SQUARE_SIDE) as usize);
    let wanted = PILOT_PIXELS / (SQUARE_SIDE * SQUARE_SIDE) as usize;
    let step = ((tiles[0] * tiles[1]) as f64 / wanted as f64).sqrt().ceil().max(1.0) as usize;
    let along = |count: usize| {
        (0..count.div_ceil(step)).map(move |i| (i * step + step / 2).min(count - 1) as u32 * SQUARE_SIDE)
    };
    along(tiles[1])
        .flat_map(|y| along(tiles[0]).map(move |x| (x, y)))
        .map(|(x0, y0)| {
            let tile = Rect { x0, y0, x1: x0 + SQUARE_SIDE, y1: y0 + SQUARE_SIDE };
            tile.and(film)
        })
        .collect()
}

/// Divides a rectangle into strips for which the pilot fits in memory.
fn strips(rect: Rect) -> impl Iterator<Item = Rect> {
    /// Approximate number of pixels of a strip.
    const STRIP: u32 = 1 << 18;
    let rows = STRIP.div_ceil(rect.width());
    (rect.y0..rect.y1).step_by(rows as usize).map(move |y0| Rect {
        y0,
        y1: y0.saturating_add(rows).min(rect.y1),
        ..rect
    })
}

fn mean_of(values: impl Iterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += f64::from(value);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_of_ranges_join() {
        for density in (-1..=3).map(Density) {
            let mut bounds =
                [0, 1, 7, UNIFORM_SAMPLES, UNIFORM_SAMPLES + 1, UNIFORM_SAMPLES + 2, 40, 41, 1000];
            bounds.sort_unstable();
            let rays: Vec<u64> = bounds.iter().map(|&sample| density.rays_before(sample)).collect();
            assert!(rays.is_sorted());
            assert_eq!(rays[..4], [0, 1, 7, UNIFORM_SAMPLES]);
            let expected = (984.0 * f64::from(density.0).exp2()) as u64 + UNIFORM_SAMPLES;
            assert_eq!(*rays.last().expect("there are some"), expected);
        }
    }

    #[test]
    fn noisier_pixels_have_more_rays() {
        let densities: Vec<i8> = [0.0, 0.7, 1.0, 1.5, 3.0, 6.0, 100.0, f32::INFINITY]
            .map(|noise| Density::of(noise).0)
            .into();
        assert_eq!(densities, [-1, -1, 0, 1, 2, 3, 3, 3]);
        assert_eq!(1 << densities[7], MAX_RAYS);
    }
}
