//! A path on its way: what it carries, and each step of it, written once for all integrators.
//!
//! A step finds the next vertex and reports what emits there ([`Walk::advance`]), reports what light samples find
//! ([`Walk::sample_lights`]), and goes on in a direction that the integrator has drawn ([`Walk::follow`]).
//!
//! Depth counts the segments of a path: one shows what emits, two add direct light. A surface that lets the path straight
//! through is no vertex of it: it costs no depth, and light samples look through it as well.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use glam::Vec3;

use super::collect::{Collect, Label};
use super::context::Stats;
use super::direct::{Asking, LightNumbers, sample_light};
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, Side, Spread};
use crate::camera::CameraRay;
use crate::color::Rgb;
use crate::geometry::{Bend, Footprint, Interaction};
use crate::light::LitPoint;
use crate::material::{RayKind, ShadingContext, Surface};
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::sampling::power_heuristic;
use crate::scene::{MAX_PASSES, Scene};

/// The greatest probability with which Russian roulette lets a path live: mirrors facing each other end too.
const MAX_SURVIVAL: f32 = 0.95;

/// Light samples at the first vertex that a camera sees, in mirrors too, where there are several lights to choose from: most of what a
/// choice among them leaves to chance goes, for less than the price of another path.
const FIRST_LIGHT_SAMPLES: u32 = 2;

/// How long paths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// The most segments.
    pub(super) depth: u32,
    /// Segments that a path has before Russian roulette may end it.
    pub(super) rr_depth: u32,
}

/// A path between two vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) ray: Ray,
    pub(super) kind: RayKind,
    pub(super) footprint: Footprint,
    pub(super) arrival: Arrival,
    /// What is left of light that comes against the ray.
    pub(super) throughput: Rgb,
    /// How many light samples its next vertex takes.
    light_samples: u32,
    /// The square of the index of refraction where the path is: throughput falls by it on entering glass and comes back.
    eta2: f32,
    /// Segments, the present one included.
    pub(super) depth: u32,
    /// Surfaces that it went straight through.
    passes: u32,
    /// Whether emission counts where the path goes.
    pub(super) sees_lights: bool,
    /// Whether lights at infinity are out of sight until the path is scattered.
    hides_sky: bool,
}

/// How the path came to its present ray, as far as weighing light samples against it goes.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The point that scattered last, as it asked for light.
    pub at: LitPoint,
    /// Density with which it chose the direction [1/sr]; `None` where light samples had no chance.
    pub pdf: Option<f32>,
    /// How many light samples the point took.
    light_samples: u32,
}

impl Arrival {
    /// From a point that took one light sample, if any.
    pub fn new(at: LitPoint, pdf: Option<f32>) -> Arrival {
        Arrival {
            at,
            pdf,
            light_samples: 1,
        }
    }

    /// The weight of light found by chance which light samples find with density `light_pdf`.
    #[inline]
    fn weight(&self, light_pdf: impl FnOnce(&LitPoint) -> f32) -> f32 {
        self.pdf.map_or(1.0, |pdf| {
            power_heuristic(pdf, self.light_samples as f32 * light_pdf(&self.at))
        })
    }
}

impl Walk {
    /// From a camera.
    pub(super) fn camera(scene: &Scene, camera_ray: &CameraRay) -> Walk {
        let footprint = Footprint::camera(&camera_ray.differential, scene.wants_footprints());
        let arrival = Arrival::new(LitPoint::in_space(camera_ray.ray.origin), None);
        let light_samples = if scene.has_light_choice() {
            FIRST_LIGHT_SAMPLES
        } else {
            1
        };
        Walk {
            light_samples,
            ..Walk::new(camera_ray.ray, RayKind::CAMERA, footprint, arrival)
        }
    }

    /// From a point of a surface that wants to know what arrives.
    pub(super) fn point(ray: Ray, arrival: Arrival) -> Walk {
        let footprint = Footprint::POINT.scattered(0.0, least_spread(Spread::Diffuse));
        Walk::new(ray, RayKind::DIFFUSE, footprint, arrival)
    }

