//! Visibility: transmittance of shadow rays, and opaque surfaces along rays.

use super::media::segment::RaySegment;
use super::{MAX_NULL_INTERFACES, OPAQUE, Scene, TRANSPARENT};
use crate::interior::{Boundary, InteriorList};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray, RayEnd};
use renderer_base::sampler::Rng;
use renderer_geometry::accel;
use renderer_geometry::{Interaction, ShapeId};

/// Transmittance below which a surface counts as opaque.
const MIN_TRANSMITTANCE: f32 = 0.5;

/// Ray between a shading point and a light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowRay {
    pub(crate) ray: Ray,
    /// Number of scattering events of the path, the one at the origin included.
    pub(crate) depth: u32,
    /// Seed of the random numbers of media.
    pub(crate) seed: u64,
    /// Distances from the ends of the ray to the surfaces there [m].
    pub(crate) gaps: [f32; 2],
    /// Point on the emitting shape; `None` for lights without a shape.
    pub(crate) target: Option<(RayEnd, ShapeId)>,
    /// Ray mask of the shapes that block the light.
    pub(crate) blockers: u32,
}

impl ShadowRay {
    /// Shadow ray between two points in space.
    pub(crate) fn new(ray: Ray, depth: u32, seed: u64) -> ShadowRay {
        ShadowRay {
            ray,
            depth,
            seed,
            gaps: [0.0; 2],
            target: None,
            blockers: accel::ALL,
        }
    }
}

impl Scene {
    /// Returns whether a ray is unoccluded within its bounds.
    #[inline]
    pub fn unoccluded(&self, ray: &Ray) -> bool {
        !self.accel.occluded(ray, accel::ALL)
    }

    /// Transmittance along a ray, within its bounds. `interior` computes the interior list at the origin; it is called
    /// only in scenes with bodies. `depth` is the number of scattering events of the path, the one at the origin
    /// included; `seed` is the seed of the random numbers of media.
    #[inline]
    pub fn transmittance(
        &self,
        ray: &Ray,
        depth: u32,
        interior: impl FnOnce() -> InteriorList,
        seed: u64,
        context: &mut ShadingContext,
    ) -> Rgb {
        let shadow = || ShadowRay::new(*ray, depth, seed);
        self.shadow_transmittance(ray, accel::ALL, shadow, interior, context)
    }

    /// Transmittance along `ray` with the ray mask `blockers`. `shadow` and `interior` are called only if the ray is occluded or surfaces may
    /// coincide; `interior` only in scenes with bodies.
    #[inline(always)]
    pub(crate) fn shadow_transmittance(
        &self,
        ray: &Ray,
        blockers: u32,
        shadow: impl FnOnce() -> ShadowRay,
        interior: impl FnOnce() -> InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        let is_occluded = self.accel.occluded(ray, blockers);
        if !is_occluded && !self.has_contacts() {
            return Rgb::WHITE;
        }
        let has_bodies = !self.bodies.is_empty();
        let interior = if has_bodies { interior() } else { InteriorList::NONE };
        if blockers != accel::ALL {
            // Rays cross the shapes that do not block too, for the interior list.
            let mask = if has_bodies { accel::ALL } else { blockers };
            self.transparency_along(&shadow(), mask, interior, context)
        } else if is_occluded {
            self.transmittance_of_occluded(shadow(), interior, context)
        } else {
            self.transmittance_of_unoccluded(&shadow(), interior, context)
        }
    }

    /// Transmittance along an unoccluded shadow ray.
    #[inline(never)]
    fn transmittance_of_unoccluded(
        &self,
        shadow: &ShadowRay,
        mut interior: InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        let segment = RaySegment {
            ray: &shadow.ray.extended_back(shadow.gaps[0]),
            length: shadow.ray.t_max + shadow.gaps[0] + shadow.gaps[1],
            depth: shadow.depth,
        };
        let transmittance =
            self.medium_transmittance(&interior, &segment, &mut Rng::new(shadow.seed), context);
        transmittance * self.shadow_end(shadow, &mut interior, context)
    }

    /// Transmittance along an occluded shadow ray. The ray is a copy, as in `interaction`.
    #[inline(never)]
    fn transmittance_of_occluded(
        &self,
        shadow: ShadowRay,
        interior: InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        let may_pass = self.regions.transparent.is_some_and(|bounds| bounds.intersects(&shadow.ray));
        if !may_pass || self.accel.occluded(&shadow.ray, OPAQUE) {
            Rgb::BLACK
        } else {
            self.transparency_along(&shadow, TRANSPARENT, interior, context)
        }
    }

