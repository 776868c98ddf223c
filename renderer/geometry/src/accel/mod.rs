//! Acceleration structure: closest-hit and occlusion queries by Embree, with instancing and ray masks.
//!
//! - A mesh used by one shape is traced in world space; one shared by several shapes, or moving, is built once and
//!   instanced ([`build`]).
//! - Kiln intersects curves, points and analytic surfaces itself, in double precision: Embree's own curves depend on the
//!   instruction set.
//! - Queries take no lock, allocate nothing and may run on any number of threads at once.
//! - The result of a query depends on the shapes only, not on the number of threads that built the structure: see
//!   [`Accel::build`].
//!
//! Traversal is Embree's (Wald et al. 2014, "Embree: A Kernel Framework for Efficient CPU Ray Tracing").

mod build;
mod embree;
mod error;
mod mask;
mod quality;

use std::sync::Arc;

pub use crate::Hit;
use crate::Shape;
use build::{AccelBuilder, AccelParts};
pub use embree::{Bundle, PackedFile, carried};
use embree::{CommittedScene, Device};
pub use error::AccelError;
pub use mask::ALL;
pub use quality::BuildQuality;
use renderer_base::math::{Bounds, Ray};

/// Acceleration structure over the shapes of a scene.
pub struct Accel {
    scene: CommittedScene,
    bounds: Bounds,
    quality: BuildQuality,
    parts: AccelParts,
    device: Arc<Device>,
}

impl Accel {
    /// Builds the structure over `shapes` with up to `threads` threads (0: one per core). A shape's index is its
    /// [`ShapeId`](crate::ShapeId); `masks` holds, for each shape, the bits of the rays that see it (a
    /// missing one is [`ALL`]).
    ///
    /// # Errors
    /// When Embree cannot be loaded, or runs out of memory.
    pub fn build(shapes: &[Shape], masks: &[u32], threads: usize) -> Result<Accel, AccelError> {
        Accel::build_with(shapes, masks, threads, None, None)
    }

    /// Like [`Accel::build`], with a build quality, and with the structure of another frame, whose equal parts are shared; the
    /// results are those of a structure that shares nothing. By default the quality is high for up to a million triangles,
    /// medium for more.
    ///
    /// # Errors
    /// As [`Accel::build`].
    pub fn build_with(
        shapes: &[Shape],
        masks: &[u32],
        threads: usize,
        quality: Option<BuildQuality>,
        earlier: Option<&Accel>,
    ) -> Result<Accel, AccelError> {
        let quality = quality.unwrap_or_else(|| BuildQuality::of(shapes));
        let earlier = earlier.filter(|earlier| earlier.quality == quality);
        let device = match earlier {
            Some(earlier) => earlier.device.clone(),
            None => Device::new(quality.threads(threads))?,
        };
        let known = earlier.map(|earlier| &earlier.parts);
        let (scene, parts) = AccelBuilder::new(&device, shapes, quality).build(masks, known)?;
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
