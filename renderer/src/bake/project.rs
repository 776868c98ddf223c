//! Light that arrives at points, as coefficients of spherical harmonics and as irradiance.
//!
//! Light straight from lights is found by these rays and by light samples, weighed against each other; a constant
//! environment by the rays alone, which know it exactly.

use glam::{UVec2, Vec3};

use super::horizon::Horizon;
use super::receiver::Site;
use super::sh::{MAX_COEFFICIENTS, basis};
use crate::color::Rgb;
use crate::geometry::Footprint;
use crate::integrator::{Context, Prepared};
use crate::light::{EnvironmentLight, Light};
use crate::material::{RayKind, Surface};
use crate::math::Frame;
use crate::sampler::Sampler;
use crate::sampling::power_heuristic;
use crate::scene::{MAX_PASSES, Scene};

/// Which light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// What was scattered at least once before it arrives.
    Indirect,
    /// What comes straight from lights.
    Direct,
    /// All.
    Both,
}

impl Include {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Include::Indirect => "indirect",
            Include::Direct => "direct",
            Include::Both => "both",
        }
    }

    fn direct(self) -> bool {
        self != Include::Indirect
    }

    fn indirect(self) -> bool {
        self != Include::Direct
    }
}

/// How to estimate.
pub(super) struct Estimator<'a> {
    pub(super) scene: &'a Scene,
    pub(super) prepared: &'a Prepared,
    pub(super) include: Include,
    /// Rays.
    pub(super) samples: u32,
}

/// What arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Coefficients of radiance.
    pub(super) coefficients: [Rgb; MAX_COEFFICIENTS],
    /// ∫ L cosθ dω [W/m²]; at a point in space ∫ L dω / 4, the mean over all orientations.
    pub(super) irradiance: Rgb,
    /// The variance of the irradiance's luminance.
    pub(super) variance: f32,
}

/// Sums of what arrives.
struct Sums {
    coefficients: [[f64; 3]; MAX_COEFFICIENTS],
    irradiance: [f64; 3],
    /// Of a sample's luminance of irradiance, and of its square.
    luminance: [f64; 2],
}

