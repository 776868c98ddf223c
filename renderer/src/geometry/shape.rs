//! Shapes: geometry placed in the world.

use std::sync::Arc;

use glam::Affine3A;

use super::Mesh;

/// Index of a shape in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// What a shape is made of, in object space.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// The unit sphere about the origin.
    Sphere,
    /// The unit disk in the xy plane, normal +z.
    Disk,
    /// The unit cylinder about z, z in `[0,1]`, without caps, normal outward.
    Cylinder,
}

/// Geometry placed in the world.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is made of.
    pub geometry: Geometry,
    /// Where it is; not singular.
    pub world_from_object: Affine3A,
    /// The inverse of `world_from_object`.
    pub object_from_world: Affine3A,
    /// Whether normals are turned to the other side.
    pub flip_normals: bool,
}
