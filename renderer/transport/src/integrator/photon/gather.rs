//! Camera paths of the integrator `photon`: final gathering, splitting, and lookups in the photon maps.

use glam::Vec3;

use super::gatherer::{Aim, Gatherer};
use super::vertex::Vertex;
use super::{Photon, Photons};
use crate::bsdf::LobePart;
use crate::integrator::collect::{Collect, Label};
use crate::integrator::context::Context;
use crate::integrator::stats::Stats;
use crate::integrator::walk::{Limits, Walk, lobe_number};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::power_heuristic;

/// Segments that a path has before Russian roulette may end it.
const RR_DEPTH: u32 = 2;

impl Photons {
    /// Estimates the radiance that arrives along a camera ray.
    pub(in crate::integrator) fn trace(
        &self,
        scene: &Scene,
        mut walk: Walk,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        walk.sees_lights &= self.settings.show.is_none();
        let gatherer = Gatherer {
            splits: self.settings.gather.unwrap_or(1).max(1),
            light_samples: self.settings.light_samples.unwrap_or(1),
            ..Gatherer::new(walk, Aim::All)
        };
        self.gather(scene, gatherer, sampler, context, light);
    }

    /// Estimates the radiance that arrives at a point along a gather ray.
    pub(in crate::integrator) fn incoming(
        &self,
        scene: &Scene,
        walk: Walk,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        let gatherer = Gatherer::new(walk, Aim::Incoming);
        self.gather(scene, gatherer, sampler, context, light);
    }

    pub(in crate::integrator) fn hides_emitters(&self) -> bool {
        self.settings.hide_emitters
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.settings.depth.unwrap_or(u32::MAX)
    }

    /// Whether vertices look up the global map directly, without final gathering.
    pub(super) fn is_direct(&self) -> bool {
        self.irradiance.is_none()
    }

    fn limits(&self) -> Limits {
        Limits {
            depth: self.max_depth(),
            rr_depth: RR_DEPTH,
            survival: Limits::SURVIVAL,
        }
    }

