//! Shapes that are tessellated together.

use std::sync::Arc;

use glam::Affine3A;
use rustc_hash::FxHashMap;
use shading::syntax::ast::Expr;
use shading::{Diagnostic, Diagnostics};

use renderer_base::math::in_single;
use renderer_geometry::{Geometry, Mesh};
use renderer_scene::{SceneDesc, ShapeDesc, Shutter, TessellationDesc};
use renderer_tessellation::{Subdivision, TessellationError};

/// Shapes that share a mesh, its tessellation and its displacement.
pub(super) struct Group {
    pub(super) shapes: Vec<usize>,
    pub(super) mesh: Arc<Mesh>,
    pub(super) tessellation: Arc<TessellationDesc>,
}

impl Group {
    pub(super) fn first<'a>(&self, desc: &'a SceneDesc) -> &'a ShapeDesc {
        &desc.shapes[self.shapes[0]]
    }

    /// The displacement of the shapes.
    pub(super) fn displacement<'a>(&self, desc: &'a SceneDesc) -> Option<&'a Arc<Expr>> {
        desc.materials[self.first(desc).material.0 as usize].displacement.as_ref()
    }

    /// The error at the declaration of the first shape.
    pub(super) fn failure(&self, desc: &SceneDesc, error: &TessellationError) -> Diagnostic {
        let shape = self.first(desc);
        let message = format!("`{}` cannot be tessellated: {error}", shape.name);
        let diagnostic = Diagnostic::error(message).at(&desc.sources, shape.span, "");
        match error {
            TessellationError::Memory(_) | TessellationError::TooMany { .. } => diagnostic
                .hint("make the triangles larger: a lower `level`, a greater `dicing` or `edge_length`"),
            _ => diagnostic,
        }
    }
}

/// The tessellation of a shape, by its own keys or because its material displaces it.
pub(super) fn tessellation_of(desc: &SceneDesc, shape: &ShapeDesc) -> Option<Arc<TessellationDesc>> {
    let is_displaced = desc.materials[shape.material.0 as usize].displacement.is_some();
    match &shape.tessellation {
        // Size of triangles alone: nothing to divide.
        Some(given) if !is_displaced && given.subdivision == Subdivision::default() => None,
        Some(given) => Some(given.clone()),
        None => is_displaced.then(Arc::default),
    }
}

/// The groups of the shapes that need tessellation.
///
/// # Errors
/// Shapes that cannot be displaced.
pub(super) fn groups(desc: &SceneDesc) -> Result<Vec<Group>, Diagnostics> {
    let mut groups: Vec<Group> = vec![];
    let mut known = FxHashMap::default();
    let mut errors = Diagnostics::default();
    for (index, shape) in desc.shapes.iter().enumerate() {
        let Some(tessellation) = tessellation_of(desc, shape) else {
            continue;
        };
        let (geometry, placed) = shape.geometry.build();
        let Geometry::Mesh(mesh) = geometry else {
            let error = Diagnostic::error(format!("`{}` cannot be displaced: it is not a mesh", shape.name))
                .at(&desc.sources, shape.span, "")
                .hint("meshes, planes, rectangles and cubes are displaced");
            errors.push(error);
            continue;
        };
        let is_displaced = desc.materials[shape.material.0 as usize].displacement.is_some();
        let key = (
            shape.geometry.mesh().map(Arc::as_ptr),
            shape.tessellation.as_ref().map(Arc::as_ptr),
            is_displaced.then_some(shape.material),
            shape
                .deformation
                .as_ref()
                .map(|deformation| Arc::as_ptr(deformation).cast::<()>()),
        );
        match known.get(&key).filter(|_| key.0.is_some()) {
            Some(&group) => {
                let group: &mut Group = &mut groups[group];
                group.shapes.push(index);
            }
            None => {
                known.insert(key, groups.len());
                let mesh = in_space(mesh, &placed);
                groups.push(Group { shapes: vec![index], mesh, tessellation });
            }
        }
    }
    errors.into_result(groups)
}

/// The mesh in the space of the description.
fn in_space(mesh: Arc<Mesh>, placed: &Affine3A) -> Arc<Mesh> {
    if *placed == Affine3A::IDENTITY {
        return mesh;
    }
    // Rectangles and cubes are scaled along their axes, which keeps normals.
    let positions = mesh.positions.iter().map(|&p| placed.transform_point3(p)).collect();
    Arc::new(Mesh { positions, ..Mesh::clone(&mesh) })
}

/// Object-to-world transform of a shape when the shutter opens.
pub(super) fn world_from_object(shape: &ShapeDesc, shutter: &Shutter) -> Affine3A {
    match &shape.motion {
        None => shape.world_from_object,
        Some(motion) => in_single(&motion.at(shutter.at(0.0))),
    }
}
