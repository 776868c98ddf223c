//! Visibility: transmittance of shadow rays, and the medium stack at the start of a ray.

use glam::Vec3;

use super::passage::{MediumWay, Noise};
use super::{MAX_NULL_INTERFACES, OPAQUE, Scene, TRANSPARENT};
use crate::body::{BodyId, Boundary, MediumStack};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray, RayEnd};
use renderer_geometry::accel;
use renderer_geometry::{Interaction, ShapeId};

/// Directions to the outside, upwards whichever axis is up: a sheet of water is the surface of a sea. They are unlikely to
/// be parallel to edges.
const OUTWARDS: [Vec3; 3] = [
    Vec3::new(0.371_390_7, 0.742_781_4, 0.557_086),
    Vec3::new(0.557_086, 0.371_390_7, 0.742_781_4),
    Vec3::new(0.742_781_4, 0.557_086, 0.371_390_7),
];

/// Share of the light behind it that a surface lets through which hides it no longer.
const PASSING: f32 = 0.5;

/// A ray to a light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowRay {
    pub(crate) ray: Ray,
    /// Number of times that the path has scattered, at its origin included.
    pub(crate) depth: u32,
    /// Seed of the random numbers of media.
    pub(crate) noise: u64,
    /// Distances between its ends and the surfaces there, by which rounding shortens it [m].
    pub(crate) gaps: [f32; 2],
    /// Point of the shape that emits; `None` for lights that are no shapes.
    pub(crate) target: Option<(RayEnd, ShapeId)>,
}

impl ShadowRay {
    /// A ray from a point of space to another.
    pub(crate) fn new(ray: Ray, depth: u32, noise: u64) -> ShadowRay {
        ShadowRay {
            ray,
            depth,
            noise,
            gaps: [0.0; 2],
            target: None,
        }
    }
}

impl Scene {
    /// Returns whether a ray is unoccluded within its bounds.
    #[inline]
    pub fn is_free(&self, ray: &Ray) -> bool {
        !self.accel.occluded(ray, accel::ALL)
    }

    /// Transmittance along a ray, within its bounds. `media` computes the medium stack at its origin, and is called only in
    /// scenes with bodies; its path has scattered `depth` times, there included. `noise` seeds the random numbers of media.
    #[inline]
    pub fn transmittance(
        &self,
        ray: &Ray,
        depth: u32,
        media: impl FnOnce() -> MediumStack,
        noise: u64,
        context: &mut ShadingContext,
    ) -> Rgb {
        self.shadow_transmittance(ray, || ShadowRay::new(*ray, depth, noise), media, context)
    }

    /// Transmittance along `ray`. What else the shadow ray and the medium stack at its origin contain is computed only where
    /// it may matter; the stack only in scenes with bodies.
    #[inline(always)]
    pub(crate) fn shadow_transmittance(
        &self,
        ray: &Ray,
        shadow: impl FnOnce() -> ShadowRay,
        media: impl FnOnce() -> MediumStack,
        context: &mut ShadingContext,
    ) -> Rgb {
        let is_occluded = self.accel.occluded(ray, accel::ALL);
        if !is_occluded && !self.has_contacts() {
            return Rgb::WHITE;
        }
        let has_bodies = !self.bodies.is_empty();
        let media = if has_bodies { media() } else { MediumStack::NONE };
        if is_occluded {
            self.transmittance_of_occluded(shadow(), media, context)
        } else {
            self.transmittance_of_free(&shadow(), media, context)
        }
    }

    /// Transmittance along a shadow ray that hits nothing.
    #[inline(never)]
    fn transmittance_of_free(
        &self,
        shadow: &ShadowRay,
        mut media: MediumStack,
        context: &mut ShadingContext,
    ) -> Rgb {
        let way = MediumWay {
            ray: &shadow.ray.begun_before(shadow.gaps[0]),
            length: shadow.ray.t_max + shadow.gaps[0] + shadow.gaps[1],
            depth: shadow.depth,
        };
        let passed = self.medium_transmittance(&media, &way, &mut Noise::new(shadow.noise), context);
        passed * self.shadow_end(shadow, &mut media, context)
    }

