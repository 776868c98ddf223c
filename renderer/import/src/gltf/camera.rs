//! glTF cameras: perspective and orthographic projections.

use glam::{Affine3A, Vec2};
use gltf::camera::Projection as GltfProjection;

use super::GltfError;
use renderer_base::math::is_invertible;
use renderer_geometry::camera::{Aperture, CameraDesc, FovAxis, Projection};

/// Converts a camera with the transform of its node.
pub(super) fn camera_desc(camera: &gltf::Camera<'_>, place: Affine3A) -> Result<CameraDesc, GltfError> {
    let wrong = |what: &str| Err(format!("camera {} has {what}", camera.index()));
    if !is_invertible(&place) {
        return wrong("a singular transform");
    }
    // Near and far planes are for the depth buffers of rasterizers; ray tracing needs none.
    let projection = match camera.projection() {
        GltfProjection::Perspective(lens) => {
            let fov = lens.yfov();
            if !(fov > 0.0 && fov < std::f32::consts::PI) {
                return wrong("a field of view that is not between 0 and 180 degrees");
            }
            Projection::Perspective {
                fov,
                fov_axis: FovAxis::Y,
                aperture: Aperture::PINHOLE,
                focus_distance: 1.0,
                shift: Vec2::ZERO,
            }
        }
        GltfProjection::Orthographic(lens) => {
            let width = 2.0 * lens.xmag().abs();
            if !(width > 0.0 && width.is_finite()) {
                return wrong("no width");
            }
            Projection::Orthographic { width: Some(width), height: None }
        }
    };
    Ok(CameraDesc {
        world_from_camera: place,
        projection,
        near: 0.0,
        far: f32::INFINITY,
    })
}

/// Aspect ratio (width over height) of the camera's picture.
pub(super) fn aspect_of(camera: &gltf::Camera<'_>) -> Option<f32> {
    match camera.projection() {
        GltfProjection::Perspective(lens) => lens.aspect_ratio(),
        GltfProjection::Orthographic(lens) => Some((lens.xmag() / lens.ymag()).abs()),
    }
}
