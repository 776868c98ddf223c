//! Surface crossing among coincident surfaces: the next surface of a ray, and origins of rays that leave a surface.

use glam::Vec3;

use super::Contact;
use crate::interior::InteriorList;
use crate::light::Emission;
use crate::material::ShadingContext;
use crate::scene::visibility::ShadowRay;
use crate::scene::{MAX_NULL_INTERFACES, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray, RayEnd};
use renderer_geometry::accel;
use renderer_geometry::{Interaction, ShapeId};

/// Surface at the origin of a shadow ray.
#[derive(Clone, Copy, Debug)]
pub struct ShadowOrigin<'a> {
    /// The surface.
    pub it: &'a Interaction,
    /// Interior list of the path that found the surface.
    pub interior: &'a InteriorList,
    /// Position of the path among coincident surfaces.
    pub contact: Option<&'a Contact>,
}

impl ShadowOrigin<'_> {
    /// Returns whether a ray in the unit vector `direction` may cross other surfaces at its origin.
    #[inline]
    pub(crate) fn may_touch(&self, direction: Vec3) -> bool {
        self.contact.is_some() || direction.dot(self.it.ng) * self.it.wo.dot(self.it.ng) < 0.0
    }
}

/// Start of a path at a light, or at a point that gathers light.
#[derive(Clone, Debug)]
pub struct PathStart {
    /// First ray.
    pub ray: Ray,
    pub(crate) interior: InteriorList,
    pub(crate) contact: Option<Contact>,
    /// Distance from the surface to the ray's origin [m].
    pub(crate) gap: f32,
}

/// Interior list and contact at a point, on one side of a surface.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Interior list.
    pub interior: InteriorList,
    /// Position of the point among coincident surfaces.
    pub contact: Option<Contact>,
}

impl Scene {
    /// Next surface of a ray. `contact` is the position of the path at the ray's origin; it becomes the position at the
    /// returned surface.
    #[inline]
    pub fn next_surface(
        &self,
        ray: &Ray,
        interior: &InteriorList,
        contact: &mut Option<Contact>,
    ) -> Option<Interaction> {
        self.next_surface_of(ray, accel::ALL, interior, contact)
    }

    /// As [`Scene::next_surface`], among the shapes of a mask.
    #[inline(always)]
    pub(crate) fn next_surface_of(
        &self,
        ray: &Ray,
        mask: u32,
        interior: &InteriorList,
        contact: &mut Option<Contact>,
    ) -> Option<Interaction> {
        if let Some(contact) = contact {
            return Some(self.surface_in_contact(contact, ray));
        }
        // Written once, in place: a copy would stall on store forwarding.
        let mut found = self.intersect_masked(ray, mask);
        if self.has_contacts()
            && let Some(it) = &mut found
            && self.needs_order(interior, it)
        {
            *contact = self.enter_contact(it, mask);
        }
        found
    }

    /// Replaces a surface that a ray has found by the first surface of its contact.
    #[inline(never)]
    fn enter_contact(&self, it: &mut Interaction, mask: u32) -> Option<Contact> {
        let contact = Contact::new(it, false);
        let surfaces = self.contact_surfaces(&contact, mask);
        let first = surfaces.list.first()?;
        let contact = contact.moved_to(0, first);
        if !first.is_root {
            *it = Interaction {
                wo: it.wo,
                t: it.t,
                ..self.interaction(contact.probe(self.reach(&contact)), &first.hit)
            };
        }
        Some(contact)
    }

    /// Position of a path that has reached a surface from inside an object and has not crossed it.
    pub(crate) fn contact_from_inside(&self, it: &Interaction) -> Option<Contact> {
        let contact = Contact::new(&Interaction { wo: -it.wo, ..*it }, true);
        (!self.contact_surfaces(&contact, accel::ALL).list.is_empty()).then_some(contact)
    }

    /// Returns whether the surfaces that coincide with `it` must be crossed in the fixed order.
    #[inline]
    fn needs_order(&self, interior: &InteriorList, it: &Interaction) -> bool {
        self.may_touch(it.shape, it.p)
            && (self.bodies.of_shape(it.shape).is_some() || interior.has_boundary())
            || self.may_coincide(it.shape, it.p)
    }

    /// Returns whether any surfaces may coincide.
    #[inline]
    pub(crate) fn has_contacts(&self) -> bool {
        !(self.bodies.is_empty() && self.coplanar_bounds.is_empty())
    }

    /// Returns whether a point of a shape without a body may be on another surface.
    #[inline]
    fn may_coincide(&self, shape: ShapeId, p: Vec3) -> bool {
        contains(&self.coplanar_bounds, shape, p)
    }

    /// Returns whether a point of a shape may be in a contact with the boundary of a body.
    #[inline]
    fn may_touch(&self, shape: ShapeId, p: Vec3) -> bool {
        contains(&self.contact_bounds, shape, p)
    }

