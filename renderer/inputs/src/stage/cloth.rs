//! A square cloth that hangs over a ball, in folds.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::grid;
use renderer_base::math::{cos, sin};

/// Name of its file.
pub(super) const FILE: &str = "stage_cloth.obj";

/// Half side, radius of the sphere, and height of its centre [m].
const HALF: f32 = 1.9;
const RADIUS: f32 = 0.85;
const HEIGHT: f32 = 1.05;
/// Angle from the top at which it leaves the ball [rad], and the angle at which it falls.
const LEAVES: f32 = 1.15;
const SLOPE: f32 = 1.36;
/// Number of folds around, and their depth where it leaves the ball and farther down, relative to the radius there.
const FOLDS: f32 = 9.0;
const DEPTH: f32 = 0.2;

/// The mesh.
pub(super) fn obj() -> String {
    grid::obj(160, 160, |uv| place(uv * 2.0 - 1.0))
}

fn place(at: Vec2) -> Vec3 {
    let at = at * HALF;
    // Length of the profile from the top down.
    let s = at.length();
    let around = at.normalize_or(Vec2::X);
    let on_ball = (s / RADIUS).min(LEAVES);
    let below = (s - RADIUS * LEAVES).max(0.0);
    let (mut r, mut y) = (RADIUS * sin(on_ball), HEIGHT + RADIUS * cos(on_ball));
    r += below * cos(SLOPE);
    y -= below * sin(SLOPE);
    let angle = renderer_base::math::atan2(around.y, around.x);
    let hang = (below / HALF * 1.6).min(1.0);
    let hang = hang * hang * (3.0 - 2.0 * hang);
    r *= 1.0 + DEPTH * hang * (cos(FOLDS * angle) + 0.4 * cos(5.0 * angle + 0.3 * PI));
    Vec3::new(around.x * r, y.max(0.02), around.y * r)
}
