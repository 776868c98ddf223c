//! The path tracer: one path from the camera, with a light sample at every hit and both ways to find a light combined.
//!
//! Depth counts the segments of a path from the camera: one shows what emits, two add direct light. A surface that lets
//! the path straight through is no hit: it costs no depth, and light samples look through it as well.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use glam::Vec3;

use super::Context;
use super::direct::sample_one_light;
use crate::bsdf::{BsdfSample, LobeKind, Side, Spread};
use crate::camera::{CameraRay, RayDifferential};
use crate::color::Rgb;
use crate::material::{RayKind, Surface};
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::sampling::power_heuristic;
use crate::scene::{MAX_PASSES, Scene};

/// How long paths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSettings {
    /// The most segments of a path; no limit when `None`.
    pub depth: Option<u32>,
    /// Segments that a path has before Russian roulette may end it.
    pub rr_depth: u32,
}

impl Default for PathSettings {
    fn default() -> PathSettings {
        PathSettings {
            depth: None,
            rr_depth: 5,
        }
    }
}

/// The greatest probability with which Russian roulette lets a path live: mirrors facing each other end too.
const MAX_SURVIVAL: f32 = 0.95;

/// How the path came to its present ray, as far as weighing light samples against it goes.
#[derive(Clone, Copy)]
struct Arrival {
    /// The point that scattered last.
    p: Vec3,
    /// Density with which it chose the direction [1/sr]; `None` where light samples had no chance.
    pdf: Option<f32>,
}

impl Arrival {
    /// The weight of light found by chance which light samples find with density `light_pdf`.
    #[inline]
    fn weight(self, light_pdf: impl FnOnce(Vec3) -> f32) -> f32 {
        self.pdf
            .map_or(1.0, |pdf| power_heuristic(pdf, light_pdf(self.p)))
    }
}

/// The width of what a path stands for, for texture lookups.
#[derive(Clone, Copy)]
struct Footprint {
    /// At the ray's origin [m].
    width: f32,
    /// Growth along the ray.
    spread: f32,
}

impl Footprint {
    fn new(differential: &RayDifferential) -> Footprint {
        let greater = |a: Vec3, b: Vec3| a.length_squared().max(b.length_squared()).sqrt();
        Footprint {
            width: greater(differential.origin_dx, differential.origin_dy),
            spread: greater(differential.direction_dx, differential.direction_dy),
        }
    }

    fn at(self, t: f32) -> f32 {
        self.width + self.spread * t
    }

    /// After scattering at distance `t`: the wider the lobe, the less detail is seen in what comes next.
    fn scattered(self, t: f32, spread: Spread) -> Footprint {
        let least = match spread {
            Spread::Specular => 0.0,
            Spread::Glossy => 0.05,
            Spread::Diffuse => 0.2,
        };
        Footprint {
            width: self.at(t),
            spread: self.spread.max(least),
        }
    }
}

/// An estimate of the radiance that arrives along a camera's ray.
pub(super) fn li(
    settings: &PathSettings,
    scene: &Scene,
    camera_ray: &CameraRay,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Rgb {
    let max_depth = settings.depth.unwrap_or(u32::MAX);
    let mut radiance = Rgb::BLACK;
    let mut throughput = Rgb::WHITE;
    // The square of the index of refraction where the path is: throughput falls by it on entering glass and comes back.
    let mut eta2 = 1.0;
    let mut ray = camera_ray.ray;
    let mut ray_kind = RayKind::CAMERA;
    let mut footprint = Footprint::new(&camera_ray.differential);
    let mut arrival = Arrival {
        p: ray.origin,
        pdf: None,
    };
    let (mut depth, mut passes) = (1, 0);
    let Context {
        shading,
        surface,
        stats,
    } = context;
    stats.camera_rays += 1;
    if max_depth == 0 {
        return radiance;
    }
    loop {
        let Some(it) = scene.intersect(&ray) else {
            for light in scene.escape(ray.direction) {
                radiance += throughput * light.radiance * arrival.weight(|_| light.pdf);
            }
            return radiance;
        };

        // What the surface is.
        let material = scene.material(it.shape);
        if depth >= max_depth && !material.may_emit() && !material.may_be_transparent() {
            return radiance;
        }
        stats.shading_runs += 1;
        material.shade(&it, ray_kind, footprint.at(it.t), shading, surface);
        stats.dropped_lobes += u64::from(surface.dropped);

        // Emission.
        if !surface.emission.is_black() {
            radiance += throughput * surface.emission * arrival.weight(|p| scene.light_pdf(p, &it));
        }

        // Light samples.
        let bsdf = &surface.bsdf;
        if depth < max_depth && !bsdf.is_specular() {
            radiance += throughput * sample_one_light(scene, &it, bsdf, sampler, shading, stats);
        }

        // The next direction.
        let (u_lobe, u) = (sampler.next_1d(), sampler.next_2d());
        let Some(sample) = bsdf.sample(it.wo, u_lobe, u) else {
            return radiance;
        };
        throughput *= sample.weight;
        if throughput.is_black() {
            return radiance;
        }
        if is_pass(&sample, surface) {
            passes += 1;
            if passes > MAX_PASSES {
                return radiance;
            }
            ray_kind = RayKind(ray_kind.0 | RayKind::TRANSPARENT.0);
            footprint.width = footprint.at(it.t);
            // The same line goes on: where it came from stays what it was.
            ray = Ray {
                t_max: ray.t_max - it.t,
                ..it.spawn_ray(ray.direction)
            };
        } else {
            if depth >= max_depth {
                return radiance;
            }
            depth += 1;
            eta2 *= sample.eta * sample.eta;
            ray_kind = kind_of(sample.lobe);
            footprint = footprint.scattered(it.t, sample.lobe.spread);
            arrival = Arrival {
                p: it.p,
                pdf: (!sample.is_specular()).then_some(sample.pdf),
            };
            ray = it.spawn_ray(sample.wi);

            // Russian roulette.
            if depth > settings.rr_depth {
                let survival = (throughput.max_component() * eta2).min(MAX_SURVIVAL);
                if sampler.next_1d() >= survival {
                    return radiance;
                }
                throughput *= 1.0 / survival;
            }
        }
        stats.indirect_rays += 1;
    }
}

/// Whether light went straight through, as if nothing were there. Glass in a medium of its own index sends light straight
/// on too, but stops light samples as all glass does.
#[inline]
fn is_pass(sample: &BsdfSample, surface: &Surface) -> bool {
    sample.lobe == LobeKind::SPECULAR_TRANSMISSION && sample.eta == 1.0 && !surface.transparency.is_black()
}

/// The kind of a ray that such a lobe sends out.
fn kind_of(lobe: LobeKind) -> RayKind {
    match (lobe.spread, lobe.side) {
        (Spread::Diffuse, _) => RayKind::DIFFUSE,
        (Spread::Glossy, _) => RayKind::GLOSSY,
        (Spread::Specular, Side::Reflection) => RayKind::REFLECTION,
        (Spread::Specular, Side::Transmission) => RayKind::REFRACTION,
    }
}
