//! Shapes that are tessellated together.

use std::sync::Arc;

use glam::Affine3A;
use rustc_hash::FxHashMap;
use shading::syntax::ast::Expr;
use shading::{Diagnostic, Diagnostics};

use super::joined::Joined;
use renderer_base::math::in_single;
use renderer_geometry::{Geometry, Mesh};
use renderer_scene::{DisplacementMode, MaterialId, SceneDesc, ShapeDesc, Shutter, TessellationDesc};
use renderer_tessellation::{Scheme, Subdivision, TessellationError};

/// Shapes of a model that are the parts of one cage, and their instances.
pub(super) struct Group {
    /// Indices of shapes: for each instance, one for each part.
    pub(super) instances: Vec<Vec<usize>>,
    pub(super) cage: Joined,
    pub(super) tessellation: Arc<TessellationDesc>,
}

impl Group {
    /// The shape of the first part.
    pub(super) fn first<'a>(&self, desc: &'a SceneDesc) -> &'a ShapeDesc {
        &desc.shapes[self.instances[0][0]]
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

/// The displacement of a shape's points by its material.
pub(super) fn displacement<'a>(desc: &'a SceneDesc, shape: &ShapeDesc) -> Option<&'a Arc<Expr>> {
    let material = &desc.materials[shape.material.0 as usize];
    material
        .displacement
        .as_ref()
        .filter(|_| material.displacement_mode != DisplacementMode::Bump)
}

/// The tessellation of a shape, by its own keys or because its material displaces it.
pub(super) fn tessellation_of(desc: &SceneDesc, shape: &ShapeDesc) -> Option<Arc<TessellationDesc>> {
    let is_displaced = displacement(desc, shape).is_some();
    match &shape.tessellation {
        // Size of triangles alone: nothing to divide.
        Some(given) if !is_displaced && given.subdivision == Subdivision::default() => None,
        Some(given) => Some(given.clone()),
        None => is_displaced.then(Arc::default),
    }
}

/// Properties that instances share: the mesh of a part, its material if that displaces, and its deformation.
type PartKey = (Option<*const Mesh>, Option<MaterialId>, Option<*const ()>);

/// The groups of the shapes that need tessellation.
///
/// # Errors
/// Shapes that cannot be displaced.
pub(super) fn groups(desc: &SceneDesc) -> Result<Vec<Group>, Diagnostics> {
    let mut groups: Vec<Group> = vec![];
    let mut known: FxHashMap<(Vec<PartKey>, *const TessellationDesc), usize> = FxHashMap::default();
    for (parts, tessellation) in cages(desc)? {
        let key = |&part: &usize| {
            let shape = &desc.shapes[part];
            (
                shape.geometry.mesh().map(Arc::as_ptr),
                displacement(desc, shape).is_some().then_some(shape.material),
                shape.deformation.as_ref().map(|deformation| Arc::as_ptr(deformation).cast()),
            )
        };
        let keys: Vec<PartKey> = parts.iter().map(key).collect();
        let is_shared = keys.iter().all(|(mesh, ..)| mesh.is_some());
        let key = (keys, Arc::as_ptr(&tessellation));
        match known.get(&key).filter(|_| is_shared) {
            Some(&group) => groups[group].instances.push(parts),
            None => {
                known.insert(key, groups.len());
                let meshes: Vec<Arc<Mesh>> =
                    parts.iter().filter_map(|&part| mesh_of(&desc.shapes[part])).collect();
                groups.push(Group {
                    instances: vec![parts],
                    cage: Joined::new(&meshes),
                    tessellation,
                });
            }
        }
    }
    Ok(groups)
}

/// The shapes of the parts of a cage, and their tessellation.
type Cage = (Vec<usize>, Arc<TessellationDesc>);

/// The shapes that need tessellation, those that form one cage together.
fn cages(desc: &SceneDesc) -> Result<Vec<Cage>, Diagnostics> {
    let mut cages: Vec<Cage> = vec![];
    let mut errors = Diagnostics::default();
    for (index, shape) in desc.shapes.iter().enumerate() {
        let Some(tessellation) = tessellation_of(desc, shape) else {
            continue;
        };
        if mesh_of(shape).is_none() {
            let error = Diagnostic::error(format!("`{}` cannot be displaced: it is not a mesh", shape.name))
                .at(&desc.sources, shape.span, "")
                .hint("meshes, planes, rectangles and cubes are displaced");
            errors.push(error);
            continue;
        }
        match cages.last_mut() {
            Some((parts, first)) if are_one_cage(&desc.shapes[parts[0]], shape) && *first == tessellation => {
                parts.push(index);
            }
            _ => cages.push((vec![index], tessellation)),
        }
    }
    errors.into_result(cages)
}

/// Returns whether two shapes are parts of one cage: those of a file, or of one node of it, that are split by materials.
fn are_one_cage(a: &ShapeDesc, b: &ShapeDesc) -> bool {
    let is_static = |shape: &ShapeDesc| shape.motion.is_none() && shape.deformation.is_none();
    let node = |shape: &ShapeDesc| shape.part.map(|part| (part.node, part.instance));
    let is_subdivided = |shape: &ShapeDesc| {
        let scheme = shape.tessellation.as_ref().map(|desc| desc.subdivision.scheme);
        scheme.is_some_and(|scheme| scheme != Scheme::Polygons)
    };
    a.asset.is_some()
        && a.asset == b.asset
        && node(a) == node(b)
        && a.world_from_object == b.world_from_object
        && [a, b].into_iter().all(|shape| is_static(shape) && is_subdivided(shape))
}

/// The mesh of a shape, in the space of the description.
fn mesh_of(shape: &ShapeDesc) -> Option<Arc<Mesh>> {
    let (Geometry::Mesh(mesh), placed) = shape.geometry.build() else {
        return None;
    };
    if placed == Affine3A::IDENTITY {
        return Some(mesh);
    }
    // Rectangles and cubes are scaled along their axes, which keeps normals.
    let positions = mesh.positions.iter().map(|&p| placed.transform_point3(p)).collect();
    Some(Arc::new(Mesh { positions, ..Mesh::clone(&mesh) }))
}

/// Object-to-world transform of a shape when the shutter opens.
pub(super) fn world_from_object(shape: &ShapeDesc, shutter: &Shutter) -> Affine3A {
    match &shape.motion {
        None => shape.world_from_object,
        Some(motion) => in_single(&motion.at(shutter.at(0.0))),
    }
}
