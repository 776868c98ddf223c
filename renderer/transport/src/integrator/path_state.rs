//! Path state (throughput, footprint, MIS context) and its steps, which all integrators share: intersection, emission,
//! light sampling, Russian roulette.
//!
//! [`PathState::advance`] finds the next vertex and reports its emission, [`PathState::sample_lights`] reports light samples
//! taken there, and [`PathState::follow`] continues in a direction sampled by the integrator.
//!
//! Depth is the number of segments: depth 1 shows emission, depth 2 adds direct light. A transparent surface crossed
//! straight through is not a vertex: it does not add to the depth, and shadow rays cross it too.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use glam::Vec3;

use super::along_medium::{AlongMedium, Found};
use super::direct::{DirectLightQuery, Shadowed, sample_one_light};
use super::limits::{Horizon, Limits};
use super::random_walk::RandomWalk;
use super::stats::Stats;
use super::stopwatch::Stage;
use crate::body::{Fill, MediumStack};
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, Side, Spread};
use crate::light::LightSampleContext;
use crate::material::{HitRay, RayKind, ShadingContext, ShadingResult};
use crate::radiance::{Contribution, RadianceSink};
use crate::radiance::{LightSource, LobeShares, Reached};
use crate::scene::{Contact, MAX_NULL_INTERFACES, MediumWay, Noise, PathStart, Scene, ShadowOrigin};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;
use renderer_geometry::camera::CameraRay;
use renderer_geometry::{Bend, Footprint, Interaction};

/// Depth beyond which paths of any throughput are subject to Russian roulette; terminates paths between two mirrors.
const LONG_PATH: u32 = 24;

/// The same of paths that media have scattered: in clouds and milk, hundreds of scatterings lose little light.
const LONG_PATH_IN_MEDIA: u32 = 256;

/// Upper bound of the survival probability beyond that depth.
const MAX_LONG_PATH_RR_PROBABILITY: f32 = 0.95;

/// State of a path between two vertices.
#[derive(Clone, Debug)]
pub(super) struct PathState {
    pub(super) ray: Ray,
    pub(super) kind: RayKind,
    pub(super) footprint: Footprint,
    pub(super) mis_context: MisContext,
    /// Product of BSDF weights and Russian-roulette factors so far.
    pub(super) throughput: Rgb,
    /// Squared relative index of refraction of the current medium. Refraction scales throughput by its inverse; Russian
    /// roulette undoes the scaling.
    eta2: f32,
    /// Product of the ratios of sampled density to BSDF density over all vertices; 1 without guiding.
    guide_pdf_ratio: f32,
    /// Number of branches of the camera path that share its throughput, this one included.
    branches: u32,
    /// Number of segments, the current one included.
    pub(super) depth: u32,
    /// Number of times that the light of the path is scattered before the viewer sees it, for shaders.
    pub(super) scatterings: u32,
    /// Number of transparent surfaces crossed.
    null_interfaces: u32,
    /// True if emission at the next hit is counted.
    pub(super) counts_emission: bool,
    /// True if infinite lights are hidden until the path scatters.
    hides_infinite_lights: bool,
    /// True if emitting shapes are hidden until the path scatters.
    hides_shapes: bool,
    /// What lookups had found where a medium has last scattered the path since this was cleared.
    pub(super) scattered_by_medium: Option<Found>,
    /// The bodies that contain the path.
    pub(super) media: MediumStack,
    /// Place of the last surface, or of the next one, among surfaces that coincide with it.
    pub(super) contact: Option<Contact>,
    /// Point that the ray leaves; its origin is outside of the error bound of that.
    pub(super) left: Vec3,
    /// The way below a surface that it takes first.
    walk: Option<RandomWalk>,
}

/// Path vertex: interaction, light-sampling reference point, shading result.
pub(super) type PathVertex<'a> = (&'a Interaction, &'a LightSampleContext, &'a ShadingResult);

/// MIS context of a ray: how its direction was sampled, for the weight of emission that it hits.
#[derive(Clone, Copy, Debug)]
pub struct MisContext {
    /// Reference point of the last scattering vertex, for light selection.
    pub at: LightSampleContext,
    /// Density of the sampled direction [1/sr]; `None` if light sampling could not have generated it (delta lobes,
    /// camera rays).
    pub pdf: Option<f32>,
}

