//! Camera paths of the integrator `photon`: final gathering, splitting, and lookups in the photon maps.

use glam::Vec3;

use super::Photons;
use super::gather_path::{GatherPath, Remaining};
use super::lookup::{CachedRadiance, MapLookup};
use super::map::photon::Photon;
use super::map::volume::{VolumeCoverage, VolumePhotons};
use super::vertex::Vertex;
use crate::bsdf::{Bsdf, LobePart, Side};
use crate::integrator::context::Context;
use crate::integrator::path::direct::LightDirection;
use crate::integrator::path::limits::{Limits, VertexRequest};
use crate::integrator::path::state::{PathState, sample_u_lobe};
use crate::integrator::stopwatch::Stage;
use crate::integrator::tracer::Tracer;
use crate::radiance::{BranchEvent, Contribution, LobeShares, RadianceSink};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;

/// Number of segments before Russian roulette begins.
const RR_DEPTH: u32 = 2;

impl Photons {
    /// Estimates the radiance that arrives along a camera ray.
    pub(crate) fn radiance(
        &self,
        scene: &Scene,
        mut path: PathState,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        path.counts_emission &= self.settings.show.is_none();
        let path = GatherPath {
            splits: self.settings.gather.unwrap_or(1).max(1),
            light_samples: self.settings.light_samples.unwrap_or(1),
            ..GatherPath::new(path, Remaining::All)
        };
        self.trace(scene, path, sampler, context, sink);
    }

    /// Estimates the radiance that arrives at a point along a gather ray.
    pub(crate) fn incident_radiance(
        &self,
        scene: &Scene,
        path: PathState,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        let path = GatherPath::new(path, Remaining::Incoming);
        self.trace(scene, path, sampler, context, sink);
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.settings.depth.unwrap_or(u32::MAX)
    }

    /// Returns whether vertices look up the global map directly, without final gathering.
    pub(super) fn is_direct(&self) -> bool {
        self.irradiance.is_none()
    }

    fn limits(&self) -> Limits {
        Limits {
            depth: self.max_depth(),
            rr_depth: RR_DEPTH,
            rr_scale: Limits::RR_SCALE,
        }
    }

    fn request(&self, remaining: Remaining) -> VertexRequest {
        VertexRequest {
            limits: self.limits(),
            emission_only: remaining == Remaining::Emission,
            maps_only: self.settings.show.is_some(),
        }
    }

    fn trace(
        &self,
        scene: &Scene,
        mut state: GatherPath,
        sampler: &mut Sampler,
        context: &mut Context,
        sink: &mut impl RadianceSink,
    ) {
        let max_depth = self.max_depth();
        if max_depth == 0 {
            return;
        }
        let Context { shading, surface, gather_paths, stats, nearest, .. } = context;
        let mut tracer = Tracer { scene, sampler, shading, stats, nearest, sink };
        loop {
            let continues = 'vertex: {
                // Intersection, shading and emission; volume photons along the segment.
                let photons = VolumePhotons {
                    caustic: &self.volume_caustic,
                    indirect: &self.volume_indirect,
                    max_depth,
                    // The links of lights apply to direct light, so that it is sampled.
                    is_gathering: state.remaining.is_gathering() && !scene.links_scattering(),
                };
                let request = self.request(state.remaining);
                let hit = state.path.advance(request, Some(&photons), surface, &mut tracer);
                if let Some(coverage) = state.path.scattered_by_medium.take() {
                    let covered = coverage != VolumeCoverage::None;
                    state.leave_medium(self.remaining_in_medium(coverage), covered);
                }
                let Some(it) = &hit else { break 'vertex false };

                // Light samples and map lookups.
                let ends = self.request(state.remaining).ends(state.path.depth);
                let mut vertex = Vertex::new(scene, it, surface);
                if !ends {
                    match self.settings.show {
                        None => self.report_local(&state, &mut vertex, &mut tracer),
                        Some(show) if vertex.is_wide() => {
                            let debug_value = self.debug_value(show, &vertex, &mut tracer);
                            let radiance = state.path.throughput * debug_value;
                            tracer.sink.add(Contribution::MAP, radiance);
                            break 'vertex false;
                        }
                        Some(_) => {}
                    }
                }

                // Splitting at the first scattering vertex.
                if !ends && !vertex.bsdf.is_specular() {
                    let splits = std::mem::replace(&mut state.splits, 1);
                    state.light_samples = 1;
                    if splits > 1 {
                        state.path = state.path.branch(splits);
                        let sampler = *tracer.sampler;
                        gather_paths.split(&state, splits, &sampler, |branch, sampler| {
                            let mut tracer = tracer.with_sampler(sampler);
                            tracer.sink.branch(BranchEvent::Fork);
                            let continues = self.step(branch, &vertex, &mut tracer);
                            tracer.sink.branch(BranchEvent::EndFork { continues });
                            continues
                        });
                        break 'vertex false;
                    }
                }

                // BSDF or guide sampling, Russian roulette.
                self.step(&mut state, &vertex, &mut tracer)
            };
            if !continues && !gather_paths.next(&mut state, tracer.sampler, tracer.sink) {
                return;
            }
        }
    }

