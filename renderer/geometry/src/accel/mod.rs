//! Acceleration structure: closest-hit and occlusion queries by Embree, with instancing and ray masks.
//!
//! - A mesh used by one shape is traced in world space; one shared by several shapes, or moving, is built once and
//!   instanced.
//! - Kiln intersects curves, points and analytic surfaces itself, in double precision: Embree's own curves depend on the
//!   instruction set.
//! - Queries take no lock, allocate nothing and may run on any number of threads at once.
//! - The result of a query depends on the shapes only, not on the number of threads that built the structure: see
//!   [`Accel::build`].
//!
//! Traversal is Embree's (Wald et al. 2014, "Embree: A Kernel Framework for Efficient CPU Ray Tracing").

mod embree;
mod error;
mod mask;
mod quality;

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use crate::Hit;
use crate::{Geometry, Mesh, MeshUses, Shape, TracedTriangles, VertexMotion};
pub use embree::{Bundle, PackedFile, carried};
use embree::{CommittedScene, Device, InstanceArray, SceneBuilder, UserSurface, instance_field};
pub use error::AccelError;
pub use mask::ALL;
pub use quality::BuildQuality;
use renderer_base::math::{Bounds, Ray};

/// Maximum number of instances as separate geometries, which are slightly faster; beyond it, instance arrays need a
/// third of the memory.
const MAX_SEPARATE_INSTANCES: usize = 1 << 16;

/// Acceleration structure over the shapes of a scene.
pub struct Accel {
    scene: CommittedScene,
    bounds: Bounds,
    quality: BuildQuality,
    /// Structures of the meshes that are instanced; each keeps its mesh.
    parts: FxHashMap<PartKey, Arc<CommittedScene>>,
    device: Arc<Device>,
}

/// Addresses of a mesh and of the motion of its vertices; 0 without motion.
type PartKey = (usize, usize);

impl Accel {
    /// Builds the structure over `shapes` with up to `threads` threads (0: one per core). A shape's index is its
    /// [`ShapeId`](crate::ShapeId); `masks` holds, for each shape, the bits of the rays that see it (a
    /// missing one is [`ALL`]).
    ///
    /// # Errors
    /// When Embree cannot be loaded, or runs out of memory.
    pub fn build(shapes: &[Shape], masks: &[u32], threads: usize) -> Result<Accel, AccelError> {
        Accel::build_with(shapes, masks, threads, None)
    }

    /// Like [`Accel::build`], with a build quality. By default it is high for up to a million triangles, medium for
    /// more.
    ///
    /// # Errors
    /// As [`Accel::build`].
    pub fn build_with(
        shapes: &[Shape],
        masks: &[u32],
        threads: usize,
        quality: Option<BuildQuality>,
    ) -> Result<Accel, AccelError> {
        let quality = quality.unwrap_or_else(|| BuildQuality::of(shapes));
        let device = Device::new(quality.threads(threads))?;
        Accel::on_device(device, shapes, masks, quality, &FxHashMap::default())
    }

    /// The structure of the shapes in another frame, with equal results as a new one. It reuses the structures of meshes that
    /// `self` has.
    ///
    /// # Errors
    /// As [`Accel::build`].
    pub fn at_frame(
        &self,
        shapes: &[Shape],
        masks: &[u32],
        threads: usize,
        quality: Option<BuildQuality>,
    ) -> Result<Accel, AccelError> {
        let quality = quality.unwrap_or_else(|| BuildQuality::of(shapes));
        match quality == self.quality {
            true => Accel::on_device(self.device.clone(), shapes, masks, quality, &self.parts),
            false => Accel::build_with(shapes, masks, threads, Some(quality)),
        }
    }