impl MisContext {
    /// Returns the MIS weight of emission found by BSDF sampling; `light_pdf` returns the density of light sampling
    /// [1/sr].
    #[inline]
    fn weight(&self, light_pdf: impl FnOnce(&LightSampleContext) -> f32) -> f32 {
        self.pdf
            .map_or(1.0, |pdf| power_heuristic(pdf, light_pdf(&self.at)))
    }
}

impl PathState {
    /// Starts a path at the camera.
    pub(super) fn camera(scene: &Scene, camera_ray: &CameraRay) -> PathState {
        let footprint = Footprint::camera(&camera_ray.differential, scene.uses_footprints());
        let mis_context = MisContext {
            at: LightSampleContext::in_space(camera_ray.ray.origin),
            pdf: None,
        };
        let media = scene.media_around(&camera_ray.ray.begun());
        PathState::new(camera_ray.ray, RayKind::CAMERA, footprint, mis_context, media)
    }

    /// Starts a path at a surface point, to estimate its incident radiance.
    pub(super) fn point(start: PathStart, mis_context: MisContext) -> PathState {
        let footprint = Footprint::POINT.scattered(0.0, min_spread(Spread::Diffuse));
        let PathStart { ray, media, .. } = start;
        PathState {
            scatterings: 1,
            contact: start.contact,
            left: ray.origin - ray.direction * start.gap,
            ..PathState::new(ray, RayKind::DIFFUSE, footprint, mis_context, media)
        }
    }

    fn new(
        ray: Ray,
        kind: RayKind,
        footprint: Footprint,
        mis_context: MisContext,
        media: MediumStack,
    ) -> PathState {
        PathState {
            ray,
            kind,
            footprint,
            mis_context,
            throughput: Rgb::WHITE,
            eta2: 1.0,
            guide_pdf_ratio: 1.0,
            branches: 1,
            depth: 1,
            scatterings: 0,
            null_interfaces: 0,
            counts_emission: true,
            hides_infinite_lights: false,
            hides_shapes: false,
            scattered_by_medium: None,
            media,
            contact: None,
            left: ray.origin,
            walk: None,
        }
    }

    /// Hides directly visible emitters (`hide_emitters`): moves the ray's origin behind the emitting shapes that it
    /// hits first, and hides infinite lights. Emitters behind a transparent surface stay visible, as in Mitsuba; those
    /// behind the boundary of a body are hidden.
    pub(super) fn hide_emitters(
        mut self,
        scene: &Scene,
        sampler: &Sampler,
        shading: &mut ShadingContext,
    ) -> PathState {
        self.hides_infinite_lights = true;
        self.hides_shapes = !scene.bodies().is_empty();
        for _ in 0..MAX_NULL_INTERFACES {
            let mut contact = None;
            let found = scene.next_surface(&self.ray, &self.media, &mut contact);
            let is_light = |it: &Interaction| scene.light_of(it.shape).is_some();
            let Some(it) = found.filter(|it| contact.is_none() && is_light(it)) else {
                break;
            };
            let way = MediumWay {
                ray: &self.ray.begun(),
                length: (it.t - self.ray.t_min).max(0.0),
                depth: 0,
            };
            let mut noise = Noise::new(sampler.noise());
            self.throughput *= scene.medium_transmittance(&self.media, &way, &mut noise, shading);
            self.footprint = self.footprint.passed(it.t);
            self.ray = it.rest_of(&self.ray);
            self.left = it.p;
        }
        self
    }

    /// Hides infinite lights from the camera.
    pub(super) fn hide_background(&mut self) {
        self.hides_infinite_lights = true;
    }

