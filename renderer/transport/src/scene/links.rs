//! Light links of a built scene: receivers and blockers, by shapes and media.

use std::hash::Hash;

use super::Scene;
use super::visibility::ShadowRay;
use crate::interior::InteriorList;
use crate::light::{LightId, LightLink, ReceiverClass};
use crate::material::ShadingContext;
use renderer_base::color::Rgb;
use renderer_base::math::Ray;
use renderer_geometry::{ShapeId, accel};
use renderer_scene::LightVisibility;

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
