//! Variance of caustics in pictures of `path`, from the photons of a caustic map.
//!
//! A path that reaches a small light through a smooth surface is rare and bright. The samples of a pilot miss it, but its square
//! dominates the error of the picture; photons find the same light often. At the position of a photon, the estimators of `path`
//! are evaluated for light from the photon's direction, MIS weights included. Their mean square divided by their mean, times
//! the photon's power, is a sample of the second moment of the path's contribution.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::UVec2;
use rayon::prelude::*;

use super::branches::STEP;
use super::budget::Budget;
use super::pixels::{MAX_PIXELS, Pilot, PixelGrid};
use crate::integrator::photon::{Photon, Photons};
use crate::integrator::{Context, Integrator, MisContext, Pass, PathSettings, PhotonSettings, Prepared};
use crate::light::{Light, LightSampleContext};
use crate::render::RenderSettings;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, Located, Ray};
use renderer_base::sampler::Sampler;
use renderer_image::Rect;
use renderer_scene::Show;

/// Cost of a photon stored in a caustic map and of the estimates there, in paths; most photons are not stored.
const PHOTON_COST: f64 = 20.0;

/// Numbers of photons of a trial. Detecting missing light has the minimum, whatever the budget.
const PHOTONS: RangeInclusive<u64> = 1 << 10..=1 << 14;

/// Samples of each pixel; lookups of photons have little noise.
const SAMPLES: u64 = 8;

/// Assumed albedo of surfaces under caustics.
const ALBEDO: f64 = 0.5;

/// Maximum number of photons at which light is estimated.
const MAX_PHOTONS: usize = 1 << 12;

/// Relative root mean square of missing light above which it is visible.
const VISIBLE_ERROR: f64 = 0.01;

/// Number of estimates at each photon.
const ESTIMATES: u64 = 8;

/// Separates their random numbers from those of pixels.
const SALT: u64 = 0x63_61_75_73_74_69_63;

/// Offset of ray origins from the surface relative to the scene's radius: the error bound of photon positions is unknown.
const ORIGIN_OFFSET: f32 = 1e-5;

/// Number of photons that a trial may trace; `None` if these are too few.
pub(super) fn affordable_photons(budget: Budget) -> Option<u64> {
    budget.count(PHOTON_COST, PHOTONS)
}

/// Traces `count` photons of a caustic map for a pilot; `None` if there are no caustics.
pub(super) fn photons(
    scene: &Scene,
    path: &PathSettings,
    pass: &Pass<'_>,
    count: u64,
) -> Option<Box<Photons>> {
    let settings = PhotonSettings {
        depth: path.depth,
        hide_emitters: path.hide_emitters,
        caustic_photons: Some(count),
        show: Some(Show::Caustic),
        ..PhotonSettings::default()
    };
    // Without a file there are no errors.
    match Prepared::new(&Integrator::Photon(settings), scene, pass) {
        Ok(Prepared::Photon(maps)) if maps.has_caustics() => Some(maps),
        _ => None,
    }
}

/// Variance of the caustics of `maps` in a branch of `path`, at the pixels of a pilot: of contributions from `rare` on, which
/// the samples of the pilot miss.
pub(super) fn variances(
    scene: &Scene,
    settings: &RenderSettings,
    grid: PixelGrid,
    (path, maps, rare): (&Prepared, &Photons, f64),
    stop: &AtomicBool,
) -> Vec<f64> {
    if maps.caustic().is_empty() {
        return vec![];
    }
    let second_moment = |estimates: Estimates| {
        let found = estimates.square_over_mean();
        if ALBEDO * f64::from(found) < rare { 0.0 } else { found }
    };
    let squares = weighted(scene, settings, (path, maps), stop, false, second_moment);
    let second_moments = luminance(scene, settings, grid, &squares, stop);
    second_moments.into_iter().map(|mean| ALBEDO * mean).collect()
}

