//! Path state (throughput, footprint, MIS arrival) and its steps: intersect, emission, light samples, roulette; shared
//! by all integrators.
//!
//! [`Walk::advance`] finds the next vertex and reports its emission, [`Walk::sample_lights`] reports the light samples
//! taken there, and [`Walk::follow`] continues in a direction that the integrator has sampled.
//!
//! Depth counts the segments of a path: one shows emission, two add direct light. Passing straight through a
//! transparent surface adds no vertex: it costs no depth, and shadow rays pass as well.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use glam::Vec3;

use super::collect::{Collect, Label};
use super::direct::{Asking, sample_one_light};
use super::stats::Stats;
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, Side, Spread};
use crate::light::LitPoint;
use crate::material::{Bodies, RayKind, ShadingContext, Surface};
use crate::scene::{MAX_PASSES, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_geometry::camera::CameraRay;
use renderer_geometry::{Bend, Footprint, Interaction};

/// Segments after which a path of any throughput may end, so that paths between two mirrors do.
const LONG: u32 = 24;

/// Greatest survival probability from there on.
const LONG_SURVIVAL: f32 = 0.95;

/// How long paths are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// The most segments.
    pub(super) depth: u32,
    /// Segments that a path has before Russian roulette may end it.
    pub(super) rr_depth: u32,
    /// Survival probability of Russian roulette for a throughput of one.
    pub(super) survival: f32,
}

impl Limits {
    /// Survival probability that keeps most paths until their light is small against what the first vertices bring:
    /// more or less takes longer to the same error.
    pub(super) const SURVIVAL: f32 = 3.0;

    /// The same for guided paths: each vertex of theirs is worth more.
    pub(super) const GUIDED_SURVIVAL: f32 = 4.5;
}

/// A path between two vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) ray: Ray,
    pub(super) kind: RayKind,
    pub(super) footprint: Footprint,
    pub(super) arrival: Arrival,
    /// Product of the BSDF weights and roulette factors so far.
    pub(super) throughput: Rgb,
    /// The square of the index of refraction where the path is: throughput falls by it on entering glass and comes back.
    eta2: f32,
    /// Product of the densities of the directions sampled over those of the BSDFs: 1 unless guided.
    preference: f32,
    /// The number of branches of the camera's path that it is one of.
    branches: u32,
    /// Segments, the present one included.
    pub(super) depth: u32,
    /// Transparent surfaces passed.
    passes: u32,
    /// Whether emission at the next hit counts.
    pub(super) sees_lights: bool,
    /// Whether lights at infinity are invisible until the path is scattered.
    hides_sky: bool,
    /// The bodies that the path is in.
    bodies: Bodies,
}

/// Where a path may go on: what its ray has found, the same for light selection, and what was shaded there.
pub(super) type Place<'a> = (&'a Interaction, &'a LitPoint, &'a Surface);

/// How the present ray was sampled: the data for the MIS weight of light that it hits.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The last scattering point, for light selection.
    pub at: LitPoint,
    /// Density of the sampled direction [1/sr]; `None` where light samples could not find it (delta lobes, camera
    /// rays).
    pub pdf: Option<f32>,
}

impl Arrival {
    /// MIS weight of emission found by BSDF sampling, where light samples find it with density `light_pdf`.
    #[inline]
    fn weight(&self, light_pdf: impl FnOnce(&LitPoint) -> f32) -> f32 {
        self.pdf
            .map_or(1.0, |pdf| power_heuristic(pdf, light_pdf(&self.at)))
    }
}

impl Walk {
    /// Starts a path at the camera.
    pub(super) fn camera(scene: &Scene, camera_ray: &CameraRay, shading: &mut ShadingContext) -> Walk {
        let footprint = Footprint::camera(&camera_ray.differential, scene.wants_footprints());
        let arrival = Arrival {
            at: LitPoint::in_space(camera_ray.ray.origin),
            pdf: None,
        };
        let bodies = scene.bodies_about(&camera_ray.ray, shading);
        Walk::new(camera_ray.ray, RayKind::CAMERA, footprint, arrival, bodies)
    }

