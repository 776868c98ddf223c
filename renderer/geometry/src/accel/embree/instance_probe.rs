//! Instance array support: detects how the loaded Embree reports hits on instances.

#![expect(unsafe_code, reason = "calls Embree")]

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};

use super::device::Device;
use super::instances::InstanceArray;
use super::scene::SceneBuilder;
use super::sys::{INVALID_ID, RtcHit, RtcRay, RtcRayHit};
use crate::accel::error::AccelError;
use crate::accel::mask::ALL;
use crate::accel::quality::BuildQuality;
use crate::{Mesh, TracedTriangles};

/// Index into [`RtcHit::reserve`] at which Embree's hits store the instance within an instance array. It depends on the
/// number of instancing levels that the library was built with. `None` if it was built without instance arrays.
pub(in crate::accel) fn instance_field(device: &Arc<Device>) -> Option<usize> {
    let found = probe(device);
    // An unsupported geometry type is an error, which the result already states.
    let checked = device.check();
    found.ok().flatten().filter(|_| checked.is_ok())
}

/// Traces a ray to the second of two instances.
fn probe(device: &Arc<Device>) -> Result<Option<usize>, AccelError> {
    let corners = vec![Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::Y];
    let mesh = Mesh::new(corners, vec![[0, 1, 2]]).expect("the mesh is valid");
    let mut triangle = SceneBuilder::new(device, BuildQuality::Medium);
    triangle.triangles(0, ALL, TracedTriangles::of_mesh(&Arc::new(mesh)))?;
    let mut array = InstanceArray::default();
    array.push(0, &Affine3A::IDENTITY);
    array.push(1, &Affine3A::from_translation(Vec3::X * 4.0));
    let mut top = SceneBuilder::new(device, BuildQuality::Medium);
    top.instances(0, ALL, &Arc::new(triangle.commit()?), array);
    let scene = top.commit()?;
    let mut query = RtcRayHit {
        ray: RtcRay {
            org_tnear: Vec4::new(4.0, 0.0, 1.0, 0.0),
            dir_time: Vec4::new(0.0, 0.0, -1.0, 0.0),
            tfar: f32::INFINITY,
            mask: ALL,
            id: 0,
            flags: 0,
        },
        hit: RtcHit { reserve: [MaybeUninit::new(INVALID_ID); 32], ..RtcHit::NONE },
    };
    // SAFETY: the scene is committed; the query is aligned and has room for all that any build of Embree 4 writes.
    unsafe { (device.functions.intersect1)(scene.handle, &raw mut query, ptr::null()) };
    if query.hit.inst_id != 0 {
        return Ok(None);
    }
    // SAFETY: all of the reserve was set above.
    let is_second = |id: &MaybeUninit<u32>| unsafe { id.assume_init() } == 1;
    Ok(query.hit.reserve.iter().position(is_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carried_library_knows_arrays() {
        let device = Device::new(1).expect("there is Embree");
        assert_eq!(instance_field(&device), Some(0));
    }
}
