//! Path state (throughput, footprint, MIS context) and its steps, which all integrators share: intersection, emission,
//! continuation, Russian roulette.
//!
//! [`PathState::advance`] finds the next vertex and reports its emission, [`PathState::sample_lights`](super::direct)
//! reports light samples at the vertex, and [`PathState::follow`] continues in a direction sampled by the integrator.
//!
//! Depth is the number of segments: depth 1 shows emission, depth 2 adds direct light. A null interface is not a
//! vertex: it does not add to the depth, and shadow rays cross it too.
// Kajiya 1986, "The Rendering Equation"; Veach 1997, chapters 8 to 10.

use glam::Vec3;

use super::limits::{Limits, VertexRequest};
use super::subsurface::RandomWalk;
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, Side, Spread};
use crate::integrator::photon::{VolumeCoverage, VolumePhotons};
use crate::integrator::stopwatch::Stage;
use crate::integrator::tracer::Tracer;
use crate::interior::{InteriorList, MediumClass};
use crate::light::{LightId, LightLink, LightSampleContext};
use crate::material::{HitRay, RayKind, ShadingContext, ShadingResult};
use crate::radiance::{Contribution, LightSource, RadianceSink, Reached};
use crate::scene::{Contact, MAX_NULL_INTERFACES, PathStart, RaySegment, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::{Rng, Sampler};
use renderer_base::sampling::power_heuristic;
use renderer_geometry::camera::CameraRay;
use renderer_geometry::{Footprint, Interaction, SpecularEvent};
use renderer_scene::LightVisibility;

/// Depth beyond which paths of any throughput are subject to Russian roulette; terminates paths between two mirrors.
const RR_LONG_PATH_DEPTH: u32 = 24;

/// Same limit for paths in media, where albedo is near one.
const RR_LONG_PATH_DEPTH_IN_MEDIA: u32 = 256;

/// Maximum survival probability of longer paths.
const MAX_LONG_PATH_RR_PROBABILITY: f32 = 0.95;

/// State of a path between two vertices.
#[derive(Clone, Debug)]
pub(crate) struct PathState {
    pub(crate) ray: Ray,
    pub(crate) kind: RayKind,
    pub(crate) footprint: Footprint,
    pub(crate) mis_context: MisContext,
    /// Product of BSDF weights and Russian-roulette factors so far.
    pub(crate) throughput: Rgb,
    /// Squared relative index of refraction of the current medium. Refraction scales throughput by its inverse; Russian
    /// roulette undoes the scaling.
    eta2: f32,
    /// Product of the ratios of sampled density to BSDF density over all vertices; 1 without guiding.
    guide_pdf_ratio: f32,
    /// Number of branches of the camera path that share its throughput, this one included.
    branches: u32,
    /// Number of segments, the current one included.
    pub(crate) depth: u32,
    /// Number of scattering events between the viewer and the next vertex, for shaders.
    pub(crate) scatterings: u32,
    /// Number of null interfaces crossed.
    null_interfaces: u32,
    /// True if emission at the next hit is counted.
    pub(crate) counts_emission: bool,
    /// True if infinite lights are hidden until the path scatters.
    hides_infinite_lights: bool,
    /// True if emitting shapes are hidden until the path scatters.
    hides_shapes: bool,
    /// Light that the photon lookup supplied at the last medium vertex; `None` if that was a surface.
    pub(crate) scattered_by_medium: Option<VolumeCoverage>,
    /// Interior list of the path.
    pub(crate) interior: InteriorList,
    /// Position among coincident surfaces: at the last surface, or at the next one.
    pub(crate) contact: Option<Contact>,
    /// Point that the ray leaves; the ray's origin is outside the error bound of this point.
    pub(crate) vertex_p: Vec3,
    /// True if the emission of lights with restricted blockers is still to be found along the ray.
    pub(super) seeks_linked: bool,
    /// Pending subsurface random walk; runs before the next intersection.
    walk: Option<RandomWalk>,
}

/// Path vertex: interaction, light-sampling reference point, shading result.
pub(crate) type PathVertex<'a> = (&'a Interaction, &'a LightSampleContext, &'a ShadingResult);

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
        self.pdf.map_or(1.0, |pdf| power_heuristic(pdf, light_pdf(&self.at)))
    }
}

