//! Values of the blocks of shapes, before names and files are resolved.

use glam::{Affine3A, Vec2, Vec3};
use shading::syntax::ast::Expr;

use super::field::Given;
use super::tessellation::{TessellatedBlock, TessellationBlock};
use super::vertex_keys::FileKey;
use renderer_geometry::{CurveBasis, CurveStyle, Mesh, ObjectAttributes, PointStyle};
use renderer_scene::{Catcher, LightLinks, Motion};

/// Values of a shape's block.
pub(super) struct ShapeBlock {
    pub(super) material: Option<Expr>,
    pub(super) transform: Affine3A,
    pub(super) motion: Option<Motion>,
    pub(super) flip_normals: bool,
    pub(super) attributes: ObjectAttributes,
    pub(super) catcher: Option<Catcher>,
    pub(super) links: LightLinks,
    pub(super) center: Vec3,
    pub(super) radius: f32,
    pub(super) height: f32,
    pub(super) top_radius: Option<Given<f32>>,
    pub(super) size: f32,
    pub(super) size2: Vec2,
    pub(super) size3: Vec3,
    pub(super) file: Option<Given<String>>,
    pub(super) part: Option<Given<u64>>,
    pub(super) edits: MeshEdits,
    pub(super) tessellation: TessellationBlock,
    pub(super) keys: Vec<FileKey>,
    pub(super) velocities: Option<Given<bool>>,
    pub(super) of: Option<Given<String>>,
    pub(super) strands: StrandBlock,
}

impl Default for ShapeBlock {
    fn default() -> ShapeBlock {
        ShapeBlock {
            material: None,
            transform: Affine3A::IDENTITY,
            motion: None,
            flip_normals: false,
            attributes: ObjectAttributes::default(),
            catcher: None,
            links: LightLinks::default(),
            center: Vec3::ZERO,
            radius: 1.0,
            height: 1.0,
            top_radius: None,
            size: 2.0,
            size2: Vec2::splat(2.0),
            size3: Vec3::splat(2.0),
            file: None,
            part: None,
            edits: MeshEdits::default(),
            tessellation: TessellationBlock::default(),
            keys: vec![],
            velocities: None,
            of: None,
            strands: StrandBlock::default(),
        }
    }
}

impl TessellatedBlock for ShapeBlock {
    fn tessellation(&mut self) -> &mut TessellationBlock {
        &mut self.tessellation
    }
}

/// Values of the block of curves or points.
pub(super) struct StrandBlock {
    pub(super) file: Option<Given<String>>,
    pub(super) points: Option<Given<Vec<f32>>>,
    pub(super) counts: Option<Given<Vec<f32>>>,
    pub(super) radius: Option<Given<Vec<f32>>>,
    pub(super) normals: Option<Given<Vec<f32>>>,
    pub(super) colors: Option<Given<Vec<f32>>>,
    pub(super) basis: CurveBasis,
    pub(super) style: CurveStyle,
    pub(super) point_style: PointStyle,
    pub(super) pinned: bool,
}

impl Default for StrandBlock {
    fn default() -> StrandBlock {
        StrandBlock {
            file: None,
            points: None,
            counts: None,
            radius: None,
            normals: None,
            colors: None,
            basis: CurveBasis::Linear,
            style: CurveStyle::Round,
            point_style: PointStyle::Sphere,
            pinned: true,
        }
    }
}

/// Edits of a file's meshes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct MeshEdits {
    pub(super) face_normals: bool,
    pub(super) smooth: bool,
    pub(super) flip_uvs: bool,
}

impl MeshEdits {
    /// Returns the mesh with these edits.
    pub(super) fn of(self, mesh: &Mesh, world_from_object: &Affine3A) -> Mesh {
        let mut mesh = mesh.clone();
        if self.face_normals {
            mesh = mesh.with_face_normals();
        } else if self.smooth {
            mesh = mesh.with_vertex_normals(world_from_object);
        }
        if self.flip_uvs {
            mesh = mesh.with_flipped_uvs();
        }
        mesh.fit();
        mesh
    }
}
