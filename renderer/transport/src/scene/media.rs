//! Light on its way through media: transmittance, and where it is scattered.
//!
//! In media that are the same everywhere, distances are sampled from the transmittance of one colour, and weighted by that
//! of all. In others, collisions are found at the rate of a bound on the extinction; each scatters, or does nothing and
//! lessens what goes on. A bound that is too low makes that negative, and so costs noise, not truth.
// Kutz et al. 2017, "Spectral and Decomposition Tracking for Rendering Heterogeneous Volumes", section 5.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::FxHashMap;

use super::Scene;
use super::homogeneous::homogeneous_passage;
use super::majorant::{Landmarks, Majorant, MajorantGrid, MediumSpace, Probe};
use super::passage::{MediumWay, Noise, Passage, Transport};
use crate::body::{Body, BodyId, Fill, MediumStack, beer_lambert};
use crate::light::Light;
use crate::material::{HitRay, MaterialId, Medium, RayKind, ShadingContext};
use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, ln};
use renderer_geometry::{Interaction, Mesh, SHUTTER_OPEN, Shape, ShapeId};

/// Number of points at which media are compared, and of media of a material that one is compared with.
const COMPARED_POINTS: u64 = 64;
const MOST_COMPARED: usize = 4;

/// Most shapes, and most lights, that are landmarks.
const MOST_LANDMARKS: usize = 256;

/// The medium of an object, and the space of its majorant grid.
#[derive(Clone, Copy, Debug)]
struct PlacedMedium {
    id: BodyId,
    space: MediumSpace,
}

/// Objects with the same medium in their own space.
struct Instances {
    first: PlacedMedium,
    others: Vec<PlacedMedium>,
}

/// Bounds of a shape in its own space; those of meshes are computed once.
fn object_bounds(shape: &Shape, meshes: &mut FxHashMap<*const Mesh, Bounds>) -> Bounds {
    match shape.mesh() {
        Some(mesh) => *meshes.entry(Arc::as_ptr(mesh)).or_insert_with(|| mesh.bounds()),
        None => shape.geometry.bounds(),
    }
}

impl Scene {
    /// Transmittance of a way, or an unbiased estimate of it.
    #[inline]
    pub fn medium_transmittance(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Rgb {
        match media.fill() {
            Fill::Clear => Rgb::WHITE,
            Fill::Absorbing(absorption) => beer_lambert(absorption, way.length),
            Fill::Medium => match self.homogeneous(media) {
                Some(medium) => beer_lambert(medium.extinction(), way.length),
                None => self.tracked_transmittance(media, way, noise, context),
            },
        }
    }

    /// Takes a path along a way: samples whether and where it is scattered. `u` chooses a colour and a distance.
    pub fn traverse(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        transport: &mut Transport,
        u: Vec2,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Passage {
        match self.homogeneous(media) {
            Some(medium) => homogeneous_passage(medium, way.length, transport, u),
            None => self.tracked_passage(media, way, transport, noise, context),
        }
    }

    /// The sum of the media, if all are the same everywhere.
    pub(crate) fn homogeneous<'a>(&'a self, media: &'a MediumStack) -> Option<Cow<'a, Coefficients>> {
        let mut sum: Option<Cow<'a, Coefficients>> = None;
        for (id, _) in media.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(of) => match &mut sum {
                    None => sum = Some(Cow::Borrowed(of)),
                    Some(sum) => sum.to_mut().add(of),
                },
                Medium::Varying(_) => return None,
            }
        }
        Some(sum.unwrap_or_default())
    }

    /// The sum of the media at a distance along a way.
    pub(crate) fn coefficients(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        t: f32,
        context: &mut ShadingContext,
    ) -> Coefficients {
        let mut sum = Coefficients::default();
        for (id, _) in media.media(&self.bodies) {
            match self.bodies.medium(id) {
                Medium::Clear => {}
                Medium::Homogeneous(of) => sum.add(of),
                Medium::Varying(_) => sum.add(&self.varying(id, way, t, context)),
            }
        }
        sum
    }

    /// The medium of a body at a distance along a way.
    fn varying(&self, id: BodyId, way: &MediumWay<'_>, t: f32, context: &mut ShadingContext) -> Coefficients {
        let ray = HitRay {
            kind: RayKind::DIFFUSE,
            depth: way.depth,
            outside: 1.0,
        };
        self.medium_at(id, way.ray.at(t), way.ray.direction, way.ray.time, ray, context)
    }

