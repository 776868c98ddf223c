//! Omnidirectional stereo: two equirectangular panoramas, the left eye above the right one.
//!
//! The eyes move on a circle about the camera: the ray of a column starts at the point of the circle where its direction is
//! tangential (Ishiguro, Yamamoto and Tsuji 1992, "Omni-directional stereo").

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, Vec3};

use super::error::CameraError;
use super::lens::{LocalRay, Panoramic};
use renderer_base::math::{asin, sin_cos};

/// Two panoramas over a film.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stereo {
    panorama: Panoramic,
    /// Width and height of a panorama [pixels].
    size: Vec2,
    /// Half the distance between the eyes [m].
    radius: f32,
}

impl Stereo {
    pub(super) fn new(film: Vec2, eye_distance: f32) -> Result<Stereo, CameraError> {
        if !(eye_distance >= 0.0 && eye_distance.is_finite()) {
            return Err(CameraError::EyeDistance { distance: eye_distance });
        }
        let size = film * Vec2::new(1.0, 0.5);
        Ok(Stereo {
            panorama: Panoramic::new(size),
            size,
            radius: 0.5 * eye_distance,
        })
    }

    pub(super) fn ray(&self, film_point: Vec2) -> LocalRay {
        let is_right = film_point.y >= self.size.y;
        let point = film_point - Vec2::Y * if is_right { self.size.y } else { 0.0 };
        let side = if is_right { self.radius } else { -self.radius };
        let per_pixel = TAU / self.size.x;
        let (sin_phi, cos_phi) = sin_cos(point.x * per_pixel - PI);
        LocalRay {
            origin: Vec3::new(cos_phi, 0.0, sin_phi) * side,
            origin_dx: Vec3::new(-sin_phi, 0.0, cos_phi) * (side * per_pixel),
            ..self.panorama.ray(point)
        }
    }

    /// Film point of a point as the left eye sees it; `None` within the circle of the eyes.
    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        let distance = Vec2::new(p.x, p.z).length();
        if distance <= self.radius {
            return None;
        }
        // The column whose eye and viewing direction are in a vertical plane with the point.
        let turn = asin(self.radius / distance);
        let ahead = (distance * distance - self.radius * self.radius).sqrt();
        let (sin, cos) = sin_cos(turn);
        let horizontal = Vec2::new(p.x, p.z) / distance;
        let rotated =
            Vec2::new(horizontal.x * cos - horizontal.y * sin, horizontal.x * sin + horizontal.y * cos);
        debug_assert!(turn <= FRAC_PI_2);
        self.panorama.project(Vec3::new(rotated.x * ahead, p.y, rotated.y * ahead))
    }
}
