//! Description of cameras, by name.

use shading::Span;

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
}
