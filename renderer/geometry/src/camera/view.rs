//! Camera description for shaders: spaces `screen`, `NDC` and `raster`, field of view, clipping distances.
//!
//! - `screen`: the image plane; (0, 0) is the viewing axis, x points to the right and y up, and the film is 2 wide. z is
//!   the depth: 0 at the near plane, 1 at the far plane.
//! - `NDC`: (0, 0) is the top left corner of the film, (1, 1) the bottom right one; z as in `screen`.
//! - `raster`: as `NDC`, in pixels.
//!
//! A near plane at 0 is moved to [`MIN_NEAR`], since the depth would be constant. Without a far plane, the depth of a
//! perspective camera approaches 1, and that of an orthographic camera is in metres. Panoramas and fisheye lenses have no such
//! spaces, since they are not projective.

use glam::{Affine3A, Mat4, Vec2, Vec3, Vec4};

use super::CustomLens;

/// Nearest depth of the near plane in `screen` space [m].
const MIN_NEAR: f32 = 1e-3;

/// Camera attributes of shaders.
#[derive(Clone, Copy, Debug)]
pub struct CameraView {
    /// Camera space to world space, without scale.
    pub world_from_camera: Affine3A,
    /// Width and height of the film [pixels].
    pub resolution: [u32; 2],
    /// Keyword of the projection in scene files.
    pub projection: &'static str,
    /// Angle that the width of the film covers [degrees]; 0 for parallel rays and custom cameras.
    pub fov: f32,
    /// Near and far clipping distance [m].
    pub clip: [f32; 2],
    /// Width of a pixel divided by its height.
    pub pixel_aspect: f32,
    /// The image plane; `None` for a panorama, a fisheye lens or a custom camera.
    pub plane: Option<ImagePlane>,
    /// Lens settings of a custom camera.
    pub custom: Option<CustomLens>,
}

/// The image plane of a camera: `screen` space and the film in it.
#[derive(Clone, Copy, Debug)]
pub struct ImagePlane {
    /// Left, bottom, right and top of the film in `screen` space.
    pub window: [f32; 4],
    screen_from_camera: Mat4,
    camera_from_screen: Mat4,
    screen_from_raster: Mat4,
    raster_from_screen: Mat4,
    /// Width and height of the film [pixels].
    film: Vec2,
}

impl Default for CameraView {
    /// A camera without a film at the origin.
    fn default() -> CameraView {
        CameraView {
            world_from_camera: Affine3A::IDENTITY,
            resolution: [0; 2],
            projection: "",
            fov: 0.0,
            clip: [0.0, f32::INFINITY],
            pixel_aspect: 1.0,
            plane: None,
            custom: None,
        }
    }
}

/// Film of an image plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneFilm {
    /// Width and height [pixels].
    pub(super) size: Vec2,
    /// Film point on the viewing axis [pixels].
    pub(super) center: Vec2,
    /// Extent of a pixel: on the plane at distance 1, or of parallel rays [m].
    pub(super) pixel: Vec2,
}

impl ImagePlane {
    /// Image plane of a perspective camera.
    pub(super) fn perspective(film: PlaneFilm, [near, far]: [f32; 2]) -> ImagePlane {
        let near = near.max(MIN_NEAR);
        // Depth a − b/distance, 0 at the near plane and 1 at the far plane.
        let a = if far.is_finite() { far / (far - near) } else { 1.0 };
        let b = a * near;
        let half = film.half_width();
        let screen_from_camera = Mat4::from_cols(
            Vec4::X / half,
            Vec4::Y / half,
            Vec4::new(0.0, 0.0, -a, -1.0),
            Vec4::new(0.0, 0.0, -b, 0.0),
        );
        let camera_from_screen = Mat4::from_cols(
            Vec4::X * half,
            Vec4::Y * half,
            Vec4::new(0.0, 0.0, 0.0, -1.0 / b),
            Vec4::new(0.0, 0.0, -1.0, a / b),
        );
        ImagePlane::new(film, screen_from_camera, camera_from_screen)
    }

    /// Image plane of an orthographic camera.
    pub(super) fn orthographic(film: PlaneFilm, [near, far]: [f32; 2]) -> ImagePlane {
        let depth = if far.is_finite() { far - near } else { 1.0 };
        let half = film.half_width();
        let scale = |x: f32, z: f32| Mat4::from_scale(Vec3::new(x, x, z));
        let shift = |z: f32| Mat4::from_translation(Vec3::Z * z);
        let screen_from_camera = scale(1.0 / half, -1.0 / depth) * shift(near);
        let camera_from_screen = shift(-near) * scale(half, -depth);
        ImagePlane::new(film, screen_from_camera, camera_from_screen)
    }

    fn new(film: PlaneFilm, screen_from_camera: Mat4, camera_from_screen: Mat4) -> ImagePlane {
        let PlaneFilm { size, center, pixel } = film;
        let pixel = pixel / film.half_width();
        let [left, top] = [-center.x * pixel.x, center.y * pixel.y];
        let scale = |x: f32, y: f32| Mat4::from_scale(Vec3::new(x, y, 1.0));
        let shift = |x: f32, y: f32| Mat4::from_translation(Vec3::new(x, y, 0.0));
        ImagePlane {
            window: [left, top - size.y * pixel.y, left + size.x * pixel.x, top],
            screen_from_camera,
            camera_from_screen,
            screen_from_raster: shift(left, top) * scale(pixel.x, -pixel.y),
            raster_from_screen: scale(1.0 / pixel.x, -1.0 / pixel.y) * shift(-left, -top),
            film: size,
        }
    }
}