    /// Transmittance along a shadow ray that hits something. The ray is a copy, as in `interaction`.
    #[inline(never)]
    fn transmittance_of_occluded(
        &self,
        shadow: ShadowRay,
        media: MediumStack,
        context: &mut ShadingContext,
    ) -> Rgb {
        let comes_near = self
            .regions
            .transparent
            .is_some_and(|bounds| bounds.is_met_by(&shadow.ray));
        if !comes_near || self.accel.occluded(&shadow.ray, OPAQUE) {
            Rgb::BLACK
        } else {
            self.transparency_along(&shadow, media, context)
        }
    }

    /// Number of surfaces that a shadow ray which arrives has crossed straight through.
    pub(crate) fn crossings(&self, ray: &Ray) -> u32 {
        let (mut ray, mut contact) = (*ray, None);
        for count in 0..MAX_NULL_INTERFACES {
            match self.next_surface_of(&ray, TRANSPARENT, &MediumStack::NONE, &mut contact) {
                Some(it) => ray = self.pass(&it, &ray, TRANSPARENT, &MediumStack::NONE, &mut contact),
                None => return count,
            }
        }
        MAX_NULL_INTERFACES
    }

    /// Product of the transmittances of all surfaces and media along a shadow ray.
    fn transparency_along(
        &self,
        shadow: &ShadowRay,
        mut media: MediumStack,
        context: &mut ShadingContext,
    ) -> Rgb {
        let ShadowRay {
            mut ray,
            depth,
            noise,
            gaps: [mut gap, last_gap],
            ..
        } = *shadow;
        let noise = &mut Noise::new(noise);
        let (mut product, mut contact) = (Rgb::WHITE, None);
        for _ in 0..MAX_NULL_INTERFACES {
            let found = self.next_surface_of(&ray, TRANSPARENT, &media, &mut contact);
            let length = found.as_ref().map_or(ray.t_max + last_gap, |it| it.t.max(0.0));
            let way = MediumWay {
                ray: &ray.begun_before(gap),
                length: length + gap,
                depth,
            };
            product *= self.medium_transmittance(&media, &way, noise, context);
            let Some(it) = found else {
                return product * self.shadow_end(shadow, &mut media, context);
            };
            product *= self.transparency(&it, &media, depth, context);
            if product.is_black() {
                return product;
            }
            ray = self.pass(&it, &ray, TRANSPARENT, &media, &mut contact);
            gap = ray.gap_from(it.p);
            if !self.bodies.is_empty() {
                media.cross(&self.bodies, &it, ray.direction);
            }
        }
        Rgb::BLACK
    }

    /// Straight transmittance of a surface that a path meets which has scattered `depth` times.
    pub(super) fn transparency(
        &self,
        it: &Interaction,
        media: &MediumStack,
        depth: u32,
        context: &mut ShadingContext,
    ) -> Rgb {
        match self.meets(media, it) {
            Some(outside) => {
                let material = self.material(it.shape);
                material.for_light(it, depth, outside, context).transparency
            }
            None => Rgb::WHITE,
        }
    }

    /// Index of refraction of what a surface is in that a path meets; `None` if it is no surface: what it bounds is not
    /// there.
    #[inline]
    pub fn meets(&self, media: &MediumStack, it: &Interaction) -> Option<f32> {
        if self.bodies.is_empty() {
            return Some(1.0);
        }
        match media.boundary(&self.bodies, it) {
            Boundary::Surface { outside } => Some(outside),
            Boundary::Open => None,
        }
    }

    /// Returns whether a ray meets no wall within its bounds.
    #[inline]
    pub(crate) fn is_open(&self, ray: &Ray, context: &mut ShadingContext) -> bool {
        let is_clear = |bounds: Bounds| bounds.is_met_by(ray) && self.wall(ray, context).is_none();
        !self.accel.occluded(ray, accel::ALL) || self.regions.passing.is_some_and(is_clear)
    }

