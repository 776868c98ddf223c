//! Scattering in media: distance sampling along segments, light samples and phase functions at medium vertices.
//!
//! Medium vertices count towards the depth of the path.

use glam::{Vec2, Vec3};

use super::direct::{DirectLightQuery, LightDirection, sample_one_light};
use super::equiangular::EquiangularSampling;
use super::limits::{Limits, VertexRequest};
use super::state::{MisContext, PathState};
use crate::integrator::photon::{VolumeCoverage, VolumePhotons, VolumeQuery};
use crate::integrator::stopwatch::Stage;
use crate::integrator::tracer::Tracer;
use crate::interior::MediumClass;
use crate::light::LightSampleContext;
use crate::material::RayKind;
use crate::medium::Coefficients;
use crate::radiance::{Contribution, LightSource, RadianceSink};
use crate::scene::{DistanceSampling, MediumSample, RaySegment, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd};
use renderer_base::sampler::{Rng, Sampler};
use renderer_base::sampling::power_heuristic;
use renderer_geometry::Interaction;
use renderer_scene::LightVisibility;

/// Minimum spread of a ray scattered by a medium, for texture lookups.
const MIN_SPREAD: f32 = 0.2;

/// Factor of the length of rays to scattering vertices: a surface at the same distance is in front of the vertex, as it is
/// without a limit.
const DISTANCE_MARGIN: f32 = 1.001;

/// Factor of the survival probability in media that only lights with a position illuminate: light samples at each vertex
/// find their light, whereas a path finds that of the sky at its end.
const NEAR_LIGHT_RR_FACTOR: f32 = 0.4;

impl PathState {
    /// Samples medium scattering until the path reaches a surface, which replaces `hit`. Returns the contributions to
    /// request there; `None` if the path ends.
    #[inline(never)]
    pub(crate) fn sample_media<S: RadianceSink>(
        &mut self,
        hit: &mut Option<Interaction>,
        mut request: VertexRequest,
        photons: Option<&VolumePhotons<'_>>,
        tracer: &mut Tracer<'_, S>,
    ) -> Option<VertexRequest> {
        let scene = tracer.scene;
        // Random numbers of the next distance, if it limits the ray.
        let mut next_u = None;
        loop {
            // A coincident surface may be nearer than the start, by rounding.
            let start = self.ray.t_min;
            let length = hit.as_ref().map_or(f32::INFINITY, |it| (it.t - start).max(0.0));
            let gap = self.ray.gap_from(self.vertex_p);
            let ray = self.ray.advanced_to_t_min().extended_back(gap);
            let segment = RaySegment { ray: &ray, length: length + gap, depth: self.scatterings };
            if !matches!(self.interior.medium_class(), MediumClass::Scattering) {
                let rng = &mut Rng::new(0);
                self.throughput *= scene.medium_transmittance(&self.interior, &segment, rng, tracer.shading);
                return (!self.throughput.is_black()).then_some(request);
            }

            // Photon lookup along the segment.
            let mut coverage = VolumeCoverage::None;
            if let Some(photons) = photons.filter(|_| !request.emission_only) {
                let query = VolumeQuery {
                    interior: &self.interior,
                    throughput: self.throughput,
                    depth: self.depth,
                    seed: tracer.sampler.rng_seed(),
                };
                coverage = photons.report(scene, query, &segment, tracer.sink);
            }

            // Equiangular light sample, then a scattering distance.
            let u = next_u.take().unwrap_or_else(|| tracer.sampler.next_2d());
            let mut rng = Rng::new(tracer.sampler.rng_seed());
            let samples_lights =
                !(request.ends(self.depth) || request.maps_only || coverage == VolumeCoverage::All);
            let equiangular = match samples_lights {
                true => self.sample_light_on_segment(&segment, &mut rng, tracer),
                false => None,
            };
            let mut emitted = Rgb::BLACK;
            let sample = scene.sample_medium(
                &self.interior,
                &segment,
                (&mut self.throughput, &mut emitted),
                (u, &mut rng),
                tracer.shading,
            );
            if self.counts_emission && !emitted.is_black() {
                tracer.sink.add_in_medium(self.label(LightSource::Surface), emitted);
            }
            if self.throughput.is_black() {
                return None;
            }
            let MediumSample::Scattered { t, medium } = sample else {
                return Some(request);
            };
            if !samples_lights {
                return None;
            }

            // Light sample and new direction at the medium vertex.
            let weight = equiangular.map_or(1.0, |sampling| sampling.weight(t));
            let t = start + (t - gap).max(0.0);
            self.sample_light_in_medium(t, &medium, Rgb::splat(weight), tracer);
            self.scattered_by_medium = Some(coverage);
            if !self.scatter_in_medium(t, &medium, request.limits, tracer) {
                return None;
            }
            request.emission_only = coverage == VolumeCoverage::Indirect;
            tracer.stats.indirect_rays += 1;
            self.contact = None;
            let mut ray = self.ray;
            if photons.is_none() && !scene.has_lights_in_media() {
                let u = tracer.sampler.next_2d();
                next_u = Some(u);
                ray.t_max = self.scattering_distance(scene, u);
            }
            *hit = scene.next_surface(&ray, &self.interior, &mut self.contact);
        }
    }