impl PlaneFilm {
    fn half_width(&self) -> f32 {
        0.5 * self.size.x * self.pixel.x
    }
}

impl CameraView {
    /// Matrices between camera space and the space `screen`, `NDC` or `raster`: camera from space, and space from camera.
    /// `None` for other names, and for panoramas, fisheye lenses and custom cameras.
    pub fn projected_space(&self, name: &str) -> Option<[Mat4; 2]> {
        let plane = self.plane.as_ref()?;
        let scale = |size: Vec2| Mat4::from_scale(size.extend(1.0));
        let (screen_from_space, space_from_screen) = match name {
            "screen" => (Mat4::IDENTITY, Mat4::IDENTITY),
            "raster" => (plane.screen_from_raster, plane.raster_from_screen),
            "NDC" => (
                plane.screen_from_raster * scale(plane.film),
                scale(plane.film.recip()) * plane.raster_from_screen,
            ),
            _ => return None,
        };
        Some([plane.camera_from_screen * screen_from_space, space_from_screen * plane.screen_from_camera])
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Camera, CameraDesc, FovAxis, Projection, look_at};
    use super::*;

    fn camera(projection: Projection, clip: [f32; 2]) -> Camera {
        let desc = CameraDesc {
            world_from_camera: look_at(Vec3::new(1.0, 2.0, 5.0), Vec3::ZERO, Vec3::Y).unwrap(),
            projection,
            near: clip[0],
            far: clip[1],
        };
        Camera::new(&desc, 64, 48).unwrap()
    }

    fn cameras() -> Vec<Camera> {
        let perspective = Projection::Perspective {
            fov: 0.8,
            fov_axis: FovAxis::Y,
            aperture: super::super::Aperture::PINHOLE,
            focus_distance: 1.0,
            shift: Vec2::new(0.1, -0.2),
        };
        let orthographic = Projection::Orthographic { width: Some(3.0), height: Some(5.0) };
        [perspective, orthographic]
            .into_iter()
            .flat_map(|projection| [[0.0, f32::INFINITY], [0.5, 20.0]].map(|clip| camera(projection, clip)))
            .collect()
    }

    #[test]
    fn raster_space_is_where_points_are_seen() {
        for camera in cameras() {
            let view = camera.view();
            let camera_from_world = view.world_from_camera.inverse();
            for p in [Vec3::ZERO, Vec3::new(0.3, -0.2, 0.4)] {
                let [_, raster] = view.projected_space("raster").unwrap();
                let [_, ndc] = view.projected_space("NDC").unwrap();
                let local = camera_from_world.transform_point3(p);
                let seen = camera.project(p).unwrap();
                let found = raster.project_point3(local);
                assert!(found.truncate().abs_diff_eq(seen, 1e-3), "{found} is not {seen}");
                let found = ndc.project_point3(local).truncate() * Vec2::new(64.0, 48.0);
                assert!(found.abs_diff_eq(seen, 1e-3), "{found} is not {seen}");
            }
        }
    }

    #[test]
    fn the_window_is_the_film_in_screen_space() {
        for camera in cameras() {
            let view = camera.view();
            let [left, bottom, right, top] = view.plane.unwrap().window;
            let [camera_from_ndc, _] = view.projected_space("NDC").unwrap();
            let [_, screen_from_camera] = view.projected_space("screen").unwrap();
            let screen = screen_from_camera * camera_from_ndc;
            let corner = |x, y| screen.project_point3(Vec3::new(x, y, 0.5)).truncate();
            assert!(corner(0.0, 0.0).abs_diff_eq(Vec2::new(left, top), 1e-4));
            assert!(corner(1.0, 1.0).abs_diff_eq(Vec2::new(right, bottom), 1e-4));
            assert!((right - left - 2.0).abs() < 1e-5);
        }
    }

    #[test]
    fn spaces_invert_and_depth_runs_from_near_to_far() {
        for camera in cameras() {
            let view = camera.view();
            for name in ["screen", "NDC", "raster"] {
                let [camera_from, from_camera] = view.projected_space(name).unwrap();
                let p = Vec3::new(0.4, -0.7, -3.0);
                let back = camera_from.project_point3(from_camera.project_point3(p));
                assert!(back.abs_diff_eq(p, 2e-2), "{name}: {back} is not {p}");
            }
            let [near, far] = view.clip;
            if far.is_finite() {
                let [_, screen] = view.projected_space("screen").unwrap();
                let depth = |d: f32| screen.project_point3(Vec3::NEG_Z * d).z;
                assert!(depth(near).abs() < 1e-5 && (depth(far) - 1.0).abs() < 1e-5);
            }
        }
        let panorama = camera(Projection::Panoramic, [0.0, f32::INFINITY]);
        assert!(panorama.view().projected_space("screen").is_none());
    }
}
