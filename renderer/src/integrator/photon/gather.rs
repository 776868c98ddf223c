//! The way from the camera to the photon maps.

use glam::Vec3;

use super::vertex::Vertex;
use super::{Photon, Photons};
use crate::bsdf::Part;
use crate::color::Rgb;
use crate::geometry::Footprint;
use crate::integrator::Context;
use crate::integrator::direct::sample_one_light;
use crate::integrator::walk::{Arrival, MAX_SURVIVAL, Start, kind_of, scattered};
use crate::material::{RayKind, Surface};
use crate::math::Ray;
use crate::sampler::Sampler;
use crate::scene::{MAX_PASSES, Scene};

/// Segments that a path has before Russian roulette may end it.
const RR_DEPTH: u32 = 5;

/// A path between two vertices.
#[derive(Clone, Copy)]
struct Walk {
    ray: Ray,
    kind: RayKind,
    footprint: Footprint,
    arrival: Arrival,
    throughput: Rgb,
    /// The square of the index of refraction where the path is.
    eta2: f32,
    depth: u32,
    passes: u32,
    /// How far it came through transparent surfaces since it was scattered [m].
    passed: f32,
    /// How far it came since the camera, or since the point that gathers [m].
    length: f32,
    aim: Aim,
    /// Whether light that comes by narrow lobes from what emits has been seen to, by the caustic map.
    leaves_caustics: bool,
    /// Whether emission counts where the path goes.
    sees_lights: bool,
    /// Whether lights at infinity are out of sight until the path is scattered.
    hides_sky: bool,
    /// How many ways the path goes on at the first vertex that is no narrow one.
    splits: u32,
}

/// What a path looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// All light: nothing but narrow lobes so far.
    All,
    /// Light that light samples and the caustic map do not know, scattered by a rough lobe.
    Rest,
    /// The same, scattered by a diffuse lobe: a precomputed irradiance does.
    Gather,
    /// All light, a precomputed irradiance does.
    Incoming,
    /// Straight light from what emits, to go with a light sample.
    Emission,
}

impl Aim {
    fn is_gathering(self) -> bool {
        matches!(self, Aim::Gather | Aim::Incoming)
    }
}

impl Photons {
    /// An estimate of the radiance that arrives along a camera's ray.
    pub(in crate::integrator) fn li(
        &self,
        scene: &Scene,
        start: &Start,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let mut walk = Walk::new(start, Aim::All, self.settings.gather.max(1));
        walk.sees_lights &= self.settings.show.is_none();
        self.walk(scene, walk, sampler, context)
    }

    /// An estimate of the radiance that arrives at a point along a gather ray.
    pub(in crate::integrator) fn incoming(
        &self,
        scene: &Scene,
        start: &Start,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        self.walk(scene, Walk::new(start, Aim::Incoming, 1), sampler, context)
    }

    pub(in crate::integrator) fn hides_emitters(&self) -> bool {
        self.settings.hide_emitters
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.settings.depth.unwrap_or(u32::MAX)
    }

    /// Whether maps are looked up in place of gather rays.
    pub(super) fn is_direct(&self) -> bool {
        self.irradiance.is_none()
    }

    fn walk(&self, scene: &Scene, mut walk: Walk, sampler: &mut Sampler, context: &mut Context) -> Rgb {
        let max_depth = self.max_depth();
        let mut radiance = Rgb::BLACK;
        let mut surface = Surface::new();
        if max_depth == 0 {
            return radiance;
        }
        loop {
            let Some(it) = scene.intersect(&walk.ray) else {
                if walk.sees_lights && !(walk.hides_sky && walk.depth == 1) {
                    for light in scene.escape(walk.ray.direction) {
                        radiance += walk.throughput * light.radiance * walk.arrival.weight(|_| light.pdf);
                    }
                }
                return radiance;
            };
            let material = scene.material(it.shape);
            let ends = walk.depth >= max_depth || walk.aim == Aim::Emission;
            if ends && !material.may_emit() && !material.may_be_transparent() {
                return radiance;
            }
            context.stats.shading_runs += 1;
            material.shade(
                &it,
                walk.kind,
                &walk.footprint,
                &mut context.shading,
                &mut surface,
            );
            context.stats.crowded_points += u64::from(surface.crowded);

            if walk.sees_lights && !surface.emission.is_black() {
                let weight = walk.arrival.weight(|p| scene.light_pdf(p, &it));
                radiance += walk.throughput * surface.emission * weight;
            }

            let mut vertex = Vertex::new(&it, &surface.bsdf);
            if !ends {
                if let Some(show) = self.settings.show
                    && vertex.is_wide()
                {
                    return walk.throughput * self.shown(show, &vertex, sampler, context);
                }
                radiance += walk.throughput * self.known(scene, &walk, &mut vertex, sampler, context);
            }

            // The ways on.
            let splits = if vertex.is_wide() && !ends { walk.splits } else { 1 };
            if vertex.is_wide() {
                walk.splits = 1;
            }
            walk.throughput *= 1.0 / splits as f32;
            for _ in 1..splits {
                if let Some(next) = self.step(scene, &walk, &vertex, sampler, context) {
                    radiance += self.walk(scene, next, sampler, context);
                }
            }
            match self.step(scene, &walk, &vertex, sampler, context) {
                Some(next) => walk = next,
                None => return radiance,
            }
        }
    }