    fn on_device(
        device: Arc<Device>,
        shapes: &[Shape],
        masks: &[u32],
        quality: BuildQuality,
        known: &FxHashMap<PartKey, Arc<CommittedScene>>,
    ) -> Result<Accel, AccelError> {
        let uses = MeshUses::of(shapes);
        let mut parts: FxHashMap<PartKey, Arc<CommittedScene>> = FxHashMap::default();
        let mut arrays: FxHashMap<(*const Mesh, u32), usize> = FxHashMap::default();
        let mut list: Vec<(Arc<CommittedScene>, u32, InstanceArray)> = vec![];
        let array_field = if uses.instances() > MAX_SEPARATE_INSTANCES {
            instance_field(&device)
        } else {
            None
        };
        let first_array = shapes.len() as u32;
        let mut top = SceneBuilder::new(&device, quality).with_arrays(first_array, array_field.unwrap_or(0));
        for (id, shape) in (0u32..).zip(shapes) {
            let mask = masks.get(id as usize).copied().unwrap_or(ALL);
            match &shape.geometry {
                Geometry::Mesh(mesh) if uses.is_single(mesh) && !shape.is_moving() => {
                    let triangles = TracedTriangles::of_shape(shape).expect("the shape is a mesh");
                    top.triangles(id, mask, triangles)?;
                }
                Geometry::Mesh(mesh) => {
                    let motion = shape.vertex_motion();
                    let key = part_key(mesh, motion);
                    let scene = match (parts.entry(key), known.get(&key)) {
                        (Entry::Occupied(entry), _) => entry.into_mut(),
                        (Entry::Vacant(entry), Some(known)) => entry.insert(known.clone()),
                        (Entry::Vacant(entry), None) => {
                            let mut scene = SceneBuilder::new(&device, quality);
                            scene.triangles(0, ALL, TracedTriangles::of_mesh(mesh).with_motion(motion))?;
                            entry.insert(Arc::new(scene.commit()?))
                        }
                    };
                    let placement = shape.placement();
                    if array_field.is_some() && !shape.is_moving() {
                        let matrix = placement.open().world_from_object();
                        let index = *arrays.entry((Arc::as_ptr(mesh), mask)).or_insert_with(|| {
                            list.push((scene.clone(), mask, InstanceArray::default()));
                            list.len() - 1
                        });
                        list[index].2.push(id, matrix);
                    } else {
                        top.instance(id, mask, scene, placement);
                    }
                }
                Geometry::Sphere
                | Geometry::Disk
                | Geometry::Cylinder
                | Geometry::Cone(_)
                | Geometry::Curves(_)
                | Geometry::Points(_) => {
                    let surface = UserSurface::new(shape).expect("the shape is no mesh");
                    top.surface(id, mask, surface);
                }
            }
        }
        for (id, (scene, mask, array)) in (first_array..).zip(list) {
            top.instances(id, mask, &scene, array);
        }
        let scene = top.commit()?;
        let bounds = scene.bounds();
        Ok(Accel { scene, bounds, quality, parts, device })
    }

    /// Closest hit of `ray` in `[t_min, t_max]` on shapes whose mask shares a bit with `mask`.
    #[inline]
    pub fn intersect(&self, ray: &Ray, mask: u32) -> Option<Hit> {
        self.scene.intersect(ray, mask)
    }

    /// Calls `visit` for all hits of `ray` in `[t_min, t_max]` on shapes whose mask shares a bit with `mask`, in
    /// arbitrary order. `visit` must not call `all_hits`. A ray through an edge of a mesh may hit both adjacent
    /// triangles.
    pub fn all_hits(&self, ray: &Ray, mask: u32, visit: impl FnMut(&Hit)) {
        self.scene.all_hits(ray, mask, visit);
    }

    /// Returns whether `ray` hits a shape in `[t_min, t_max]` whose mask shares a bit with `mask`.
    #[inline]
    pub fn occluded(&self, ray: &Ray, mask: u32) -> bool {
        self.scene.occluded(ray, mask)
    }

    /// Bounding box of all shapes; empty if there are none.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Memory of the structure [bytes].
    pub fn memory(&self) -> usize {
        self.scene.memory()
    }
}

fn part_key(mesh: &Arc<Mesh>, motion: Option<&Arc<VertexMotion>>) -> PartKey {
    (Arc::as_ptr(mesh).addr(), motion.map_or(0, |motion| Arc::as_ptr(motion).addr()))
}
