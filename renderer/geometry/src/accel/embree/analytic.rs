//! Spheres, disks and cylinders as Embree user geometry: bounds, intersection and occlusion callbacks.

#![expect(unsafe_code, reason = "called by Embree")]

use glam::{DAffine3, DVec3, Vec2, Vec3};

use super::hit_list::{is_all_hits, record};
use super::sys::{
    BoundsArguments, INVALID_ID, IntersectArguments, OccludedArguments, RtcBounds, RtcHit, RtcRay, RtcRayHit,
};
use crate::{Analytic, Hit, Placement, Shape, ShapeId};
use renderer_base::math::Bounds;

/// An analytic surface with its transform.
pub(in crate::accel) struct AnalyticSurface {
    kind: Analytic,
    object_from_world: DAffine3,
    /// Placement of a moving surface; `None` if the surface does not move.
    motion: Option<Placement>,
    /// Bounds at each key of the placement.
    bounds: Vec<Bounds>,
}

impl AnalyticSurface {
    /// The analytic surface of `shape`; `None` if it is a mesh.
    pub(in crate::accel) fn new(shape: &Shape) -> Option<AnalyticSurface> {
        let placement = shape.placement();
        Some(AnalyticSurface {
            kind: shape.analytic()?,
            object_from_world: placement.open().exact_object_from_world(),
            motion: placement.is_moving().then(|| placement.clone()),
            bounds: shape.key_bounds().into_iter().map(with_margin).collect(),
        })
    }

    /// Number of Embree's time steps.
    pub(super) fn time_steps(&self) -> u32 {
        self.bounds.len() as u32
    }

    /// The distance of the first hit within the ray's bounds.
    fn first_hit(&self, ray: &RtcRay) -> Option<f32> {
        self.hit_after(ray, ray.org_tnear.w)
    }

    /// The distance of the first hit beyond `near` and within the ray's bounds.
    fn hit_after(&self, ray: &RtcRay, near: f32) -> Option<f32> {
        let [origin, direction] = [ray.org_tnear, ray.dir_time].map(|v| v.truncate().as_dvec3());
        let object_from_world = match &self.motion {
            None => &self.object_from_world,
            Some(placement) => &placement.at(ray.dir_time.w).exact_object_from_world(),
        };
        let origin: DVec3 = object_from_world.transform_point3(origin);
        // Not normalized, so that distances are equal in both spaces.
        let direction = object_from_world.transform_vector3(direction);
        let t = self.kind.intersect(origin, direction, near.into(), ray.tfar.into())? as f32;
        // Rounding may move the hit beyond an earlier one.
        (t < ray.tfar).then_some(t)
    }
}

/// Bounds with a margin for their rounding, so that no hit is outside.
fn with_margin(bounds: Bounds) -> Bounds {
    let margin = bounds.min.abs().max(bounds.max.abs()) * (8.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    Bounds { min: bounds.min - margin, max: bounds.max + margin }
}

/// `RTCBoundsFunction` of an [`AnalyticSurface`].
pub(super) unsafe extern "C" fn bounds(arguments: *const BoundsArguments) {
    // SAFETY: Embree calls this with valid arguments and the user data of the geometry, which is such a surface.
    let (surface, step, bounds) = unsafe {
        let arguments = &*arguments;
        let surface = &*arguments.geometry_user_ptr.cast::<AnalyticSurface>();
        (surface, arguments.time_step as usize, arguments.bounds)
    };
    let corner = |v: Vec3| [v.x, v.y, v.z, 0.0];
    let found = RtcBounds {
        lower: corner(surface.bounds[step].min),
        upper: corner(surface.bounds[step].max),
    };
    // SAFETY: Embree passes a valid pointer for the result.
    unsafe { bounds.write(found) };
}

/// `RTCIntersectFunctionN` of an [`AnalyticSurface`].
pub(super) unsafe extern "C" fn intersect(arguments: *const IntersectArguments) {
    // SAFETY: Embree calls this with valid arguments and the user data of the geometry, which is such a surface.
    let (arguments, surface) = unsafe {
        let arguments = &*arguments;
        (arguments, &*arguments.geometry_user_ptr.cast::<AnalyticSurface>())
    };
    debug_assert_eq!(arguments.n, 1, "only single rays are asked for");
    // SAFETY: with one ray, it and its hit are laid out as those of a single query. The library's hit may be shorter than
    // ours, so that no reference to the whole is made.
    let (ray, hit) = unsafe {
        let query = arguments.ray_hit.cast::<RtcRayHit>();
        (&mut (*query).ray, &raw mut (*query).hit)
    };
    if is_all_hits(ray) {
        let mut near = ray.org_tnear.w;
        while let Some(t) = surface.hit_after(ray, near) {
            record(Hit {
                t,
                shape: ShapeId(arguments.geom_id),
                primitive: arguments.prim_id,
                barycentric: Vec2::ZERO,
            });
            near = t.next_up();
        }
        return;
    }
    if let Some(t) = surface.first_hit(ray) {
        ray.tfar = t;
        // SAFETY: every build's hit has these fields. The geometry is in the top scene: there is no instance.
        unsafe {
            let hit: *mut RtcHit = hit;
            (*hit).u = 0.0;
            (*hit).v = 0.0;
            (*hit).prim_id = arguments.prim_id;
            (*hit).geom_id = arguments.geom_id;
            (*hit).inst_id = INVALID_ID;
        }
    }
}

/// `RTCOccludedFunctionN` of an [`AnalyticSurface`].
pub(super) unsafe extern "C" fn occluded(arguments: *const OccludedArguments) {
    // SAFETY: Embree calls this with valid arguments, one ray, and the user data of the geometry, which is such a
    // surface.
    let (ray, surface) = unsafe {
        let arguments = &*arguments;
        let surface = &*arguments.geometry_user_ptr.cast::<AnalyticSurface>();
        (&mut *arguments.ray.cast::<RtcRay>(), surface)
    };
    if surface.first_hit(ray).is_some() {
        ray.tfar = f32::NEG_INFINITY;
    }
}