    fn new(ray: Ray, kind: RayKind, footprint: Footprint, arrival: Arrival) -> Walk {
        Walk {
            ray,
            kind,
            footprint,
            arrival,
            throughput: Rgb::WHITE,
            light_samples: 1,
            eta2: 1.0,
            depth: 1,
            passes: 0,
            sees_lights: true,
            hides_sky: false,
        }
    }

    /// The same beyond the shapes that emit which its ray meets before any other, and blind to lights at infinity. What
    /// emits behind a surface that lets the ray straight through is seen, as in Mitsuba.
    pub(super) fn without_lights(mut self, scene: &Scene) -> Walk {
        self.hides_sky = true;
        for _ in 0..MAX_PASSES {
            let found = scene.intersect(&self.ray);
            let Some(it) = found.filter(|it| scene.light_of(it.shape).is_some()) else {
                break;
            };
            self.footprint = self.footprint.passed(it.t);
            self.ray = it.rest_of(&self.ray);
        }
        self
    }

    /// The next vertex, shaded into `surface`, after reporting what emits there, or at infinity. `None` where the path
    /// ends: where there is nothing, or nothing more to find for one that `ends` at its next vertex.
    #[inline(always)]
    pub(super) fn advance(
        &self,
        scene: &Scene,
        ends: bool,
        surface: &mut Surface,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl Collect,
    ) -> Option<Interaction> {
        // Looked at where it is written, as other large results: a copy would wait for every part of it.
        let found = scene.intersect(&self.ray);
        let Some(it) = &found else {
            if self.sees_lights && !(self.hides_sky && self.depth == 1) {
                self.escape(scene, light);
            }
            return None;
        };
        let material = scene.material(it.shape);
        if ends && !material.may_emit() && !material.may_be_transparent() {
            return None;
        }
        stats.shading_runs += 1;
        material.shade(it, self.kind, &self.footprint, shading, surface);
        stats.crowded_points += u64::from(surface.crowded);
        if self.sees_lights && !surface.emission.is_black() {
            let weight = self.arrival.weight(|at| scene.light_pdf(at, it));
            let label = Label {
                light: scene.light_of(it.shape),
                scattered: self.depth > 1,
            };
            light.add(label, self.throughput * surface.emission * weight);
        }
        found
    }

    /// Reports the lights at infinity that the path finds as it leaves the scene.
    #[inline]
    fn escape(&self, scene: &Scene, light: &mut impl Collect) {
        for escaped in scene.escape(self.arrival.at.p, self.ray.direction) {
            let density = |at: &LitPoint| escaped.pdf * scene.light_probability(at, escaped.light);
            let weight = self.arrival.weight(density);
            let label = Label {
                light: Some(escaped.light),
                scattered: self.depth > 1,
            };
            light.add(label, self.throughput * escaped.radiance * weight);
        }
    }

    /// Reports what light samples find at a vertex, by `response` as [`sample_light`] has it. Takes three numbers of
    /// `sampler`, whatever comes out.
    #[inline(always)]
    pub(super) fn sample_lights(
        &self,
        scene: &Scene,
        (it, at): (&Interaction, &LitPoint),
        response: impl Fn(Vec3, Option<f32>) -> Rgb,
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl Collect,
    ) {
        let asking = Asking {
            at: *at,
            end: it.ray_end(),
            time: it.time,
            samples: self.light_samples,
        };
        let first = LightNumbers::next(sampler);
        for index in 0..self.light_samples {
            let numbers = first.shifted(index, self.light_samples);
            if let Some(direct) = sample_light(scene, &asking, &response, numbers, shading, stats) {
                let label = Label {
                    light: Some(direct.light),
                    scattered: true,
                };
                light.add(label, self.throughput * direct.radiance);
            }
        }
    }

