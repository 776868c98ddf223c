//! Description of shapes.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use shading::Span;

use crate::deformation::{self, Deformation};
use crate::{LightLinks, MaterialId, Motion, Shutter};
use renderer_geometry::{Curves, Geometry, Mesh, ObjectAttributes, Placement, Points, Shape};

/// Shape with its name.
#[derive(Clone, Debug)]
pub struct ShapeDesc {
    /// Name of the shape; in an import, prefixed by the import's name and a dot. Shapes that are instances of one node
    /// share it.
    pub name: Arc<str>,
    /// Source location of the declaration.
    pub span: Span,
    /// Geometry in object space.
    pub geometry: GeometryDesc,
    /// Material of the surface.
    pub material: MaterialId,
    /// Object-to-world transform; invertible.
    pub world_from_object: Affine3A,
    /// Object-to-world transform over time, which replaces `world_from_object`.
    pub motion: Option<Arc<Motion>>,
    /// Mesh over time, which replaces the geometry.
    pub deformation: Option<Arc<dyn Deformation>>,
    /// True if normals are flipped.
    pub flip_normals: bool,
    /// Attributes of the object, for shaders.
    pub attributes: ObjectAttributes,
    /// Replacement of the surface for camera rays, if any.
    pub catcher: Option<Catcher>,
    /// Links of the light that the shape emits.
    pub links: Option<Arc<LightLinks>>,
    /// Name of the imported model, a prefix of the shape's name.
    pub asset: Option<Arc<str>>,
    /// Node, mesh and primitive in a glTF file.
    pub part: Option<ModelPart>,
}

/// Source of a mesh in a glTF document, by indices of its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelPart {
    /// The node.
    pub node: usize,
    /// The node's mesh.
    pub mesh: usize,
    /// The primitive of the mesh.
    pub primitive: usize,
    /// The instance of EXT_mesh_gpu_instancing, if the node has any.
    pub instance: Option<usize>,
}

impl ShapeDesc {
    /// Returns whether the shape may differ between frames.
    pub fn is_moving(&self) -> bool {
        self.motion.is_some() || self.deformation.is_some()
    }

    /// Creates the shape for intersection, with its motion while the shutter is open.
    pub fn build(&self, shutter: &Shutter) -> Shape {
        let deformed = self.deformation.as_ref();
        let deformed = deformed.and_then(|deformation| deformation::sampled(&**deformation, shutter));
        let ((geometry, placed), vertex_motion) = match deformed {
            Some((mesh, motion)) => (GeometryDesc::from(mesh).build(), motion),
            None => (self.geometry.build(), None),
        };
        let placement = match &self.motion {
            None => Placement::from(self.world_from_object * placed),
            Some(motion) => {
                let keys = motion.sampled(shutter);
                Placement::moving(&keys.into_iter().map(|key| key * placed).collect::<Vec<_>>())
            }
        };
        let mut shape = Shape::new(geometry, placement).with_vertex_motion(vertex_motion);
        shape.flip_normals = self.flip_normals;
        shape.attributes = self.attributes.clone();
        shape
    }
}

/// Replacement of a surface for camera rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catcher {
    /// Transparent except for shadows.
    Shadow,
    /// Hole in the picture, which hides surfaces behind it.
    Holdout,
}

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