    /// Finds the next vertex, shades it into `surface` and reports its emission, or that of infinite lights. Returns
    /// `None` if the path ends: it left the scene, or the next vertex needs no shading.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        scene: &Scene,
        mut horizon: Horizon,
        media_light: &impl AlongMedium,
        sampler: &mut Sampler,
        surface: &mut ShadingResult,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) -> Option<Interaction> {
        stats.watch.lap(Stage::Scatter);
        if self.walk.is_some() {
            return self.leave_subsurface(scene, sampler, surface, shading, stats);
        }
        // Borrowed in place, as other large results: a copy would stall on store forwarding.
        let is_in_contact = self.contact.is_some();
        let mut found = scene.next_surface(&self.ray, &self.media, &mut self.contact);
        stats.watch.lap(Stage::Intersect);
        stats.watch.query(|| scene.hits(&self.ray));
        if !is_in_contact && !matches!(self.media.fill(), Fill::Clear) {
            horizon = self.pass_media(
                scene,
                &mut found,
                horizon,
                media_light,
                sampler,
                shading,
                stats,
                light,
            )?;
        }
        let Some(it) = &found else {
            light.escape(self.throughput);
            if self.counts_emission && !(self.hides_infinite_lights && self.depth == 1) {
                self.report_infinite_lights(scene, light);
            }
            return None;
        };
        if self.hides_shapes && self.depth == 1 && scene.light_of(it.shape).is_some() {
            surface.set_open(it);
            return found;
        }
        let material = scene.material(it.shape);
        let Some(outside) = scene.meets(&self.media, it) else {
            surface.set_open(it);
            return found;
        };
        if horizon.ends(self.depth) && !material.may_emit() && !material.may_be_transparent() {
            return None;
        }
        stats.shading_runs += 1;
        let ray = HitRay {
            kind: self.kind,
            depth: self.scatterings,
            outside,
        };
        material.shade(it, ray, &self.footprint, shading, surface);
        stats.lobe_overflows += u64::from(surface.lobe_overflow);
        let reached = Reached {
            it,
            surface,
            throughput: self.throughput,
            material,
            ray,
            footprint: &self.footprint,
        };
        light.reach(reached, shading);
        if self.mis_context.pdf.is_some() && material.emission_varies_by_ray() {
            surface.emission = material.emission_at(it, self.scatterings, shading);
        }
        if self.counts_emission && !surface.emission.is_black() {
            // Shadow rays do not reach a light that coincides with the surface that they leave.
            let weight = match is_in_contact && scene.coincides(it, self.mis_context.at.p) {
                true => 1.0,
                false => self.mis_context.weight(|at| scene.light_pdf(at, it)),
            };
            let source = scene
                .light_of(it.shape)
                .map_or(LightSource::Surface, LightSource::Light);
            light.add(self.label(source), self.throughput * surface.emission * weight);
        }
        stats.watch.lap(Stage::Shade);
        found
    }

    /// Takes the path below a surface to where it leaves; returns `None` if it ends.
    #[inline(never)]
    fn leave_subsurface(
        &mut self,
        scene: &Scene,
        sampler: &mut Sampler,
        surface: &mut ShadingResult,
        shading: &mut ShadingContext,
        stats: &mut Stats,
    ) -> Option<Interaction> {
        let walk = self.walk.take()?;
        let (u, mut noise) = (sampler.next_2d(), Noise::new(sampler.noise()));
        let exit = walk.run(scene, self.ray.direction, &mut self.media, u, &mut noise);
        stats.watch.lap(Stage::Intersect);
        let exit = exit?;
        self.throughput *= exit.weight;
        self.contact = exit.contact;
        let ray = HitRay {
            kind: self.kind,
            depth: self.scatterings,
            outside: scene.meets(&self.media, &exit.it).unwrap_or(1.0),
        };
        stats.shading_runs += 1;
        let material = scene.material(exit.it.shape);
        material.shade(&exit.it, ray, &self.footprint, shading, surface);
        surface.leave_subsurface(&exit.it, walk.lobe_number());
        stats.watch.lap(Stage::Shade);
        Some(exit.it)
    }

    /// Label of emission that the path has found.
    #[inline(always)]
    pub(super) fn label(&self, source: LightSource) -> Contribution {
        Contribution {
            source,
            scattered: self.depth > 1,
            guide_pdf_ratio: self.guide_pdf_ratio,
        }
    }

    /// Reports the emission of infinite lights along a ray that leaves the scene.
    #[inline]
    fn report_infinite_lights(&self, scene: &Scene, light: &mut impl RadianceSink) {
        for hit in scene.escape(self.mis_context.at.p, self.ray.direction) {
            let density = |at: &LightSampleContext| hit.pdf * scene.light_probability(at, hit.light);
            let weight = self.mis_context.weight(density);
            let label = self.label(LightSource::Light(hit.light));
            light.add(label, self.throughput * hit.radiance * weight);
        }
    }

    /// Takes `count` light samples at a vertex and reports them; `response` as for [`sample_one_light`], and `shares` tells
    /// what each lobe has of it.
    #[inline(always)]
    pub(super) fn sample_lights(
        &self,
        scene: &Scene,
        vertex: PathVertex<'_>,
        count: u32,
        response: impl Fn(Vec3, Option<f32>) -> Rgb,
        shares: impl Fn(Vec3, Option<f32>, &mut LobeShares),
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) {
        if count == 1 {
            return self.sample_light(scene, vertex, response, shares, sampler, shading, stats, light);
        }
        let path = self.branch(count);
        let mut branch = *sampler;
        for number in 0..count {
            light.next_light_sample();
            branch = sampler.branch(number, count);
            path.sample_light(
                scene,
                vertex,
                &response,
                &shares,
                &mut branch,
                shading,
                stats,
                light,
            );
        }
        sampler.skip_those_of(&branch);
    }

    #[inline(always)]
    fn sample_light(
        &self,
        scene: &Scene,
        (it, at, _): PathVertex<'_>,
        response: impl Fn(Vec3, Option<f32>) -> Rgb,
        shares: impl Fn(Vec3, Option<f32>, &mut LobeShares),
        sampler: &mut Sampler,
        shading: &mut ShadingContext,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) {
        let query = DirectLightQuery {
            at,
            end: it.ray_end(),
            time: it.time,
            depth: self.scatterings + 1,
            media: |wi: Vec3| self.media_towards(scene, wi, it),
            surface: Some(ShadowOrigin {
                it,
                media: &self.media,
                contact: self.contact.as_ref(),
            }),
        };
        let (wants_blocked, wants_crossings) = (light.wants_blocked(), light.wants_crossings());
        let mut shadowed = Shadowed::default();
        let told = (wants_blocked || wants_crossings).then_some(&mut shadowed);
        let direct = sample_one_light(scene, query, response, sampler, shading, stats, told);
        if let Some(direct) = direct {
            let label = Contribution {
                source: LightSource::Light(direct.light),
                scattered: true,
                guide_pdf_ratio: self.guide_pdf_ratio,
            };
            let tell = |lobes: &mut LobeShares| shares(direct.wi, direct.pdf, lobes);
            if let Some(ray) = shadowed.ray.filter(|_| wants_crossings) {
                light.cross(scene.crossings(&ray));
            }
            light.add_scattered(label, self.throughput * direct.radiance, it, tell);
            if wants_blocked {
                let unoccluded = shadowed.unoccluded.map(|radiance| self.throughput * radiance);
                light.add_unoccluded(label, unoccluded, it, |lobes| shares(direct.wi, None, lobes));
            }
        }
    }

    /// Returns one of `branches` branches of this path, with an equal share of its throughput.
    #[inline]
    pub(super) fn branch(&self, branches: u32) -> PathState {
        PathState {
            throughput: self.throughput * (1.0 / branches as f32),
            branches: self.branches * branches,
            ..self.clone()
        }
    }

    /// Multiplies the ratio of sampled density to BSDF density at the current vertex into the path's ratio. Russian
    /// roulette uses it: a direction that the guide favours has less throughput, but the same expected contribution.
    #[inline(always)]
    pub(super) fn scale_guide_pdf_ratio(&mut self, ratio: f32) {
        self.guide_pdf_ratio *= ratio;
    }

    /// Continues from a vertex in the sampled direction, or straight through. Returns `false` if the path ends.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        scene: &Scene,
        (it, at, surface): PathVertex<'_>,
        sample: &BsdfSample,
        limits: Limits,
        sampler: &mut Sampler,
    ) -> bool {
        self.throughput *= sample.weight;
        if self.throughput.is_black() {
            return false;
        }
        if sample.is_subsurface() {
            return self.depth < limits.depth && self.enter(it, &surface.bsdf, sample);
        }
        let end = scene.leave(it, sample.wi, &self.media, &mut self.contact);
        if !scene.bodies().is_empty() {
            self.media.cross(scene.bodies(), it, sample.wi);
            let is_seen = scene.bodies().of_shape(it.shape).is_none() && scene.light_of(it.shape).is_none();
            self.hides_shapes &= !is_seen;
        }
        if sample.is_null_interface() {
            self.cross_null_interface(it, &end);
            return self.null_interfaces <= MAX_NULL_INTERFACES;
        }
        if self.depth >= limits.depth {
            return false;
        }
        self.scatter(scene, (it, at), sample, &end);
        self.depth <= limits.rr_depth || self.survives(limits.rr_scale, sampler)
    }

    /// Goes below a surface, which is no vertex; that where it leaves is.
    #[inline(never)]
    fn enter(&mut self, it: &Interaction, bsdf: &Bsdf, sample: &BsdfSample) -> bool {
        let below = bsdf.below_at(sample.index);
        self.walk = below.map(|below| RandomWalk::new(it, &below));
        self.footprint = self.footprint.passed(it.t);
        self.ray = it.spawn_ray(sample.wi);
        self.contact = None;
        self.walk.is_some()
    }

    /// Returns the medium stack after a hit, for a ray that leaves in the unit vector `wi`.
    fn media_towards(&self, scene: &Scene, wi: Vec3, it: &Interaction) -> MediumStack {
        let mut media = self.media.clone();
        media.cross(scene.bodies(), it, wi);
        media
    }

    /// Crosses a transparent surface: the MIS context stays that of the last scattering vertex.
    #[inline(always)]
    fn cross_null_interface(&mut self, it: &Interaction, end: &RayEnd) {
        self.null_interfaces += 1;
        self.kind = RayKind(self.kind.0 | RayKind::TRANSPARENT.0);
        self.footprint = self.footprint.passed(it.t);
        self.ray = Ray {
            t_max: self.ray.t_max - it.t,
            time: it.time,
            ..Ray::new(end.ray_origin(self.ray.direction), self.ray.direction)
        };
        self.left = it.p;
    }

    #[inline(always)]
    fn scatter(
        &mut self,
        scene: &Scene,
        (it, at): (&Interaction, &LightSampleContext),
        sample: &BsdfSample,
        end: &RayEnd,
    ) {
        self.depth += 1;
        self.scatterings += 1;
        self.counts_emission = true;
        self.eta2 *= sample.eta * sample.eta;
        self.kind = kind_of(sample.lobe);
        self.update_footprint(scene, it, sample);
        // Assigned field by field: a struct assignment builds the value elsewhere and copies it, which stalls on store
        // forwarding.
        self.mis_context.at = *at;
        self.mis_context.pdf = (!sample.is_specular()).then_some(sample.pdf);
        self.ray = Ray {
            time: it.time,
            ..Ray::new(end.ray_origin(sample.wi), sample.wi)
        };
        self.left = it.p;
    }

    /// Updates the ray footprint for the sampled direction. A wider lobe gives a larger footprint, and so coarser
    /// texture lookups.
    #[inline(always)]
    fn update_footprint(&mut self, scene: &Scene, it: &Interaction, sample: &BsdfSample) {
        if self.footprint.differential.is_some() && sample.lobe.spread == Spread::Specular {
            let bend = match sample.lobe.side {
                Side::Reflection => Bend::Reflection,
                Side::Transmission => Bend::Refraction(sample.eta),
            };
            let change = |dp| scene.normal_change(it, dp);
            self.footprint = self.footprint.bent(it, sample.wi, bend, change);
        } else {
            self.footprint.scatter(it.t, min_spread(sample.lobe.spread));
        }
    }

    /// Plays Russian roulette; returns `false` if the path is terminated.
    #[inline(always)]
    pub(super) fn survives(&mut self, rr_scale: f32, sampler: &mut Sampler) -> bool {
        let weight =
            self.throughput.max_component() * self.eta2 * self.guide_pdf_ratio * self.branches as f32;
        let long = match self.scattered_by_medium {
            Some(_) => LONG_PATH_IN_MEDIA,
            None => LONG_PATH,
        };
        let max = if self.depth > long {
            MAX_LONG_PATH_RR_PROBABILITY
        } else {
            1.0
        };
        let rr_probability = (rr_scale * weight).min(max);
        if rr_probability >= 1.0 {
            sampler.skip();
            return true;
        }
        let survives = sampler.next_1d() < rr_probability;
        self.throughput *= 1.0 / rr_probability;
        survives
    }
}

/// Random number for lobe selection; drawn only if there are several lobes.
#[inline]
pub(super) fn sample_u_lobe(bsdf: &Bsdf, sampler: &mut Sampler) -> f32 {
    if bsdf.has_choice() {
        return sampler.next_1d();
    }
    sampler.skip();
    0.0
}

fn min_spread(spread: Spread) -> f32 {
    match spread {
        Spread::Specular | Spread::Straight => 0.0,
        Spread::Glossy => 0.05,
        Spread::Diffuse | Spread::Subsurface => 0.2,
    }
}

/// Returns the ray kind after scattering by a lobe of this kind.
fn kind_of(lobe: LobeKind) -> RayKind {
    match (lobe.spread, lobe.side) {
        (Spread::Diffuse | Spread::Subsurface, _) => RayKind::DIFFUSE,
        (Spread::Glossy, _) => RayKind::GLOSSY,
        (Spread::Specular, Side::Reflection) => RayKind::REFLECTION,
        (Spread::Specular, Side::Transmission) => RayKind::REFRACTION,
        (Spread::Straight, _) => RayKind::TRANSPARENT,
    }
}