    fn gather(
        &self,
        scene: &Scene,
        mut gatherer: Gatherer,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        let max_depth = self.max_depth();
        if max_depth == 0 {
            return;
        }
        // Apart from the rest of the context, which lookups change.
        let mut surface = context.gathered.take().unwrap_or_default();
        loop {
            let goes_on = 'vertex: {
                let walk = &gatherer.walk;
                let ends = walk.depth >= max_depth || gatherer.aim == Aim::Emission;
                let Context { shading, stats, .. } = &mut *context;
                let found = walk.advance(scene, ends, &mut surface, shading, stats, light);
                let Some(it) = &found else { break 'vertex false };
                let mut vertex = Vertex::new(scene, it, &surface);
                if !ends {
                    match self.settings.show {
                        None => self.known(scene, &gatherer, &mut vertex, sampler, context, light),
                        Some(show) if vertex.is_wide() => {
                            let shown = self.shown(show, scene, &vertex, sampler, context);
                            light.add(Label::MAP, walk.throughput * shown);
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
                        gatherer.walk = gatherer.walk.branch(splits);
                        // The last is traced first.
                        for number in (0..splits).rev() {
                            gatherers.push((gatherer, sampler.branch(number, splits)));
                            let (branch, sampler) = gatherers.last_mut().expect("it was just pushed");
                            if !self.step(scene, branch, &vertex, sampler, stats) {
                                gatherers.pop();
                            }
                        }
                        break 'vertex false;
                    }
                }
                self.step(scene, &mut gatherer, &vertex, sampler, stats)
            };
            if !goes_on {
                let Some(branch) = context.gatherers.pop() else {
                    break;
                };
                (gatherer, *sampler) = branch;
                light.next_branch();
            }
        }
        context.gathered = Some(surface);
    }

    /// Reports the contributions that need no further ray from here: light samples and map lookups.
    #[inline]
    fn known<'a>(
        &'a self,
        scene: &Scene,
        gatherer: &Gatherer,
        vertex: &mut Vertex<'a>,
        sampler: &mut Sampler,
        context: &mut Context,
        light: &mut impl Collect,
    ) {
        let walk = &gatherer.walk;
        let bsdf = vertex.bsdf;
        vertex.is_guided = self.settings.guide.unwrap_or(true);
        if bsdf.has(LobePart::Diffuse)
            && (vertex.is_guided || gatherer.aim.is_gathering())
            && let Some(map) = &self.irradiance
        {
            vertex.record = map.nearest(vertex.it.p, vertex.n);
            let length = gatherer.passed + vertex.it.t;
            if let Some(record) = vertex.record
                && gatherer.aim.is_gathering()
                && length > record.radius
            {
                vertex.answered = true;
                let gathered = self.gathered(walk.depth, vertex, record, context);
                light.add(Label::MAP, walk.throughput * gathered);
            }
        }

        let narrow = !gatherer.leaves_caustics;
        let diffuse = !(vertex.answered && self.settings.direct);
        if !bsdf.is_specular() && (narrow || diffuse || bsdf.has(LobePart::Rough)) {
            let response = |wi: Vec3, light_pdf: Option<f32>| {
                let mut sum = Rgb::BLACK;
                for part in LobePart::ALL {
                    let counts = match part {
                        LobePart::Diffuse => diffuse,
                        LobePart::Rough => true,
                        LobePart::Narrow => narrow,
                    };
                    if counts && bsdf.has(part) {
                        let (f, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                        sum += f * light_pdf.map_or(1.0, |light_pdf| {
                            power_heuristic(light_pdf, vertex.pdf(part, wi, pdf))
                        });
                    }
                }
                sum
            };
            let Context { shading, stats, .. } = &mut *context;
            let place = (vertex.it, &vertex.at, vertex.surface);
            let count = gatherer.light_samples;
            walk.sample_lights(scene, place, count, response, sampler, shading, stats, light);
        }

        let left = self.max_depth() - walk.depth;
        if !vertex.answered || bsdf.has(LobePart::Rough) {
            let length = gatherer.length + vertex.it.t;
            let mut found = self.caustics(scene, length, vertex, left, sampler, context);
            if self.is_direct() {
                let counts = |photon: &Photon| !photon.is_caustic() && photon.segments() > 1;
                let (map, k, radius) = (&self.global, self.settings.k, self.global.radius());
                found += self
                    .mapped(scene, map, vertex, left, k, radius, counts, sampler, context)
                    .sum;
            }
            light.add(Label::MAP, walk.throughput * found);
        }
    }

    /// Continues the path from a vertex; `false` where it ends.
    #[inline(always)]
    fn step(
        &self,
        scene: &Scene,
        gatherer: &mut Gatherer,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        stats: &mut Stats,
    ) -> bool {
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let (u_lobe, u) = (lobe_number(bsdf, sampler), sampler.next_2d());
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
        if sample.is_pass() {
            gatherer.passed += it.t;
            stats.indirect_rays += 1;
        } else {
            let answered = vertex.answered && part == LobePart::Diffuse;
            if gatherer.aim == Aim::Emission || answered && self.settings.direct {
                return false;
            }
            gatherer.passed = 0.0;
            gatherer.aim = match answered {
                true => Aim::Emission,
                false => self.aim_after(gatherer.aim, part),
            };
            match gatherer.aim {
                Aim::Gather | Aim::Rest => stats.gather_rays += 1,
                Aim::All | Aim::Incoming | Aim::Emission => stats.indirect_rays += 1,
            }
            if part != LobePart::Narrow {
                gatherer.leaves_caustics = vertex.knows_caustics;
            }
        }
        let goes_on = gatherer.walk.follow(
            scene,
            (it, &vertex.at, vertex.surface),
            sample,
            self.limits(),
            sampler,
        );
        if !sample.is_pass() {
            gatherer.walk.sees_lights = !(part == LobePart::Narrow && gatherer.leaves_caustics);
        }
        goes_on
    }

    /// What a path has to find after a lobe of that part has scattered it.
    fn aim_after(&self, aim: Aim, part: LobePart) -> Aim {
        match (part, self.is_direct()) {
            (LobePart::Narrow, _) => aim,
            (LobePart::Diffuse | LobePart::Rough, true) => Aim::Emission,
            (LobePart::Diffuse, false) => Aim::Gather,
            (LobePart::Rough, false) if aim.is_gathering() => Aim::Gather,
            (LobePart::Rough, false) => Aim::Rest,
        }
    }
}
