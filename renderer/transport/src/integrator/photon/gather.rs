//! Camera paths of the integrator `photon`: final gathering, splitting, and lookups in the photon maps.

use glam::Vec3;

use super::beams::Beams;
use super::gatherer::{GatherState, Gatherer};
use super::lookup::CachedRadiance;
use super::vertex::Vertex;
use super::{Photon, Photons};
use crate::bsdf::{Bsdf, LobePart, Side};
use crate::integrator::along_medium::Found;
use crate::integrator::context::Context;
use crate::integrator::limits::{Horizon, Limits};
use crate::integrator::path_state::{PathState, sample_u_lobe};
use crate::integrator::stats::Stats;
use crate::integrator::stopwatch::Stage;
use crate::radiance::LobeShares;
use crate::radiance::{Contribution, RadianceSink};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;

/// Number of segments before Russian roulette begins.
const RR_DEPTH: u32 = 2;

impl Photons {
    /// Estimates the radiance that arrives along a camera ray.
    pub(in crate::integrator) fn trace(
        &self,
        scene: &Scene,
        mut path: PathState,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl RadianceSink,
    ) {
        path.counts_emission &= self.settings.show.is_none();
        let gatherer = Gatherer {
            splits: self.settings.gather.unwrap_or(1).max(1),
            light_samples: self.settings.light_samples.unwrap_or(1),
            ..Gatherer::new(path, GatherState::All)
        };
        self.gather(scene, gatherer, sampler, context, light);
    }

