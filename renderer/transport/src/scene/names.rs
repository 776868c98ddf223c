//! Names of a scene's shapes and lights, for passes.

use std::sync::Arc;

use renderer_scene::Catcher;

/// Names and camera visibility of a shape, for passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeName {
    /// Name of the object; instances of one node share it.
    pub object: Arc<str>,
    /// Name of its material.
    pub material: Arc<str>,
    /// Kind of shadow or light catcher, if the camera does not see its surface.
    pub catcher: Option<Catcher>,
    /// Name of the model that it was imported with; otherwise the object's name.
    pub asset: Arc<str>,
}

/// Names of a light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightName {
    /// Name of the light or of the emitting shape.
    pub name: Arc<str>,
    /// Name of its light group, if it has one.
    pub group: Option<Arc<str>>,
}

/// Names of all shapes and lights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneNames {
    /// Names of shapes, by shape id.
    pub shapes: Vec<ShapeName>,
    /// Names of lights, by light id.
    pub lights: Vec<LightName>,
}
