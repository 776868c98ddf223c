//! Cameras: generate rays with differentials for film points; perspective (thin lens), orthographic, panoramic
//! (equirectangular, cube, stereo), fisheye, custom (by a shader).
//!
//! - In its own space a camera looks along −z, +y is up and +x to the right (as in glTF; a Mitsuba matrix has the camera
//!   look along +z with +x to the left: multiply it by half a turn about y).
//! - Film points are in pixels of the whole film: `(0, 0)` is the top left corner of the top left pixel, y downwards.
//!   Pixels are square, except for orthographic cameras with a `height`.
//! - Rays are in world space with unit direction.

mod aperture;
mod cube;
mod custom;
mod error;
mod fisheye;
mod lens;
mod pose;
mod stereo;
mod view;

pub use aperture::Aperture;
pub use cube::CubeLayout;
pub use custom::{CustomLens, ShaderRay};
pub use error::CameraError;
pub use fisheye::FisheyeMapping;
pub use lens::FovAxis;
pub use pose::look_at;
pub use view::{CameraView, ImagePlane};

use glam::{Affine3A, Vec2, Vec3};

pub use crate::RayDifferential;
use crate::SHUTTER_OPEN;
use cube::Cube;
use fisheye::Fisheye;
use lens::{LocalRay, Orthographic, Panoramic, Perspective};
pub use pose::{Pose, PoseMotion};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, atan};
use stereo::Stereo;
use view::PlaneFilm;

/// Projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Thin lens; a pinhole if the radius of its aperture is zero.
    Perspective {
        /// Field of view along `fov_axis` [radians], between 0 and π.
        fov: f32,
        /// Axis of the film that the field of view refers to.
        fov_axis: FovAxis,
        /// Aperture of the lens.
        aperture: Aperture,
        /// Distance of the plane of focus along the viewing axis [m].
        focus_distance: f32,
        /// Offset of the viewing axis from the centre of the film, to the left and upwards, in widths and heights of
        /// the film. The picture moves in the same direction.
        shift: Vec2,
    },
    /// Parallel rays.
    Orthographic {
        /// Width of the visible area [m]; by default that of square pixels, or 2 without a height.
        width: Option<f32>,
        /// Height of the visible area [m]; by default that of square pixels.
        height: Option<f32>,
    },
    /// Equirectangular: columns are longitude, rows are colatitude. The centre of the film looks along −z; rotated by
    /// half a turn about +y, the picture is an environment map in Kiln's convention.
    Panoramic,
    /// Two equirectangular panoramas for the eyes of a viewer, the left eye above the right one.
    Stereo {
        /// Distance between the eyes [m].
        eye_distance: f32,
    },
    /// Six views of 90 degrees.
    Cube {
        /// Arrangement of the views on the film.
        layout: CubeLayout,
    },
    /// Fisheye lens.
    Fisheye {
        /// Angles on the film.
        mapping: FisheyeMapping,
        /// Field of view along `fov_axis` [radians]; above π for lenses that see behind the camera.
        fov: f32,
        /// Axis of the film that the field of view refers to.
        fov_axis: FovAxis,
    },
    /// A shader computes the rays.
    Custom {
        /// Width of the sensor [mm]; its height is that of square pixels.
        sensor_width: f32,
        /// Aperture of the lens.
        aperture: Aperture,
        /// Focus distance [m].
        focus_distance: f32,
    },
}

/// Description of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraDesc {
    /// Position and orientation. Scale is ignored; a mirroring matrix mirrors the picture.
    pub world_from_camera: Affine3A,
    /// Projection.
    pub projection: Projection,
    /// Near clipping distance [m]: along the viewing axis; along the ray for panoramas, fisheye lenses and shaders.
    pub near: f32,
    /// Far clipping distance [m], measured as `near`; may be infinite.
    pub far: f32,
}

impl CameraDesc {
    /// A pinhole at the origin that looks along −z, with a horizontal field of view [radians].
    pub fn pinhole(fov: f32) -> CameraDesc {
        CameraDesc {
            world_from_camera: Affine3A::IDENTITY,
            projection: Projection::Perspective {
                fov,
                fov_axis: FovAxis::X,
                aperture: Aperture::PINHOLE,
                focus_distance: 1.0,
                shift: Vec2::ZERO,
            },
            near: 0.0,
            far: f32::INFINITY,
        }
    }
}

