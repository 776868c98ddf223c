//! All-hits queries: every hit of a ray within its bounds, in no order.

#![expect(unsafe_code, reason = "calls Embree, and is called by it")]

use std::ffi::c_void;
use std::ptr;

use glam::Vec2;

use super::instances::InstanceArrays;
use super::sys::{
    FEATURE_FLAG_ALL, FilterArguments, INVALID_ID, QUERY_FLAG_INVOKE_FILTER, QueryArguments, QueryContext,
    RtcHit, RtcRay, RtcRayHit, RtcScene,
};
use crate::accel::HitList;
use crate::{Hit, ShapeId};

/// `RTCRay::id` of an all-hits query, by which callbacks know that its context is a [`Collector`]'s.
const ALL_HITS: u32 = 1;

/// Hits found so far, and the arrays that know their shapes.
struct Collector<'a> {
    arrays: &'a InstanceArrays,
    hits: &'a mut HitList,
}

/// Adds all hits within the ray's bounds to `hits`.
///
/// # Safety
/// `scene` is a committed scene with these arrays, and `intersect1` is the function of its library.
pub(super) unsafe fn collect_hits(
    intersect1: unsafe extern "C" fn(RtcScene, *mut RtcRayHit, *const c_void),
    scene: RtcScene,
    ray: RtcRay,
    arrays: &InstanceArrays,
    hits: &mut HitList,
) {
    let mut collector = Collector { arrays, hits };
    let mut context = QueryContext {
        instances: [INVALID_ID; 64],
        user: (&raw mut collector).cast(),
    };
    let arguments = QueryArguments {
        flags: QUERY_FLAG_INVOKE_FILTER,
        feature_mask: FEATURE_FLAG_ALL,
        context: &raw mut context,
        filter: Some(reject),
        intersect: None,
        reserve: [0.0; 4],
    };
    let mut query = RtcRayHit {
        ray: RtcRay { id: ALL_HITS, ..ray },
        hit: RtcHit::NONE,
    };
    let arguments: *const QueryArguments = &raw const arguments;
    // SAFETY: as the caller says; query, arguments and context outlive the call and have room for all that any build of
    // Embree 4 reads and writes.
    unsafe { intersect1(scene, &raw mut query, arguments.cast()) };
}

/// Context of an all-hits query; null for other queries.
pub(super) fn context_of(ray: &RtcRay, context: *mut QueryContext) -> *mut QueryContext {
    if ray.id == ALL_HITS {
        context
    } else {
        ptr::null_mut()
    }
}

/// Adds a hit of an analytic surface, which is no instance.
///
/// # Safety
/// The context is that of an all-hits query.
pub(super) unsafe fn add(context: *mut QueryContext, t: f32, shape: u32, primitive: u32) {
    // SAFETY: the user data of the context are the collector of the query.
    let collector = unsafe { &mut *(*context).user.cast::<Collector<'_>>() };
    collector.hits.push(Hit {
        t,
        shape: ShapeId(shape),
        primitive,
        barycentric: Vec2::ZERO,
    });
}

/// `RTCFilterFunctionN` that notes a hit and rejects it, so that the query finds the next one.
unsafe extern "C" fn reject(arguments: *const FilterArguments) {
    // SAFETY: Embree calls this with valid arguments, one ray and its hit, and the context of the query.
    unsafe {
        let arguments = &*arguments;
        let t = (*arguments.ray.cast::<RtcRay>()).tfar;
        let collector = &mut *(*arguments.context).user.cast::<Collector<'_>>();
        let found = collector.arrays.hit(t, arguments.hit.cast::<RtcHit>());
        collector.hits.push(found);
        arguments.valid.write(0);
    }
}
