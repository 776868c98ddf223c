//! Contacts: surfaces that coincide up to rounding, as where one object rests on another.
//!
//! A ray finds such surfaces in an order that rounding decides. Paths cross them in one order instead: first the boundaries
//! of bodies that they leave, then surfaces that bound no body, then the boundaries of bodies that they enter. In the
//! opposite direction the order is the reverse. The position of a path within a contact is an index into this order.

use glam::{Vec2, Vec3};

use super::{MAX_NULL_INTERFACES, Scene};
use crate::body::{BodyId, MediumStack};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, ROUNDING, Ray, RayEnd};
use renderer_geometry::accel;
use renderer_geometry::{Hit, Interaction, ShapeId};

/// A place of a path among surfaces that coincide.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Point of the surface that was found first.
    root: RayEnd,
    /// Unit normal of that surface, in the direction of the path that found it.
    axis: Vec3,
    root_shape: ShapeId,
    root_primitive: u32,
    time: f32,
    /// True if the path had crossed the first surface before the others were found.
    is_late: bool,
    /// Index of the path's surface in the order of crossing.
    index: u32,
    /// That surface, as the ray along `axis` hits it.
    hit: Hit,
}

/// The surface that a shadow ray begins at.
#[derive(Clone, Copy, Debug)]
pub struct ShadowOrigin<'a> {
    /// The surface.
    pub it: &'a Interaction,
    /// The bodies that contain the path that has found it.
    pub media: &'a MediumStack,
    /// The path's place among surfaces that coincide.
    pub contact: Option<&'a Contact>,
}

impl ShadowOrigin<'_> {
    /// Returns whether other surfaces may be crossed at the start of a ray in the unit vector `direction`.
    #[inline]
    pub(crate) fn may_touch(&self, direction: Vec3) -> bool {
        self.contact.is_some() || direction.dot(self.it.ng) * self.it.wo.dot(self.it.ng) < 0.0
    }
}

/// One of the surfaces of a contact.
#[derive(Clone, Copy)]
struct Layer {
    hit: Hit,
    /// Distance from the root along the axis `[m]`.
    depth: f32,
    /// Bound on the error of the distance `[m]`.
    error: f32,
    /// True if a path along the axis leaves what the surface bounds.
    is_exit: bool,
    body: Option<BodyId>,
    is_root: bool,
}

/// The surfaces of a contact, in the order of crossing along the axis.
struct Layers {
    list: Vec<Layer>,
    /// Distances of the nearest surfaces that belong to no contact with the root, before and beyond it `[m]`.
    next: [f32; 2],
}

impl Contact {
    fn new(it: &Interaction, is_late: bool) -> Contact {
        let is_back = it.wo.dot(it.ng) < 0.0;
        Contact {
            root: it.ray_end(),
            axis: if is_back { it.ng } else { -it.ng },
            root_shape: it.shape,
            root_primitive: it.primitive,
            time: it.time,
            is_late,
            index: 0,
            hit: Hit {
                t: 0.0,
                shape: it.shape,
                primitive: it.primitive,
                barycentric: Vec2::ZERO,
            },
        }
    }

    /// The ray along the axis through the root, and the distance of the root.
    fn probe(&self, reach: f32) -> Ray {
        Ray {
            t_max: 2.0 * reach,
            time: self.time,
            ..Ray::new(self.root.p - self.axis * reach, self.axis)
        }
    }
}

impl Scene {
    /// The next surface of a ray in `media`. `contact` is the place of the path where its ray begins within a contact, and
    /// becomes the place of the surface.
    #[inline]
    pub fn next_surface(
        &self,
        ray: &Ray,
        media: &MediumStack,
        contact: &mut Option<Contact>,
    ) -> Option<Interaction> {
        self.next_surface_of(ray, accel::ALL, media, contact)
    }

    /// The next surface among the shapes of a mask.
    #[inline(always)]
    pub(super) fn next_surface_of(
        &self,
        ray: &Ray,
        mask: u32,
        media: &MediumStack,
        contact: &mut Option<Contact>,
    ) -> Option<Interaction> {
        if let Some(contact) = contact {
            return Some(self.surface_in_contact(contact, ray));
        }
        let mut found = self.intersect_masked(ray, mask);
        if !self.bodies.is_empty()
            && let Some(it) = &mut found
            && self.orders_contact(media, it.shape)
        {
            *contact = self.enter_contact(it, mask);
        }
        found
    }

    /// Replaces a surface that a ray has found by the first to cross of those that coincide with it.
    #[inline(never)]
    fn enter_contact(&self, it: &mut Interaction, mask: u32) -> Option<Contact> {
        let mut contact = Contact::new(it, false);
        let layers = self.layers(&contact, mask);
        let first = layers.list.first()?;
        contact.hit = first.hit;
        if !first.is_root {
            *it = Interaction {
                wo: it.wo,
                t: it.t,
                ..self.interaction(contact.probe(self.reach(&contact)), &first.hit)
            };
        }
        Some(contact)
    }