    /// Reports the contributions that need no further ray of the path: light samples and map lookups.
    #[inline]
    fn report_local<'a, S: RadianceSink>(
        &'a self,
        state: &GatherPath,
        vertex: &mut Vertex<'a>,
        tracer: &mut Tracer<'_, S>,
    ) {
        let path = &state.path;
        let bsdf = vertex.bsdf;

        // Irradiance cache.
        vertex.is_guided = self.settings.guide.unwrap_or(true);
        if bsdf.has(LobePart::Diffuse)
            && (vertex.is_guided || state.remaining.is_gathering())
            && let Some(map) = &self.irradiance
        {
            vertex.record = map.nearest(vertex.it.p, vertex.n, vertex.layer);
            let length = state.passed + vertex.it.t;
            if let Some(record) = vertex.record
                && state.remaining.is_gathering()
                && length > record.radius
            {
                vertex.diffuse_covered = true;
                let cached = self.cached_radiance(path.depth, vertex, record, tracer.nearest);
                let radiance = path.throughput * (cached[0].radiance + cached[1].radiance);
                tracer.sink.add_scattered(Contribution::MAP, radiance, vertex.it, |lobes| {
                    add_cached_shares(bsdf, vertex.it.wo, cached, lobes);
                });
            }
        }
        tracer.stats.watch.lap(Stage::Lookup);

        // Direct light.
        let narrow = !state.skips_caustics;
        let diffuse = !(vertex.diffuse_covered && self.settings.direct);
        if !bsdf.is_specular() && (narrow || diffuse || bsdf.has(LobePart::Rough)) {
            let counts = |part: LobePart| match part {
                LobePart::Diffuse => diffuse,
                LobePart::Rough => true,
                LobePart::Narrow => narrow,
            };
            let weight = |part: LobePart, wi: Vec3, pdf: f32, light_pdf: Option<f32>| {
                light_pdf.map_or(1.0, |light_pdf| power_heuristic(light_pdf, vertex.pdf(part, wi, pdf)))
            };
            let visible = |light: LightDirection| {
                let mut sum = Rgb::BLACK;
                bsdf.each_lobe(vertex.it.wo, light.wi, counts, |class, _, f| {
                    if light.visible_to.contains(class.visibility()) {
                        sum += f;
                    }
                });
                sum
            };
            let response = |light: LightDirection| {
                if !light.visible_to.has_all_scattering() {
                    return visible(light);
                }
                let LightDirection { wi, pdf: light_pdf, .. } = light;
                let mut sum = Rgb::BLACK;
                for part in LobePart::ALL {
                    if counts(part) && bsdf.has(part) {
                        let (f, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                        sum += f * weight(part, wi, pdf, light_pdf);
                    }
                }
                sum
            };
            let shares = |light: LightDirection, lobes: &mut LobeShares| {
                let LightDirection { wi, pdf: light_pdf, visible_to } = light;
                let of_part = |part: LobePart| {
                    let (_, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                    weight(part, wi, pdf, light_pdf)
                };
                let weights = LobePart::ALL.map(of_part);
                bsdf.each_lobe(vertex.it.wo, wi, counts, |class, part, f| {
                    if visible_to.has_all_scattering() || visible_to.contains(class.visibility()) {
                        lobes.add(class, f * weights[part as usize]);
                    }
                });
            };
            let path_vertex = (vertex.it, &vertex.at, vertex.surface);
            path.sample_lights(path_vertex, state.light_samples, response, shares, tracer);
            tracer.stats.watch.lap(Stage::Light);
        }

        // Caustic map; without final gathering also the global map.
        if !vertex.diffuse_covered || bsdf.has(LobePart::Rough) {
            let max_segments = self.max_depth() - path.depth;
            let length = state.length + vertex.it.t;
            let mut lobes = LobeShares::default();
            let mut requested = S::WANTS_LOBES.then_some(&mut lobes);
            let mut radiance = self.caustics(length, vertex, max_segments, tracer, requested.as_deref_mut());
            let mut label = Contribution::CAUSTIC_MAP;
            if self.is_direct() {
                let lookup = MapLookup {
                    map: &self.global,
                    max_segments,
                    count: self.settings.k,
                    radius: self.global.radius(),
                    counts: |photon: &Photon| !photon.is_caustic() && photon.segments() > 1,
                };
                radiance += self.map_radiance(&lookup, vertex, tracer, requested).sum;
                label = Contribution::MAP;
            }
            tracer
                .sink
                .add_scattered(label, path.throughput * radiance, vertex.it, |shares| {
                    *shares = lobes;
                });
        }
        tracer.stats.watch.lap(Stage::Lookup);
    }

    /// Continues the path from a vertex; returns `false` if the path ends.
    #[inline(always)]
    fn step<S: RadianceSink>(
        &self,
        state: &mut GatherPath,
        vertex: &Vertex<'_>,
        tracer: &mut Tracer<'_, S>,
    ) -> bool {
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let u_lobe = sample_u_lobe(bsdf, tracer.sampler);
        let u = tracer.sampler.next_2d();
        let Some(chosen) = bsdf.choose(u_lobe) else {
            return false;
        };
        let part = chosen.part;
        let sample = match part {
            LobePart::Diffuse => vertex.sample_diffuse(chosen, u, tracer.sampler),
            LobePart::Rough | LobePart::Narrow => bsdf.sample_part(it.wo, chosen, u),
        };
        let Some(sample) = &sample else { return false };
        state.length += it.t;
        if sample.is_null_interface() {
            state.passed += it.t;
            tracer.stats.indirect_rays += 1;
        } else {
            let diffuse_covered = vertex.diffuse_covered && part == LobePart::Diffuse;
            if state.remaining == Remaining::Emission || diffuse_covered && self.settings.direct {
                return false;
            }
            state.passed = 0.0;
            state.remaining = match diffuse_covered {
                true => Remaining::Emission,
                false => self.remaining_after(state.remaining, part),
            };
            match state.remaining {
                Remaining::Gather | Remaining::Rest => tracer.stats.gather_rays += 1,
                Remaining::All | Remaining::Incoming | Remaining::Emission => tracer.stats.indirect_rays += 1,
            }
            if part != LobePart::Narrow {
                state.skips_caustics = vertex.caustics_covered;
            }
        }
        tracer.sink.scatter_by(it, bsdf, sample, |lobes| {
            let add = |class, _, f| lobes.add(class, f);
            bsdf.each_lobe(it.wo, sample.wi, |class| class == part, add);
        });
        let path_vertex = (it, &vertex.at, vertex.surface);
        let continues = state
            .path
            .follow(tracer.scene, path_vertex, sample, self.limits(), tracer.sampler);
        if !sample.is_null_interface() {
            state.path.counts_emission = !(part == LobePart::Narrow && state.skips_caustics);
        }
        continues
    }

    /// Contributions that the path still needs after a medium vertex, given the light that photon lookups supplied.
    fn remaining_in_medium(&self, coverage: VolumeCoverage) -> Remaining {
        match coverage {
            VolumeCoverage::Indirect | VolumeCoverage::All => Remaining::Emission,
            VolumeCoverage::None | VolumeCoverage::Caustic if self.is_direct() => Remaining::All,
            VolumeCoverage::None | VolumeCoverage::Caustic => Remaining::Gather,
        }
    }

    /// Contributions that the path still needs after scattering by a lobe of class `part`.
    fn remaining_after(&self, remaining: Remaining, part: LobePart) -> Remaining {
        match (part, self.is_direct()) {
            (LobePart::Narrow, _) => remaining,
            (LobePart::Diffuse | LobePart::Rough, true) => Remaining::Emission,
            (LobePart::Diffuse, false) => Remaining::Gather,
            (LobePart::Rough, false) if remaining.is_gathering() => Remaining::Gather,
            (LobePart::Rough, false) => Remaining::Rest,
        }
    }
}

/// Adds the shares of the diffuse lobes in radiance from the irradiance cache: reflected and transmitted.
fn add_cached_shares(bsdf: &Bsdf, wo: Vec3, cached: [CachedRadiance<'_>; 2], lobes: &mut LobeShares) {
    let (near, far) = bsdf.diffuse_albedo(wo);
    let [near, far] = [cached[0].radiance.ratio(near), cached[1].radiance.ratio(far)];
    bsdf.each_diffuse_albedo(wo, |class, albedo| {
        let (light, tags) = match class.side {
            Side::Reflection => (albedo * near, cached[0].tags),
            Side::Transmission => (albedo * far, cached[1].tags),
        };
        let total: Rgb = tags.iter().copied().sum();
        if total.is_black() {
            lobes.add(class, light);
        }
        for (tag, &power) in (0..).zip(tags) {
            lobes.add_tagged(class, tag, light * power.ratio(total));
        }
    });
}
