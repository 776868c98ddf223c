//! Visibility: transmittance of shadow rays, and the medium stack at the start of a ray.

use glam::Vec3;

use super::passage::{MediumWay, Noise};
use super::{MAX_NULL_INTERFACES, OPAQUE, Scene, TRANSPARENT};
use crate::body::{BodyId, Boundary, MediumStack};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray};
use renderer_geometry::Interaction;
use renderer_geometry::accel;

/// Directions to the outside, upwards whichever axis is up: a sheet of water is the surface of a sea. They are unlikely to
/// be parallel to edges.
const OUTWARDS: [Vec3; 3] = [
    Vec3::new(0.371_390_7, 0.742_781_4, 0.557_086),
    Vec3::new(0.557_086, 0.371_390_7, 0.742_781_4),
    Vec3::new(0.742_781_4, 0.557_086, 0.371_390_7),
];

/// Share of the light behind it that a surface lets through which hides it no longer.
const PASSING: f32 = 0.5;

impl Scene {
    /// Returns whether a ray is unoccluded within its bounds.
    #[inline]
    pub fn is_free(&self, ray: &Ray) -> bool {
        !self.accel.occluded(ray, accel::ALL)
    }

    /// Transmittance along a shadow ray, within its bounds. `media` computes the medium stack at its origin, and is
    /// called only in scenes with bodies; its path has scattered `depth` times, there included. `noise` is what chance
    /// decides by in media that are not the same everywhere.
    #[inline(always)]
    pub fn transmittance(
        &self,
        ray: &Ray,
        depth: u32,
        media: impl FnOnce() -> MediumStack,
        noise: u64,
        context: &mut ShadingContext,
    ) -> Rgb {
        let has_bodies = !self.bodies.is_empty();
        if self.accel.occluded(ray, accel::ALL) {
            let media = if has_bodies { media() } else { MediumStack::NONE };
            self.transmittance_of_occluded(*ray, depth, media, noise, context)
        } else if has_bodies {
            let way = MediumWay {
                ray,
                length: ray.t_max,
                depth,
            };
            self.medium_transmittance(&media(), &way, &mut Noise::new(noise), context)
        } else {
            Rgb::WHITE
        }
    }

    /// Transmittance along a ray that hits something. The ray is a copy, as in `interaction`.
    #[inline(never)]
    fn transmittance_of_occluded(
        &self,
        ray: Ray,
        depth: u32,
        media: MediumStack,
        noise: u64,
        context: &mut ShadingContext,
    ) -> Rgb {
        let comes_near = self
            .regions
            .transparent
            .is_some_and(|bounds| bounds.is_met_by(&ray));
        if !comes_near || self.accel.occluded(&ray, OPAQUE) {
            Rgb::BLACK
        } else {
            self.transparency_along(ray, depth, media, &mut Noise::new(noise), context)
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

    /// Product of the transmittances of all surfaces and media along a ray.
    fn transparency_along(
        &self,
        mut ray: Ray,
        depth: u32,
        mut media: MediumStack,
        noise: &mut Noise,
        context: &mut ShadingContext,
    ) -> Rgb {
        let (mut product, mut contact) = (Rgb::WHITE, None);
        for _ in 0..MAX_NULL_INTERFACES {
            let found = self.next_surface_of(&ray, TRANSPARENT, &media, &mut contact);
            let length = found.as_ref().map_or(ray.t_max, |it| it.t);
            let way = MediumWay {
                ray: &ray,
                length,
                depth,
            };
            product *= self.medium_transmittance(&media, &way, noise, context);
            let Some(it) = found else { return product };
            product *= self.transparency(&it, &media, depth, context);
            if product.is_black() {
                return product;
            }
            ray = self.pass(&it, &ray, TRANSPARENT, &media, &mut contact);
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
        self.accel.all_hits(&ray, accel::ALL, |hit| {
            if let Some(id) = self.bodies.of_shape(hit.shape) {
                let ng = self.interaction(ray, hit).ng;
                exits.count(id, if outwards.dot(ng) > 0.0 { 1 } else { -1 });
            }
        });
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
