//! A point of a surface, seen from a direction.

use glam::{Vec2, Vec3};

use super::ShapeId;

/// A point of a surface as a ray finds it. All vectors in world space.
#[derive(Clone, Copy, Debug)]
pub struct Interaction {
    /// The point [m].
    pub p: Vec3,
    /// Unit vector back along the ray, towards the viewer.
    pub wo: Vec3,
    /// Unit geometric normal: the side that counter-clockwise triangles show, outward on closed shapes. Not flipped
    /// towards `wo`.
    pub ng: Vec3,
    /// Unit shading normal, in the hemisphere of `ng`.
    pub n: Vec3,
    /// Surface parameters.
    pub uv: Vec2,
    /// Derivative of the point by `uv.x`; perpendicular to `ng`, never zero.
    pub dpdu: Vec3,
    /// Derivative of the point by `uv.y`.
    pub dpdv: Vec3,
    /// Distance from the ray's origin [m].
    pub t: f32,
    /// The moment, in `[0,1]` of the shutter interval.
    pub time: f32,
    /// Which shape.
    pub shape: ShapeId,
    /// Which triangle of the shape's mesh; 0 on analytic shapes.
    pub primitive: u32,
}