    /// Estimates the radiance that arrives at a point along a gather ray.
    pub(in crate::integrator) fn incoming(
        &self,
        scene: &Scene,
        path: PathState,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl RadianceSink,
    ) {
        let gatherer = Gatherer::new(path, GatherState::Incoming);
        self.gather(scene, gatherer, sampler, context, light);
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

    fn horizon(&self, state: GatherState) -> Horizon {
        Horizon {
            limits: self.limits(),
            emission_only: state == GatherState::Emission,
            maps_only: self.settings.show.is_some(),
        }
    }

    fn gather(
        &self,
        scene: &Scene,
        mut gatherer: Gatherer,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl RadianceSink,
    ) {
        let max_depth = self.max_depth();
        if max_depth == 0 {
            return;
        }
        // Moved out of the context, which lookups borrow mutably.
        let mut surface = context.gather_surface.take().unwrap_or_default();
        loop {
            let continues = 'vertex: {
                let beams = Beams {
                    focused: &self.focused,
                    other: &self.other,
                    max_depth: self.max_depth(),
                    is_gathering: gatherer.state.is_gathering(),
                };
                let Context { shading, stats, .. } = &mut *context;
                let path = &mut gatherer.path;
                let found = path.advance(
                    scene,
                    self.horizon(gatherer.state),
                    &beams,
                    sampler,
                    &mut surface,
                    shading,
                    stats,
                    light,
                );
                if let Some(found) = gatherer.path.scattered_by_medium.take() {
                    gatherer.leave_medium(self.state_in_medium(found), found != Found::Nothing);
                }
                let path = &gatherer.path;
                let Some(it) = &found else { break 'vertex false };
                let ends = self.horizon(gatherer.state).ends(path.depth);
                let mut vertex = Vertex::new(scene, it, &surface);
                if !ends {
                    match self.settings.show {
                        None => self.report_local(scene, &gatherer, &mut vertex, sampler, context, light),
                        Some(show) if vertex.is_wide() => {
                            let debug_value = self.debug_value(show, scene, &vertex, sampler, context);
                            light.add(Contribution::MAP, path.throughput * debug_value);
                            break 'vertex false;
                        }
                        Some(_) => {}
                    }
                }

                let Context { gatherers, stats, .. } = &mut *context;
                if !ends && !vertex.bsdf.is_specular() {
                    let splits = std::mem::replace(&mut gatherer.splits, 1);
                    gatherer.light_samples = 1;
                    if splits > 1 {
                        gatherer.path = gatherer.path.branch(splits);
                        gatherers.split(&gatherer, splits, sampler, |branch, sampler| {
                            light.fork();
                            let continues = self.step(scene, branch, &vertex, sampler, stats, light);
                            light.end_fork(continues);
                            continues
                        });
                        break 'vertex false;
                    }
                }
                self.step(scene, &mut gatherer, &vertex, sampler, stats, light)
            };
            if !continues && !context.gatherers.next(&mut gatherer, sampler, light) {
                break;
            }
        }
        context.gather_surface = Some(surface);
    }

    /// Reports the contributions that need no continuation of the path: light samples and map lookups.
    #[inline]
    fn report_local<'a, S: RadianceSink>(
        &'a self,
        scene: &Scene,
        gatherer: &Gatherer,
        vertex: &mut Vertex<'a>,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut S,
    ) {
        let path = &gatherer.path;
        let bsdf = vertex.bsdf;
        vertex.is_guided = self.settings.guide.unwrap_or(true);
        if bsdf.has(LobePart::Diffuse)
            && (vertex.is_guided || gatherer.state.is_gathering())
            && let Some(map) = &self.irradiance
        {
            vertex.record = map.nearest(vertex.it.p, vertex.n, vertex.layer);
            let length = gatherer.passed + vertex.it.t;
            if let Some(record) = vertex.record
                && gatherer.state.is_gathering()
                && length > record.radius
            {
                vertex.diffuse_covered = true;
                let cached = self.cached_radiance(path.depth, vertex, record, context);
                let radiance = path.throughput * (cached[0].radiance + cached[1].radiance);
                light.add_scattered(Contribution::MAP, radiance, vertex.it, |lobes| {
                    tell_cached(bsdf, vertex.it.wo, cached, lobes);
                });
            }
        }
        context.stats.watch.lap(Stage::Lookup);

        let narrow = !gatherer.skips_caustics;
        let diffuse = !(vertex.diffuse_covered && self.settings.direct);
        if !bsdf.is_specular() && (narrow || diffuse || bsdf.has(LobePart::Rough)) {
            let counts = |part: LobePart| match part {
                LobePart::Diffuse => diffuse,
                LobePart::Rough => true,
                LobePart::Narrow => narrow,
            };
            let weight = |part: LobePart, wi: Vec3, pdf: f32, light_pdf: Option<f32>| {
                light_pdf.map_or(1.0, |light_pdf| {
                    power_heuristic(light_pdf, vertex.pdf(part, wi, pdf))
                })
            };
            let response = |wi: Vec3, light_pdf: Option<f32>| {
                let mut sum = Rgb::BLACK;
                for part in LobePart::ALL {
                    if counts(part) && bsdf.has(part) {
                        let (f, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                        sum += f * weight(part, wi, pdf, light_pdf);
                    }
                }
                sum
            };
            let shares = |wi: Vec3, light_pdf: Option<f32>, lobes: &mut LobeShares| {
                let of_part = |part: LobePart| {
                    let (_, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                    weight(part, wi, pdf, light_pdf)
                };
                let weights = LobePart::ALL.map(of_part);
                bsdf.each_lobe(vertex.it.wo, wi, counts, |class, part, f| {
                    lobes.add(class, f * weights[part as usize]);
                });
            };
            let Context { shading, stats, .. } = &mut *context;
            let place = (vertex.it, &vertex.at, vertex.surface);
            let count = gatherer.light_samples;
            path.sample_lights(
                scene, place, count, response, shares, sampler, shading, stats, light,
            );
            stats.watch.lap(Stage::Light);
        }

        let left = self.max_depth() - path.depth;
        if !vertex.diffuse_covered || bsdf.has(LobePart::Rough) {
            let length = gatherer.length + vertex.it.t;
            let mut lobes = LobeShares::default();
            let mut told = S::TELLS_LOBES.then_some(&mut lobes);
            let mut found = self.caustics(scene, length, vertex, left, sampler, context, told.as_deref_mut());
            let mut label = Contribution::CAUSTIC_MAP;
            if self.is_direct() {
                let counts = |photon: &Photon| !photon.is_caustic() && photon.segments() > 1;
                let (map, k, radius) = (&self.global, self.settings.k, self.global.radius());
                found += self
                    .map_radiance(
                        scene, map, vertex, left, k, radius, counts, sampler, context, told,
                    )
                    .sum;
                label = Contribution::MAP;
            }
            light.add_scattered(label, path.throughput * found, vertex.it, |told| *told = lobes);
        }
        context.stats.watch.lap(Stage::Lookup);
    }

    /// Continues the path from a vertex; returns `false` if the path ends.
    #[inline(always)]
    fn step(
        &self,
        scene: &Scene,
        gatherer: &mut Gatherer,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        stats: &mut Stats,
        light: &mut impl RadianceSink,
    ) -> bool {
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let (u_lobe, u) = (sample_u_lobe(bsdf, sampler), sampler.next_2d());
        let Some(chosen) = bsdf.choose(u_lobe) else {
            return false;
        };
        let part = chosen.part;
        let sample = match part {
            LobePart::Diffuse => vertex.sample_diffuse(chosen, u, sampler),
            LobePart::Rough | LobePart::Narrow => bsdf.sample_part(it.wo, chosen, u),
        };
        let Some(sample) = &sample else { return false };
        gatherer.length += it.t;
        if sample.is_null_interface() {
            gatherer.passed += it.t;
            stats.indirect_rays += 1;
        } else {
            let diffuse_covered = vertex.diffuse_covered && part == LobePart::Diffuse;
            if gatherer.state == GatherState::Emission || diffuse_covered && self.settings.direct {
                return false;
            }
            gatherer.passed = 0.0;
            gatherer.state = match diffuse_covered {
                true => GatherState::Emission,
                false => self.state_after(gatherer.state, part),
            };
            match gatherer.state {
                GatherState::Gather | GatherState::Rest => stats.gather_rays += 1,
                GatherState::All | GatherState::Incoming | GatherState::Emission => stats.indirect_rays += 1,
            }
            if part != LobePart::Narrow {
                gatherer.skips_caustics = vertex.caustics_covered;
            }
        }
        if sample.is_subsurface() {
            // The lobe where it leaves counts.
        } else if sample.is_null_interface() {
            light.pass_straight(it);
        } else if sample.is_specular() {
            let class = bsdf.class_of(sample.index, sample.lobe.side);
            light.scatter(it, true, |lobes| lobes.add(class, Rgb::WHITE));
        } else {
            light.scatter(it, false, |lobes| {
                bsdf.each_lobe(
                    it.wo,
                    sample.wi,
                    |of| of == part,
                    |class, _, f| lobes.add(class, f),
                );
            });
        }
        let continues = gatherer.path.follow(
            scene,
            (it, &vertex.at, vertex.surface),
            sample,
            self.limits(),
            sampler,
        );
        if !sample.is_null_interface() {
            gatherer.path.counts_emission = !(part == LobePart::Narrow && gatherer.skips_caustics);
        }
        continues
    }

    /// Returns which contributions the path has to collect after a medium has scattered it, where lookups have found some.
    fn state_in_medium(&self, found: Found) -> GatherState {
        match found {
            Found::Indirect | Found::All => GatherState::Emission,
            Found::Nothing | Found::Focused if self.is_direct() => GatherState::All,
            Found::Nothing | Found::Focused => GatherState::Gather,
        }
    }

    /// Returns which contributions the path has to collect after scattering by a lobe of class `part`.
    fn state_after(&self, state: GatherState, part: LobePart) -> GatherState {
        match (part, self.is_direct()) {
            (LobePart::Narrow, _) => state,
            (LobePart::Diffuse | LobePart::Rough, true) => GatherState::Emission,
            (LobePart::Diffuse, false) => GatherState::Gather,
            (LobePart::Rough, false) if state.is_gathering() => GatherState::Gather,
            (LobePart::Rough, false) => GatherState::Rest,
        }
    }
}

/// Tells what each diffuse lobe has of radiance from the irradiance cache: reflected, and transmitted.
fn tell_cached(bsdf: &Bsdf, wo: Vec3, cached: [CachedRadiance<'_>; 2], lobes: &mut LobeShares) {
    let (near, far) = bsdf.diffuse_albedo(wo);
    let [near, far] = [ratio(cached[0].radiance, near), ratio(cached[1].radiance, far)];
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
            lobes.add_tagged(class, tag, light * ratio(power, total));
        }
    });
}

/// The quotient of two colours; 0 where the divisor is.
fn ratio(a: Rgb, b: Rgb) -> Rgb {
    let (a, b) = (a.to_array(), b.to_array());
    let quotient = |c: usize| if b[c] > 0.0 { a[c] / b[c] } else { 0.0 };
    Rgb::from([quotient(0), quotient(1), quotient(2)])
}