    /// The place of a path that has reached a surface from inside of its object without crossing it.
    pub(crate) fn contact_from_inside(&self, it: &Interaction) -> Option<Contact> {
        let contact = Contact::new(&Interaction { wo: -it.wo, ..*it }, true);
        (!self.layers(&contact, accel::ALL).list.is_empty()).then_some(contact)
    }

    /// Returns whether a path in `media` that finds a surface has to cross others before it if they coincide.
    #[inline]
    fn orders_contact(&self, media: &MediumStack, shape: ShapeId) -> bool {
        !self.bodies.is_empty() && (self.bodies.of_shape(shape).is_some() || media.has_boundary())
    }

    /// The surface at the place of a path.
    fn surface_in_contact(&self, contact: &Contact, ray: &Ray) -> Interaction {
        let it = self.interaction(contact.probe(self.reach(contact)), &contact.hit);
        Interaction {
            wo: -ray.direction,
            t: 0.0,
            ..it
        }
    }

    /// The start of a ray that leaves a surface in the unit vector `direction`, for a path that has come in `media`.
    /// `contact` is the place of the surface, and becomes the next place in that direction if there is one.
    #[inline]
    pub fn leave(
        &self,
        it: &Interaction,
        direction: Vec3,
        media: &MediumStack,
        contact: &mut Option<Contact>,
    ) -> RayEnd {
        self.leave_to(it, direction, accel::ALL, media, contact)
    }

