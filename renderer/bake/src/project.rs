//! Monte Carlo estimate of incident light at a point: SH projection and irradiance, hemisphere rays and light samples
//! by MIS.
//!
//! Direct light is found by hemisphere rays and by light samples, combined by multiple importance sampling.

use glam::{UVec2, Vec3};

use super::horizon::Horizon;
use super::receiver::GatherPoint;
use super::sh::{MAX_COEFFICIENTS, basis};
use super::translucent::GatherPoints;
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_transport::integrator::{
    Context, Contribution, DirectLight, DirectLightQuery, LightDirection, MisContext, Prepared, RadianceSink,
    sample_one_light,
};
use renderer_transport::light::LightVisibility;
use renderer_transport::scene::{Scene, ShadowOrigin, Surroundings};

/// First sample number behind a translucent surface, disjoint from those above it and of probe rays.
const FIRST_BACK_SAMPLE: u64 = 1 << 41;

/// Components of light that are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// Indirect light: scattered at least once.
    Indirect,
    /// Direct light.
    Direct,
    /// Direct and indirect light.
    Both,
}

impl Include {
    /// Name on the command line and in files.
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
    /// Number of rays.
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
    /// Variance of the irradiance's luminance.
    pub(super) variance: f32,
}

/// Running sums of an estimate.
#[derive(Default)]
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
        sites: &GatherPoints,
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        // Each point has a consecutive range of samples: ranges of the sequence are stratified in themselves.
        let site = |index: u32| {
            let count = sites.points.len() as u64;
            sites.points[(u64::from(index) * count / u64::from(self.samples)) as usize]
        };
        let above = |site: GatherPoint| Horizon::Hemisphere(site, Frame::from_normal(site.n));
        let mut sums = Sums::default();
        for index in self.sample_indices() {
            sampler.start(key, u64::from(index));
            let mut irradiance =
                self.sample(&above(site(index)), sampler, context, &mut |w, light, cosine| {
                    sums.add(w, light, cosine)
                });
            if !sites.transmission.is_black() {
                let behind = site(index).behind();
                sampler.start(key, FIRST_BACK_SAMPLE + u64::from(index));
                irradiance += self.sample(&above(behind), sampler, context, &mut |w, light, cosine| {
                    sums.add(behind.mirrored(w), light * sites.transmission, cosine)
                });
            }
            sums.add_luminance(irradiance);
        }
        sums.mean(self.samples)
    }

    /// Estimates the light at a point in space.
    pub(super) fn in_space(
        &self,
        p: Vec3,
        key: UVec2,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Estimate {
        let mut sums = Sums::default();
        for index in self.sample_indices() {
            sampler.start(key, u64::from(index));
            let irradiance = self.sample(&Horizon::Sphere(p), sampler, context, &mut |w, light, cosine| {
                sums.add(w, light, cosine)
            });
            sums.add_luminance(irradiance);
        }
        sums.mean(self.samples)
    }

    /// Sample numbers; none if paths end at the points.
    fn sample_indices(&self) -> impl Iterator<Item = u32> + use<> {
        0..if self.goes_on { self.samples } else { 0 }
    }

    /// Adds a sample of the light above a horizon: direction, radiance over density, and weight in irradiance. Returns the
    /// sum of the results of `add`.
    fn sample(
        &self,
        horizon: &Horizon,
        sampler: &mut Sampler,
        context: &mut Context,
        add: &mut impl FnMut(Vec3, Rgb, f32) -> Rgb,
    ) -> Rgb {
        let mut irradiance = Rgb::BLACK;
        let w = horizon.direction(sampler.next_2d());
        let around = horizon.surroundings(self.scene, w);
        if self.include.direct()
            && let Some(found) = self.light_sample(horizon, &around, sampler, context)
        {
            irradiance += add(found.direction.wi, found.radiance, horizon.cosine(found.direction.wi));
        }
        let light = self.arriving(horizon, w, around, sampler, context) * (1.0 / horizon.pdf(w));
        irradiance + add(w, light, horizon.cosine(w))
    }

    /// A light sample: its direction, and radiance over density.
    fn light_sample(
        &self,
        horizon: &Horizon,
        around: &Surroundings,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Option<DirectLight> {
        let response = |light: LightDirection| {
            let counts = horizon.sees(light.wi) && light.visible_to.contains(LightVisibility::DIFFUSE);
            match counts {
                true => Rgb::splat(light.pdf.map_or(1.0, |pdf| power_heuristic(pdf, horizon.pdf(light.wi)))),
                false => Rgb::BLACK,
            }
        };
        let Context { shading, stats, .. } = context;
        let in_contact = match (horizon, &around.contact) {
            (Horizon::Hemisphere(site, _), Some(_)) => Some(site.interaction()),
            _ => None,
        };
        let query = DirectLightQuery {
            at: &horizon.lit_point(self.scene),
            end: horizon.ray_end(),
            time: 0.0,
            depth: 1,
            interior: |_| around.interior.clone(),
            surface: in_contact.as_ref().map(|it| ShadowOrigin {
                it,
                interior: &around.interior,
                contact: around.contact.as_ref(),
            }),
        };
        sample_one_light(self.scene, query, response, sampler, shading, stats, None)
    }

    /// Radiance from `w`, with MIS weights for direct light.
    fn arriving(
        &self,
        horizon: &Horizon,
        w: Vec3,
        around: Surroundings,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let arrival = MisContext {
            at: horizon.lit_point(self.scene),
            // Light samples cannot produce a mirrored direction.
            pdf: horizon.sees(w).then(|| horizon.pdf(w)),
        };
        let mut light = Included { include: self.include, sum: Rgb::BLACK };
        let start = self.scene.start_from(&horizon.ray_end(), &horizon.ray(w), around);
        match self.include {
            Include::Direct => self
                .prepared
                .direct_radiance(self.scene, start, arrival, sampler, context, &mut light),
            Include::Indirect | Include::Both => self
                .prepared
                .incident_radiance(self.scene, start, arrival, sampler, context, &mut light),
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
    /// Adds the irradiance of a sample to the sums of the variance.
    fn add_luminance(&mut self, irradiance: Rgb) {
        let luminance = f64::from(irradiance.luminance());
        self.luminance[0] += luminance;
        self.luminance[1] += luminance * luminance;
    }

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