impl Estimator<'_> {
    /// What arrives at a texel that stands for `sites`, one or more.
    pub(super) fn at_surface(
        &self,
        sites: &[Site],
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        let horizon = |index: u32| {
            // Each point takes a run of samples: runs of the sequence are stratified in themselves.
            let site = sites[(u64::from(index) * sites.len() as u64 / u64::from(self.samples)) as usize];
            Horizon::Hemisphere(site, Frame::from_normal(site.n))
        };
        self.estimate(horizon, key, sampler, context)
    }

    /// What arrives at a point in space.
    pub(super) fn in_space(
        &self,
        p: Vec3,
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        self.estimate(|_| Horizon::Sphere(p), key, sampler, context)
    }

    fn estimate(
        &self,
        horizon: impl Fn(u32) -> Horizon,
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        let mut sums = Sums {
            coefficients: [[0.0; 3]; MAX_COEFFICIENTS],
            irradiance: [0.0; 3],
            luminance: [0.0; 2],
        };
        for index in 0..self.samples {
            sampler.start(key, u64::from(index));
            let horizon = horizon(index);
            let mut irradiance = Rgb::BLACK;
            let w = horizon.direction(sampler.next_2d());
            let mut arrives = Rgb::BLACK;
            if self.include.direct() {
                let (wi, light) = self.light_sample(&horizon, sampler, context);
                irradiance += sums.add(wi, light, horizon.cosine(wi));
                arrives += self.straight(&horizon, w, context);
            }
            if self.include.indirect() {
                let ray = horizon.ray(w);
                arrives += self.prepared.incoming(self.scene, &ray, false, sampler, context);
            }
            let light = arrives * (1.0 / horizon.pdf(w));
            irradiance += sums.add(w, light, horizon.cosine(w));
            let luminance = f64::from(irradiance.luminance());
            sums.luminance[0] += luminance;
            sums.luminance[1] += luminance * luminance;
        }
        sums.mean(self.samples)
    }

    /// One sample of one light: a direction, and the radiance from there over its density.
    fn light_sample(&self, horizon: &Horizon, sampler: &mut Sampler, context: &mut Context) -> (Vec3, Rgb) {
        let nothing = (Vec3::Y, Rgb::BLACK);
        let (u_light, u) = (sampler.next_choice(), sampler.next_2d());
        let Some((light, probability, u_primitive)) = self.scene.select_light(u_light) else {
            return nothing;
        };
        if is_even(light) {
            return nothing;
        }
        let sample = light.sample_li(horizon.point(), u_primitive, u);
        let Some(sample) = sample.filter(|sample| horizon.sees(sample.wi)) else {
            return nothing;
        };
        let ray = sample.shadow_ray(&horizon.ray_end());
        context.stats.shadow_rays += 1;
        let visible = self.scene.transmittance(&ray, &mut context.shading);
        if visible.is_black() {
            return nothing;
        }
        let radiance = light.radiance(&sample, 0.0, &mut context.shading);
        let pdf = sample.pdf * probability;
        let weight = if sample.is_delta {
            1.0
        } else {
            power_heuristic(pdf, horizon.pdf(sample.wi))
        };
        (sample.wi, radiance * visible * (weight / pdf))
    }

    /// The radiance that comes straight from lights out of `w`, less the share that light samples bring.
    fn straight(&self, horizon: &Horizon, w: Vec3, context: &mut Context) -> Rgb {
        let pdf = horizon.pdf(w);
        let mut ray = horizon.ray(w);
        let mut throughput = Rgb::WHITE;
        let mut radiance = Rgb::BLACK;
        let mut surface = Surface::new();
        for _ in 0..MAX_PASSES {
            let Some(it) = self.scene.intersect(&ray) else {
                for escaped in self.scene.escape(ray.direction) {
                    let light = &self.scene.lights()[escaped.light.0 as usize];
                    // Where no light samples are taken there is nothing to share.
                    let light_pdf = if is_even(light) || !horizon.sees(w) {
                        0.0
                    } else {
                        escaped.pdf
                    };
                    radiance += throughput * escaped.radiance * power_heuristic(pdf, light_pdf);
                }
                return radiance;
            };
            let material = self.scene.material(it.shape);
            if !material.may_emit() && !material.may_be_transparent() {
                return radiance;
            }
            context.stats.shading_runs += 1;
            material.shade(
                &it,
                RayKind::DIFFUSE,
                &Footprint::POINT,
                &mut context.shading,
                &mut surface,
            );
            if !surface.emission.is_black() {
                // A direction that was mirrored has no counterpart among light samples.
                let light_pdf = if horizon.sees(w) {
                    self.scene.light_pdf(horizon.point(), &it)
                } else {
                    0.0
                };
                radiance += throughput * surface.emission * power_heuristic(pdf, light_pdf);
            }
            if surface.transparency.is_black() {
                return radiance;
            }
            throughput *= surface.transparency;
            ray = it.spawn_ray(ray.direction);
        }
        radiance
    }
}

/// Whether light samples of it are worse than none.
fn is_even(light: &Light) -> bool {
    matches!(light, Light::Environment(EnvironmentLight::Constant(_)))
}

impl Sums {
    /// Adds light from the unit vector `w`, radiance over density; returns what it adds to the irradiance. What is not
    /// finite counts as nothing.
    fn add(&mut self, w: Vec3, light: Rgb, cosine: f32) -> Rgb {
        if light.is_black() || !light.is_finite() {
            return Rgb::BLACK;
        }
        let light_f64 = light.to_array().map(f64::from);
        for (sum, y) in self.coefficients.iter_mut().zip(basis(w)) {
            for (sum, light) in sum.iter_mut().zip(light_f64) {
                *sum += light * f64::from(y);
            }
        }
        let irradiance = light * cosine.max(0.0);
        for (sum, e) in self.irradiance.iter_mut().zip(irradiance.to_array()) {
            *sum += f64::from(e);
        }
        irradiance
    }

    fn mean(&self, samples: u32) -> Estimate {
        let n = f64::from(samples);
        let color = |sum: &[f64; 3]| Rgb::from(sum.map(|v| (v / n) as f32));
        let [first, second] = self.luminance.map(|sum| sum / n);
        Estimate {
            coefficients: std::array::from_fn(|i| color(&self.coefficients[i])),
            irradiance: color(&self.irradiance),
            variance: ((second - first * first).max(0.0) / n) as f32,
        }
    }
}
