//! Mesh sharing: number of shapes of each mesh; world-space copies of meshes with one shape.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Mesh, Shape};

/// Maximum number of triangles of a scene that is optimized for speed; larger scenes also save memory.
pub(crate) const MAX_FAST_TRIANGLES: u64 = 1 << 20;

/// Adds world-space copies of meshes that one shape uses: [`Shape::add_world_mesh`], or [`Shape::add_world_positions`]
/// in scenes of more than a million triangles.
pub fn add_world_meshes(shapes: &mut [Shape]) {
    let uses = MeshUses::of(shapes);
    let is_large = triangle_count(shapes) > MAX_FAST_TRIANGLES;
    shapes.par_iter_mut().for_each(|shape| {
        if shape.mesh().is_some_and(|mesh| uses.is_single(mesh)) {
            if is_large {
                shape.add_world_positions();
            } else {
                shape.add_world_mesh();
            }
        }
    });
}

/// Number of primitives of the shapes; a shared mesh counts once.
pub(crate) fn triangle_count(shapes: &[Shape]) -> u64 {
    let mut known = FxHashSet::default();
    let is_new = |shape: &&Shape| shape.mesh().is_none_or(|mesh| known.insert(Arc::as_ptr(mesh)));
    let counts = shapes.iter().filter(is_new).map(Shape::primitive_count);
    counts.map(u64::from).sum()
}

/// Number of shapes that use each mesh.
pub(crate) struct MeshUses {
    /// By the mesh's address.
    counts: FxHashMap<usize, usize>,
}

impl MeshUses {
    /// Counts the uses by `shapes`.
    pub(crate) fn of(shapes: &[Shape]) -> MeshUses {
        let mut counts = FxHashMap::default();
        for mesh in shapes.iter().filter_map(Shape::mesh) {
            *counts.entry(Arc::as_ptr(mesh).addr()).or_default() += 1;
        }
        MeshUses { counts }
    }

    /// Number of shapes that share their mesh with others.
    pub(crate) fn instances(&self) -> usize {
        self.counts.values().filter(|count| **count > 1).sum()
    }

    /// Returns whether exactly one shape uses the mesh.
    pub(crate) fn is_single(&self, mesh: &Arc<Mesh>) -> bool {
        self.counts.get(&Arc::as_ptr(mesh).addr()) == Some(&1)
    }
}
