//! Fisheye lenses: the distance from the centre of the film is a function of the angle to the viewing axis.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Vec2, Vec3};

use super::error::CameraError;
use super::lens::{FovAxis, LocalRay};
use renderer_base::math::{asin, atan, atan2, sin, sin_cos, tan};

/// Distance from the centre of the film of a ray at the angle θ to the viewing axis, up to a factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FisheyeMapping {
    /// θ: equal angles have equal distances.
    #[default]
    Equidistant,
    /// sin(θ/2): equal solid angles have equal areas.
    Equisolid,
    /// tan(θ/2): shapes are preserved; less than a full turn.
    Stereographic,
    /// sin θ: up to 180 degrees.
    Orthographic,
}

impl FisheyeMapping {
    /// Mappings by their names in scene files.
    pub const NAMED: [(&str, FisheyeMapping); 4] = [
        ("equidistant", FisheyeMapping::Equidistant),
        ("equisolid", FisheyeMapping::Equisolid),
        ("stereographic", FisheyeMapping::Stereographic),
        ("orthographic", FisheyeMapping::Orthographic),
    ];

    /// The largest field of view [radians].
    fn max_fov(self) -> f32 {
        match self {
            FisheyeMapping::Equidistant | FisheyeMapping::Equisolid => 2.0 * PI,
            FisheyeMapping::Stereographic => 1.9 * PI,
            FisheyeMapping::Orthographic => PI,
        }
    }

    fn distance(self, theta: f32) -> f32 {
        match self {
            FisheyeMapping::Equidistant => theta,
            FisheyeMapping::Equisolid => sin(0.5 * theta),
            FisheyeMapping::Stereographic => tan(0.5 * theta),
            FisheyeMapping::Orthographic => sin(theta),
        }
    }

    /// Angle at a distance; the largest angle beyond the image of all directions.
    fn angle(self, distance: f32) -> f32 {
        match self {
            FisheyeMapping::Equidistant => distance.min(PI),
            FisheyeMapping::Equisolid => 2.0 * asin(distance.min(1.0)),
            FisheyeMapping::Stereographic => 2.0 * atan(distance),
            FisheyeMapping::Orthographic => asin(distance.min(1.0)),
        }
    }
}

/// A fisheye lens over a film.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fisheye {
    mapping: FisheyeMapping,
    center: Vec2,
    /// Distance per pixel.
    pixel: f32,
}

impl Fisheye {
    pub(super) fn new(
        film: Vec2,
        mapping: FisheyeMapping,
        fov: f32,
        fov_axis: FovAxis,
    ) -> Result<Fisheye, CameraError> {
        if !(fov > 0.0 && fov <= mapping.max_fov() * 1.000_001) {
            return Err(CameraError::FisheyeFov { fov, most: mapping.max_fov() });
        }
        let pixel = mapping.distance(0.5 * fov) * 2.0 / fov_axis.length(film);
        Ok(Fisheye { mapping, center: 0.5 * film, pixel })
    }

    /// The ray of a film point; beyond the image of all directions, that of the outermost direction.
    pub(super) fn ray(&self, film_point: Vec2) -> LocalRay {
        let step = |offset: Vec2| self.direction(film_point + offset);
        // Central differences: pixels are small in comparison with the picture.
        LocalRay {
            origin: Vec3::ZERO,
            direction: self.direction(film_point),
            origin_dx: Vec3::ZERO,
            origin_dy: Vec3::ZERO,
            direction_dx: step(Vec2::X * 0.5) - step(Vec2::X * -0.5),
            direction_dy: step(Vec2::Y * 0.5) - step(Vec2::Y * -0.5),
            depth_unit: 1.0,
        }
    }

    fn direction(&self, film_point: Vec2) -> Vec3 {
        let offset = (film_point - self.center) * self.pixel;
        let distance = offset.length();
        let (sin_theta, cos_theta) = sin_cos(self.mapping.angle(distance));
        let across = if distance > 0.0 {
            offset / distance * sin_theta
        } else {
            Vec2::ZERO
        };
        Vec3::new(across.x, -across.y, -cos_theta)
    }

    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        let across = Vec2::new(p.x, -p.y);
        let theta = atan2(across.length(), -p.z);
        if self.mapping == FisheyeMapping::Orthographic && theta > FRAC_PI_2 {
            return None;
        }
        let distance = self.mapping.distance(theta) / self.pixel;
        let point = self.center + across.normalize_or_zero() * distance;
        point.is_finite().then_some(point)
    }

    /// Angle that the width of the film covers [radians].
    pub(super) fn fov(&self) -> f32 {
        2.0 * self.mapping.angle(self.center.x * self.pixel)
    }
}
