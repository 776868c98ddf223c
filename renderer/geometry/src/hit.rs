//! The result of a ray query: distance, shape, triangle and barycentric coordinates.

use glam::Vec2;

/// Index of a shape in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// Hit of a ray by Embree. The last bits of `t` and `barycentric` on meshes depend on the processor;
/// [`Shape::interaction`](super::Shape::interaction) does not use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the ray's origin, in units of its direction.
    pub t: f32,
    /// The shape.
    pub shape: ShapeId,
    /// Index of the triangle in the shape's mesh; 0 on analytic shapes.
    pub primitive: u32,
    /// Weights of the second and third vertex of the triangle; zero on analytic shapes.
    pub barycentric: Vec2,
}