    /// Starts a path at a surface point, to estimate its incident radiance.
    pub(super) fn point(scene: &Scene, ray: Ray, arrival: Arrival, shading: &mut ShadingContext) -> Walk {
        let footprint = Footprint::POINT.scattered(0.0, least_spread(Spread::Diffuse));
        let bodies = scene.bodies_about(&ray, shading);
        Walk::new(ray, RayKind::DIFFUSE, footprint, arrival, bodies)
    }

    fn new(ray: Ray, kind: RayKind, footprint: Footprint, arrival: Arrival, bodies: Bodies) -> Walk {
        Walk {
            ray,
            kind,
            footprint,
            arrival,
            throughput: Rgb::WHITE,
            eta2: 1.0,
            preference: 1.0,
            branches: 1,
            depth: 1,
            passes: 0,
            sees_lights: true,
            hides_sky: false,
            bodies,
        }
    }

    /// The same with emitters hidden (`hide_emitters`): begins behind the emitting shapes that its ray meets first, and
    /// does not see lights at infinity. Emitters behind a transparent surface stay visible, as in Mitsuba.
    pub(super) fn without_lights(mut self, scene: &Scene) -> Walk {
        self.hides_sky = true;
        for _ in 0..MAX_PASSES {
            let found = scene.intersect(&self.ray);
            let Some(it) = found.filter(|it| scene.light_of(it.shape).is_some()) else {
                break;
            };
            self.throughput *= self.bodies.transmittance(it.t);
            self.footprint = self.footprint.passed(it.t);
            self.ray = it.rest_of(&self.ray);
        }
        self
    }

