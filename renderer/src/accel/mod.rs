//! Acceleration structure: closest-hit and occlusion queries by Embree, with instancing and ray masks.
//!
//! - A mesh used by one shape is traced in world space; one shared by several shapes is built once and instanced.
//! - Queries take no lock, allocate nothing and may run on any number of threads at once.
//! - The result of a query depends on the shapes only, not on the number of threads that built the structure: see
//!   [`Accel::build`].
//!
//! Traversal is Embree's (Wald et al. 2014, "Embree: A Kernel Framework for Efficient CPU Ray Tracing").

mod embree;
mod error;

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use crate::geometry::Hit;
use crate::geometry::{Geometry, Mesh, Shape, mesh_uses};
use crate::math::{Bounds, Ray};
use embree::{AnalyticSurface, CommittedScene, Device, Quality, SceneBuilder};
pub use embree::{Bundle, PackedFile, carried, carry};
pub use error::AccelError;

/// Every kind of ray: the mask of a shape, or of a query, without exceptions.
pub const ALL: u32 = u32::MAX;

/// All shapes of a scene, ready for rays.
pub struct Accel {
    scene: CommittedScene,
    bounds: Bounds,
}

impl Accel {
    /// Builds the structure over `shapes` with up to `threads` threads (0: one per core). A shape's index is its
    /// [`ShapeId`](crate::geometry::ShapeId); `masks` holds, for each shape, the bits of the rays that see it (a
    /// missing one is [`ALL`]).
    ///
    /// # Errors
    /// When Embree cannot be loaded, or runs out of memory.
    pub fn build(shapes: &[Shape], masks: &[u32], threads: usize) -> Result<Accel, AccelError> {
        let (quality, threads) = plan(shapes, threads);
        let device = Device::new(threads)?;
        let uses = mesh_uses(shapes);
        let mut shared: FxHashMap<*const Mesh, Arc<CommittedScene>> = FxHashMap::default();
        let mut top = SceneBuilder::new(&device, quality);
        for (id, shape) in (0u32..).zip(shapes) {
            let mask = masks.get(id as usize).copied().unwrap_or(ALL);
            match &shape.geometry {
                Geometry::Mesh(mesh) if uses[&Arc::as_ptr(mesh)] == 1 => {
                    top.triangles(id, mask, shape.world_positions(mesh), &mesh.triangles)?;
                }
                Geometry::Mesh(mesh) => {
                    let scene = match shared.entry(Arc::as_ptr(mesh)) {
                        Entry::Occupied(entry) => entry.into_mut(),
                        Entry::Vacant(entry) => {
                            let mut scene = SceneBuilder::new(&device, quality);
                            scene.triangles(0, ALL, mesh.positions.iter().copied(), &mesh.triangles)?;
                            entry.insert(Arc::new(scene.commit()?))
                        }
                    };
                    top.instance(id, mask, scene, &shape.world_from_object);
                }
                Geometry::Sphere | Geometry::Disk | Geometry::Cylinder => {
                    let surface = AnalyticSurface::new(shape).expect("the shape is analytic");
                    top.analytic(id, mask, surface);
                }
            }
        }
        let scene = top.commit()?;
        let bounds = scene.bounds();
        Ok(Accel { scene, bounds })
    }

    /// The nearest hit of `ray` within its bounds on the shapes whose mask shares a bit with `mask`.
    #[inline]
    pub fn intersect(&self, ray: &Ray, mask: u32) -> Option<Hit> {
        self.scene.intersect(ray, mask)
    }

    /// Whether `ray` meets, within its bounds, any of the shapes whose mask shares a bit with `mask`.
    #[inline]
    pub fn occluded(&self, ray: &Ray, mask: u32) -> bool {
        self.scene.occluded(ray, mask)
    }

    /// A box that holds every shape; empty when there are none.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Bytes of memory that the structure holds.
    pub fn memory(&self) -> usize {
        self.scene.memory()
    }
}

/// Chooses build quality and threads so that the structure is the same for any number of threads.
///
/// Spatial splits speed up queries among long triangles, but a multi-threaded build with them is not deterministic
/// (order of a floating-point sum): one thread builds these, in a sixth of a second for a million triangles. Larger
/// scenes are built by all threads without spatial splits, which is exact in any order.
fn plan(shapes: &[Shape], threads: usize) -> (Quality, usize) {
    const LARGE: u64 = 1 << 20;
    let triangles: u64 = shapes
        .iter()
        .map(|shape| u64::from(shape.primitive_count()))
        .sum();
    if triangles <= LARGE {
        (Quality::High, 1)
    } else {
        (Quality::Medium, threads)
    }
}