    /// Returns whether a path without a contact at `it` is known to be at a single surface.
    #[inline]
    fn is_single_surface(&self, interior: &InteriorList, it: &Interaction) -> bool {
        !self.bodies.is_empty()
            && (self.bodies.of_shape(it.shape).is_some()
                || self.may_touch(it.shape, it.p) && interior.has_boundary())
    }

    /// Surface at the position of a path.
    fn surface_in_contact(&self, contact: &Contact, ray: &Ray) -> Interaction {
        let it = self.interaction(contact.probe(self.reach(contact)), &contact.hit);
        Interaction { wo: -ray.direction, t: 0.0, ..it }
    }

    /// Returns whether a point may be on a surface that coincides with `it`.
    pub(crate) fn coincides(&self, it: &Interaction, p: Vec3) -> bool {
        it.p.distance(p) <= 2.0 * (it.p_error + self.rounding)
    }

    /// Origin of a ray that leaves a surface in the unit vector `direction`. `contact` is the position at the surface;
    /// it becomes the next position in that direction, or `None` outside the contact.
    #[inline]
    pub fn leave(
        &self,
        it: &Interaction,
        direction: Vec3,
        interior: &InteriorList,
        contact: &mut Option<Contact>,
    ) -> RayEnd {
        self.leave_to(it, direction, accel::ALL, interior, contact)
    }

    /// As [`Scene::leave`], among the shapes of a mask.
    #[inline(always)]
    pub(crate) fn leave_to(
        &self,
        it: &Interaction,
        direction: Vec3,
        mask: u32,
        interior: &InteriorList,
        contact: &mut Option<Contact>,
    ) -> RayEnd {
        if contact.is_none() {
            let crosses = direction.dot(it.ng) * it.wo.dot(it.ng) < 0.0;
            if !crosses || self.is_single_surface(interior, it) {
                return it.ray_end();
            }
        }
        self.leave_contact(it, direction, mask, contact)
    }

    #[inline(never)]
    fn leave_contact(
        &self,
        it: &Interaction,
        direction: Vec3,
        mask: u32,
        contact: &mut Option<Contact>,
    ) -> RayEnd {
        let place = contact.take().unwrap_or_else(|| Contact::new(it, true));
        let (end, next) = self.leave_position(&it.ray_end(), direction, mask, &place);
        *contact = next;
        end
    }

    /// Origin of a ray that leaves a contact's surface at the point `end`, and the next position in the ray's
    /// direction.
    fn leave_position(
        &self,
        end: &RayEnd,
        direction: Vec3,
        mask: u32,
        place: &Contact,
    ) -> (RayEnd, Option<Contact>) {
        let surfaces = self.contact_surfaces(place, mask);
        let Some(from) = surfaces.list.get(place.index as usize) else {
            return (*end, None);
        };
        let goes_along = direction.dot(place.axis) > 0.0;
        let next = match goes_along {
            true => Some(place.index as usize + 1),
            false => (place.index as usize).checked_sub(1),
        };
        if let Some(index) = next
            && let Some(surface) = surfaces.list.get(index)
        {
            return (RayEnd::in_space(end.p), Some(place.moved_to(index, surface)));
        }
        let depth = if goes_along { from.depth } else { -from.depth };
        let p_error = (surfaces.extent(goes_along) - depth).max(end.p_error);
        (RayEnd { p_error, ..*end }, None)
    }

    /// Continues a ray straight through a surface; the end of the ray stays exactly the same.
    pub(crate) fn pass(
        &self,
        it: &Interaction,
        ray: &Ray,
        mask: u32,
        interior: &InteriorList,
        contact: &mut Option<Contact>,
    ) -> Ray {
        let end = self.leave_to(it, ray.direction, mask, interior, contact);
        let rest = match ray.t_max.is_finite() && contact.is_none() {
            true => end.ray_to(&RayEnd::in_space(ray.at(ray.t_max))),
            false => Ray {
                t_max: ray.t_max - it.t,
                ..Ray::new(end.ray_origin(ray.direction), ray.direction)
            },
        };
        Ray { time: it.time, ..rest }
    }

    /// Origin of a shadow ray behind the surfaces that coincide with its shading point, and the transmittance of these
    /// surfaces for a ray mask. `interior` is the interior list behind the first surface; it becomes the list behind the
    /// last one.
    #[inline(never)]
    pub(crate) fn shadow_start(
        &self,
        from: &ShadowOrigin<'_>,
        direction: Vec3,
        (depth, blockers): (u32, u32),
        interior: &mut InteriorList,
        context: &mut ShadingContext,
    ) -> (RayEnd, Rgb) {
        let it = from.it;
        let mut contact = from.contact.copied();
        let mut end = self.leave(it, direction, from.interior, &mut contact);
        let mut passed = Rgb::WHITE;
        let ray = Ray { time: it.time, ..Ray::new(it.p, direction) };
        for _ in 0..MAX_NULL_INTERFACES {
            let Some(place) = &contact else { break };
            let it = self.surface_in_contact(place, &ray);
            if self.blocks(it.shape, blockers) {
                passed *= self.transparency(&it, interior, depth, context);
            }
            if !self.bodies.is_empty() {
                interior.cross(&self.bodies, &it, direction);
            }
            end = self.leave(&it, direction, interior, &mut contact);
        }
        (end, passed)
    }

