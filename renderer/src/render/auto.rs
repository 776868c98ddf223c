//! The integrator `auto`: a short pilot of `path` and `photon` decides by the expected time to equal error.
//!
//! Both render the same few pixels; the time to an error is in proportion to the cost of a sample times its variance.
//! Measured time would make the image depend on the machine and its load, so cost is counted in equivalents of path
//! rays.

use glam::{UVec2, Vec2};
use rayon::prelude::*;

use super::RenderSettings;
use crate::color::Rgb;
use crate::integrator::photon::default_count;
use crate::integrator::{
    Context, Integrator, Pass, PathSettings, PhotonSettings, PrepareError, Prepared, Stats,
};
use crate::sampler::Sampler;
use crate::scene::Scene;

/// Result of the pilot.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// Path or photon.
    pub integrator: Integrator,
    /// Expected time to equal error of the other integrator, relative to this one.
    pub gain: f64,
}

/// Pixels of the pilot along the longer side of what is rendered.
const PIXELS: u32 = 40;

/// Samples of each.
const SAMPLES: u64 = 16;

/// Photons to keep in each map of the pilot.
const PHOTONS: u64 = 1 << 15;

/// Cost of a photon map lookup in path rays; a sample takes two.
const LOOKUP: f64 = 3.0;

/// Cost of a photon path segment in path rays, kd-tree construction included.
const PHOTON_RAY: f64 = 4.0;

/// Cost of an irradiance record in path rays.
const RECORD: f64 = 130.0;

/// Keeps the pilot's random numbers apart from those of the picture.
const SALT: u64 = 0x70_69_6c_6f_74;

/// Decides for a render, on the `rayon` pool that it is called in; the same for any number of threads.
///
/// # Errors
/// Those of [`Integrator::prepare`].
pub(super) fn decide(
    scene: &Scene,
    settings: &RenderSettings,
    path: &PathSettings,
    pass: &Pass<'_>,
) -> Result<Decision, PrepareError> {
    let photon = PhotonSettings {
        depth: path.depth,
        hide_emitters: path.hide_emitters,
        ..PhotonSettings::default()
    };
    let pilot = Integrator::Photon(PhotonSettings {
        photons: Some(PHOTONS),
        caustic_photons: Some(PHOTONS),
        ..photon
    });
    // No deadline: the decision must not depend on the machine's load.
    let pilot_pass = Pass {
        file: None,
        until: None,
        ..*pass
    };
    let maps = pilot.prepare(scene, &pilot_pass)?;
    let made = maps.photons().cloned().unwrap_or_default();
    let by_path = sample(scene, settings, &Prepared::Path(*path));
    let by_photon = sample(scene, settings, &maps);

    // Both estimate the same picture: the mean of the two is known better than either.
    let pixels = || by_path.pixels.iter().zip(&by_photon.pixels);
    let brightness = |(a, b): (&Pixel, &Pixel)| 0.5 * (a.mean + b.mean);
    let mean = pixels().map(brightness).sum::<f64>() / by_path.pixels.len().max(1) as f64;
    let scale = |pair: (&Pixel, &Pixel)| 1.0 / (brightness(pair).powi(2) + 1e-2 * mean * mean);
    let spread =
        |by: fn((&Pixel, &Pixel)) -> f64| -> f64 { pixels().map(|pair| by(pair) * scale(pair)).sum() };
    let photon_error = spread(|(_, photon)| photon.variance);
    // Rare paths with large contributions are missing among so few samples; the difference to the estimate with photon
    // maps shows how much.
    let missing =
        spread(|(path, photon)| SAMPLES as f64 * (path.mean - photon.mean).powi(2) - photon.variance);
    let path_error = spread(|(path, _)| path.variance).max(missing);
    let samples = settings.total as f64 * settings.pixels() as f64;
    let larger = default_count(&photon, pass.points) as f64 / PHOTONS as f64;
    let maps = larger * (PHOTON_RAY * made.rays as f64 + RECORD * made.records as f64);
    let path_work = by_path.rays() * samples * path_error;
    let photon_work = (by_photon.rays() + 2.0 * LOOKUP) * samples * photon_error + maps * path_error;
    let gain = if path_work > 0.0 {
        path_work / photon_work
    } else {
        0.0
    };
    Ok(if gain > 1.0 {
        Decision {
            integrator: Integrator::Photon(photon),
            gain,
        }
    } else {
        Decision {
            integrator: Integrator::Path(*path),
            gain: 1.0 / gain,
        }
    })
}

/// Measurements of one integrator.
struct Pilot {
    pixels: Vec<Pixel>,
    work: Stats,
}

/// Luminance over the samples of a pixel.
struct Pixel {
    mean: f64,
    variance: f64,
}

impl Pilot {
    /// Rays of a sample.
    fn rays(&self) -> f64 {
        self.work.rays() as f64 / (self.pixels.len().max(1) as u64 * SAMPLES) as f64
    }
}

fn sample(scene: &Scene, settings: &RenderSettings, prepared: &Prepared) -> Pilot {
    let rect = settings.rendered();
    let (width, height) = (rect.width(), rect.height());
    let step = width.max(height).div_ceil(PIXELS).max(1);
    let places: Vec<UVec2> = (0..height.div_ceil(step))
        .flat_map(|y| (0..width.div_ceil(step)).map(move |x| UVec2::new(x, y)))
        .map(|cell| {
            UVec2::new(rect.x0, rect.y0) + (cell * step + step / 2).min(UVec2::new(width, height) - 1)
        })
        .collect();
    let rows: Vec<(Vec<Pixel>, Stats)> = places
        .par_chunks(PIXELS as usize)
        .map_init(
            || Context::new(scene),
            |context, places| {
                context.stats = Stats::default();
                let pixels = places
                    .iter()
                    .map(|&place| pixel(scene, settings, prepared, place, context));
                (pixels.collect(), context.stats)
            },
        )
        .collect();
    let mut pilot = Pilot {
        pixels: vec![],
        work: Stats::default(),
    };
    for (pixels, work) in rows {
        pilot.pixels.extend(pixels);
        pilot.work.merge(&work);
    }
    pilot
}

fn pixel(
    scene: &Scene,
    settings: &RenderSettings,
    prepared: &Prepared,
    place: UVec2,
    context: &mut Context,
) -> Pixel {
    let mut sampler = Sampler::new(settings.seed ^ SALT);
    let (mut sum, mut squares) = (0.0, 0.0);
    for index in 0..SAMPLES {
        sampler.start(place, index);
        let film = Vec2::new(place.x as f32, place.y as f32) + sampler.next_2d();
        let ray = settings.camera.generate(film, sampler.next_2d(), 0.0);
        let light: Rgb = prepared.li(scene, &ray, &mut sampler, context);
        let luminance = f64::from(light.luminance());
        if luminance.is_finite() {
            sum += luminance;
            squares += luminance * luminance;
        }
    }
    let n = SAMPLES as f64;
    Pixel {
        mean: sum / n,
        variance: ((squares - sum * sum / n) / (n - 1.0)).max(0.0),
    }
}
