//! Instance arrays: many instances of one scene as a single Embree geometry, with a third of the memory.

#![expect(unsafe_code, reason = "reads the hits of a loaded library")]

use glam::{Affine3A, Vec2};

use super::sys::{INVALID_ID, RtcHit};
use crate::{Hit, ShapeId};

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

    /// The shape that an instance is.
    #[inline]
    fn shape(&self, instance: u32) -> u32 {
        self.shapes[instance as usize]
    }

    /// Gives back memory that is not needed, and leaves some behind the last place, so that it can be read as vectors of
    /// 16 bytes.
    pub(super) fn fit(&mut self) {
        self.shapes.shrink_to_fit();
        self.transforms.shrink_to(self.transforms.len() + 1);
        self.transforms.reserve_exact(1);
    }

    /// The places of all, as `RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR`.
    pub(super) fn transforms(&self) -> &[[f32; 12]] {
        &self.transforms
    }
}

/// The instance arrays of a scene, which know the shapes of its hits.
pub(super) struct InstanceArrays {
    /// Geometry id of the first array; those of the others follow.
    first: u32,
    /// Index of the field of a hit that stores the instance within an array.
    place: usize,
    list: Vec<InstanceArray>,
}

impl Default for InstanceArrays {
    fn default() -> InstanceArrays {
        InstanceArrays::new(u32::MAX, 0)
    }
}

impl InstanceArrays {
    /// No arrays yet. The geometry of the first has the id `first`; `place` is the index of the field of a hit that stores
    /// the instance within an array.
    pub(super) fn new(first: u32, place: usize) -> InstanceArrays {
        InstanceArrays {
            first,
            place,
            list: Vec::new(),
        }
    }

    /// Adds the next array.
    pub(super) fn push(&mut self, array: InstanceArray) {
        self.list.push(array);
    }

    /// The hit at distance `t`.
    ///
    /// # Safety
    /// `hit` points to a hit that the library has written. It may be shorter than an `RtcHit`.
    #[inline]
    pub(super) unsafe fn hit(&self, t: f32, hit: *const RtcHit) -> Hit {
        // SAFETY: the hits of every build have these fields, and those on an instance of an array its place in the array.
        unsafe {
            let instance = (*hit).inst_id;
            let shape = if instance == INVALID_ID {
                (*hit).geom_id
            } else if instance < self.first {
                instance
            } else {
                let reserve = (&raw const (*hit).reserve).cast::<u32>();
                let place = reserve.add(self.place).read();
                self.list[(instance - self.first) as usize].shape(place)
            };
            Hit {
                t,
                shape: ShapeId(shape),
                primitive: (*hit).prim_id,
                barycentric: Vec2::new((*hit).u, (*hit).v),
            }
        }
    }
}
