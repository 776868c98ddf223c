//! Description of shapes.

use std::sync::Arc;

use glam::Affine3A;
use shading::Span;

use crate::deformation::{self, Deformation};
use crate::geometry::GeometryDesc;
use crate::{LightLinks, MaterialId, Motion, Shutter, TessellationDesc};
use renderer_geometry::{ObjectAttributes, Placement, Shape};

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
    /// Mesh, curves or points over time, which replace the geometry.
    pub deformation: Option<Arc<dyn Deformation>>,
    /// Tessellation of the geometry; `None` if only a displacement shader asks for it.
    pub tessellation: Option<Arc<TessellationDesc>>,
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
            Some((geometry, motion)) => (geometry.build(), motion),
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
        shape.animated = self.is_moving();
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
