//! The variance that caustics make in pictures of `path`, calculated from the photons of the caustic map.
//!
//! A path that finds a small lamp in a smooth plate is rare and bright. The samples of a pilot miss it, but its square
//! decides the error of the picture. Photons find the same light often: from where a photon lies the path's own
//! estimates of the light from the photon's direction are taken, so that they have all that the path does about it.
//! Their mean square over their mean, times the photon's power, is a sample of the mean square of what paths find.

use glam::UVec2;
use rayon::prelude::*;

use super::RenderSettings;
use super::stratified;
use crate::integrator::photon::{Photon, Photons};
use crate::integrator::{Arrival, Context, Integrator, Pass, PathSettings, PhotonSettings, Prepared};
use crate::light::LitPoint;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, Located, Ray};
use renderer_base::sampler::Sampler;
use renderer_image::Rect;
use renderer_scene::Show;

/// Photons to keep in a map that serves nothing else: so few tell whether caustics matter, and so many how much.
pub(super) const FEW: u64 = 1 << 14;
pub(super) const MANY: u64 = 1 << 16;

/// Samples of each of the pilot's pixels, of either sequence: photons tell enough by a few.
const SAMPLES: u64 = 4;

/// Albedo of surfaces that caustics fall on.
const ALBEDO: f64 = 0.5;

/// Most photons at which the light is estimated.
const PHOTONS: usize = 1 << 12;

/// Estimates at each of them.
const ESTIMATES: u64 = 8;

/// Keeps their random numbers apart from those of pixels.
const SALT: u64 = 0x63_61_75_73_74_69_63;

/// How far above the surface rays start, as a share of the scene's radius: the rounding error of a photon's position is
/// not known.
const LIFT: f32 = 1e-4;

/// So many photons of caustics alone, for a pilot; `None` where there are none.
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
    // No deadline: what a pilot chooses must not depend on the machine's load. Without a file there are no mistakes.
    let pass = Pass {
        file: None,
        until: None,
        ..*pass
    };
    match Prepared::new(&Integrator::Photon(settings), scene, &pass) {
        Ok(Prepared::Photon(maps)) if !maps.caustic().is_empty() => Some(maps),
        _ => None,
    }
}

/// The variance that the caustics of `maps` make in a branch of `path`, at the pixels of a pilot of `rect` and `step`.
pub(super) fn variances(
    scene: &Scene,
    settings: &RenderSettings,
    (rect, step): (&Rect, u32),
    path: &Prepared,
    maps: &Photons,
) -> Vec<f64> {
    if maps.caustic().is_empty() {
        return vec![];
    }
    let squares = Prepared::Photon(Box::new(mean_squares(scene, settings, path, maps)));
    let pilot = stratified::sample(scene, settings, rect, step, SAMPLES, &squares);
    pilot.pixels.iter().map(|pixel| ALBEDO * pixel.mean).collect()
}

/// A map to be looked at directly. It shows the mean square of the light that `path` finds of the caustics of `maps`,
/// over the albedo of the surface.
fn mean_squares(scene: &Scene, settings: &RenderSettings, path: &Prepared, maps: &Photons) -> Photons {
    let caustic = maps.caustic();
    let step = caustic.len().div_ceil(PHOTONS).max(1);
    let photons: Vec<Photon> = caustic.photons().step_by(step).copied().collect();
    let factors: Vec<f32> = photons
        .par_iter()
        .enumerate()
        .map_init(
            || (Context::new(scene), Sampler::new(settings.seed ^ SALT)),
            |(context, sampler), (index, photon)| {
                let key = UVec2::new(index as u32, 0);
                square_over_mean(scene, path, photon, key, sampler, context)
            },
        )
        .collect();
    maps.caustics_alone(&photons, &factors)
}

/// The mean square over the mean of the path's estimates of the light from a photon's direction.
fn square_over_mean(
    scene: &Scene,
    path: &Prepared,
    photon: &Photon,
    key: UVec2,
    sampler: &mut Sampler,
    context: &mut Context,
) -> f32 {
    let (p, n, wi) = (photon.p(), photon.n(), photon.wi());
    let ray = Ray::new(p + n * (LIFT * scene.bounds().radius()), wi);
    let arrival = Arrival {
        at: LitPoint::on_surface(p, n),
        pdf: Some(wi.dot(n).max(0.0) * INV_PI),
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    for estimate in 0..ESTIMATES {
        sampler.start(key, estimate);
        let mut light = Rgb::BLACK;
        path.incoming(scene, &ray, arrival, sampler, context, &mut light);
        let luminance = light.luminance();
        sum += luminance;
        squares += luminance * luminance;
    }
    // Where a guide prefers the direction, its light is found more often and counts less each time.
    let ratio = squares / (sum * path.preference(p, n, wi));
    if ratio.is_finite() { ratio } else { 0.0 }
}
