//! Islands: connected components of the meshes of a scene, for shader attributes.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::ShaderGlobals;

use renderer_geometry::Shape;

/// Island of each triangle, by shape.
#[derive(Debug)]
pub(super) struct Islands {
    /// `None` for shapes that are not meshes.
    by_shape: Vec<Option<Arc<[u32]>>>,
}

impl Islands {
    /// Finds the islands of each mesh, once for all instances.
    pub(super) fn of(shapes: &[Shape]) -> Islands {
        let mut known: FxHashMap<usize, Arc<[u32]>> = FxHashMap::default();
        let of_shape = |shape: &Shape| {
            let mesh = shape.mesh()?;
            let address = Arc::as_ptr(mesh) as usize;
            let islands = known.entry(address).or_insert_with(|| mesh.islands().into());
            Some(islands.clone())
        };
        Islands { by_shape: shapes.iter().map(of_shape).collect() }
    }

    /// Island at a shading point.
    pub(super) fn at(&self, globals: &ShaderGlobals) -> Option<u32> {
        match self.by_shape.get(globals.object as usize)? {
            Some(islands) => islands.get(globals.primitive as usize).copied(),
            None => Some(0),
        }
    }
}
