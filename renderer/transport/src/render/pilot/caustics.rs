//! The variance that caustics make in pictures of `path`, calculated from the photons of the caustic map.
//!
//! A path that reaches a small light by way of a smooth surface is rare and bright. The pilot's samples miss it, but
//! its square dominates the error of the picture. Photons find the same light often. At the position of a photon, the
//! path's own estimators of light from the photon's direction are evaluated, so that they include everything that the
//! path does, such as MIS weights. Their mean square divided by their mean, times the photon's power, is a sample of
//! the second moment of the paths' contribution.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::UVec2;
use rayon::prelude::*;

use super::branches::STEP;
use super::stratified;
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

/// Numbers of photons in a map for the pilot alone: `FEW` detect whether caustics matter, `MANY` measure their
/// variance.
pub(super) const FEW: u64 = 1 << 14;
pub(super) const MANY: u64 = 1 << 16;

/// Samples of each of the pilot's pixels, of either sequence: photons tell enough by a few.
const SAMPLES: u64 = 4;

/// Albedo of surfaces that caustics fall on.
const ALBEDO: f64 = 0.5;

/// Most photons at which the light is estimated.
const PHOTONS: usize = 1 << 12;

/// Root mean square of light that paths cannot find, relative to the picture, from which on it counts: less is not seen.
pub(super) const SEEN: f64 = 0.01;

/// Estimates at each of them.
const ESTIMATES: u64 = 8;

/// Keeps their random numbers apart from those of pixels.
const SALT: u64 = 0x63_61_75_73_74_69_63;

/// Offset of ray origins from the surface, as a share of the scene's radius: the rounding error of a photon's position
/// is not known.
const LIFT: f32 = 1e-4;

/// Traces photons for a map of caustics only, of `count` photons, for a pilot; `None` if no caustics were found.
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

/// The variance that the caustics of `maps` make in a branch of `path`, at the pixels of a pilot of this rectangle and step.
pub(super) fn variances(
    scene: &Scene,
    settings: &RenderSettings,
    area: (&Rect, u32),
    (path, maps): (&Prepared, &Photons),
    stop: &AtomicBool,
) -> Vec<f64> {
    if maps.caustic().is_empty() {
        return vec![];
    }
    let squares = weighted(
        scene,
        settings,
        (path, maps),
        stop,
        false,
        Estimates::square_over_mean,
    );
    let pilot = stratified::sample(scene, settings, area, SAMPLES, &squares, stop);
    pilot.pixels.iter().map(|pixel| ALBEDO * pixel.mean).collect()
}

/// The radiance of the caustics of `maps` that `path` cannot find, at the pixels of a pilot of this rectangle and step: that
/// of lights without size, which no ray hits. Light samples do not reach them through surfaces that refract.
pub(super) fn unfound(
    scene: &Scene,
    settings: &RenderSettings,
    area: (&Rect, u32),
    (path, maps): (&Prepared, &Photons),
    stop: &AtomicBool,
) -> Vec<f64> {
    let has_delta = scene.lights().iter().any(Light::is_delta);
    if !maps.has_caustics() || !has_delta {
        return vec![];
    }
    let never = |estimates: Estimates| if estimates.sum > 0.0 { 0.0 } else { 1.0 };
    let light = weighted(scene, settings, (path, maps), stop, true, never);
    let pilot = stratified::sample(scene, settings, area, SAMPLES, &light, stop);
    pilot.pixels.iter().map(|pixel| pixel.mean).collect()
}

/// The root mean square of the light that `path` cannot find, relative to the picture; `None` where that is not seen, or
/// where all lights have size.
pub(super) fn missing(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Option<f64> {
    if !scene.lights().iter().any(Light::is_delta) {
        return None;
    }
    let maps = photons(scene, path, pass, FEW)?;
    let plain = Prepared::Path(*path).with_counts(1, 1);
    let film = Rect::of_size(settings.width, settings.height);
    let unfound = unfound(scene, settings, (&film, STEP), (&plain, &maps), pass.stop);
    let found = stratified::sample(scene, settings, (&film, STEP), SAMPLES, &plain, pass.stop).pixels;
    let brightness = |(pixel, light): (&stratified::Pixel, &f64)| pixel.mean + light;
    let pixels = || found.iter().zip(&unfound);
    let count = unfound.len() as f64;
    let mean = pixels().map(brightness).sum::<f64>() / count;
    let relative = pixels().map(|(pixel, light)| {
        light * light / (brightness((pixel, light)).powi(2) + 1e-2 * mean * mean).max(f64::MIN_POSITIVE)
    });
    let error = (relative.sum::<f64>() / count).sqrt();
    (error > SEEN).then_some(error)
}

/// The caustic map of `maps` to be looked at directly, the power of each photon multiplied by a factor of the estimates
/// that `path` makes of the light from its direction. With the mean square over the mean it shows the mean square of the
/// light that paths find of the caustics, over the albedo of the surface. `hidden` adds what is in media that paths cannot find.
fn weighted(
    scene: &Scene,
    settings: &RenderSettings,
    (path, maps): (&Prepared, &Photons),
    stop: &AtomicBool,
    hidden: bool,
    factor: impl Fn(Estimates) -> f32 + Sync,
) -> Prepared {
    let caustic = maps.caustic();
    let step = caustic.len().div_ceil(PHOTONS).max(1);
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

/// Estimates that paths make of the light from a photon's direction.
struct Estimates {
    /// Sum of their luminance.
    sum: f32,
    /// Sum of its squares.
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

/// The path's estimates of the light from a photon's direction.
fn estimates(
    scene: &Scene,
    path: &Prepared,
    photon: &Photon,
    key: UVec2,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Estimates {
    let (p, n, wi) = (photon.p(), photon.n(), photon.wi());
    let ray = Ray::new(p + n * (LIFT * scene.bounds().radius()), wi);
    let arrival = MisContext {
        at: LightSampleContext::on_surface(p, n),
        pdf: Some(wi.dot(n).max(0.0) * INV_PI),
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    for estimate in 0..ESTIMATES {
        sampler.start(key, estimate);
        let mut light = Rgb::BLACK;
        path.incident_radiance(
            scene,
            scene.start_in_space(&ray),
            arrival,
            sampler,
            context,
            &mut light,
        );
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
