//! Shapes with equal triangles, and therefore equal lightmap coordinates.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use renderer_scene::{GeometryDesc, SceneDesc};

/// Key of shapes with equal triangles.
#[derive(PartialEq, Eq, Hash)]
enum Topology<'a> {
    /// The name of a model, and the indices of a mesh of its document and of a primitive: the nodes of a mesh, which
    /// joints or weights of their own may deform.
    Part(&'a str, usize, usize),
    /// The address of a mesh.
    Mesh(usize),
    /// The number of a shape.
    Shape(usize),
}

/// Topology index of each shape.
pub(super) fn of_shapes(desc: &SceneDesc) -> Vec<u32> {
    let mut known: FxHashMap<Topology<'_>, u32> = FxHashMap::default();
    (desc.shapes.iter().enumerate())
        .map(|(index, shape)| {
            let topology = match (&shape.asset, shape.part, &shape.geometry) {
                (Some(asset), Some(part), _) => Topology::Part(asset, part.mesh, part.primitive),
                (_, _, GeometryDesc::Mesh(mesh)) => Topology::Mesh(Arc::as_ptr(mesh) as usize),
                _ => Topology::Shape(index),
            };
            let next = known.len() as u32;
            *known.entry(topology).or_insert(next)
        })
        .collect()
}