    /// The medium of a body that is not the same everywhere, at a point.
    pub(super) fn medium_at(
        &self,
        id: BodyId,
        p: Vec3,
        direction: Vec3,
        time: f32,
        ray: HitRay,
        context: &mut ShadingContext,
    ) -> Coefficients {
        let Medium::Varying(shader) = self.bodies.medium(id) else {
            return Coefficients::default();
        };
        let majorant = self.majorants.get(id.0 as usize).and_then(Option::as_ref);
        if majorant.is_some_and(|of| !of.contains(p)) {
            return Coefficients::default();
        }
        let body = self.bodies.get(id);
        let it = Interaction {
            p,
            p_error: 0.0,
            wo: -direction,
            ng: -direction,
            n: -direction,
            uv: Vec2::ZERO,
            dpdu: Vec3::X,
            dpdv: Vec3::Y,
            t: 0.0,
            time,
            shape: body.shape.unwrap_or(ShapeId(0)),
            primitive: 0,
        };
        let medium = self.materials[body.material.0 as usize].medium_at(shader, &it, ray, context);
        match majorant {
            Some(majorant) => medium.limited(majorant.limit()),
            None => medium,
        }
    }

    /// Majorants of all heterogeneous media, by object.
    pub(super) fn majorants(&self) -> Vec<Option<Majorant>> {
        let varying = |(_, body): &(BodyId, &Body)| matches!(body.medium, Medium::Varying(_));
        let mut found = vec![None; self.bodies.all().count()];
        let media = self.distinct_media(self.bodies.all().filter(varying));
        let landmarks = self.landmarks();
        let probes = Majorant::probes(media.len());
        for Instances { first, others } in media {
            let made = self.majorant_of(first, probes, &landmarks);
            for instance in others {
                let grid = made.grid.clone();
                found[instance.id.0 as usize] = Some(Majorant {
                    space: instance.space,
                    grid,
                });
            }
            found[first.id.0 as usize] = Some(made);
        }
        found
    }

    /// Groups objects with the same medium in their own space.
    fn distinct_media<'a>(&'a self, bodies: impl Iterator<Item = (BodyId, &'a Body)>) -> Vec<Instances> {
        let mut list: Vec<Instances> = vec![];
        let mut by_material: FxHashMap<MaterialId, Vec<usize>> = FxHashMap::default();
        let mut meshes: FxHashMap<*const Mesh, Bounds> = FxHashMap::default();
        let shapes = self.shapes_of_bodies();
        let mut context = ShadingContext::new(self.host.clone());
        for (id, body) in bodies {
            let medium = PlacedMedium {
                id,
                space: self.medium_space(body, shapes[id.0 as usize], &mut meshes),
            };
            let known = by_material.entry(body.material).or_default();
            // Media that depend on their place in the world are mostly all different.
            let recent = known.iter().rev().take(MOST_COMPARED);
            let same = recent.copied().find(|&index| {
                let first = list[index].first;
                medium.space.is_congruent(&first.space) && self.are_alike(&first, &medium, &mut context)
            });
            match same {
                Some(index) => list[index].others.push(medium),
                None => {
                    known.push(list.len());
                    list.push(Instances {
                        first: medium,
                        others: vec![],
                    });
                }
            }
        }
        list
    }

    /// Returns whether two media have the same coefficients at the same points of their spaces, as far as some points
    /// show. Bounds that are too low cost noise only.
    fn are_alike(&self, a: &PlacedMedium, b: &PlacedMedium, context: &mut ShadingContext) -> bool {
        /// Least number of points with density: what is mostly empty may differ elsewhere.
        const LEAST_WITH_DENSITY: u64 = 4;
        /// Relative difference of coefficients that rounding of coordinates makes.
        const ROUNDING: f32 = 1e-2;
        let mut with_density = 0;
        for index in 0..COMPARED_POINTS {
            let p = a.space.spread(index);
            let [a, b] = [a, b].map(|of| self.probe_medium(of, p, context).rate);
            if (a - b).abs() > ROUNDING * a.max(b) {
                return false;
            }
            with_density += u64::from(a > 0.0);
        }
        with_density >= LEAST_WITH_DENSITY
    }

    /// Number of shapes that bound each object.
    fn shapes_of_bodies(&self) -> Vec<u32> {
        let mut counts = vec![0; self.bodies.all().count()];
        for shape in (0..self.shapes.len() as u32).map(ShapeId) {
            if let Some(id) = self.bodies.of_shape(shape) {
                counts[id.0 as usize] += 1;
            }
        }
        counts
    }

    /// The space of an object's medium: its own if a single shape bounds it.
    fn medium_space(
        &self,
        body: &Body,
        shapes: u32,
        meshes: &mut FxHashMap<*const Mesh, Bounds>,
    ) -> MediumSpace {
        let shape = body.shape.map(|id| &self.shapes[id.0 as usize]);
        match shape.filter(|_| !body.is_open && shapes == 1) {
            Some(shape) => MediumSpace::object(
                object_bounds(shape, meshes),
                *shape.placement().at(SHUTTER_OPEN).world_from_object(),
            ),
            // A medium without end is bounded by the scene.
            None if body.is_open => MediumSpace::world(self.bounds().union(body.bounds)),
            None => MediumSpace::world(body.bounds),
        }
    }

    fn majorant_of(&self, medium: PlacedMedium, probes: usize, landmarks: &Landmarks) -> Majorant {
        let context = || ShadingContext::new(self.host.clone());
        let probe = |context: &mut ShadingContext, p| self.probe_medium(&medium, p, context);
        let grid = MajorantGrid::new(&medium.space, probes, landmarks, context, probe);
        Majorant {
            space: medium.space,
            grid: Arc::new(grid),
        }
    }

