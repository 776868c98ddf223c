//! Monte Carlo estimate of incident light at a point: SH projection and irradiance, hemisphere rays and light samples
//! by MIS.
//!
//! Direct light is found by hemisphere rays and by light samples, combined by multiple importance sampling.

use glam::{UVec2, Vec3};

use super::horizon::Horizon;
use super::receiver::GatherPoint;
use super::sh::{MAX_COEFFICIENTS, basis};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_transport::integrator::{
    Context, Contribution, DirectLight, DirectLightQuery, MisContext, Prepared, RadianceSink,
    sample_one_light,
};
use renderer_transport::scene::Scene;

/// Components of light that are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// Indirect light: scattered at least once.
    Indirect,
    /// Direct light.
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

/// Parameters of the estimate.
pub(super) struct Estimator<'a> {
    pub(super) scene: &'a Scene,
    pub(super) prepared: &'a Prepared,
    pub(super) include: Include,
    /// Rays.
    pub(super) samples: u32,
    /// True if paths continue from the points; false at a depth of 1.
    pub(super) goes_on: bool,
}

/// Estimate at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Coefficients of radiance.
    pub(super) coefficients: [Rgb; MAX_COEFFICIENTS],
    /// ∫ L cosθ dω [W/m²]; at a point in space ∫ L dω / 4, the mean over all orientations.
    pub(super) irradiance: Rgb,
    /// The variance of the irradiance's luminance.
    pub(super) variance: f32,
}

/// Running sums of an estimate.
struct Sums {
    coefficients: [[f64; 3]; MAX_COEFFICIENTS],
    irradiance: [f64; 3],
    /// Sums of the luminance of the irradiance samples and of its square.
    luminance: [f64; 2],
}

impl Estimator<'_> {
    /// Estimates the light at a texel with one or more surface points `sites`.
    pub(super) fn at_surface(
        &self,
        sites: &[GatherPoint],
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        let horizon = |index: u32| {
            // Each point takes a consecutive range of samples: ranges of the sequence are stratified in themselves.
            let site = sites[(u64::from(index) * sites.len() as u64 / u64::from(self.samples)) as usize];
            Horizon::Hemisphere(site, Frame::from_normal(site.n))
        };
        self.estimate(horizon, key, sampler, context)
    }

    /// Estimates the light at a point in space.
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
        for index in (0..self.samples).filter(|_| self.goes_on) {
            sampler.start(key, u64::from(index));
            let horizon = horizon(index);
            let mut irradiance = Rgb::BLACK;
            let w = horizon.direction(sampler.next_2d());
            if self.include.direct()
                && let Some(found) = self.light_sample(&horizon, w, sampler, context)
            {
                irradiance += sums.add(found.wi, found.radiance, horizon.cosine(found.wi));
            }
            let light = self.arriving(&horizon, w, sampler, context) * (1.0 / horizon.pdf(w));
            irradiance += sums.add(w, light, horizon.cosine(w));
            let luminance = f64::from(irradiance.luminance());
            sums.luminance[0] += luminance;
            sums.luminance[1] += luminance * luminance;
        }
        sums.mean(self.samples)
    }

    /// A light sample: its direction, and radiance over density; `w` is any direction of the horizon.
    fn light_sample(
        &self,
        horizon: &Horizon,
        w: Vec3,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Option<DirectLight> {
        let response = |wi: Vec3, light_pdf: Option<f32>| match horizon.sees(wi) {
            true => Rgb::splat(light_pdf.map_or(1.0, |pdf| power_heuristic(pdf, horizon.pdf(wi)))),
            false => Rgb::BLACK,
        };
        let Context { shading, stats, .. } = context;
        let media = self.scene.media_around(&horizon.ray(w));
        let query = DirectLightQuery {
            at: &horizon.lit_point(),
            end: horizon.ray_end(),
            time: 0.0,
            depth: 1,
            media: |_| media,
            surface: None,
        };
        sample_one_light(self.scene, query, response, sampler, shading, stats, None)
    }

    /// Radiance from `w`, with MIS weights for direct light.
    fn arriving(&self, horizon: &Horizon, w: Vec3, sampler: &mut Sampler, context: &mut Context) -> Rgb {
        let arrival = MisContext {
            at: horizon.lit_point(),
            // Light samples cannot produce a mirrored direction.
            pdf: horizon.sees(w).then(|| horizon.pdf(w)),
        };
        let mut light = Included {
            include: self.include,
            sum: Rgb::BLACK,
        };
        let ray = horizon.ray(w);
        match self.include {
            Include::Direct => self
                .prepared
                .straight(self.scene, &ray, arrival, sampler, context, &mut light),
            Include::Indirect | Include::Both => self
                .prepared
                .incoming(self.scene, &ray, arrival, sampler, context, &mut light),
        }
        light.sum
    }
}

/// Sums the contributions selected by `Include`.
struct Included {
    include: Include,
    sum: Rgb,
}

impl RadianceSink for Included {
    fn add(&mut self, label: Contribution, radiance: Rgb) {
        let counts = match label.scattered {
            true => self.include.indirect(),
            false => self.include.direct(),
        };
        if counts {
            self.sum += radiance;
        }
    }
}

impl Sums {
    /// Adds light from the unit vector `w` (radiance over density); returns its irradiance. Values that are not finite
    /// count as zero.
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