    /// As [`Scene::leave`], among the shapes of a mask.
    #[inline(always)]
    pub(super) fn leave_to(
        &self,
        it: &Interaction,
        direction: Vec3,
        mask: u32,
        media: &MediumStack,
        contact: &mut Option<Contact>,
    ) -> RayEnd {
        if contact.is_none() {
            let crosses = direction.dot(it.ng) * it.wo.dot(it.ng) < 0.0;
            if !crosses || self.orders_contact(media, it.shape) {
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
        let mut place = match contact {
            Some(known) => *known,
            None => Contact::new(it, true),
        };
        let layers = self.layers(&place, mask);
        *contact = None;
        let Some(from) = layers.list.get(place.index as usize) else {
            return it.ray_end();
        };
        let goes_along = direction.dot(place.axis) > 0.0;
        let next = match goes_along {
            true => Some(place.index as usize + 1),
            false => (place.index as usize).checked_sub(1),
        };
        if let Some(index) = next
            && let Some(layer) = layers.list.get(index)
        {
            (place.index, place.hit) = (index as u32, layer.hit);
            *contact = Some(place);
            return RayEnd::in_space(it.p);
        }
        let depth = if goes_along { from.depth } else { -from.depth };
        RayEnd {
            p_error: (layers.extent(goes_along) - depth).max(it.p_error),
            ..it.ray_end()
        }
    }

    /// Continues a ray straight through a surface; it ends exactly where `ray` ends.
    pub(super) fn pass(
        &self,
        it: &Interaction,
        ray: &Ray,
        mask: u32,
        media: &MediumStack,
        contact: &mut Option<Contact>,
    ) -> Ray {
        let end = self.leave_to(it, ray.direction, mask, media, contact);
        let rest = match ray.t_max.is_finite() && contact.is_none() {
            true => end.ray_to(&RayEnd::in_space(ray.at(ray.t_max))),
            false => Ray {
                t_max: ray.t_max - it.t,
                ..Ray::new(end.ray_origin(ray.direction), ray.direction)
            },
        };
        Ray {
            time: it.time,
            ..rest
        }
    }

    /// The start of a shadow ray in the unit vector `direction` beyond the surfaces that coincide with its origin, and their
    /// transmittance. `media` are the bodies that contain the ray beyond the surface of its origin, then beyond the others.
    #[inline(never)]
    pub(crate) fn shadow_start(
        &self,
        from: &ShadowOrigin<'_>,
        direction: Vec3,
        depth: u32,
        media: &mut MediumStack,
        context: &mut ShadingContext,
    ) -> (RayEnd, Rgb) {
        let it = from.it;
        let mut contact = from.contact.copied();
        let mut end = self.leave(it, direction, from.media, &mut contact);
        let mut passed = Rgb::WHITE;
        let ray = Ray {
            time: it.time,
            ..Ray::new(it.p, direction)
        };
        for _ in 0..MAX_NULL_INTERFACES {
            let Some(place) = &contact else { break };
            let it = self.surface_in_contact(place, &ray);
            passed *= self.transparency(&it, media, depth, context);
            if !self.bodies.is_empty() {
                media.cross(&self.bodies, &it, direction);
            }
            end = self.leave(&it, direction, media, &mut contact);
        }
        (end, passed)
    }

    /// Distance from a contact's root up to which surfaces may coincide with it `[m]`.
    fn reach(&self, contact: &Contact) -> f32 {
        2.0 * (contact.root.p_error + self.rounding)
    }

    /// Bound on the rounding of points of a scene within these bounds, for surfaces of ordinary triangles `[m]`.
    pub(super) fn rounding_within(bounds: Bounds) -> f32 {
        let largest = bounds.min.abs().max(bounds.max.abs());
        if largest.is_finite() {
            ROUNDING * largest.element_sum()
        } else {
            0.0
        }
    }

    /// The surfaces of a contact; none if there is no other than its root.
    fn layers(&self, contact: &Contact, mask: u32) -> Layers {
        let probe = contact.probe(self.reach(contact));
        let mut layers = Layers {
            list: vec![],
            next: [f32::INFINITY; 2],
        };
        let root = Layer {
            hit: Hit {
                t: self.reach(contact),
                shape: contact.root_shape,
                primitive: contact.root_primitive,
                barycentric: Vec2::ZERO,
            },
            depth: 0.0,
            error: contact.root.p_error,
            is_exit: contact.axis.dot(contact.root.ng) > 0.0,
            body: self.body_of(contact.root_shape),
            is_root: true,
        };
        self.accel.all_hits(&probe, mask, |hit| {
            let it = self.interaction(probe, hit);
            let layer = Layer {
                hit: *hit,
                depth: (it.p - contact.root.p).dot(contact.axis),
                error: it.p_error,
                is_exit: contact.axis.dot(it.ng) > 0.0,
                body: self.body_of(it.shape),
                is_root: false,
            };
            if layer.is_side_of(&root) {
                return;
            }
            if layer.coincides(&root) {
                layers.add(root, layer);
            } else {
                let next = &mut layers.next[usize::from(layer.depth > 0.0)];
                *next = next.min(layer.depth.abs());
            }
        });
        if !layers.list.is_empty() {
            let opens = |layer: &Layer| self.material(layer.hit.shape).may_be_transparent();
            layers.sort(contact.is_late, opens);
        }
        layers
    }

    fn body_of(&self, shape: ShapeId) -> Option<BodyId> {
        match self.bodies.is_empty() {
            true => None,
            false => self.bodies.of_shape(shape),
        }
    }
}

impl Layer {
    /// Returns whether rays may find either surface first.
    fn coincides(&self, other: &Layer) -> bool {
        (self.depth - other.depth).abs() <= self.error + other.error
    }

    /// Returns whether both are faces of one surface, which meet at an edge.
    fn is_side_of(&self, other: &Layer) -> bool {
        let is_same = self.hit.shape == other.hit.shape || self.body.is_some() && self.body == other.body;
        is_same && self.is_exit == other.is_exit && self.coincides(other)
    }
}

impl Layers {
    fn add(&mut self, root: Layer, layer: Layer) {
        if self.list.is_empty() {
            self.list.push(root);
        }
        if !self.list.iter().any(|known| layer.is_side_of(known)) {
            self.list.push(layer);
        }
    }

    /// Sorts the surfaces by distance, and those that coincide by kind.
    fn sort(&mut self, is_late: bool, opens: impl Fn(&Layer) -> bool) {
        let bounds_both = |layer: &Layer| {
            let is_other_side = |other: &Layer| other.body == layer.body && other.is_exit != layer.is_exit;
            layer.body.is_some() && self.list.iter().any(is_other_side)
        };
        let rank = |layer: &Layer| match layer.body {
            _ if is_late && layer.is_root => (0, 0, false),
            // Of several bodies, the one that wins against the others is left last and entered first.
            Some(id) if layer.is_exit && !bounds_both(layer) => (1, -i64::from(id.0), false),
            // A body that is thinner than rounding is entered before it is left.
            Some(id) if bounds_both(layer) => (2, i64::from(id.0), layer.is_exit),
            None if opens(layer) => (3, i64::from(layer.hit.shape.0), false),
            None => (4, i64::from(layer.hit.shape.0), false),
            Some(id) => (5, i64::from(id.0), false),
        };
        let mut list: Vec<_> = self.list.iter().map(|layer| (rank(layer), *layer)).collect();
        list.sort_by(|(_, a), (_, b)| a.depth.total_cmp(&b.depth));
        let mut is_sorted = false;
        while !is_sorted {
            is_sorted = true;
            for index in 1..list.len() {
                let [(before, a), (after, b)] = [&list[index - 1], &list[index]];
                if before > after && a.coincides(b) {
                    list.swap(index - 1, index);
                    is_sorted = false;
                }
            }
        }
        self.list = list.into_iter().map(|(_, layer)| layer).collect();
    }

    /// Distance from the root along the axis, or against it, at which a ray begins that leaves the contact `[m]`.
    fn extent(&self, along: bool) -> f32 {
        let side = if along { 1.0 } else { -1.0 };
        let depths = self.list.iter().map(|layer| side * layer.depth);
        let ends = self.list.iter().map(|layer| side * layer.depth + layer.error);
        let (depth, end) = (depths.fold(0.0, f32::max), ends.fold(0.0, f32::max));
        end.min(0.5 * (depth + self.next[usize::from(along)]))
    }
}
