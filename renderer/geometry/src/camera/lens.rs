//! Camera projections in camera space (−z ahead, +y up, +x right): thin lens perspective, orthographic, panoramic.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use super::aperture::Aperture;
use super::error::CameraError;
use renderer_base::math::{lat_long_uv, sin_cos, tan};

/// Camera-space ray with its derivatives; the direction is not normalized.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalRay {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
    pub(super) origin_dx: Vec3,
    pub(super) origin_dy: Vec3,
    pub(super) direction_dx: Vec3,
    pub(super) direction_dy: Vec3,
    /// Unit of the near and far distances along the ray, in units of `direction`.
    pub(super) depth_unit: f32,
}

impl LocalRay {
    /// The viewing axis, the same for all film points.
    pub(super) const AXIS: LocalRay = LocalRay {
        origin: Vec3::ZERO,
        direction: Vec3::NEG_Z,
        origin_dx: Vec3::ZERO,
        origin_dy: Vec3::ZERO,
        direction_dx: Vec3::ZERO,
        direction_dy: Vec3::ZERO,
        depth_unit: 1.0,
    };
}

/// Axis of the film that the field of view of a perspective camera refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FovAxis {
    /// The width of the film.
    #[default]
    X,
    /// The height of the film.
    Y,
    /// The smaller of the two.
    Smaller,
    /// The larger of the two.
    Larger,
    /// Corner to corner.
    Diagonal,
}

impl FovAxis {
    /// Axes by their names in scene files.
    pub const NAMED: [(&str, FovAxis); 5] = [
        ("x", FovAxis::X),
        ("y", FovAxis::Y),
        ("smaller", FovAxis::Smaller),
        ("larger", FovAxis::Larger),
        ("diagonal", FovAxis::Diagonal),
    ];

    /// Half width and half height at distance 1 of a film [pixels] whose axis covers the angle `fov` [radians].
    pub fn half_size(self, film: Vec2, fov: f32) -> Vec2 {
        film * (tan(0.5 * fov) / self.length(film))
    }

    pub(super) fn length(self, film: Vec2) -> f32 {
        match self {
            FovAxis::X => film.x,
            FovAxis::Y => film.y,
            FovAxis::Smaller => film.min_element(),
            FovAxis::Larger => film.max_element(),
            FovAxis::Diagonal => film.length(),
        }
    }
}

/// A thin lens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Perspective {
    center: Vec2,
    /// Side of a pixel on the plane at distance 1.
    pixel: f32,
    aperture: Aperture,
    focus_distance: f32,
}

impl Perspective {
    pub(super) fn new(
        film: Vec2,
        fov: f32,
        fov_axis: FovAxis,
        aperture: Aperture,
        focus_distance: f32,
    ) -> Result<Perspective, CameraError> {
        let tan = tan(0.5 * fov);
        if !(fov > 0.0 && fov < PI && tan > 0.0 && tan.is_finite()) {
            return Err(CameraError::Fov { fov });
        }
        aperture.check()?;
        if !(focus_distance > 0.0 && focus_distance.is_finite()) {
            return Err(CameraError::Focus { distance: focus_distance });
        }
        let pixel = 2.0 * tan / fov_axis.length(film);
        Ok(Perspective { center: film * 0.5, pixel, aperture, focus_distance })
    }

    /// Moves the optical axis from the centre of the film to the left and up, by `shift` in units of the film size.
    pub(super) fn shifted(self, film: Vec2, shift: Vec2) -> Result<Perspective, CameraError> {
        if !shift.is_finite() {
            return Err(CameraError::Shift { shift });
        }
        Ok(Perspective { center: self.center - shift * film, ..self })
    }