    /// The light that needs no way on: light samples and what is in the maps.
    #[inline]
    fn known<'a>(
        &'a self,
        scene: &Scene,
        walk: &Walk,
        vertex: &mut Vertex<'a>,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let mut radiance = Rgb::BLACK;
        let bsdf = vertex.bsdf;
        if bsdf.has(Part::Diffuse)
            && let Some(map) = &self.irradiance
        {
            vertex.record = map.nearest(vertex.it.p, vertex.n);
            let length = walk.passed + vertex.it.t;
            if let Some(record) = vertex.record
                && walk.aim.is_gathering()
                && length > record.radius
            {
                vertex.answered = true;
                radiance += self.gathered(walk.depth, vertex, record, context);
            }
        }

        let narrow = !walk.leaves_caustics;
        let diffuse = !(vertex.answered && self.settings.direct);
        if !bsdf.is_specular() && (narrow || diffuse || bsdf.has(Part::Rough)) {
            let response = |wi: Vec3, light_pdf: Option<f32>| {
                let mut sum = Rgb::BLACK;
                for part in Part::ALL {
                    let counts = match part {
                        Part::Diffuse => diffuse,
                        Part::Rough => true,
                        Part::Narrow => narrow,
                    };
                    if counts && bsdf.has(part) {
                        let (f, pdf) = bsdf.eval_pdf_part(part, vertex.it.wo, wi);
                        sum += f * light_pdf.map_or(1.0, |light_pdf| {
                            vertex.weight(part, light_pdf, vertex.pdf(part, wi, pdf))
                        });
                    }
                }
                sum
            };
            radiance += sample_one_light(
                scene,
                vertex.it,
                response,
                sampler,
                &mut context.shading,
                &mut context.stats,
            );
        }

        let left = self.max_depth() - walk.depth;
        if !vertex.answered || bsdf.has(Part::Rough) {
            let length = walk.length + vertex.it.t;
            radiance += self.caustics(length, vertex, left, sampler, context);
            if self.is_direct() {
                let counts = |photon: &Photon| !photon.is_caustic() && photon.segments() > 1;
                let (map, k, radius) = (&self.global, self.settings.k, self.global.radius());
                radiance += self
                    .mapped(map, vertex, left, k, radius, counts, sampler, context)
                    .sum;
            }
        }
        radiance
    }

    /// One way on from a vertex, if there is one.
    #[inline]
    fn step(
        &self,
        scene: &Scene,
        walk: &Walk,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Option<Walk> {
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let (u_lobe, u) = (sampler.next_1d(), sampler.next_2d());
        let chosen = bsdf.choose(u_lobe)?;
        let part = chosen.part;
        let sample = match part {
            Part::Diffuse => vertex.sample_diffuse(chosen, u, sampler)?,
            Part::Rough | Part::Narrow => bsdf.sample_part(it.wo, chosen, u)?,
        };
        if sample.is_pass() {
            let throughput = walk.throughput * sample.weight;
            let ray = Ray {
                t_max: walk.ray.t_max - it.t,
                ..it.spawn_ray(walk.ray.direction)
            };
            context.stats.indirect_rays += 1;
            return (!throughput.is_black() && walk.passes < MAX_PASSES).then_some(Walk {
                ray,
                kind: RayKind(walk.kind.0 | RayKind::TRANSPARENT.0),
                footprint: walk.footprint.passed(it.t),
                throughput,
                passes: walk.passes + 1,
                passed: walk.passed + it.t,
                length: walk.length + it.t,
                ..*walk
            });
        }
        let answered = vertex.answered && part == Part::Diffuse;
        if walk.depth >= self.max_depth() || walk.aim == Aim::Emission || answered {
            return None;
        }
        let aim = match (part, self.is_direct()) {
            (Part::Narrow, _) => walk.aim,
            (Part::Diffuse | Part::Rough, true) => Aim::Emission,
            (Part::Diffuse, false) => Aim::Gather,
            (Part::Rough, false) if walk.aim.is_gathering() => Aim::Gather,
            (Part::Rough, false) => Aim::Rest,
        };
        match aim {
            Aim::Gather | Aim::Rest => context.stats.gather_rays += 1,
            Aim::All | Aim::Incoming | Aim::Emission => context.stats.indirect_rays += 1,
        }
        let leaves_caustics = match part {
            Part::Narrow => walk.leaves_caustics,
            Part::Diffuse | Part::Rough => vertex.knows_caustics,
        };
        let mut next = Walk {
            ray: it.spawn_ray(sample.wi),
            kind: kind_of(sample.lobe),
            footprint: scattered(&walk.footprint, scene, it, &sample),
            arrival: Arrival {
                p: it.p,
                pdf: (!sample.is_specular()).then_some(sample.pdf),
            },
            throughput: walk.throughput * sample.weight,
            eta2: walk.eta2 * sample.eta * sample.eta,
            depth: walk.depth + 1,
            passes: walk.passes,
            passed: 0.0,
            length: walk.length + it.t,
            aim,
            leaves_caustics,
            sees_lights: !(part == Part::Narrow && leaves_caustics),
            hides_sky: walk.hides_sky,
            splits: walk.splits,
        };
        if next.throughput.is_black() {
            return None;
        }
        if next.depth > RR_DEPTH {
            let survival = (next.throughput.max_component() * next.eta2).min(MAX_SURVIVAL);
            if sampler.next_1d() >= survival {
                return None;
            }
            next.throughput *= 1.0 / survival;
        }
        Some(next)
    }
}

impl Walk {
    fn new(start: &Start, aim: Aim, splits: u32) -> Walk {
        Walk {
            ray: start.ray,
            kind: start.kind,
            footprint: start.footprint,
            arrival: Arrival::first(&start.ray),
            throughput: Rgb::WHITE,
            eta2: 1.0,
            depth: 1,
            passes: 0,
            passed: 0.0,
            length: 0.0,
            aim,
            leaves_caustics: false,
            sees_lights: start.emission,
            hides_sky: start.hides_sky,
            splits,
        }
    }
}