    /// Finds the next vertex, shades it into `surface` and reports emission there, or at infinity. `None` where the
    /// path ends: it left the scene, or it `ends` at its next vertex and needs no shading there.
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
        // Read in place, as other large results: a copy would stall on store forwarding.
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
        if scene.has_bodies() {
            self.bodies.absorb(it, surface);
        }
        if self.sees_lights && !surface.emission.is_black() {
            let weight = self.arrival.weight(|at| scene.light_pdf(at, it));
            let label = Label {
                light: scene.light_of(it.shape),
                scattered: self.depth > 1,
                preference: self.preference,
            };
            light.add(
                label,
                self.throughput * surface.transmittance * surface.emission * weight,
            );
        }
        found
    }

    /// Reports the lights at infinity that the path finds as it leaves the scene.
    #[inline]
    fn escape(&self, scene: &Scene, light: &mut impl Collect) {
        let left = self.bodies.transmittance(f32::INFINITY);
        for escaped in scene.escape(self.arrival.at.p, self.ray.direction) {
            let density = |at: &LitPoint| escaped.pdf * scene.light_probability(at, escaped.light);
            let weight = self.arrival.weight(density);
            let label = Label {
                light: Some(escaped.light),
                scattered: self.depth > 1,
                preference: self.preference,
            };
            light.add(label, self.throughput * left * escaped.radiance * weight);
        }
    }

    /// Takes so many light samples at a vertex and reports them; `response` as for [`sample_one_light`].
    #[inline(always)]
    pub(super) fn sample_lights(
        &self,
        scene: &Scene,
        place: Place<'_>,
        count: u32,
        response: impl Fn(Vec3, Option<f32>) -> Rgb,
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl Collect,
    ) {
        if count == 1 {
            return self.sample_light(scene, place, response, sampler, shading, stats, light);
        }
        let walk = self.branch(count);
        let mut branch = *sampler;
        for number in 0..count {
            light.next_light_sample();
            branch = sampler.branch(number, count);
            walk.sample_light(scene, place, &response, &mut branch, shading, stats, light);
        }
        sampler.skip_those_of(&branch);
    }

    #[inline(always)]
    fn sample_light(
        &self,
        scene: &Scene,
        (it, at, surface): Place<'_>,
        response: impl FnOnce(Vec3, Option<f32>) -> Rgb,
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl Collect,
    ) {
        let asking = Asking {
            at,
            end: it.ray_end(),
            time: it.time,
            bodies: |wi: Vec3| self.bodies_towards(scene, wi, it, surface),
        };
        if let Some(direct) = sample_one_light(scene, asking, response, sampler, shading, stats) {
            let label = Label {
                light: Some(direct.light),
                scattered: true,
                preference: self.preference,
            };
            light.add(label, self.throughput * direct.radiance);
        }
    }

    /// The same path as one of so many branches, which share its throughput.
    #[inline]
    pub(super) fn branch(&self, branches: u32) -> Walk {
        Walk {
            throughput: self.throughput * (1.0 / branches as f32),
            branches: self.branches * branches,
            ..*self
        }
    }

    /// Notes that the next direction is sampled with so many times the density of the BSDF: what a guide prefers has
    /// less throughput, and is worth following nevertheless.
    #[inline(always)]
    pub(super) fn prefer(&mut self, preference: f32) {
        self.preference *= preference;
    }

    /// Continues from a vertex in the sampled direction, or straight through; `false` where the path ends.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        scene: &Scene,
        (it, at, surface): Place<'_>,
        sample: &BsdfSample,
        limits: Limits,
        sampler: &mut Sampler,
    ) -> bool {
        self.throughput *= sample.weight;
        if self.throughput.is_black() {
            return false;
        }
        if scene.has_bodies() {
            self.bodies = self.bodies_towards(scene, sample.wi, it, surface);
        }
        if sample.is_pass() {
            self.pass(it);
            return self.passes <= MAX_PASSES;
        }
        if self.depth >= limits.depth {
            return false;
        }
        self.scatter(scene, it, at, sample);
        self.depth <= limits.rr_depth || self.survives(limits.survival, sampler)
    }

    /// The bodies that the path is in after a hit, in the unit vector `wi`.
    fn bodies_towards(&self, scene: &Scene, wi: Vec3, it: &Interaction, surface: &Surface) -> Bodies {
        let mut bodies = self.bodies;
        bodies.follow(it, scene.material_id(it.shape), surface, wi);
        bodies
    }

    /// Continues straight through: the arrival stays the same.
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
        // One by one: as a whole they would be put together elsewhere and copied, which stalls on store forwarding.
        self.arrival.at = *at;
        self.arrival.pdf = (!sample.is_specular()).then_some(sample.pdf);
        self.ray = it.spawn_ray(sample.wi);
    }

    /// Updates the footprint for the sampled ray. The wider the lobe, the larger the footprint and the coarser the
    /// texture detail.
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
    fn survives(&mut self, survival: f32, sampler: &mut Sampler) -> bool {
        let weight = self.throughput.max_component() * self.eta2 * self.preference * self.branches as f32;
        let most = if self.depth > LONG { LONG_SURVIVAL } else { 1.0 };
        let survival = (survival * weight).min(most);
        if survival >= 1.0 {
            sampler.skip();
            return true;
        }
        let survives = sampler.next_1d() < survival;
        self.throughput *= 1.0 / survival;
        survives
    }
}

/// Random number that selects a lobe; drawn only if there are several.
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

/// Ray kind after scattering by such a lobe.
fn kind_of(lobe: LobeKind) -> RayKind {
    match (lobe.spread, lobe.side) {
        (Spread::Diffuse, _) => RayKind::DIFFUSE,
        (Spread::Glossy, _) => RayKind::GLOSSY,
        (Spread::Specular, Side::Reflection) => RayKind::REFLECTION,
        (Spread::Specular, Side::Transmission) => RayKind::REFRACTION,
        (Spread::Straight, _) => RayKind::TRANSPARENT,
    }
}