    /// Goes on from a vertex in the direction drawn there, or straight on; `false` where the path ends.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        scene: &Scene,
        (it, at): (&Interaction, &LitPoint),
        sample: &BsdfSample,
        limits: Limits,
        sampler: &mut Sampler,
    ) -> bool {
        self.throughput *= sample.weight;
        if self.throughput.is_black() {
            return false;
        }
        if sample.is_pass() {
            self.pass(it);
            return self.passes <= MAX_PASSES;
        }
        if self.depth >= limits.depth {
            return false;
        }
        self.scatter(scene, it, at, sample);
        self.depth <= limits.rr_depth || self.survives(sampler)
    }

    /// The same line goes on: where it came from stays what it was.
    #[inline(always)]
    fn pass(&mut self, it: &Interaction) {
        self.passes += 1;
        self.kind = RayKind(self.kind.0 | RayKind::TRANSPARENT.0);
        self.footprint = self.footprint.passed(it.t);
        self.ray = Ray {
            t_max: self.ray.t_max - it.t,
            ..it.spawn_ray(self.ray.direction)
        };
    }

    #[inline(always)]
    fn scatter(&mut self, scene: &Scene, it: &Interaction, at: &LitPoint, sample: &BsdfSample) {
        self.depth += 1;
        self.sees_lights = true;
        self.eta2 *= sample.eta * sample.eta;
        self.kind = kind_of(sample.lobe);
        self.spread(scene, it, sample);
        self.arrival = Arrival {
            at: *at,
            pdf: (!sample.is_specular()).then_some(sample.pdf),
            light_samples: self.light_samples,
        };
        if !sample.is_specular() {
            self.light_samples = 1;
        }
        self.ray = it.spawn_ray(sample.wi);
    }

    /// The footprint becomes that of the ray that goes on where `sample` was drawn. The wider the lobe, the less detail is
    /// seen in what comes next.
    #[inline(always)]
    fn spread(&mut self, scene: &Scene, it: &Interaction, sample: &BsdfSample) {
        if self.footprint.differential.is_some() && sample.lobe.spread == Spread::Specular {
            let bend = match sample.lobe.side {
                Side::Reflection => Bend::Reflection,
                Side::Transmission => Bend::Refraction(sample.eta),
            };
            let change = |dp| scene.normal_change(it, dp);
            self.footprint = self.footprint.bent(it, sample.wi, bend, change);
        } else {
            self.footprint.scatter(it.t, least_spread(sample.lobe.spread));
        }
    }

    /// Russian roulette.
    #[inline(always)]
    fn survives(&mut self, sampler: &mut Sampler) -> bool {
        let survival = (self.throughput.max_component() * self.eta2).min(MAX_SURVIVAL);
        let survives = sampler.next_1d() < survival;
        self.throughput *= 1.0 / survival;
        survives
    }
}

/// The number that chooses a lobe, where one is needed.
#[inline]
pub(super) fn lobe_number(bsdf: &Bsdf, sampler: &mut Sampler) -> f32 {
    if bsdf.has_choice() {
        return sampler.next_1d();
    }
    sampler.skip();
    0.0
}

fn least_spread(spread: Spread) -> f32 {
    match spread {
        Spread::Specular | Spread::Straight => 0.0,
        Spread::Glossy => 0.05,
        Spread::Diffuse => 0.2,
    }
}

/// The kind of a ray that such a lobe sends out.
fn kind_of(lobe: LobeKind) -> RayKind {
    match (lobe.spread, lobe.side) {
        (Spread::Diffuse, _) => RayKind::DIFFUSE,
        (Spread::Glossy, _) => RayKind::GLOSSY,
        (Spread::Specular, Side::Reflection) => RayKind::REFLECTION,
        (Spread::Specular, Side::Transmission) => RayKind::REFRACTION,
        (Spread::Straight, _) => RayKind::TRANSPARENT,
    }
}