impl PathState {
    /// Starts a path at the camera.
    pub(crate) fn camera(scene: &Scene, camera_ray: &CameraRay) -> PathState {
        let footprint = Footprint::camera(&camera_ray.differential, scene.uses_footprints());
        let mis_context = MisContext {
            at: LightSampleContext::in_space(camera_ray.ray.origin),
            pdf: None,
        };
        let interior = scene.interior_at(&camera_ray.ray.advanced_to_t_min());
        PathState {
            throughput: camera_ray.throughput,
            ..PathState::new(camera_ray.ray, RayKind::CAMERA, footprint, mis_context, interior)
        }
    }

    /// Starts a path at a surface point, to estimate its incident radiance.
    pub(crate) fn point(start: PathStart, mis_context: MisContext) -> PathState {
        let footprint = Footprint::POINT.scattered(0.0, min_spread(Spread::Diffuse));
        let PathStart { ray, interior, .. } = start;
        PathState {
            scatterings: 1,
            seeks_linked: mis_context.pdf.is_none(),
            contact: start.contact,
            vertex_p: ray.origin - ray.direction * start.gap,
            ..PathState::new(ray, RayKind::DIFFUSE, footprint, mis_context, interior)
        }
    }

    fn new(
        ray: Ray,
        kind: RayKind,
        footprint: Footprint,
        mis_context: MisContext,
        interior: InteriorList,
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
            interior,
            contact: None,
            vertex_p: ray.origin,
            seeks_linked: false,
            walk: None,
        }
    }

    /// Hides directly visible emitters (`hide_emitters`): moves the ray's origin behind the emitting shapes that it
    /// hits first, and hides infinite lights. Emitters behind a transparent surface stay visible, as in Mitsuba; those
    /// behind the boundary of a body are hidden.
    pub(crate) fn hide_emitters(
        mut self,
        scene: &Scene,
        sampler: &Sampler,
        shading: &mut ShadingContext,
    ) -> PathState {
        self.hides_infinite_lights = true;
        self.hides_shapes = !scene.bodies().is_empty();
        for _ in 0..MAX_NULL_INTERFACES {
            let mut contact = None;
            let hit = scene.next_surface(&self.ray, &self.interior, &mut contact);
            let is_light = |it: &Interaction| scene.light_of(it.shape).is_some();
            let Some(it) = hit.filter(|it| contact.is_none() && is_light(it)) else {
                break;
            };
            let segment = RaySegment {
                ray: &self.ray.advanced_to_t_min(),
                length: (it.t - self.ray.t_min).max(0.0),
                depth: 0,
            };
            let mut rng = Rng::new(sampler.rng_seed());
            self.throughput *= scene.medium_transmittance(&self.interior, &segment, &mut rng, shading);
            self.footprint = self.footprint.passed(it.t);
            self.ray = it.rest_of(&self.ray);
            self.vertex_p = it.p;
        }
        self
    }

    /// Hides infinite lights from the camera.
    pub(crate) fn hide_background(&mut self) {
        self.hides_infinite_lights = true;
    }

    /// Finds the next vertex, shades it into `surface` and reports its emission, or that of infinite lights. Returns
    /// `None` if the path ends: it left the scene, or the next vertex needs no shading. `photons` are looked up in
    /// media.
    #[inline(always)]
    pub(crate) fn advance<S: RadianceSink>(
        &mut self,
        mut request: VertexRequest,
        photons: Option<&VolumePhotons<'_>>,
        surface: &mut ShadingResult,
        tracer: &mut Tracer<'_, S>,
    ) -> Option<Interaction> {
        let scene = tracer.scene;
        tracer.stats.watch.lap(Stage::Scatter);
        if self.walk.is_some() {
            return self.leave_subsurface(surface, tracer);
        }
        if self.seeks_linked {
            self.find_linked_lights(tracer);
        }
        // Intersection. Borrowed in place, as other large results: a copy would stall on store forwarding.
        let is_in_contact = self.contact.is_some();
        let mut hit = scene.next_surface(&self.ray, &self.interior, &mut self.contact);
        tracer.stats.watch.lap(Stage::Intersect);
        tracer.stats.watch.query(|| scene.hits(&self.ray));

        // Scattering in media replaces the hit.
        if !is_in_contact && !matches!(self.interior.medium_class(), MediumClass::Vacuum) {
            request = self.sample_media(&mut hit, request, photons, tracer)?;
        }

        // Infinite lights.
        let Some(it) = &hit else {
            tracer.sink.escape(self.throughput);
            if self.counts_emission && !(self.hides_infinite_lights && self.depth == 1) {
                self.report_infinite_lights(scene, tracer.sink);
            }
            return None;
        };

        // Null interfaces.
        if self.scatterings == 0 && scene.is_hidden_from_camera(it.shape) {
            surface.set_null_interface(it);
            return hit;
        }
        if self.hides_shapes && self.depth == 1 && scene.light_of(it.shape).is_some() {
            surface.set_null_interface(it);
            return hit;
        }
        let material = scene.material(it.shape);
        let Some(outside) = scene.exterior_ior(&self.interior, it) else {
            surface.set_null_interface(it);
            return hit;
        };

        // Shading.
        if request.ends(self.depth) && !material.may_emit() && !material.may_be_transparent() {
            return None;
        }
        tracer.stats.shading_runs += 1;
        let ray = HitRay { kind: self.kind, depth: self.scatterings, outside };
        material.shade(it, ray, &self.footprint, tracer.shading, surface);
        tracer.stats.lobe_overflows += u64::from(surface.lobe_overflow);
        let reached = Reached {
            it,
            surface,
            throughput: self.throughput,
            material,
            ray,
            footprint: &self.footprint,
        };
        tracer.sink.reach(reached, tracer.shading);

        // Emission of the surface, weighted against light sampling at the last vertex.
        if self.mis_context.pdf.is_some() && material.emission_varies_by_ray() {
            surface.emission = material.emission_at(it, self.scatterings, tracer.shading);
        }
        if self.counts_emission && !surface.emission.is_black() {
            // Shadow rays do not reach a light that coincides with the surface at their origin.
            let light = scene.light_of(it.shape);
            if light.is_none_or(|light| self.sees(scene, light)) {
                let weight = match is_in_contact && scene.coincides(it, self.mis_context.at.p) {
                    true => 1.0,
                    false => self.mis_context.weight(|at| scene.light_pdf(at, it)),
                };
                let source = light.map_or(LightSource::Surface, LightSource::Light);
                let radiance = self.throughput * surface.emission * weight;
                tracer.sink.add(self.label(source), radiance);
            }
        }
        tracer.stats.watch.lap(Stage::Shade);
        hit
    }

    /// Returns whether the links of a light let the path find its emission along the ray.
    #[inline]
    fn sees(&self, scene: &Scene, light: LightId) -> bool {
        !scene.has_links() || self.sees_linked(scene.link(light))
    }

    #[inline(never)]
    fn sees_linked(&self, link: &LightLink) -> bool {
        if self.scatterings == 0 {
            return link.visible_to.contains(LightVisibility::CAMERA);
        }
        link.illuminates(self.mis_context.at.receiver)
            && match self.mis_context.pdf {
                Some(_) => !link.is_sampled_only(),
                None => !link.has_blockers() && link.visible_to.contains(visibility_of(self.kind)),
            }
    }

    /// Runs the pending subsurface walk and shades its exit; returns `None` if the path ends.
    #[inline(never)]
    fn leave_subsurface<S>(
        &mut self,
        surface: &mut ShadingResult,
        tracer: &mut Tracer<'_, S>,
    ) -> Option<Interaction> {
        let scene = tracer.scene;
        let walk = self.walk.take()?;
        let (u, mut rng) = (tracer.sampler.next_2d(), Rng::new(tracer.sampler.rng_seed()));
        let exit = walk.run(scene, self.ray.direction, &mut self.interior, u, &mut rng);
        tracer.stats.watch.lap(Stage::Intersect);
        let exit = exit?;
        self.throughput *= exit.weight;
        self.contact = exit.contact;
        let ray = HitRay {
            kind: self.kind,
            depth: self.scatterings,
            outside: scene.exterior_ior(&self.interior, &exit.it).unwrap_or(1.0),
        };
        tracer.stats.shading_runs += 1;
        let material = scene.material(exit.it.shape);
        material.shade(&exit.it, ray, &self.footprint, tracer.shading, surface);
        surface.leave_subsurface(&exit.it, walk.lobe_number());
        tracer.stats.watch.lap(Stage::Shade);
        Some(exit.it)
    }

    /// Label of emission that the path has found.
    #[inline(always)]
    pub(crate) fn label(&self, source: LightSource) -> Contribution {
        Contribution {
            source,
            scattered: self.depth > 1,
            guide_pdf_ratio: self.guide_pdf_ratio,
        }
    }

    /// Reports the emission of infinite lights along a ray that leaves the scene.
    #[inline]
    fn report_infinite_lights(&self, scene: &Scene, sink: &mut impl RadianceSink) {
        for hit in scene.escape(self.mis_context.at.p, &self.ray) {
            if !self.sees(scene, hit.light) {
                continue;
            }
            let pdf = |at: &LightSampleContext| hit.pdf * scene.light_probability(at, hit.light);
            let weight = self.mis_context.weight(pdf);
            let label = self.label(LightSource::Light(hit.light));
            sink.add(label, self.throughput * hit.radiance * weight);
        }
    }

    /// Returns one of `branches` branches of this path, with an equal share of its throughput.
    #[inline]
    pub(crate) fn branch(&self, branches: u32) -> PathState {
        PathState {
            throughput: self.throughput * (1.0 / branches as f32),
            branches: self.branches * branches,
            ..self.clone()
        }
    }

    /// Multiplies the ratio of sampled density to BSDF density at the current vertex into the path's ratio. Russian
    /// roulette uses it: a direction that the guide favours has less throughput, but the same expected contribution.
    #[inline(always)]
    pub(crate) fn scale_guide_pdf_ratio(&mut self, ratio: f32) {
        self.guide_pdf_ratio *= ratio;
    }

    /// Continues from a vertex in the sampled direction, or straight through. Returns `false` if the path ends.
    #[inline(always)]
    pub(crate) fn follow(
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
            return self.depth < limits.depth && self.enter_subsurface(it, &surface.bsdf, sample);
        }
        let end = scene.leave(it, sample.wi, &self.interior, &mut self.contact);
        if !scene.bodies().is_empty() {
            self.interior.cross(scene.bodies(), it, sample.wi);
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

    /// Prepares a subsurface walk. Its exit is a path vertex; its entry is not.
    #[inline(never)]
    fn enter_subsurface(&mut self, it: &Interaction, bsdf: &Bsdf, sample: &BsdfSample) -> bool {
        let lobe = bsdf.subsurface_lobe(sample.index);
        self.walk = lobe.map(|lobe| RandomWalk::new(it, &lobe));
        self.footprint = self.footprint.passed(it.t);
        self.ray = it.spawn_ray(sample.wi);
        self.contact = None;
        self.walk.is_some()
    }

    /// Crosses a null interface; the MIS context remains that of the last scattering vertex.
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
        self.vertex_p = it.p;
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
        self.seeks_linked = sample.is_specular() && scene.has_linked_blockers();
        self.ray = Ray {
            time: it.time,
            ..Ray::new(end.ray_origin(sample.wi), sample.wi)
        };
        self.vertex_p = it.p;
    }

    /// Updates the ray footprint for the sampled direction. A wider lobe gives a larger footprint, and so coarser
    /// texture lookups.
    #[inline(always)]
    fn update_footprint(&mut self, scene: &Scene, it: &Interaction, sample: &BsdfSample) {
        if self.footprint.differential.is_some() && sample.lobe.spread == Spread::Specular {
            let bend = match sample.lobe.side {
                Side::Reflection => SpecularEvent::Reflection,
                Side::Transmission => SpecularEvent::Refraction(sample.eta),
            };
            let change = |dp| scene.normal_change(it, dp);
            self.footprint = self.footprint.specular(it, sample.wi, bend, change);
        } else {
            self.footprint.scatter(it.t, min_spread(sample.lobe.spread));
        }
    }

    /// Plays Russian roulette; returns `false` if the path is terminated.
    #[inline(always)]
    pub(crate) fn survives(&mut self, rr_scale: f32, sampler: &mut Sampler) -> bool {
        let weight =
            self.throughput.max_component() * self.eta2 * self.guide_pdf_ratio * self.branches as f32;
        let long = match self.scattered_by_medium {
            Some(_) => RR_LONG_PATH_DEPTH_IN_MEDIA,
            None => RR_LONG_PATH_DEPTH,
        };
        let max = if self.depth > long { MAX_LONG_PATH_RR_PROBABILITY } else { 1.0 };
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
pub(crate) fn sample_u_lobe(bsdf: &Bsdf, sampler: &mut Sampler) -> f32 {
    if bsdf.has_choice() {
        return sampler.next_1d();
    }
    sampler.skip();
    0.0
}

/// Minimum spread of a scattered ray's footprint, for texture lookups.
fn min_spread(spread: Spread) -> f32 {
    match spread {
        Spread::Specular | Spread::Straight => 0.0,
        Spread::Glossy => 0.05,
        Spread::Diffuse | Spread::Subsurface => 0.2,
    }
}

/// Visibility of lights that a scattered ray of this kind needs.
pub(super) fn visibility_of(kind: RayKind) -> LightVisibility {
    let is = |other: RayKind| kind.0 & other.0 != 0;
    if is(RayKind::REFRACTION) {
        LightVisibility::TRANSMISSION
    } else if is(RayKind::REFLECTION) || is(RayKind::GLOSSY) {
        LightVisibility::GLOSSY
    } else {
        LightVisibility::DIFFUSE
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
