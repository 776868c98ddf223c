//! The backdrop: a floor that bends up into a wall.

use glam::{Vec2, Vec3};

use super::grid;
use renderer_base::math::{cos, sin};

/// Name of its file.
pub(super) const FILE: &str = "stage_backdrop.obj";

/// Half width, and the lengths of floor and wall [m].
const HALF: f32 = 6.0;
const FLOOR: f32 = 8.0;
/// Radius of the bend [m], and where it begins.
const BEND: f32 = 2.0;
const BACK: f32 = -1.5;

/// The mesh.
pub(super) fn obj() -> String {
    let quarter = BEND * std::f32::consts::FRAC_PI_2;
    grid::obj(1, 48, |uv: Vec2| {
        let x = (2.0 * uv.x - 1.0) * HALF;
        // Along the profile, from the front of the floor.
        let s = uv.y * 2.0 * HALF;
        let z = FLOOR + BACK - s;
        if z >= BACK {
            return Vec3::new(x, 0.0, z);
        }
        let angle = ((BACK - z) / BEND).min(std::f32::consts::FRAC_PI_2);
        let above = (BACK - z - quarter).max(0.0);
        Vec3::new(x, BEND * (1.0 - cos(angle)) + above, BACK - BEND * sin(angle))
    })
}
