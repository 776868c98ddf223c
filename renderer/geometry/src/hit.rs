//! The result of a ray query: distance, shape, triangle and barycentric coordinates.

use glam::Vec2;

/// Index of a shape in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// Closest hit of a ray, as Embree finds it: the last bits of `t` and `barycentric` on meshes depend on the processor,
/// and [`Shape::interaction`](super::Shape::interaction) does not use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the ray's origin, in units of its direction.
    pub t: f32,
    /// The shape.
    pub shape: ShapeId,
    /// Index of the triangle in the shape's mesh; 0 on analytic shapes.
    pub primitive: u32,
    /// The weights of the triangle's second and third vertex; zero on analytic shapes, which find their surface
    /// parameters from the point.
    pub barycentric: Vec2,
}
