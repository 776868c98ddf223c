//! Multi-hit queries: a filter function records every hit of a ray and rejects it, so that traversal continues.
// Amstutz et al. 2015, "An Evaluation of Multi-Hit Ray Traversal in a BVH using Existing First-Hit/Any-Hit Kernels".

#![expect(unsafe_code, reason = "calls Embree, and is called by it")]

use std::cell::Cell;
use std::ptr;

use glam::Vec2;

use super::hit_list::{ALL_HITS, drain, record};
use super::scene::{CommittedScene, rtc_ray};
use super::sys::{self, FilterArguments, QueryArguments, RtcHit, RtcRay, RtcRayHit};
use crate::{Hit, ShapeId};
use renderer_base::math::Ray;

thread_local! {
    /// Scene of the current query.
    static SCENE: Cell<*const CommittedScene> = const { Cell::new(ptr::null()) };
}

impl CommittedScene {
    /// Calls `visit` for all hits of a ray within its bounds, in no order. `visit` makes no such query.
    pub(in crate::accel) fn all_hits(&self, ray: &Ray, mask: u32, visit: impl FnMut(&Hit)) {
        let mut query = RtcRayHit {
            ray: RtcRay { id: ALL_HITS, ..rtc_ray(ray, mask) },
            hit: RtcHit::NONE,
        };
        let arguments = QueryArguments {
            flags: sys::QUERY_FLAG_INVOKE_ARGUMENT_FILTER,
            feature_mask: sys::FEATURE_FLAG_ALL,
            context: ptr::null_mut(),
            filter: Some(on_hit),
            intersect: None,
            reserve: [0; 4],
        };
        SCENE.set(self);
        // SAFETY: the scene is committed and made for filters; the query is aligned and has room for all that any build of
        // Embree 4 writes, and the arguments for all that it reads.
        unsafe { self.intersect_with(&raw mut query, (&raw const arguments).cast()) };
        SCENE.set(ptr::null());
        drain(visit);
    }
}

/// `RTCFilterFunctionN` that records a hit on a mesh and rejects it.
unsafe extern "C" fn on_hit(arguments: *const FilterArguments) {
    // SAFETY: Embree calls this for one ray, during a query that has set the scene. Its hit may be shorter than ours, so
    // that no reference to the whole is made.
    unsafe {
        let arguments = &*arguments;
        *arguments.valid = 0;
        let hit = arguments.hit.cast::<RtcHit>();
        let ray = &*arguments.ray.cast::<RtcRay>();
        let reserve = &raw const (*hit).reserve;
        let shape = (*SCENE.get()).shape_of_hit((*hit).geom_id, (*hit).inst_id, reserve);
        record(Hit {
            t: ray.tfar,
            shape: ShapeId(shape),
            primitive: (*hit).prim_id,
            barycentric: Vec2::new((*hit).u, (*hit).v),
        });
    }
}
