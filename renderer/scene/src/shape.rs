//! Description of shapes.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use shading::Span;

use crate::MaterialId;
use renderer_geometry::{Geometry, Mesh, Shape};

/// A shape with its name.
#[derive(Clone, Debug)]
pub struct ShapeDesc {
    /// Its name; that of an imported shape begins with the import's name and a dot. Shapes that are one node's instances
    /// share it.
    pub name: Arc<str>,
    /// Where it is declared.
    pub span: Span,
    /// What it is made of.
    pub geometry: GeometryDesc,
    /// What its surface is.
    pub material: MaterialId,
    /// Where it is; invertible.
    pub world_from_object: Affine3A,
    /// Whether normals are turned to the other side.
    pub flip_normals: bool,
}

impl ShapeDesc {
    /// The shape.
    pub fn build(&self) -> Shape {
        let (geometry, placed) = self.geometry.build();
        let mut shape = Shape::new(geometry, self.world_from_object * placed);
        shape.flip_normals = self.flip_normals;
        shape
    }
}

/// What a shape is made of, in object space.
#[derive(Clone, Debug)]
pub enum GeometryDesc {
    /// A sphere.
    Sphere {
        /// Its centre.
        center: Vec3,
        /// Its radius, positive.
        radius: f32,
    },
    /// A level square about the origin, facing +y.
    Plane {
        /// Its side, positive.
        size: f32,
    },
    /// A rectangle in the xy plane about the origin, facing +z.
    Rectangle {
        /// Its extent in x and y, positive.
        size: Vec2,
    },
    /// A disk in the xy plane about the origin, facing +z.
    Disk {
        /// Its radius, positive.
        radius: f32,
    },
    /// A box about the origin, facing outward.
    Cube {
        /// Its extent, positive.
        size: Vec3,
    },
    /// The wall of a cylinder about the z axis, from z = 0 up, facing outward.
    Cylinder {
        /// Its radius, positive.
        radius: f32,
        /// Its height, positive.
        height: f32,
    },
    /// Triangles. Shapes that hold the same mesh are instances of it.
    Mesh(Arc<Mesh>),
}

impl GeometryDesc {
    /// The geometry as rays see it, and the transform from its object space to that of the description.
    pub fn build(&self) -> (Geometry, Affine3A) {
        let mesh = |mesh: Mesh| Geometry::Mesh(Arc::new(mesh));
        match self {
            GeometryDesc::Sphere { center, radius } => {
                let placed = Affine3A::from_translation(*center) * Affine3A::from_scale(Vec3::splat(*radius));
                (Geometry::Sphere, placed)
            }
            GeometryDesc::Plane { size } => (mesh(Mesh::plane(*size)), Affine3A::IDENTITY),
            GeometryDesc::Rectangle { size } => (
                mesh(Mesh::rectangle()),
                Affine3A::from_scale((0.5 * *size).extend(1.0)),
            ),
            GeometryDesc::Disk { radius } => (
                Geometry::Disk,
                Affine3A::from_scale(Vec3::new(*radius, *radius, 1.0)),
            ),
            GeometryDesc::Cube { size } => (mesh(Mesh::cube()), Affine3A::from_scale(0.5 * *size)),
            GeometryDesc::Cylinder { radius, height } => (
                Geometry::Cylinder,
                Affine3A::from_scale(Vec3::new(*radius, *radius, *height)),
            ),
            GeometryDesc::Mesh(mesh) => (Geometry::Mesh(mesh.clone()), Affine3A::IDENTITY),
        }
    }
}

impl From<Mesh> for GeometryDesc {
    fn from(mesh: Mesh) -> GeometryDesc {
        GeometryDesc::Mesh(Arc::new(mesh))
    }
}
