//! Contacts: surfaces that coincide up to rounding, as where one object rests on another.
//!
//! A ray finds such surfaces in an order that rounding decides. Paths cross them in one order instead: first the boundaries
//! of bodies that they leave, then surfaces that bound no body, then the boundaries of bodies that they enter. In the
//! opposite direction the order is the reverse. The position of a path within a contact is an index into this order.

pub(crate) mod bounds;
pub(crate) mod coplanar;
pub(crate) mod crossing;

use glam::{Vec2, Vec3};

use super::Scene;
use crate::interior::BodyId;
use crate::material::MaterialId;
use renderer_base::math::{Bounds, ROUNDING, Ray, RayEnd};
use renderer_geometry::{Hit, Interaction, ShapeId};

/// A place of a path among surfaces that coincide.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Point of the surface that was found first.
    root: RayEnd,
    /// Unit normal of that surface, in the direction of the path that found it.
    pub(crate) axis: Vec3,
    root_shape: ShapeId,
    /// Its primitive; `None` if the query is to find it.
    root_primitive: Option<u32>,
    time: f32,
    /// True if the path had crossed the first surface before the others were found.
    is_late: bool,
    /// Index of the path's surface in the order of crossing.
    pub(crate) index: u32,
    /// Hit of the ray along `axis` on the path's surface.
    pub(crate) hit: Hit,
}

/// A surface of a contact.
#[derive(Clone, Copy)]
pub(crate) struct Layer {
    pub(crate) hit: Hit,
    /// Distance from the root along the axis `[m]`.
    pub(crate) depth: f32,
    /// Bound on the errors of the distance, by rays and by the placement of the shape `[m]`.
    error: f32,
    /// True if a path along the axis leaves what the surface bounds.
    is_exit: bool,
    body: Option<BodyId>,
    /// Material of an opaque surface without a body. Objects of one such material are one to subsurface walks.
    opaque: Option<MaterialId>,
    pub(crate) is_root: bool,
}

/// The surfaces of a contact, in the order of crossing along the axis.
pub(crate) struct Layers {
    pub(crate) list: Vec<Layer>,
    /// Distances of the nearest surfaces that belong to no contact with the root, before and beyond it `[m]`.
    next: [f32; 2],
}

impl Contact {
    /// A contact at a surface that a path has found; `is_late` if the path has crossed it before.
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

    /// A contact at a point of a shape, along `ray`.
    pub(crate) fn at(end: &RayEnd, shape: ShapeId, ray: &Ray) -> Contact {
        Contact {
            root: *end,
            axis: end.ng * 1.0f32.copysign(end.ng.dot(ray.direction)),
            root_shape: shape,
            root_primitive: None,
            time: ray.time,
            is_late: false,
            index: 0,
            hit: Hit {
                t: 0.0,
                shape,
                primitive: 0,
                barycentric: Vec2::ZERO,
            },
        }
    }

    /// The contact with the path at another of its surfaces.
    pub(crate) fn moved_to(&self, index: usize, layer: &Layer) -> Contact {
        Contact {
            index: index as u32,
            hit: layer.hit,
            ..*self
        }
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

    /// The surfaces of a contact; none if there is no other than its root.
    pub(crate) fn layers(&self, contact: &Contact, mask: u32) -> Layers {
        let probe = contact.probe(self.reach(contact));
        let mut layers = Layers {
            list: vec![],
            next: [f32::INFINITY; 2],
        };
        let placement = |shape: ShapeId| {
            let error = self.placement_errors[shape.0 as usize];
            error.dot(contact.axis.abs())
        };
        let mut root = Layer {
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
            let layer = Layer {
                hit: *hit,
                depth: (it.p - contact.root.p).dot(contact.axis),
                error: it.p_error + placement(it.shape),
                is_exit: contact.axis.dot(it.ng) > 0.0,
                body: self.body_of(it.shape),
                opaque: self.opaque_material(it.shape),
                is_root: false,
            };
            let is_sought =
                contact.root_primitive.is_none() && hit.shape == contact.root_shape && layer.coincides(&root);
            if is_sought {
                root.hit = *hit;
            } else if layer.is_side_of(&root) {
                // The root itself, or a face next to it.
            } else if layer.coincides(&root) {
                layers.add(root, layer);
            } else {
                let next = &mut layers.next[usize::from(layer.depth > 0.0)];
                *next = next.min(layer.depth.abs());
            }
        });
        if !layers.list.is_empty() {
            let opens = |layer: &Layer| self.material(layer.hit.shape).may_be_transparent();
            layers.list[0] = root;
            layers.sort(contact.is_late, opens);
        }
        layers
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

impl Layer {
    /// Returns whether rays may find either surface first.
    fn coincides(&self, other: &Layer) -> bool {
        (self.depth - other.depth).abs() <= self.error + other.error
    }

    /// Returns whether both are faces of one surface, which meet at an edge.
    fn is_side_of(&self, other: &Layer) -> bool {
        let is_same = self.hit.shape == other.hit.shape
            || self.body.is_some() && self.body == other.body
            || self.opaque.is_some() && self.opaque == other.opaque;
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
    pub(crate) fn extent(&self, along: bool) -> f32 {
        let side = if along { 1.0 } else { -1.0 };
        let depths = self.list.iter().map(|layer| side * layer.depth);
        let ends = self.list.iter().map(|layer| side * layer.depth + layer.error);
        let (depth, end) = (depths.fold(0.0, f32::max), ends.fold(0.0, f32::max));
        end.min(0.5 * (depth + self.next[usize::from(along)]))
    }
}