    pub(super) fn ray(&self, film_point: Vec2, lens_u: Vec2) -> LocalRay {
        let offset = (film_point - self.center) * self.pixel;
        let ahead = Vec3::new(offset.x, -offset.y, -1.0);
        // The lens refracts all rays of a film point to one point of the plane of focus. Division by the focus distance
        // keeps z at −1.
        let lens = self.aperture.sample(lens_u);
        let shift = (lens / self.focus_distance).extend(0.0);
        LocalRay {
            origin: lens.extend(0.0),
            direction: ahead - shift,
            origin_dx: Vec3::ZERO,
            origin_dy: Vec3::ZERO,
            direction_dx: Vec3::X * self.pixel,
            direction_dy: Vec3::NEG_Y * self.pixel,
            depth_unit: 1.0,
        }
    }

    /// Film point on the viewing axis [pixels], and side of a pixel on the plane at distance 1.
    pub(super) fn film(&self) -> (Vec2, f32) {
        (self.center, self.pixel)
    }

    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        let ahead = -p.z;
        (ahead > 0.0).then(|| self.center + Vec2::new(p.x, -p.y) / (ahead * self.pixel))
    }
}

/// Parallel rays along −z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orthographic {
    center: Vec2,
    /// Sides of a pixel [m].
    pixel: Vec2,
}

impl Orthographic {
    /// Default width of the film [m].
    const WIDTH: f32 = 2.0;

    pub(super) fn new(
        film: Vec2,
        width: Option<f32>,
        height: Option<f32>,
    ) -> Result<Orthographic, CameraError> {
        let side = |size: f32, pixels: f32| {
            let fits = size > 0.0 && size.is_finite();
            fits.then_some(size / pixels).ok_or(CameraError::Width { width: size })
        };
        let by_height = height.map(|height| side(height, film.y)).transpose()?;
        let x = match (width, by_height) {
            (None, Some(y)) => y,
            _ => side(width.unwrap_or(Orthographic::WIDTH), film.x)?,
        };
        let y = by_height.unwrap_or(x);
        Ok(Orthographic { center: film * 0.5, pixel: Vec2::new(x, y) })
    }

    pub(super) fn ray(&self, film_point: Vec2) -> LocalRay {
        let offset = (film_point - self.center) * self.pixel;
        LocalRay {
            origin: Vec3::new(offset.x, -offset.y, 0.0),
            direction: Vec3::NEG_Z,
            origin_dx: Vec3::X * self.pixel.x,
            origin_dy: Vec3::NEG_Y * self.pixel.y,
            direction_dx: Vec3::ZERO,
            direction_dy: Vec3::ZERO,
            depth_unit: 1.0,
        }
    }

    /// Film point on the viewing axis [pixels], and sides of a pixel [m].
    pub(super) fn film(&self) -> (Vec2, Vec2) {
        (self.center, self.pixel)
    }

    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        (p.z < 0.0).then(|| self.center + Vec2::new(p.x, -p.y) / self.pixel)
    }
}

/// Equirectangular projection: longitude and colatitude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panoramic {
    film: Vec2,
}

impl Panoramic {
    pub(super) fn new(film: Vec2) -> Panoramic {
        Panoramic { film }
    }

    pub(super) fn ray(&self, film_point: Vec2) -> LocalRay {
        // Longitude of environment maps plus half a turn: their middle column is +z, here it is −z.
        let per_pixel = Vec2::new(TAU, PI) / self.film;
        let (sin_phi, cos_phi) = sin_cos(film_point.x * per_pixel.x - PI);
        let (sin_theta, cos_theta) = sin_cos(film_point.y * per_pixel.y);
        LocalRay {
            origin: Vec3::ZERO,
            direction: Vec3::new(sin_phi * sin_theta, cos_theta, -cos_phi * sin_theta),
            origin_dx: Vec3::ZERO,
            origin_dy: Vec3::ZERO,
            direction_dx: Vec3::new(cos_phi, 0.0, sin_phi) * (sin_theta * per_pixel.x),
            direction_dy: Vec3::new(sin_phi * cos_theta, -sin_theta, -cos_phi * cos_theta) * per_pixel.y,
            depth_unit: 1.0,
        }
    }

    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        let d = p.try_normalize()?;
        let uv = lat_long_uv(Vec3::new(-d.x, d.y, -d.z));
        Some(uv * self.film)
    }
}