    /// Transmittance of the surfaces in the contact at the end of a shadow ray, before the emitting shape.
    fn shadow_end_in_contact(
        &self,
        shadow: &ShadowRay,
        (end, shape): (&RayEnd, ShapeId),
        interior: &mut InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        let ShadowRay { ref ray, depth, blockers, .. } = *shadow;
        let contact = Contact::at(end, shape, ray);
        let surfaces = self.contact_surfaces(&contact, accel::ALL);
        let mut passed = Rgb::WHITE;
        for surface in surfaces.list.iter().take_while(|surface| !surface.is_root) {
            let it = self.surface_in_contact(&contact.moved_to(0, surface), ray);
            if self.blocks(it.shape, blockers) {
                passed *= self.transparency(&it, interior, depth, context);
            }
            if !self.bodies.is_empty() {
                interior.cross(&self.bodies, &it, ray.direction);
            }
        }
        passed
    }

    /// Transmittance of the surfaces that coincide with the end of a shadow ray, before the emitting shape; white
    /// without a contact. `interior` is the interior list there.
    #[inline]
    pub(crate) fn shadow_end(
        &self,
        shadow: &ShadowRay,
        interior: &mut InteriorList,
        context: &mut ShadingContext,
    ) -> Rgb {
        match &shadow.target {
            Some((end, shape))
                if (interior.has_boundary() || self.body_of(*shape).is_some())
                    && self.may_touch(*shape, end.p)
                    || self.may_coincide(*shape, end.p) =>
            {
                self.shadow_end_in_contact(shadow, (end, *shape), interior, context)
            }
            _ => Rgb::WHITE,
        }
    }

    /// The start of the path of an emitted photon.
    pub(crate) fn path_start(&self, emission: &Emission) -> PathStart {
        match &emission.surface {
            Some((end, shape)) => {
                let around = self.surroundings(end, *shape, &emission.ray);
                self.start_from(end, &emission.ray, around)
            }
            None => self.start_in_space(&emission.ray),
        }
    }

    /// Start of a path at a point in space.
    pub fn start_in_space(&self, ray: &Ray) -> PathStart {
        PathStart {
            ray: *ray,
            interior: self.interior_at(ray),
            contact: None,
            gap: 0.0,
        }
    }

    /// Start of a path along `ray` at a point of a surface; `around` are its surroundings on that side.
    pub fn start_from(&self, end: &RayEnd, ray: &Ray, around: Surroundings) -> PathStart {
        let mut start = PathStart {
            ray: *ray,
            interior: around.interior,
            contact: None,
            gap: 0.0,
        };
        if let Some(place) = &around.contact {
            let (end, next) = self.leave_position(end, ray.direction, accel::ALL, place);
            start.ray.origin = end.ray_origin(ray.direction);
            start.contact = next;
        }
        if self.has_contacts() && start.contact.is_none() {
            start.gap = start.ray.gap_from(end.p);
        }
        start
    }

    /// Surroundings of a point of a shape on the side to which `ray` leaves.
    pub fn surroundings(&self, end: &RayEnd, shape: ShapeId, ray: &Ray) -> Surroundings {
        let has_bodies = !self.bodies.is_empty();
        if !self.may_touch(shape, end.p) && !self.may_coincide(shape, end.p) {
            return Surroundings { interior: self.interior_at(ray), contact: None };
        }
        // The direction of an arriving path determines the order.
        let back = Ray { direction: -ray.direction, ..*ray };
        let contact = Contact::at(end, shape, &back);
        let surfaces = self.contact_surfaces(&contact, accel::ALL);
        let beyond = RayEnd { p_error: surfaces.extent(false).max(end.p_error), ..*end };
        let outside = Ray { origin: beyond.ray_origin(ray.direction), ..*ray };
        let mut interior = self.interior_at(&outside);
        let root = surfaces.list.iter().position(|surface| surface.is_root);
        // The interior list at the surface: that outside the contact, updated by the surfaces in between.
        for surface in surfaces.list[..root.unwrap_or(0)].iter().filter(|_| has_bodies) {
            let it = self.surface_in_contact(&contact.moved_to(0, surface), &back);
            interior.cross(&self.bodies, &it, back.direction);
        }
        let contact = root.map(|root| contact.moved_to(root, &surfaces.list[root]));
        Surroundings { interior, contact }
    }
}

/// Returns whether the bounds of a shape contain a point; false if `bounds` is empty.
#[inline]
fn contains(bounds: &[Bounds], shape: ShapeId, p: Vec3) -> bool {
    bounds.get(shape.0 as usize).is_some_and(|bounds| bounds.contains(p))
}