    /// Distance at which the next ray is scattered by `u` unless it reaches a surface before, a little increased; infinite if
    /// the distance is not known in advance. Surfaces beyond it need not be found.
    fn scattering_distance(&self, scene: &Scene, u: Vec2) -> f32 {
        match scene.homogeneous(&self.interior) {
            Some(medium) if !medium.scattering().is_black() => {
                DistanceSampling::new(&medium, self.throughput).sample(u) * DISTANCE_MARGIN
            }
            _ => f32::INFINITY,
        }
    }

    /// Takes an equiangular light sample on a segment, whether the path scatters there or not; returns its
    /// distribution.
    fn sample_light_on_segment<S: RadianceSink>(
        &self,
        segment: &RaySegment<'_>,
        rng: &mut Rng,
        tracer: &mut Tracer<'_, S>,
    ) -> Option<EquiangularSampling> {
        let scene = tracer.scene;
        let sampling = EquiangularSampling::new(scene, self, segment, rng, tracer.shading)?;
        // A separate branch of the sampler leaves the dimensions of the path unchanged.
        let mut sampler: Sampler = tracer.sampler.branch(0, 1);
        if let Some((t, pdf)) = sampling.sample(sampler.next_1d()) {
            let medium = scene.coefficients(&self.interior, segment, t, tracer.shading);
            if medium.scattering().is_black() {
                return Some(sampling);
            }
            let before = RaySegment { length: t, ..*segment };
            let transmittance = scene.medium_transmittance(&self.interior, &before, rng, tracer.shading);
            let weight = medium.scattering() * transmittance * (1.0 / pdf);
            let t = self.ray.t_min + (t - self.ray.gap_from(self.vertex_p)).max(0.0);
            self.sample_light_in_medium(t, &medium, weight, &mut tracer.with_sampler(&mut sampler));
        }
        Some(sampling)
    }

    /// Takes a light sample at a distance along the ray; `weight` is a factor of its contribution.
    fn sample_light_in_medium<S: RadianceSink>(
        &self,
        t: f32,
        medium: &Coefficients,
        weight: Rgb,
        tracer: &mut Tracer<'_, S>,
    ) {
        let (direction, p) = (self.ray.direction, self.ray.at(t));
        tracer.stats.watch.lap(Stage::Scatter);
        let query = DirectLightQuery {
            at: &self.lit_point_in_medium(tracer.scene, p),
            end: RayEnd::in_space(p),
            time: self.ray.time,
            depth: self.scatterings + 1,
            interior: |_: Vec3| self.interior.clone(),
            surface: None,
        };
        let response = |light: LightDirection| {
            if !light.visible_to.contains(LightVisibility::VOLUME) {
                return Rgb::BLACK;
            }
            let (f, pdf) = medium.phase(direction, light.wi);
            f * light.pdf.map_or(1.0, |light_pdf| power_heuristic(light_pdf, pdf))
        };
        let direct = sample_one_light(
            tracer.scene,
            query,
            response,
            tracer.sampler,
            tracer.shading,
            tracer.stats,
            None,
        );
        if let Some(direct) = direct {
            let label = Contribution {
                scattered: true,
                ..self.label(LightSource::Light(direct.light))
            };
            tracer.sink.add_in_medium(label, self.throughput * weight * direct.radiance);
        }
        tracer.stats.watch.lap(Stage::Light);
    }

    /// Light-sampling reference point of a medium vertex.
    fn lit_point_in_medium(&self, scene: &Scene, p: Vec3) -> LightSampleContext {
        LightSampleContext::in_space(p).of_receiver(scene.receiver_class_in(&self.interior))
    }

    /// Samples the phase function and starts the next ray. Returns `false` if the path ends.
    fn scatter_in_medium<S: RadianceSink>(
        &mut self,
        t: f32,
        medium: &Coefficients,
        limits: Limits,
        tracer: &mut Tracer<'_, S>,
    ) -> bool {
        let (direction, p) = (self.ray.direction, self.ray.at(t));
        let at = self.lit_point_in_medium(tracer.scene, p);
        let (u_lobe, u) = (tracer.sampler.next_1d(), tracer.sampler.next_2d());
        let Some(wi) = medium.sample_phase(direction, u_lobe, u) else {
            return false;
        };
        let (f, pdf) = medium.phase(direction, wi);
        if pdf <= 0.0 {
            return false;
        }
        tracer.sink.scatter_in_medium(self.throughput, direction);
        self.throughput *= f * (1.0 / pdf);
        self.depth += 1;
        self.scatterings += 1;
        self.counts_emission = true;
        self.kind = RayKind::DIFFUSE;
        self.footprint.scatter(t, MIN_SPREAD);
        self.mis_context = MisContext { at, pdf: Some(pdf) };
        self.ray = Ray { time: self.ray.time, ..Ray::new(p, wi) };
        self.vertex_p = p;
        let factor = if tracer.scene.has_only_near_lights() {
            NEAR_LIGHT_RR_FACTOR
        } else {
            1.0
        };
        self.depth <= limits.rr_depth || self.survives(limits.rr_scale * factor, tracer.sampler)
    }
}
