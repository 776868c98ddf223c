//! Instance arrays: many instances of one scene as a single Embree geometry, with a third of the memory.

use glam::Affine3A;

/// Instances of one scene.
#[derive(Default)]
pub(in crate::accel) struct InstanceArray {
    /// Index of each instance's shape.
    shapes: Vec<u32>,
    /// World-from-object transforms, which Embree reads in place.
    transforms: Vec<[f32; 12]>,
}

impl InstanceArray {
    /// Adds an instance.
    pub(in crate::accel) fn push(&mut self, shape: u32, world_from_object: &Affine3A) {
        self.shapes.push(shape);
        self.transforms.push(world_from_object.to_cols_array());
    }

    /// Index of the shape of an instance.
    #[inline]
    pub(super) fn shape(&self, instance: u32) -> u32 {
        self.shapes[instance as usize]
    }

    /// Releases spare memory, except for padding behind the last transform, so that Embree can read vectors of 16
    /// bytes.
    pub(super) fn fit(&mut self) {
        self.shapes.shrink_to_fit();
        self.transforms.shrink_to(self.transforms.len() + 1);
        self.transforms.reserve_exact(1);
    }

    /// World-from-object transforms as `RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR`.
    pub(super) fn transforms(&self) -> &[[f32; 12]] {
        &self.transforms
    }
}
