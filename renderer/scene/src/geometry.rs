//! Description of geometry.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};

use renderer_geometry::{Curves, Geometry, Mesh, Points};

/// Geometry of a shape, in object space.
#[derive(Clone, Debug)]
pub enum GeometryDesc {
    /// Sphere.
    Sphere {
        /// Centre.
        center: Vec3,
        /// Radius, positive.
        radius: f32,
    },
    /// Square in the xz plane about the origin, facing +y.
    Plane {
        /// Side length, positive.
        size: f32,
    },
    /// Rectangle in the xy plane about the origin, facing +z.
    Rectangle {
        /// Extent in x and y, positive.
        size: Vec2,
    },
    /// Disk in the xy plane about the origin, facing +z.
    Disk {
        /// Radius, positive.
        radius: f32,
    },
    /// Axis-aligned box about the origin, facing outward.
    Cube {
        /// Extent, positive.
        size: Vec3,
    },
    /// Lateral surface of a cylinder about the z axis, from z = 0 up, facing outward.
    Cylinder {
        /// Radius, positive.
        radius: f32,
        /// Height, positive.
        height: f32,
    },
    /// Lateral surface of a cone about the z axis, from z = 0 up, facing outward.
    Cone {
        /// Radius at z = 0, positive.
        radius: f32,
        /// Radius at the height, less than `radius`; 0 for a point.
        top: f32,
        /// Height, positive.
        height: f32,
    },
    /// Triangle mesh. Shapes that hold the same `Arc` are instances of it.
    Mesh(Arc<Mesh>),
    /// Tubes or ribbons along splines.
    Curves(Arc<Curves>),
    /// Spheres or discs.
    Points(Arc<Points>),
}

impl GeometryDesc {
    /// The mesh, if it is one.
    pub fn mesh(&self) -> Option<&Arc<Mesh>> {
        match self {
            GeometryDesc::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// The curves, if it is some.
    pub fn curves(&self) -> Option<&Arc<Curves>> {
        match self {
            GeometryDesc::Curves(curves) => Some(curves),
            _ => None,
        }
    }

    /// The points, if it is some.
    pub fn points(&self) -> Option<&Arc<Points>> {
        match self {
            GeometryDesc::Points(points) => Some(points),
            _ => None,
        }
    }

    /// Returns the geometry for intersection, and the transform from its object space to that of the description.
    pub fn build(&self) -> (Geometry, Affine3A) {
        let mesh = |mesh: Mesh| Geometry::Mesh(Arc::new(mesh));
        match self {
            GeometryDesc::Sphere { center, radius } => {
                let placed = Affine3A::from_translation(*center) * Affine3A::from_scale(Vec3::splat(*radius));
                (Geometry::Sphere, placed)
            }
            GeometryDesc::Plane { size } => (mesh(Mesh::plane(*size)), Affine3A::IDENTITY),
            GeometryDesc::Rectangle { size } => {
                (mesh(Mesh::rectangle()), Affine3A::from_scale((0.5 * *size).extend(1.0)))
            }
            GeometryDesc::Disk { radius } => {
                (Geometry::Disk, Affine3A::from_scale(Vec3::new(*radius, *radius, 1.0)))
            }
            GeometryDesc::Cube { size } => (mesh(Mesh::cube()), Affine3A::from_scale(0.5 * *size)),
            GeometryDesc::Cylinder { radius, height } => {
                (Geometry::Cylinder, Affine3A::from_scale(Vec3::new(*radius, *radius, *height)))
            }
            GeometryDesc::Cone { radius, top, height } => (
                Geometry::Cone(top / radius),
                Affine3A::from_scale(Vec3::new(*radius, *radius, *height)),
            ),
            GeometryDesc::Mesh(mesh) => (Geometry::Mesh(mesh.clone()), Affine3A::IDENTITY),
            GeometryDesc::Curves(curves) => (Geometry::Curves(curves.clone()), Affine3A::IDENTITY),
            GeometryDesc::Points(points) => (Geometry::Points(points.clone()), Affine3A::IDENTITY),
        }
    }
}

impl From<Mesh> for GeometryDesc {
    fn from(mesh: Mesh) -> GeometryDesc {
        GeometryDesc::Mesh(Arc::new(mesh))
    }
}

impl From<Curves> for GeometryDesc {
    fn from(curves: Curves) -> GeometryDesc {
        GeometryDesc::Curves(Arc::new(curves))
    }
}

impl From<Points> for GeometryDesc {
    fn from(points: Points) -> GeometryDesc {
        GeometryDesc::Points(Arc::new(points))
    }
}