/// Root mean square of the light that `path` cannot find, relative to the picture; `None` if it is invisible. This is light of
/// delta lights in caustics: rays do not hit these lights, and light samples do not reach them through refracting surfaces.
pub(super) fn missing(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Option<f64> {
    if !scene.lights().iter().any(Light::is_delta) {
        return None;
    }
    let count = affordable_photons(Budget::new(settings)).unwrap_or(*PHOTONS.start());
    let maps = photons(scene, path, pass, count)?;
    let film = Rect::of_size(settings.width, settings.height);
    let plain = Prepared::Path(*path).with_counts(1, 1);
    let grid = PixelGrid::new(&film, STEP, MAX_PIXELS.min(count / 4));
    let never = |estimates: Estimates| if estimates.sum > 0.0 { 0.0 } else { 1.0 };
    let lost = weighted(scene, settings, (&plain, &maps), pass.stop, true, never);
    let [found, lost] = [&plain, &lost].map(|prepared| luminance(scene, settings, grid, prepared, pass.stop));
    let count = lost.len() as f64;
    let mean = found.iter().chain(&lost).sum::<f64>() / count;
    let relative = found.iter().zip(&lost).map(|(found, lost)| {
        lost.powi(2) / ((found + lost).powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE)
    });
    let error = (relative.sum::<f64>() / count).sqrt();
    (error > VISIBLE_ERROR).then_some(error)
}

/// Mean luminance of each pixel of a pilot.
fn luminance(
    scene: &Scene,
    settings: &RenderSettings,
    grid: PixelGrid,
    prepared: &Prepared,
    stop: &AtomicBool,
) -> Vec<f64> {
    let pilot = Pilot::new(scene, settings, grid, stop, |sample, context| {
        let samples = (0..SAMPLES).map(|index| {
            let (ray, mut sampler) = sample(index, context);
            let light: Rgb = prepared.li(scene, &ray, &mut sampler, context);
            f64::from(light.luminance())
        });
        samples.filter(|luminance| luminance.is_finite()).sum::<f64>() / SAMPLES as f64
    });
    pilot.pixels
}

/// The caustic map of `maps` for direct viewing, with the power of each photon multiplied by a factor of the estimates of `path`
/// for light from its direction. With the mean square divided by the mean, it shows the second moment of the caustics of
/// paths, divided by the albedo of the surface. `hidden` adds light in media that paths cannot find.
fn weighted(
    scene: &Scene,
    settings: &RenderSettings,
    (path, maps): (&Prepared, &Photons),
    stop: &AtomicBool,
    hidden: bool,
    factor: impl Fn(Estimates) -> f32 + Sync,
) -> Prepared {
    let caustic = maps.caustic();
    let step = caustic.len().div_ceil(MAX_PHOTONS).max(1);
    let photons: Vec<Photon> = caustic.photons().step_by(step).copied().collect();
    let factors: Vec<f32> = photons
        .par_iter()
        .enumerate()
        .map_init(
            || (Context::new(scene), Sampler::new(settings.seed ^ SALT)),
            |(context, sampler), (index, photon)| {
                if stop.load(Ordering::Relaxed) {
                    return 0.0;
                }
                let key = UVec2::new(index as u32, 0);
                factor(estimates(scene, path, photon, key, sampler, context))
            },
        )
        .collect();
    Prepared::Photon(Box::new(maps.caustics_alone(&photons, &factors, hidden)))
}

/// Estimates of paths for light from a photon's direction.
struct Estimates {
    /// Sum of the luminance.
    sum: f32,
    /// Sum of the squared luminance.
    squares: f32,
    /// Ratio of the density of guided sampling to that of BSDF sampling in that direction: a preferred direction is
    /// sampled more often, with a smaller weight.
    guide_pdf_ratio: f32,
}

impl Estimates {
    fn square_over_mean(self) -> f32 {
        let ratio = self.squares / (self.sum * self.guide_pdf_ratio);
        if ratio.is_finite() { ratio } else { 0.0 }
    }
}

/// Estimates light from a photon's direction by paths.
fn estimates(
    scene: &Scene,
    path: &Prepared,
    photon: &Photon,
    key: UVec2,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Estimates {
    let (p, n, wi) = (photon.p(), photon.n(), photon.wi());
    let ray = Ray::new(p + n * (ORIGIN_OFFSET * scene.bounds().radius()), wi);
    let arrival = MisContext {
        at: LightSampleContext::on_surface(p, n),
        pdf: Some(wi.dot(n).max(0.0) * INV_PI),
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    for estimate in 0..ESTIMATES {
        sampler.start(key, estimate);
        let mut light = Rgb::BLACK;
        path.incident_radiance(scene, scene.start_in_space(&ray), arrival, sampler, context, &mut light);
        let luminance = light.luminance();
        sum += luminance;
        squares += luminance * luminance;
    }
    Estimates {
        sum,
        squares,
        guide_pdf_ratio: path.guide_pdf_ratio(p, n, wi),
    }
}
