//! Visibility: transmittance of shadow rays, and the medium stack at the start of a ray.

use glam::Vec3;

use super::{MAX_NULL_INTERFACES, OPAQUE, Scene, TRANSPARENT};
use crate::material::{MediumStack, RayKind, ShadingContext, ShadingResult};
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray};
use renderer_geometry::accel;
use renderer_geometry::{Footprint, Interaction};

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

    /// Returns whether any interior absorbs light.
    #[inline]
    pub fn has_absorbing_media(&self) -> bool {
        self.regions.absorbing.is_some()
    }

    /// Transmittance along a shadow ray, within its bounds. `media` computes the medium stack at its origin, and is
    /// called only in scenes with absorbing media; its path has scattered `depth` times, there included.
    #[inline(always)]
    pub fn transmittance(
        &self,
        ray: &Ray,
        depth: u32,
        media: impl FnOnce() -> MediumStack,
        context: &mut ShadingContext,
    ) -> Rgb {
        if self.accel.occluded(ray, accel::ALL) {
            let media = if self.has_absorbing_media() {
                media()
            } else {
                MediumStack::NONE
            };
            self.transmittance_of_occluded(*ray, depth, media, context)
        } else if self.has_absorbing_media() {
            media().transmittance(ray.t_max)
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
        context: &mut ShadingContext,
    ) -> Rgb {
        let comes_near = self
            .regions
            .transparent
            .is_some_and(|bounds| bounds.is_met_by(&ray));
        if !comes_near || self.accel.occluded(&ray, OPAQUE) {
            Rgb::BLACK
        } else {
            self.transparency_along(ray, depth, media, context)
        }
    }

    /// Number of surfaces that a shadow ray which arrives has crossed straight through.
    pub(crate) fn crossings(&self, ray: &Ray) -> u32 {
        let mut ray = *ray;
        for count in 0..MAX_NULL_INTERFACES {
            match self.intersect_masked(&ray, TRANSPARENT) {
                Some(it) => ray = it.rest_of(&ray),
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
        context: &mut ShadingContext,
    ) -> Rgb {
        let mut product = Rgb::WHITE;
        for _ in 0..MAX_NULL_INTERFACES {
            let Some(it) = self.intersect_masked(&ray, TRANSPARENT) else {
                return product * media.transmittance(ray.t_max);
            };
            let mut surface = self.material(it.shape).for_light(&it, depth, context);
            if self.has_absorbing_media() {
                media.absorb(&it, &mut surface);
                media.follow(&it, self.material_id(it.shape), &surface, ray.direction);
            }
            product *= surface.transparency;
            if product.is_black() {
                return product;
            }
            ray = it.rest_of(&ray);
        }
        Rgb::BLACK
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
        let mut ray = *ray;
        for _ in 0..MAX_NULL_INTERFACES {
            let Some(it) = self.intersect(&ray) else { return };
            let passed = self.material(it.shape).passed(&it, context);
            if passed < INVISIBLE && ends(&it, passed) || passed < PASSING {
                return;
            }
            ray = it.rest_of(&ray);
        }
    }

    /// Medium stack at the origin of a ray, reconstructed with rays from there to the outside: of three, two agree where
    /// one leaves a body through a gap in its surface.
    #[inline]
    pub fn media_around(&self, ray: &Ray, context: &mut ShadingContext) -> MediumStack {
        if self.has_absorbing_media() {
            self.agreed_media(ray, context)
        } else {
            MediumStack::NONE
        }
    }

    #[inline(never)]
    fn agreed_media(&self, ray: &Ray, context: &mut ShadingContext) -> MediumStack {
        let [first, second, third] = OUTWARDS;
        let first = self.media_along(ray, first, context);
        let second = self.media_along(ray, second, context);
        if first.has_media_of(&second) {
            return first;
        }
        let third = self.media_along(ray, third, context);
        if second.has_media_of(&third) {
            second
        } else {
            first
        }
    }

    /// Medium stack at the origin of a ray, by another one from there to the outside.
    fn media_along(&self, ray: &Ray, outwards: Vec3, context: &mut ShadingContext) -> MediumStack {
        let mut ray = Ray {
            time: ray.time,
            ..Ray::new(ray.origin, outwards)
        };
        if !self
            .regions
            .absorbing
            .is_some_and(|bounds| bounds.is_met_by(&ray))
        {
            return MediumStack::NONE;
        }
        let mut surface = ShadingResult::new();
        let next = || {
            let it = self.intersect(&ray)?;
            ray = it.spawn_ray(outwards);
            let material = self.material(it.shape);
            material.shade(&it, RayKind::REFRACTION, &Footprint::POINT, context, &mut surface);
            let leaves = it.wo.dot(it.ng) < 0.0;
            let body = (self.material_id(it.shape), leaves, surface.interior_absorption());
            Some(surface.bounds_medium().then_some(body))
        };
        MediumStack::about(
            std::iter::from_fn(next)
                .take(MAX_NULL_INTERFACES as usize)
                .flatten(),
        )
    }
}
