//! Names of a scene's shapes and lights, for passes.

use std::sync::Arc;

use renderer_scene::Catcher;

/// Names of a shape, and what else passes know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeName {
    /// Of the object; instances of one node share it.
    pub object: Arc<str>,
    /// Of its material.
    pub material: Arc<str>,
    /// What it is to the camera, if that is not a surface.
    pub catcher: Option<Catcher>,
    /// Of the model that it was imported with; that of the object if it was not.
    pub asset: Arc<str>,
}

/// Names of a light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightName {
    /// Of the light, or of the shape that emits.
    pub name: Arc<str>,
    /// Of its group, if it is in one.
    pub group: Option<Arc<str>>,
}

/// Names of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneNames {
    /// Of its shapes, by their ids.
    pub shapes: Vec<ShapeName>,
    /// Of its lights, by their ids.
    pub lights: Vec<LightName>,
}
