//! What light gets along a ray, and the bodies that a ray begins in.

use glam::Vec3;

use super::{MAX_PASSES, OPAQUE, Scene, TRANSPARENT};
use crate::material::{Bodies, RayKind, ShadingContext, Surface};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_geometry::Footprint;
use renderer_geometry::accel;

/// A direction along which no edges are to be expected.
const OUTWARDS: Vec3 = Vec3::new(0.371_390_7, 0.742_781_4, 0.557_086);

impl Scene {
    /// Whether a ray meets nothing within its bounds.
    #[inline]
    pub fn is_free(&self, ray: &Ray) -> bool {
        !self.accel.occluded(ray, accel::ALL)
    }

    /// Whether there are bodies that absorb light.
    #[inline]
    pub fn has_bodies(&self) -> bool {
        self.absorbing.is_some()
    }

    /// The share of light that gets along a ray, within its bounds; `bodies` tells those that it begins in, and is asked
    /// only where there are any.
    #[inline(always)]
    pub fn transmittance(
        &self,
        ray: &Ray,
        bodies: impl FnOnce() -> Bodies,
        context: &mut ShadingContext,
    ) -> Rgb {
        if self.accel.occluded(ray, accel::ALL) {
            let bodies = if self.has_bodies() { bodies() } else { Bodies::NONE };
            self.transmittance_of_occluded(*ray, bodies, context)
        } else if self.has_bodies() {
            bodies().transmittance(ray.t_max)
        } else {
            Rgb::WHITE
        }
    }

    /// The share of light that gets along a ray that meets something. The ray is a copy, as in `interaction`.
    #[inline(never)]
    fn transmittance_of_occluded(&self, ray: Ray, bodies: Bodies, context: &mut ShadingContext) -> Rgb {
        let comes_near = self.transparent.is_some_and(|bounds| bounds.is_met_by(&ray));
        if !comes_near || self.accel.occluded(&ray, OPAQUE) {
            Rgb::BLACK
        } else {
            self.transparency_along(ray, bodies, context)
        }
    }

    /// The product of the transparencies of all that a ray passes.
    fn transparency_along(&self, mut ray: Ray, mut bodies: Bodies, context: &mut ShadingContext) -> Rgb {
        let mut product = Rgb::WHITE;
        for _ in 0..MAX_PASSES {
            let Some(it) = self.intersect_masked(&ray, TRANSPARENT) else {
                return product * bodies.transmittance(ray.t_max);
            };
            let mut surface = self.material(it.shape).for_light(&it, context);
            if self.has_bodies() {
                bodies.absorb(&it, &mut surface);
                bodies.follow(&it, self.material_id(it.shape), &surface, ray.direction);
            }
            product *= surface.transparency;
            if product.is_black() {
                return product;
            }
            ray = it.rest_of(&ray);
        }
        Rgb::BLACK
    }

    /// The bodies that a ray begins in, by what another one from there meets on its way out.
    #[inline]
    pub fn bodies_about(&self, ray: &Ray, context: &mut ShadingContext) -> Bodies {
        let outwards = Ray {
            time: ray.time,
            ..Ray::new(ray.origin, OUTWARDS)
        };
        match self.absorbing {
            Some(bounds) if bounds.is_met_by(&outwards) => self.bodies_around(outwards, context),
            _ => Bodies::NONE,
        }
    }

    #[inline(never)]
    fn bodies_around(&self, mut ray: Ray, context: &mut ShadingContext) -> Bodies {
        let mut surface = Surface::new();
        let next = || {
            let it = self.intersect(&ray)?;
            ray = it.spawn_ray(OUTWARDS);
            let material = self.material(it.shape);
            material.shade(&it, RayKind::REFRACTION, &Footprint::POINT, context, &mut surface);
            let leaves = it.wo.dot(it.ng) < 0.0;
            let body = (self.material_id(it.shape), leaves, surface.inner_absorption());
            Some(surface.is_of_body().then_some(body))
        };
        Bodies::about(std::iter::from_fn(next).take(MAX_PASSES as usize).flatten())
    }
}