/// A camera ray with its differential.
#[derive(Clone, Copy, Debug)]
pub struct CameraRay {
    /// The ray, world space, clipped to near and far.
    pub ray: Ray,
    /// Ray differential: change of the ray from pixel to pixel.
    pub differential: RayDifferential,
    /// Factor of the radiance; black if there is no ray.
    pub throughput: Rgb,
}

/// A camera with its film size.
#[derive(Clone, Debug)]
pub struct Camera {
    pose: PoseMotion,
    model: Model,
    /// Width and height of the film [pixels].
    film: [u32; 2],
    near: f32,
    far: f32,
}

#[derive(Clone, Copy, Debug)]
enum Model {
    Perspective(Perspective),
    Orthographic(Orthographic),
    Panoramic(Panoramic),
    Stereo(Stereo),
    Cube(Cube),
    Fisheye(Fisheye),
    Custom(CustomLens),
}

/// A sample of the film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmSample {
    /// Film point [pixels].
    pub point: Vec2,
    /// Random point of the lens in `[0,1)²`.
    pub lens_u: Vec2,
    /// Time in `[0,1]` of the shutter interval.
    pub time: f32,
}

impl Camera {
    /// A camera for a film of `width` × `height` pixels, before any crop.
    ///
    /// # Errors
    /// If a number is out of range or the matrix is singular.
    pub fn new(desc: &CameraDesc, width: u32, height: u32) -> Result<Camera, CameraError> {
        if width == 0 || height == 0 {
            return Err(CameraError::NoFilm);
        }
        let CameraDesc { near, far, .. } = *desc;
        if !(near >= 0.0 && near < far) {
            return Err(CameraError::Clip { near, far });
        }
        let film = Vec2::new(width as f32, height as f32);
        let model = match desc.projection {
            Projection::Perspective { fov, fov_axis, aperture, focus_distance, shift } => {
                let lens = Perspective::new(film, fov, fov_axis, aperture, focus_distance)?;
                Model::Perspective(lens.shifted(film, shift)?)
            }
            Projection::Orthographic { width, height } => {
                Model::Orthographic(Orthographic::new(film, width, height)?)
            }
            Projection::Panoramic => Model::Panoramic(Panoramic::new(film)),
            Projection::Stereo { eye_distance } => Model::Stereo(Stereo::new(film, eye_distance)?),
            Projection::Cube { layout } => Model::Cube(Cube::new(film, layout)),
            Projection::Fisheye { mapping, fov, fov_axis } => {
                Model::Fisheye(Fisheye::new(film, mapping, fov, fov_axis)?)
            }
            Projection::Custom { sensor_width, aperture, focus_distance } => {
                Model::Custom(CustomLens::new(film, sensor_width, aperture, focus_distance)?)
            }
        };
        Ok(Camera {
            pose: PoseMotion::new(&[desc.world_from_camera])?,
            model,
            film: [width, height],
            near,
            far,
        })
    }

    /// The camera with poses by matrices `world_from_camera` at uniform times of the shutter interval.
    ///
    /// # Errors
    /// If a matrix is singular.
    pub fn with_motion(self, keys: &[Affine3A]) -> Result<Camera, CameraError> {
        Ok(Camera { pose: PoseMotion::new(keys)?, ..self })
    }

    /// Returns whether the camera moves while the shutter is open.
    pub fn is_moving(&self) -> bool {
        self.pose.is_moving()
    }

    /// Generates the ray through a film point [pixels] and the point of the lens sampled by `lens_u` in `[0,1)²`, at a time in
    /// `[0,1]` of the shutter interval. For a custom camera, it is the viewing axis: [`Camera::custom_ray`] places its rays.
    #[inline]
    pub fn generate(&self, film_point: Vec2, lens_u: Vec2, time: f32) -> CameraRay {
        let local = match &self.model {
            Model::Perspective(lens) => lens.ray(film_point, lens_u),
            Model::Orthographic(lens) => lens.ray(film_point),
            Model::Panoramic(lens) => lens.ray(film_point),
            Model::Stereo(lens) => lens.ray(film_point),
            Model::Cube(lens) => match lens.ray(film_point) {
                Some(ray) => ray,
                None => return self.no_ray(time),
            },
            Model::Fisheye(lens) => lens.ray(film_point),
            Model::Custom(_) => LocalRay::AXIS,
        };
        self.placed(local, time)
    }

