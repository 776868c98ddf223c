//! Rendering space: world space translated so that a scene far from the origin of the world is near the origin.
//!
//! Coordinates of single precision, and all error bounds of rays, are relative to the distance from the origin. Shapes,
//! lights and cameras are in rendering space; shaders, and everything that users read or write, are in world space.
// Pharr et al. 2023, "Physically Based Rendering", section 5.1.1.

use glam::{Affine3A, Vec3, Vec3A};

use renderer_base::math::Bounds;
use renderer_geometry::camera::CameraDesc;
use renderer_geometry::{Shape, ShapeId};
use renderer_scene::LightKind;

/// Rendering space of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RenderingSpace {
    /// Origin of rendering space, in world space [m].
    pub origin: Vec3,
}

impl RenderingSpace {
    /// Rendering space for shapes with these bounds: world space, unless they are far from its origin for their size.
    pub fn of(bounds: Bounds) -> RenderingSpace {
        /// Distance from the origin, in radii of the scene, from which rendering space is another one.
        const MIN_DISTANCE: f32 = 4.0;
        let center = bounds.center();
        let is_far = !bounds.is_empty() && center.length() > MIN_DISTANCE * bounds.radius();
        RenderingSpace {
            origin: if is_far && center.is_finite() { center } else { Vec3::ZERO },
        }
    }

    /// Converts a point of a shape to world space. Points without a shape are already in world space.
    #[inline]
    pub(super) fn world_point(self, shape: ShapeId, p: Vec3) -> Vec3 {
        if shape == ShapeId(u32::MAX) {
            return p;
        }
        self.world(p)
    }

    /// A point of rendering space in world space.
    #[inline]
    pub fn world(self, p: Vec3) -> Vec3 {
        p + self.origin
    }

    /// A point of world space in rendering space.
    #[inline]
    pub fn rendering(self, p: Vec3) -> Vec3 {
        p - self.origin
    }

    /// A shape in world space moved to rendering space.
    pub(crate) fn shape(self, shape: Shape) -> Shape {
        let placement = shape.placement().map(|world| self.transform_to_rendering(world));
        let vertex_motion = shape.vertex_motion().cloned();
        let mut moved = Shape::new(shape.geometry, placement).with_vertex_motion(vertex_motion);
        moved.flip_normals = shape.flip_normals;
        moved.animated = shape.animated;
        moved.attributes = shape.attributes;
        moved
    }

    /// A camera in world space moved to rendering space.
    #[must_use]
    pub fn camera(self, camera: &CameraDesc) -> CameraDesc {
        CameraDesc {
            world_from_camera: self.transform_to_rendering(&camera.world_from_camera),
            ..*camera
        }
    }

    /// A light in world space moved to rendering space.
    pub(crate) fn light(self, light: &LightKind) -> LightKind {
        let mut moved = light.clone();
        match &mut moved {
            LightKind::Environment { portals, .. } | LightKind::Background { portals, .. } => {
                for portal in portals {
                    portal.p = self.rendering(portal.p);
                }
            }
            LightKind::Point { position, .. } | LightKind::Spot { position, .. } => {
                *position = self.rendering(*position);
            }
            LightKind::Luminaire { world_from_light, .. } | LightKind::Projector { world_from_light, .. } => {
                *world_from_light = self.transform_to_rendering(world_from_light);
            }
            LightKind::DirectionalArea { world_from_sheet, .. } => {
                *world_from_sheet = self.transform_to_rendering(world_from_sheet);
            }
            LightKind::Sky { .. } | LightKind::Directional { .. } => {}
        }
        moved
    }

    /// Converts a transform to rendering space into one to world space.
    pub(super) fn transform_to_world(self, rendering_from_local: &Affine3A) -> Affine3A {
        self.translated(rendering_from_local, self.origin)
    }

    /// Converts a transform to world space into one to rendering space.
    pub(crate) fn transform_to_rendering(self, world_from_local: &Affine3A) -> Affine3A {
        self.translated(world_from_local, -self.origin)
    }

    fn translated(self, transform: &Affine3A, by: Vec3) -> Affine3A {
        Affine3A {
            translation: transform.translation + Vec3A::from(by),
            ..*transform
        }
    }

    /// Error bound of a point converted to world space [m].
    #[inline]
    pub(super) fn rounding(self) -> f32 {
        self.origin.abs().element_sum() * (2.0 * f32::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_near_the_origin_are_rendered_in_world_space() {
        let ball = |center: Vec3, radius: f32| Bounds { min: center - radius, max: center + radius };
        let place = Vec3::new(3.0, 0.0, -4.0);
        for (bounds, origin) in
            [(ball(place, 1.0), Vec3::ZERO), (ball(place, 0.5), place), (Bounds::EMPTY, Vec3::ZERO)]
        {
            assert_eq!(RenderingSpace::of(bounds).origin, origin);
        }
    }
}
