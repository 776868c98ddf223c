//! Light links of a scene: receiver classes and blocker bits by shape, links by light.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Scene;
use super::visibility::ShadowRay;
use crate::interior::InteriorList;
use crate::light::{Light, LightId, LightLink, ReceiverClass};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_geometry::{ShapeId, accel};
use renderer_scene::LightVisibility;

/// Light links of the parts of a scene; empty if every light illuminates all shapes.
#[derive(Clone, Debug, Default)]
pub struct SceneLinks {
    /// Receiver class by shape.
    pub classes: Vec<ReceiverClass>,
    /// Number of receiver classes.
    pub class_count: u8,
    /// Ray mask bits by shape: one for each set of blockers that has the shape.
    pub blocker_bits: Vec<u32>,
    /// Links of the lights that are not shapes.
    pub of_lights: Vec<LightLink>,
    /// Links of the lights of shapes.
    pub of_shapes: FxHashMap<ShapeId, LightLink>,
}

impl SceneLinks {
    /// Receiver class of a shape.
    pub(super) fn class_of(&self, shape: ShapeId) -> ReceiverClass {
        self.classes.get(shape.0 as usize).copied().unwrap_or_default()
    }

    /// Link of each light; empty without links. The lights of shapes follow those of the description.
    pub(super) fn by_light(&self, lights: &[Light]) -> Arc<[LightLink]> {
        let is_empty = self.of_lights.iter().all(|link| *link == LightLink::ALL) && self.of_shapes.is_empty();
        if is_empty {
            return Arc::new([]);
        }
        let link = |(index, light): (usize, &Light)| match light.shape() {
            Some(shape) => self.of_shapes.get(&shape).copied().unwrap_or(LightLink::ALL),
            None => self.of_lights.get(index).copied().unwrap_or(LightLink::ALL),
        };
        lights.iter().enumerate().map(link).collect()
    }
}

impl Scene {
    /// Returns whether a light has links.
    #[inline]
    pub(crate) fn has_links(&self) -> bool {
        !self.emitters.links.is_empty()
    }

    /// Link of a light.
    #[inline]
    pub(crate) fn link(&self, light: LightId) -> &LightLink {
        self.emitters.links.get(light.0 as usize).unwrap_or(&LightLink::ALL)
    }

    /// Returns whether the links of a light apply to scattered rays, not to those of the camera alone.
    #[inline]
    pub(crate) fn links_scattering(&self) -> bool {
        self.emitters.restricts_scattering
    }

    /// Returns whether a light has restricted blockers.
    #[inline]
    pub(crate) fn has_linked_blockers(&self) -> bool {
        self.emitters.has_linked_blockers
    }

    /// Receiver class of a shape.
    #[inline]
    pub fn receiver_class(&self, shape: ShapeId) -> ReceiverClass {
        self.surfaces[shape.0 as usize].class
    }

    /// Receiver class of the medium at the position of a path.
    pub(crate) fn receiver_class_in(&self, interior: &InteriorList) -> ReceiverClass {
        match self.medium_shape(interior) {
            Some(shape) if self.has_links() => self.receiver_class(shape),
            _ => ReceiverClass::default(),
        }
    }

    /// Returns whether camera rays do not see an emissive shape.
    #[inline]
    pub(crate) fn is_hidden_from_camera(&self, shape: ShapeId) -> bool {
        let link = self.light_of(shape).map(|light| self.link(light));
        self.has_links() && link.is_some_and(|link| !link.visible_to.contains(LightVisibility::CAMERA))
    }

    /// Returns whether a shape blocks shadow rays of a mask.
    #[inline]
    pub(crate) fn blocks(&self, shape: ShapeId, blockers: u32) -> bool {
        blockers == accel::ALL || self.masks[shape.0 as usize] & blockers != 0
    }

    /// Returns whether the medium at the position of a ray attenuates shadow rays of a mask.
    pub(crate) fn medium_blocks(&self, interior: &InteriorList, blockers: u32) -> bool {
        blockers == accel::ALL || self.medium_shape(interior).is_none_or(|shape| self.blocks(shape, blockers))
    }

    /// Fraction of the light that reaches a point of a shape along its shadow ray; black if the light does not illuminate
    /// the shape.
    pub fn light_transmittance(
        &self,
        light: LightId,
        receiver: ShapeId,
        ray: &Ray,
        context: &mut ShadingContext,
    ) -> Rgb {
        let LightLink { blockers, .. } = *self.link(light);
        if !self.link(light).illuminates(self.receiver_class(receiver)) {
            return Rgb::BLACK;
        }
        let shadow = || ShadowRay { blockers, ..ShadowRay::new(*ray, 1, 0) };
        self.shadow_transmittance(ray, blockers, shadow, || InteriorList::NONE, context)
    }

    /// Shape of the body whose medium is present; `None` outside all shapes.
    fn medium_shape(&self, interior: &InteriorList) -> Option<ShapeId> {
        interior.media(&self.bodies).next()?.1.shape
    }

    /// Adds the links to a hash.
    pub(super) fn hash_links(&self, hasher: &mut impl std::hash::Hasher) {
        if self.has_links() {
            self.emitters.links.hash(hasher);
            for (surface, mask) in self.surfaces.iter().zip(&*self.masks) {
                (surface.class, mask).hash(hasher);
            }
        }
    }
}