    /// Number of null interfaces and transparent surfaces that an unblocked shadow ray crosses.
    pub(crate) fn null_interfaces_along(&self, ray: &Ray) -> u32 {
        let (mut ray, mut contact) = (*ray, None);
        for count in 0..MAX_NULL_INTERFACES {
            match self.next_surface_of(&ray, TRANSPARENT, &InteriorList::NONE, &mut contact) {
                Some(it) => ray = self.pass(&it, &ray, TRANSPARENT, &InteriorList::NONE, &mut contact),
                None => return count,
            }
        }
        MAX_NULL_INTERFACES
    }

    /// Product of the transmittances of the surfaces and media along a shadow ray that block it. `mask` selects the
    /// surfaces to cross.
    #[inline(never)]
    fn transparency_along(
        &self,
        shadow: &ShadowRay,
        mask: u32,
        mut interior: InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        let ShadowRay {
            mut ray, depth, seed, gaps: [mut gap, last_gap], blockers, ..
        } = *shadow;
        let rng = &mut Rng::new(seed);
        let (mut product, mut contact) = (Rgb::WHITE, None);
        for _ in 0..MAX_NULL_INTERFACES {
            let found = self.next_surface_of(&ray, mask, &interior, &mut contact);
            let length = found.as_ref().map_or(ray.t_max + last_gap, |it| it.t.max(0.0));
            let segment = RaySegment { ray: &ray.extended_back(gap), length: length + gap, depth };
            if self.medium_blocks(&interior, blockers) {
                product *= self.medium_transmittance(&interior, &segment, rng, context);
            }
            let Some(it) = found else {
                return product * self.shadow_end(shadow, &mut interior, context);
            };
            if self.blocks(it.shape, blockers) {
                product *= self.transparency(&it, &interior, depth, context);
            }
            if product.is_black() {
                return product;
            }
            ray = self.pass(&it, &ray, mask, &interior, &mut contact);
            gap = ray.gap_from(it.p);
            if !self.bodies.is_empty() {
                interior.cross(&self.bodies, &it, ray.direction);
            }
        }
        Rgb::BLACK
    }

    /// Straight-through transmittance of a surface, for a path with `depth` scattering events.
    pub(super) fn transparency(
        &self,
        it: &Interaction,
        interior: &InteriorList,
        depth: u32,
        context: &mut ShadingContext,
    ) -> Rgb {
        match self.exterior_ior(interior, it) {
            Some(outside) => {
                let material = self.material(it.shape);
                material.for_light(it, depth, outside, context).transparency
            }
            None => Rgb::WHITE,
        }
    }

    /// Exterior index of refraction at a hit; `None` if the hit is a null interface.
    #[inline]
    pub fn exterior_ior(&self, interior: &InteriorList, it: &Interaction) -> Option<f32> {
        if self.bodies.is_empty() {
            return Some(1.0);
        }
        match interior.boundary(&self.bodies, it) {
            Boundary::Surface { outside } => Some(outside),
            Boundary::Null => None,
        }
    }

    /// Returns whether no opaque surface is on a ray, within its bounds.
    #[inline]
    pub(crate) fn is_visible(&self, ray: &Ray, context: &mut ShadingContext) -> bool {
        let is_clear = |bounds: Bounds| bounds.intersects(ray) && self.first_opaque(ray, context).is_none();
        !self.accel.occluded(ray, accel::ALL) || self.regions.passing.is_some_and(is_clear)
    }

    /// Returns the distance of the first surface with a transmittance below ½ [m].
    pub(crate) fn first_opaque(&self, ray: &Ray, context: &mut ShadingContext) -> Option<f32> {
        let mut distance = None;
        self.for_each_surface(ray, context, |it, transmittance| {
            distance = (transmittance < MIN_TRANSMITTANCE).then(|| ray.origin.distance(it.p));
            false
        });
        distance
    }

    /// Calls `visit` with each visible surface and its transmittance, up to the first surface with a transmittance
    /// below ½, or until `visit` returns true.
    pub(crate) fn for_each_surface(
        &self,
        ray: &Ray,
        context: &mut ShadingContext,
        mut visit: impl FnMut(&Interaction, f32) -> bool,
    ) {
        /// Transmittance from which a surface counts as invisible.
        const INVISIBLE: f32 = 0.99;
        let (mut ray, mut contact) = (*ray, None);
        for _ in 0..MAX_NULL_INTERFACES {
            let found = self.next_surface(&ray, &InteriorList::NONE, &mut contact);
            let Some(it) = found else { return };
            let transmittance = self.material(it.shape).passed(&it, context);
            if transmittance < INVISIBLE && visit(&it, transmittance) || transmittance < MIN_TRANSMITTANCE {
                return;
            }
            ray = self.pass(&it, &ray, accel::ALL, &InteriorList::NONE, &mut contact);
        }
    }
}
