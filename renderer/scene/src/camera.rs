//! Description of cameras, by name.

use std::sync::Arc;

use shading::Span;

use crate::{MaterialId, Motion};
use renderer_geometry::camera;

/// Camera with its name.
#[derive(Clone, Debug)]
pub struct CameraDesc {
    /// Name for `--camera`.
    pub name: String,
    /// Source location of the declaration.
    pub span: Span,
    /// The camera.
    pub camera: camera::CameraDesc,
    /// Shader of a custom camera.
    pub shader: Option<MaterialId>,
    /// Camera-to-world transform over time, which replaces that of the camera.
    pub motion: Option<Arc<Motion>>,
}