    /// Probes a medium at a point of its space.
    fn probe_medium(&self, medium: &PlacedMedium, p: Vec3, context: &mut ShadingContext) -> Probe {
        let ray = HitRay::from(RayKind::DIFFUSE);
        let found = self.medium_at(medium.id, medium.space.to_world(p), Vec3::Z, 0.0, ray, context);
        medium.space.probe(&found)
    }

    /// Places where media are likely.
    fn landmarks(&self) -> Landmarks {
        let some = |count: usize| count.div_ceil(MOST_LANDMARKS).max(1);
        let shapes = self.shapes.iter().step_by(some(self.shapes.len()));
        let lights = self.lights().iter().step_by(some(self.lights().len()));
        let points = shapes
            .map(|shape| shape.bounds().center())
            .chain(lights.filter_map(Light::center));
        Landmarks::new(points.collect(), self.host.camera())
    }

    /// Ratio tracking.
    // Novák et al. 2014, "Residual Ratio Tracking for Estimating Attenuation in Participating Media".
    #[inline(never)]
    fn tracked_transmittance(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Rgb {
        /// Transmittance below which Russian roulette may end a ray, and that of a path that was scattered repeatedly:
        /// most of its rays pass nearly nothing.
        const FAINT: f32 = 0.05;
        const FAINT_LATER: f32 = 0.25;
        let faint = if way.depth > 2 { FAINT_LATER } else { FAINT };
        let mut left = Rgb::WHITE;
        let mut steps = self.steps(media, way);
        while let Some((t, bound)) = steps.next(noise) {
            let extinction = self.coefficients(media, way, t, context).extinction();
            left *= Rgb::WHITE - extinction * (1.0 / bound);
            let most = left.map(f32::abs).max_component();
            if most < faint {
                if noise.number() >= most / faint {
                    return Rgb::BLACK;
                }
                left *= faint / most;
            }
        }
        left
    }

    #[inline(never)]
    fn tracked_passage(
        &self,
        media: &MediumStack,
        way: &MediumWay<'_>,
        transport: &mut Transport,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Passage {
        let mut steps = self.steps(media, way);
        while let Some((t, bound)) = steps.next(noise) {
            let medium = self.coefficients(media, way, t, context);
            transport.emitted += transport.throughput * medium.emission * (1.0 / bound);
            let scattered = transport.throughput * medium.scattering() * (1.0 / bound);
            let passed = transport.throughput * (Rgb::WHITE - medium.extinction() * (1.0 / bound));
            let weights = [scattered, passed].map(|of| of.map(f32::abs).average());
            let total = weights[0] + weights[1];
            if total <= 0.0 {
                transport.throughput = Rgb::BLACK;
                return Passage::Through;
            }
            if noise.number() * total < weights[0] {
                transport.throughput = scattered * (total / weights[0]);
                return Passage::Scattered(t, medium);
            }
            transport.throughput = passed * (total / weights[1]);
        }
        Passage::Through
    }

    fn steps<'a>(&'a self, media: &'a MediumStack, way: &'a MediumWay<'a>) -> Steps<'a> {
        Steps {
            scene: self,
            media,
            way,
            t: 0.0,
            end: 0.0,
            bound: 0.0,
        }
    }
}

/// Tentative collisions along a way.
struct Steps<'a> {
    scene: &'a Scene,
    media: &'a MediumStack,
    way: &'a MediumWay<'a>,
    t: f32,
    /// End of the part in which `bound` holds.
    end: f32,
    /// Bound on the extinction [1/m].
    bound: f32,
}

impl Steps<'_> {
    /// Distance of the next collision [m], and the bound there [1/m]; `None` at the end of the way.
    fn next(&mut self, noise: &mut Noise) -> Option<(f32, f32)> {
        let mut optical = -ln((1.0 - noise.number()).max(f32::MIN_POSITIVE));
        loop {
            let depth = (self.end - self.t) * self.bound;
            if optical < depth {
                self.t += optical / self.bound;
                return Some((self.t, self.bound));
            }
            optical -= depth.max(0.0);
            self.t = self.end;
            if self.t >= self.way.length {
                return None;
            }
            self.advance();
        }
    }

    /// Goes to the next part.
    fn advance(&mut self) {
        (self.end, self.bound) = (self.way.length, 0.0);
        for (id, _) in self.media.media(&self.scene.bodies) {
            let (end, bound) = match self.scene.bodies.medium(id) {
                Medium::Clear => continue,
                Medium::Homogeneous(of) => (f32::INFINITY, of.extinction().max_component()),
                Medium::Varying(_) => match &self.scene.majorants[id.0 as usize] {
                    Some(of) => of.bound_from(self.way.ray, self.t),
                    None => continue,
                },
            };
            self.end = self.end.min(end);
            self.bound += bound;
        }
        // Rounding must not stop the way.
        self.end = self.end.max(self.t.next_up());
    }
}