    /// Returns the distance to the first wall along a ray [m]: a surface that hides most of what is behind it.
    pub(crate) fn wall(&self, ray: &Ray, context: &mut ShadingContext) -> Option<f32> {
        let mut distance = None;
        self.look_along(ray, context, |it, passed| {
            distance = (passed < PASSING).then(|| ray.origin.distance(it.p));
            false
        });
        distance
    }

    /// Visits the surfaces along a ray, those that nothing shows of left out, up to the first that hides most of what
    /// is behind it, until `ends` returns true: it gets a surface and the share of the light behind that passes it.
    pub(crate) fn look_along(
        &self,
        ray: &Ray,
        context: &mut ShadingContext,
        mut ends: impl FnMut(&Interaction, f32) -> bool,
    ) {
        /// Share of the light behind it that a surface lets through which cannot be seen itself.
        const INVISIBLE: f32 = 0.99;
        let (mut ray, mut contact) = (*ray, None);
        for _ in 0..MAX_NULL_INTERFACES {
            let found = self.next_surface(&ray, &MediumStack::NONE, &mut contact);
            let Some(it) = found else { return };
            let passed = self.material(it.shape).passed(&it, context);
            if passed < INVISIBLE && ends(&it, passed) || passed < PASSING {
                return;
            }
            ray = self.pass(&it, &ray, accel::ALL, &MediumStack::NONE, &mut contact);
        }
    }

    /// Medium stack at the origin of a ray, found by counting the boundaries along other rays from there to the outside.
    #[inline]
    pub fn media_around(&self, ray: &Ray) -> MediumStack {
        if self.bodies.is_empty() {
            MediumStack::NONE
        } else {
            self.count_boundaries(ray)
        }
    }

    /// A body contains the origin if two of three rays leave it more often than they enter it: one may pass a gap.
    #[inline(never)]
    fn count_boundaries(&self, ray: &Ray) -> MediumStack {
        let everywhere = self.bodies.all().filter(|(_, body)| body.shape.is_none());
        let everywhere = everywhere.map(|(id, _)| id);
        let is_far = || {
            self.bodies
                .bounds()
                .is_none_or(|bounds| !bounds.contains(ray.origin))
        };
        if !self.bodies.are_open() && is_far() {
            return MediumStack::of(&self.bodies, everywhere);
        }
        let counts = OUTWARDS.map(|outwards| self.exits(ray, outwards));
        let [first, second, third] = &counts;
        let contains = |&id: &BodyId| {
            let votes = counts.iter().filter(|exits| exits.of(id) > 0).count();
            votes >= 2
        };
        let mut inside: Vec<BodyId> = vec![];
        for &(id, exits) in first.list.iter().chain(&second.list).chain(&third.list) {
            if exits > 0 && !inside.contains(&id) && contains(&id) {
                inside.push(id);
            }
        }
        MediumStack::of(&self.bodies, inside.into_iter().chain(everywhere))
    }

    /// Counts the boundaries along a ray.
    fn exits(&self, ray: &Ray, outwards: Vec3) -> Exits {
        let ray = Ray {
            time: ray.time,
            ..Ray::new(ray.origin, outwards)
        };
        let mut exits = Exits::default();
        if !self.bodies.bounds().is_some_and(|bounds| bounds.is_met_by(&ray)) {
            return exits;
        }
        for hit in &self.hits_along(&ray, |shape| self.bodies.of_shape(shape).is_some()) {
            if let Some(id) = self.bodies.of_shape(hit.shape) {
                let ng = self.interaction(ray, hit).ng;
                exits.count(id, if outwards.dot(ng) > 0.0 { 1 } else { -1 });
            }
        }
        exits
    }
}

/// How often a ray leaves bodies, less how often it enters them.
#[derive(Default)]
struct Exits {
    list: Vec<(BodyId, i32)>,
}

impl Exits {
    fn of(&self, id: BodyId) -> i32 {
        self.list
            .iter()
            .find(|(known, _)| *known == id)
            .map_or(0, |(_, exits)| *exits)
    }

    fn count(&mut self, id: BodyId, change: i32) {
        match self.list.iter_mut().find(|(known, _)| *known == id) {
            Some((_, exits)) => *exits += change,
            None => self.list.push((id, change)),
        }
    }
}
