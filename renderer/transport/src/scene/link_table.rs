//! Light links of the parts of a scene: receiver classes and blocker bits by shape, links by light.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::light::{Light, LightLink, ReceiverClass};
use renderer_geometry::ShapeId;

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
