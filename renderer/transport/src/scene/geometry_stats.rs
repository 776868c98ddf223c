//! Geometry statistics: triangles, instances, memory and build time.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use renderer_geometry::{Mesh, Shape};

/// Statistics of a scene's geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryStats {
    /// Number of shapes.
    pub shapes: u64,
    /// Number of shapes that share their mesh with others.
    pub instances: u64,
    /// Number of meshes.
    pub meshes: u64,
    /// Number of triangles of all meshes.
    pub triangles: u64,
    /// Number of triangles that rays can hit; those of a mesh count once per shape that uses it.
    pub placed_triangles: u64,
    /// Memory of meshes and shapes [bytes].
    pub bytes: u64,
    /// Additional memory of the acceleration structure [bytes].
    pub accel_bytes: u64,
    /// Time to build the acceleration structure.
    pub accel_time: Duration,
}

impl GeometryStats {
    pub(super) fn new(shapes: &[Shape], accel_bytes: usize, accel_time: Duration) -> GeometryStats {
        let mut stats = GeometryStats {
            shapes: shapes.len() as u64,
            accel_bytes: accel_bytes as u64,
            accel_time,
            ..GeometryStats::default()
        };
        let mut uses: FxHashMap<*const Mesh, u64> = FxHashMap::default();
        for shape in shapes {
            stats.bytes += shape.memory() as u64;
            let Some(mesh) = shape.mesh() else {
                stats.bytes += shape.curves().map_or(0, |curves| curves.memory()) as u64;
                stats.bytes += shape.points().map_or(0, |points| points.memory()) as u64;
                continue;
            };
            let triangles = mesh.triangles.len() as u64;
            stats.placed_triangles += triangles;
            let uses = uses.entry(Arc::as_ptr(mesh)).or_default();
            *uses += 1;
            if *uses == 1 {
                stats.meshes += 1;
                stats.triangles += triangles;
                stats.bytes += mesh.memory() as u64;
            }
        }
        stats.instances = uses.values().filter(|uses| **uses > 1).sum();
        stats
    }
}
