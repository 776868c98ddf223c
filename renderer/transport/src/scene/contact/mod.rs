//! Contacts: surfaces that coincide up to rounding, as where one object rests on another.
//!
//! Rounding decides in which order a ray finds such surfaces, so paths cross them in a fixed order instead: boundaries
//! of bodies that the path leaves, then surfaces without a body, then boundaries of bodies that it enters. The opposite
//! direction has the reverse order.
//!
//! Terms: the *root* is the surface that a ray found first; the *axis* is the root's unit normal, oriented along the
//! path that found it; a [`ContactSurface`] is one of the coincident surfaces, the root included; a [`Contact`] is the
//! position of a path in the order of crossing.

pub(crate) mod bounds;
pub(crate) mod coplanar;
pub(crate) mod crossing;

use glam::{Vec2, Vec3};

use super::Scene;
use crate::interior::BodyId;
use crate::material::MaterialId;
use renderer_base::math::{Bounds, ROUNDING, Ray, RayEnd};
use renderer_geometry::{Hit, Interaction, ShapeId};

/// Position of a path among surfaces that coincide.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Point on the root.
    root: RayEnd,
    /// Unit normal of the root, along the direction of the path that found it.
    pub(crate) axis: Vec3,
    root_shape: ShapeId,
    /// Primitive of the root; `None` if unknown, as for a point on a shape.
    root_primitive: Option<u32>,
    time: f32,
    /// True if the path crossed the root before it found the other surfaces.
    is_late: bool,
    /// Index of the path's surface in the order of crossing.
    pub(crate) index: u32,
    /// Hit of the ray along `axis` on the surface at `index`.
    pub(crate) hit: Hit,
}

/// A surface of a contact.
#[derive(Clone, Copy)]
pub(crate) struct ContactSurface {
    pub(crate) hit: Hit,
    /// Distance from the root along the axis `[m]`.
    pub(crate) depth: f32,
    /// Error bound of the depth: rounding of the ray and of the shape's placement `[m]`.
    error: f32,
    /// True if a path along the axis leaves the body of the surface.
    is_exit: bool,
    body: Option<BodyId>,
    /// Material, if the surface is opaque and has no body. Subsurface walks treat all objects of such a material as
    /// one.
    opaque: Option<MaterialId>,
    pub(crate) is_root: bool,
}

/// The surfaces of a contact, in the order of crossing along the axis.
pub(crate) struct ContactSurfaces {
    pub(crate) list: Vec<ContactSurface>,
    /// Distances from the root to the nearest surfaces outside the contact, before and behind it `[m]`.
    next: [f32; 2],
}

