//! Description of cameras, by name.

use shading::Span;

use renderer_geometry::camera;

/// A camera with its name.
#[derive(Clone, Debug)]
pub struct CameraDesc {
    /// What `--camera` calls it.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The camera.
    pub camera: camera::CameraDesc,
}
