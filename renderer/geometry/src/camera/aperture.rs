//! Apertures of lenses: disks and regular polygons, stretched for anamorphic lenses.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use glam::Vec2;

use super::error::CameraError;
use renderer_base::math::unit_vector;

/// Shape of an aperture, and of the blurred image of a distant point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aperture {
    /// Radius of the disk, or of the circle through the corners of the polygon [m]; 0 for a pinhole.
    pub radius: f32,
    /// Number of blades, the sides of the polygon; less than 3 for a disk.
    pub blades: u32,
    /// Counter-clockwise rotation of the polygon, as seen from behind the camera [radians]. Without it, a corner is on the right.
    pub rotation: f32,
    /// Height of the aperture divided by its width: 2 for an anamorphic lens that blurs twice as much in height.
    pub ratio: f32,
}

impl Aperture {
    /// A point.
    pub const PINHOLE: Aperture = Aperture::disk(0.0);

    /// A disk of this radius [m].
    pub const fn disk(radius: f32) -> Aperture {
        Aperture { radius, blades: 0, rotation: 0.0, ratio: 1.0 }
    }

    /// Checks the numbers.
    pub(super) fn check(&self) -> Result<(), CameraError> {
        let Aperture { radius, ratio, rotation, .. } = *self;
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(CameraError::Aperture { radius });
        }
        if !(ratio > 0.0 && ratio.is_finite() && rotation.is_finite()) {
            return Err(CameraError::ApertureShape { ratio, rotation });
        }
        Ok(())
    }

    /// Maps the unit square to the aperture with uniform density [m].
    pub(super) fn sample(&self, u: Vec2) -> Vec2 {
        if self.radius == 0.0 {
            return Vec2::ZERO;
        }
        let point = match self.blades {
            0..3 => concentric_disk(u),
            blades => self.polygon(u, blades),
        };
        Vec2::new(point.x, point.y * self.ratio) * self.radius
    }

    /// Equal-area map from the unit square to the regular polygon in the unit circle: `u.x` selects a triangle about the centre.
    fn polygon(&self, u: Vec2, blades: u32) -> Vec2 {
        let place = u.x * blades as f32;
        let side = place.floor().min((blades - 1) as f32);
        let along = place - side;
        let corner = |index: f32| unit_vector(self.rotation + TAU * index / blades as f32);
        u.y.sqrt() * corner(side).lerp(corner(side + 1.0), along)
    }
}

/// Equal-area map from the unit square to the unit disk.
// Shirley & Chiu 1997, "A Low Distortion Map Between Disk and Square", in the form without branches on the wedge.
fn concentric_disk(u: Vec2) -> Vec2 {
    let p = 2.0 * u - Vec2::ONE;
    if p == Vec2::ZERO {
        return Vec2::ZERO;
    }
    let (radius, angle) = if p.x.abs() > p.y.abs() {
        (p.x, FRAC_PI_4 * (p.y / p.x))
    } else {
        (p.y, FRAC_PI_2 - FRAC_PI_4 * (p.x / p.y))
    };
    radius * unit_vector(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second moments of a regular polygon: r² (2 + cos 2π/n) / 12 in each direction.
    #[test]
    fn polygons_are_sampled_uniformly() {
        for blades in [3, 4, 6, 7] {
            let aperture = Aperture { blades, rotation: 0.3, ratio: 2.0, ..Aperture::disk(0.5) };
            const SIDE: u32 = 256;
            let (mut sum, mut squares) = (Vec2::ZERO, Vec2::ZERO);
            for index in 0..SIDE * SIDE {
                let u = (Vec2::new((index % SIDE) as f32, (index / SIDE) as f32) + 0.5) / SIDE as f32;
                let p = aperture.sample(u) / Vec2::new(1.0, 2.0);
                assert!(p.length() <= 0.5 + 1e-6, "{p}");
                sum += p / (SIDE * SIDE) as f32;
                squares += p * p / (SIDE * SIDE) as f32;
            }
            let expected = 0.25 * (2.0 + (TAU / blades as f32).cos()) / 12.0;
            assert!(sum.length() < 2e-3, "{blades}: mean {sum}");
            assert!(
                (squares / expected - 1.0).abs().max_element() < 0.02,
                "{blades}: {squares} for {expected}"
            );
        }
    }
}
