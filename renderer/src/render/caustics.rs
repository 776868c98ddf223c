//! The variance that caustics make in pictures of `path`, calculated from the photons of the caustic map.
//!
//! A path that finds a small lamp in a smooth plate is rare and bright. The samples of a pilot miss it, but its square
//! decides the error of the picture. Photons find the same light often: from where a photon lies the path's own
//! estimates of the light from the photon's direction are taken, so that they have all that the path does about it.
//! Their mean square over their mean, times the photon's power, is a sample of the mean square of what paths find.

use glam::UVec2;
use rayon::prelude::*;

use super::RenderSettings;
use crate::color::Rgb;
use crate::integrator::photon::{Photon, Photons};
use crate::integrator::{Arrival, Context, Prepared};
use crate::light::LitPoint;
use crate::math::{INV_PI, Located, Ray};
use crate::sampler::Sampler;
use crate::scene::Scene;

/// Most photons at which the light is estimated.
const PHOTONS: usize = 1 << 12;

/// Estimates at each of them.
const ESTIMATES: u64 = 8;

/// Keeps their random numbers apart from those of pixels.
const SALT: u64 = 0x63_61_75_73_74_69_63;

/// How far above the surface rays start, as a share of the scene's radius: the rounding error of a photon's position is
/// not known.
const LIFT: f32 = 1e-4;

/// A map to be looked at directly. It shows the mean square of the light that `path` finds of the caustics of `maps`,
/// over the albedo of the surface.
pub(super) fn mean_squares(
    scene: &Scene,
    settings: &RenderSettings,
    path: &Prepared,
    maps: &Photons,
) -> Photons {
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
    let ratio = squares / sum;
    if ratio.is_finite() { ratio } else { 0.0 }
}