    /// A ray of a film point that sees nothing.
    fn no_ray(&self, time: f32) -> CameraRay {
        CameraRay { throughput: Rgb::BLACK, ..self.placed(LocalRay::AXIS, time) }
    }

    /// Width and height of the film [pixels].
    pub fn film_size(&self) -> Vec2 {
        Vec2::new(self.film[0] as f32, self.film[1] as f32)
    }

    /// Lens settings of a custom camera; `None` for others.
    #[inline]
    pub fn custom(&self) -> Option<&CustomLens> {
        match &self.model {
            Model::Custom(lens) => Some(lens),
            _ => None,
        }
    }

    /// The ray of a custom camera by the rays of its shader: at the film point, and `step` pixels right and below.
    pub fn custom_ray(&self, [ray, right, below]: &[ShaderRay; 3], step: f32, time: f32) -> CameraRay {
        match ray.is_valid() {
            true => CameraRay {
                throughput: ray.throughput,
                ..self.placed(ray.local(right, below, step), time)
            },
            false => self.no_ray(time),
        }
    }

    /// A ray of camera space in world space.
    #[inline(always)]
    fn placed(&self, local: LocalRay, time: f32) -> CameraRay {
        let pose = self.pose.at(time);
        let length = local.direction.length();
        let d = local.direction / length;
        // ∂(d/|d|) = (∂d − d̂ (d̂·∂d)) / |d|.
        let unit_derivative = |dd: Vec3| pose.vector((dd - d * d.dot(dd)) / length);
        let depth = local.depth_unit * length;
        CameraRay {
            ray: Ray {
                origin: pose.point(local.origin),
                direction: pose.vector(d),
                t_min: self.near * depth,
                t_max: self.far * depth,
                time,
            },
            differential: RayDifferential {
                origin_dx: pose.vector(local.origin_dx),
                origin_dy: pose.vector(local.origin_dy),
                direction_dx: unit_derivative(local.direction_dx),
                direction_dy: unit_derivative(local.direction_dy),
            },
            throughput: Rgb::WHITE,
        }
    }

    /// Film point [pixels] of a world-space point seen through the centre of the lens when the shutter opens; `None` if the
    /// point is not in front of the camera, or the camera is custom.
    pub fn project(&self, p: Vec3) -> Option<Vec2> {
        self.project_at(p, SHUTTER_OPEN)
    }

    /// Film point of a world-space point as [`Camera::project`] returns it, at a time of the shutter interval.
    pub fn project_at(&self, p: Vec3, time: f32) -> Option<Vec2> {
        let p = self.pose.at(time).local_point(p);
        match &self.model {
            Model::Perspective(lens) => lens.project(p),
            Model::Orthographic(lens) => lens.project(p),
            Model::Panoramic(lens) => lens.project(p),
            Model::Stereo(lens) => lens.project(p),
            Model::Cube(lens) => lens.project(p),
            Model::Fisheye(lens) => lens.project(p),
            Model::Custom(_) => None,
        }
    }

    /// Description of the camera for shaders.
    pub fn view(&self) -> CameraView {
        let clip = [self.near, self.far];
        let size = self.film_size();
        let film = |center, pixel| PlaneFilm { size, center, pixel };
        let (projection, fov, pixel_aspect, plane) = match &self.model {
            Model::Perspective(lens) => {
                let (center, pixel) = lens.film();
                let fov = 2.0 * atan(0.5 * size.x * pixel);
                let plane = ImagePlane::perspective(film(center, Vec2::splat(pixel)), clip);
                ("perspective", fov.to_degrees(), 1.0, Some(plane))
            }
            Model::Orthographic(lens) => {
                let (center, pixel) = lens.film();
                let plane = ImagePlane::orthographic(film(center, pixel), clip);
                ("orthographic", 0.0, pixel.x / pixel.y, Some(plane))
            }
            Model::Panoramic(_) | Model::Stereo(_) => ("panoramic", 360.0, 1.0, None),
            Model::Cube(_) => ("cube", 90.0, 1.0, None),
            Model::Fisheye(lens) => ("fisheye", lens.fov().to_degrees(), 1.0, None),
            Model::Custom(_) => ("custom", 0.0, 1.0, None),
        };
        CameraView {
            world_from_camera: self.pose.open().matrix(),
            resolution: self.film,
            projection,
            fov,
            clip,
            pixel_aspect,
            plane,
            custom: self.custom().copied(),
        }
    }
}