impl Contact {
    /// Contact at a surface that a path has found; `is_late` if the path has already crossed the surface.
    pub(crate) fn new(it: &Interaction, is_late: bool) -> Contact {
        let is_back = it.wo.dot(it.ng) < 0.0;
        Contact {
            root: it.ray_end(),
            axis: if is_back { it.ng } else { -it.ng },
            root_shape: it.shape,
            root_primitive: Some(it.primitive),
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

    /// Contact at a point of a shape, for a path along `ray`.
    pub(crate) fn at(end: &RayEnd, shape: ShapeId, ray: &Ray) -> Contact {
        Contact {
            root: *end,
            axis: end.ng * 1.0f32.copysign(end.ng.dot(ray.direction)),
            root_shape: shape,
            root_primitive: None,
            time: ray.time,
            is_late: false,
            index: 0,
            hit: Hit { t: 0.0, shape, primitive: 0, barycentric: Vec2::ZERO },
        }
    }

    /// The contact, with the path at the surface of this index.
    pub(crate) fn moved_to(&self, index: usize, surface: &ContactSurface) -> Contact {
        Contact { index: index as u32, hit: surface.hit, ..*self }
    }

    /// The ray along the axis through the root.
    pub(crate) fn probe(&self, reach: f32) -> Ray {
        Ray {
            t_max: 2.0 * reach,
            time: self.time,
            ..Ray::new(self.root.p - self.axis * reach, self.axis)
        }
    }
}

impl Scene {
    /// Distance from a contact's root up to which surfaces may coincide with it `[m]`.
    pub(crate) fn reach(&self, contact: &Contact) -> f32 {
        2.0 * (contact.root.p_error + self.rounding)
    }

    /// Bound on the rounding of points of a scene within these bounds, for surfaces of ordinary triangles `[m]`.
    pub(crate) fn rounding_within(bounds: Bounds) -> f32 {
        let largest = bounds.min.abs().max(bounds.max.abs());
        if largest.is_finite() {
            ROUNDING * largest.element_sum()
        } else {
            0.0
        }
    }

    /// The surfaces of a contact; empty if only the root is there.
    pub(crate) fn contact_surfaces(&self, contact: &Contact, mask: u32) -> ContactSurfaces {
        let probe = contact.probe(self.reach(contact));
        let mut surfaces = ContactSurfaces { list: vec![], next: [f32::INFINITY; 2] };
        let placement = |shape: ShapeId| {
            let error = self.placement_errors[shape.0 as usize];
            error.dot(contact.axis.abs())
        };
        let mut root = ContactSurface {
            hit: Hit {
                t: self.reach(contact),
                shape: contact.root_shape,
                primitive: contact.root_primitive.unwrap_or(0),
                barycentric: Vec2::ZERO,
            },
            depth: 0.0,
            error: contact.root.p_error + placement(contact.root_shape),
            is_exit: contact.axis.dot(contact.root.ng) > 0.0,
            body: self.body_of(contact.root_shape),
            opaque: self.opaque_material(contact.root_shape),
            is_root: true,
        };
        self.accel.all_hits(&probe, mask, |hit| {
            let it = self.interaction(probe, hit);
            let surface = ContactSurface {
                hit: *hit,
                depth: (it.p - contact.root.p).dot(contact.axis),
                error: it.p_error + placement(it.shape),
                is_exit: contact.axis.dot(it.ng) > 0.0,
                body: self.body_of(it.shape),
                opaque: self.opaque_material(it.shape),
                is_root: false,
            };
            let is_root = contact.root_primitive.is_none()
                && hit.shape == contact.root_shape
                && surface.coincides(&root);
            if is_root {
                root.hit = *hit;
            } else if surface.is_side_of(&root) {
                // The root itself, or a face of its surface.
            } else if surface.coincides(&root) {
                surfaces.add(root, surface);
            } else {
                let next = &mut surfaces.next[usize::from(surface.depth > 0.0)];
                *next = next.min(surface.depth.abs());
            }
        });
        if !surfaces.list.is_empty() {
            let is_clear = |s: &ContactSurface| self.material(s.hit.shape).may_be_transparent();
            surfaces.list[0] = root;
            surfaces.sort(contact.is_late, is_clear);
        }
        surfaces
    }

    pub(crate) fn body_of(&self, shape: ShapeId) -> Option<BodyId> {
        match self.bodies.is_empty() {
            true => None,
            false => self.bodies.of_shape(shape),
        }
    }

    /// Material of a shape that bounds no body, if it is opaque.
    fn opaque_material(&self, shape: ShapeId) -> Option<MaterialId> {
        let is_opaque = self.body_of(shape).is_none() && !self.material(shape).may_be_transparent();
        is_opaque.then(|| self.material_id(shape))
    }
}

impl ContactSurface {
    /// Returns whether rounding may swap the order in which a ray finds two surfaces.
    fn coincides(&self, other: &ContactSurface) -> bool {
        (self.depth - other.depth).abs() <= self.error + other.error
    }

    /// Returns whether both are faces of one surface that meet at an edge.
    fn is_side_of(&self, other: &ContactSurface) -> bool {
        let is_same = self.hit.shape == other.hit.shape
            || self.body.is_some() && self.body == other.body
            || self.opaque.is_some() && self.opaque == other.opaque;
        is_same && self.is_exit == other.is_exit && self.coincides(other)
    }
}

impl ContactSurfaces {
    fn add(&mut self, root: ContactSurface, surface: ContactSurface) {
        if self.list.is_empty() {
            self.list.push(root);
        }
        if !self.list.iter().any(|known| surface.is_side_of(known)) {
            self.list.push(surface);
        }
    }

    /// Sorts the surfaces by depth; those within the error bounds of each other by kind.
    fn sort(&mut self, is_late: bool, is_clear: impl Fn(&ContactSurface) -> bool) {
        let bounds_both = |surface: &ContactSurface| {
            let is_other_side = |s: &ContactSurface| s.body == surface.body && s.is_exit != surface.is_exit;
            surface.body.is_some() && self.list.iter().any(is_other_side)
        };
        let rank = |surface: &ContactSurface| match surface.body {
            _ if is_late && surface.is_root => (0, 0, false),
            // The body of the highest precedence is left last and entered first.
            Some(id) if surface.is_exit && !bounds_both(surface) => (1, -i64::from(id.0), false),
            // A body that is thinner than rounding is entered before it is left.
            Some(id) if bounds_both(surface) => (2, i64::from(id.0), surface.is_exit),
            None if is_clear(surface) => (3, i64::from(surface.hit.shape.0), false),
            None => (4, i64::from(surface.hit.shape.0), false),
            Some(id) => (5, i64::from(id.0), false),
        };
        let mut list: Vec<_> = self.list.iter().map(|s| (rank(s), *s)).collect();
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
        self.list = list.into_iter().map(|(_, surface)| surface).collect();
    }

    /// Distance from the root to the origin of a ray that leaves the contact along the axis or against it `[m]`.
    pub(crate) fn extent(&self, along: bool) -> f32 {
        let side = if along { 1.0 } else { -1.0 };
        let depths = self.list.iter().map(|s| side * s.depth);
        let ends = self.list.iter().map(|s| side * s.depth + s.error);
        let (depth, end) = (depths.fold(0.0, f32::max), ends.fold(0.0, f32::max));
        end.min(0.5 * (depth + self.next[usize::from(along)]))
    }
}
