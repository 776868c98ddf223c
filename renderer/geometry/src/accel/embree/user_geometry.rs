//! Analytic surfaces, curves and points as Embree user geometry: bounds, intersection and occlusion callbacks.

#![expect(unsafe_code, reason = "called by Embree")]

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DAffine3, DVec3, Vec2, Vec3, Vec4};

use super::hit_list::{is_all_hits, record};
use super::sys::{
    BoundsArguments, INVALID_ID, IntersectArguments, OccludedArguments, RtcBounds, RtcHit, RtcRay, RtcRayHit,
};
use crate::curves::RayFrame;
use crate::{Analytic, Curves, Geometry, Hit, Placement, Points, Shape, ShapeId, points};
use renderer_base::math::Bounds;

/// A surface that Kiln intersects, with its transform.
pub(in crate::accel) struct UserSurface {
    /// Unique within the process, unlike the address.
    number: u64,
    kind: SurfaceKind,
    placement: Placement,
    /// Inverse transform when the shutter opens.
    object_from_world: DAffine3,
    /// Bounds of an analytic surface at each key of the placement.
    bounds: Vec<Bounds>,
    /// Rounding of the origins of rays that leave the surface, in object space `[m]`.
    rounding: f64,
}

enum SurfaceKind {
    Analytic(Analytic),
    Curves(Arc<Curves>),
    Points(Arc<Points>),
}

impl UserSurface {
    /// The surface of `shape`; `None` if it is a mesh.
    pub(in crate::accel) fn new(shape: &Shape) -> Option<UserSurface> {
        let kind = match &shape.geometry {
            Geometry::Mesh(_) => return None,
            Geometry::Sphere => SurfaceKind::Analytic(Analytic::Sphere),
            Geometry::Disk => SurfaceKind::Analytic(Analytic::Disk),
            Geometry::Cylinder => SurfaceKind::Analytic(Analytic::Cylinder),
            Geometry::Cone(top) => SurfaceKind::Analytic(Analytic::Cone(*top)),
            Geometry::Curves(curves) => SurfaceKind::Curves(curves.clone()),
            Geometry::Points(points) => SurfaceKind::Points(points.clone()),
        };
        let bounds = shape.bounds();
        // The margin covers the rounding of the bounds, so that no hit is outside.
        let largest = bounds.min.abs().max(bounds.max.abs());
        let margin = largest * (8.0 * f32::EPSILON) + f32::MIN_POSITIVE;
        let key_bounds = shape.key_bounds().into_iter();
        let key_bounds =
            key_bounds.map(|bounds| Bounds { min: bounds.min - margin, max: bounds.max + margin });
        let placement = shape.placement();
        let object_from_world = placement.open().exact_object_from_world();
        let matrix = object_from_world.matrix3.abs();
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Some(UserSurface {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            kind,
            placement: placement.clone(),
            rounding: (matrix * largest.as_dvec3()).length() * f64::from(2.0 * f32::EPSILON),
            object_from_world,
            bounds: key_bounds.collect(),
        })
    }

    /// Number of primitives.
    pub(super) fn primitive_count(&self) -> u32 {
        match &self.kind {
            SurfaceKind::Analytic(_) => 1,
            SurfaceKind::Curves(curves) => curves.primitive_count(),
            SurfaceKind::Points(points) => points.primitive_count(),
        }
    }

    /// Number of Embree's time steps: the keys of the vertices if they move, or of the placement.
    pub(super) fn time_steps(&self) -> u32 {
        match self.vertex_keys() {
            keys @ 2.. => keys as u32,
            _ => self.placement.keys().len() as u32,
        }
    }

    /// Number of keys of the vertices of curves or points.
    fn vertex_keys(&self) -> usize {
        match &self.kind {
            SurfaceKind::Analytic(_) => 1,
            SurfaceKind::Curves(curves) => curves.keys().len(),
            SurfaceKind::Points(points) => points.keys().len(),
        }
    }

    fn primitive_bounds(&self, primitive: u32, step: usize) -> Bounds {
        if self.vertex_keys() == 1 {
            return self.key_bounds(primitive, 0, step);
        }
        // A point is a weighted mean of the positions of its vertices' keys under all keys of the placement.
        let placements = 0..self.placement.keys().len();
        let all = placements.map(|placement| self.key_bounds(primitive, step, placement));
        all.fold(Bounds::EMPTY, Bounds::union)
    }

    /// Bounds of a primitive at a key of its vertices, under a key of the placement.
    fn key_bounds(&self, primitive: u32, key: usize, placement: usize) -> Bounds {
        let world_from_object = &self.placement.keys()[placement];
        match &self.kind {
            SurfaceKind::Analytic(_) => self.bounds[placement],
            SurfaceKind::Curves(curves) => {
                curves.primitive_bounds(primitive, &curves.keys()[key], world_from_object)
            }
            SurfaceKind::Points(points) => {
                points::bounds_of(points.keys()[key][primitive as usize], world_from_object)
            }
        }
    }

    /// The first hit on a primitive within the ray's bounds: distance and surface parameters.
    #[inline]
    fn first_hit(&self, primitive: u32, ray: &RtcRay) -> Option<(f32, Vec2)> {
        self.hit_after(primitive, ray, ray.org_tnear.w)
    }

    /// The first hit on a primitive beyond `near` and within the ray's bounds.
    #[inline]
    fn hit_after(&self, primitive: u32, ray: &RtcRay, near: f32) -> Option<(f32, Vec2)> {
        let within = [near.into(), ray.tfar.into()];
        let (t, uv) = match &self.kind {
            SurfaceKind::Analytic(analytic) => {
                let [origin, direction] = self.object_line(ray);
                (analytic.intersect(origin, direction, within[0], within[1])?, Vec2::ZERO)
            }
            SurfaceKind::Curves(curves) => {
                let intersect = |frame: &_| curves.intersect(primitive, frame, within, self.rounding);
                let hit = self.in_frame(ray, intersect)?;
                (hit.t, Vec2::new(hit.s as f32, 0.0))
            }
            SurfaceKind::Points(points) => {
                let intersect = |frame: &_| points.intersect(primitive, frame, within, self.rounding);
                (self.in_frame(ray, intersect)?, Vec2::ZERO)
            }
        };
        let t = t as f32;
        // Rounding may move the hit beyond an earlier one.
        (t < ray.tfar).then_some((t, uv))
    }

    /// Origin and direction of a ray in object space. The direction is not normalized, so that distances are equal in
    /// both spaces.
    #[inline]
    fn object_line(&self, ray: &RtcRay) -> [DVec3; 2] {
        let [origin, direction] = [ray.org_tnear, ray.dir_time].map(|v| v.truncate().as_dvec3());
        let object_from_world = match self.placement.is_moving() {
            false => &self.object_from_world,
            true => &self.placement.at(ray.dir_time.w).exact_object_from_world(),
        };
        [object_from_world.transform_point3(origin), object_from_world.transform_vector3(direction)]
    }

    /// Calls `intersect` with the frame of a ray, which the primitives of a query share.
    #[inline]
    fn in_frame<T>(&self, ray: &RtcRay, intersect: impl FnOnce(&RayFrame) -> T) -> T {
        let line = (ray.org_tnear.truncate(), ray.dir_time);
        FRAME.with_borrow_mut(|cached| {
            if cached.surface != self.number || cached.line != line {
                let [origin, direction] = self.object_line(ray);
                let frame = RayFrame::new(origin, direction, ray.dir_time.w);
                *cached = CachedFrame { surface: self.number, line, frame };
            }
            intersect(&cached.frame)
        })
    }
}

/// Frame of the last ray of a thread on a surface.
struct CachedFrame {
    surface: u64,
    /// Origin, and direction with the time.
    line: (Vec3, Vec4),
    frame: RayFrame,
}

thread_local! {
    static FRAME: RefCell<CachedFrame> = const {
        RefCell::new(CachedFrame { surface: 0, line: (Vec3::ZERO, Vec4::ZERO), frame: RayFrame::NONE })
    };
}

/// `RTCBoundsFunction` of an [`UserSurface`].
pub(super) unsafe extern "C" fn bounds(arguments: *const BoundsArguments) {
    // SAFETY: Embree calls this with valid arguments and the user data of the geometry, which is such a surface.
    let (surface, arguments) = unsafe {
        let arguments = &*arguments;
        (&*arguments.geometry_user_ptr.cast::<UserSurface>(), arguments)
    };
    let corner = |v: Vec3| [v.x, v.y, v.z, 0.0];
    let bounds = surface.primitive_bounds(arguments.prim_id, arguments.time_step as usize);
    let found = RtcBounds { lower: corner(bounds.min), upper: corner(bounds.max) };
    // SAFETY: Embree passes a valid pointer for the result.
    unsafe { arguments.bounds.write(found) };
}

/// `RTCIntersectFunctionN` of an [`UserSurface`].
pub(super) unsafe extern "C" fn intersect(arguments: *const IntersectArguments) {
    // SAFETY: Embree calls this with valid arguments and the user data of the geometry, which is such a surface.
    let (arguments, surface) = unsafe {
        let arguments = &*arguments;
        (arguments, &*arguments.geometry_user_ptr.cast::<UserSurface>())
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
        while let Some((t, barycentric)) = surface.hit_after(arguments.prim_id, ray, near) {
            record(Hit {
                t,
                shape: ShapeId(arguments.geom_id),
                primitive: arguments.prim_id,
                barycentric,
            });
            near = t.next_up();
        }
        return;
    }
    if let Some((t, uv)) = surface.first_hit(arguments.prim_id, ray) {
        ray.tfar = t;
        // SAFETY: every build's hit has these fields. The geometry is in the top scene, or in the fixed part, whose geometries
        // have the ids of their shapes: the hit states no instance.
        unsafe {
            let hit: *mut RtcHit = hit;
            (*hit).u = uv.x;
            (*hit).v = uv.y;
            (*hit).prim_id = arguments.prim_id;
            (*hit).geom_id = arguments.geom_id;
            (*hit).inst_id = INVALID_ID;
        }
    }
}

/// `RTCOccludedFunctionN` of an [`UserSurface`].
pub(super) unsafe extern "C" fn occluded(arguments: *const OccludedArguments) {
    // SAFETY: Embree calls this with valid arguments, one ray, and the user data of the geometry, which is such a
    // surface.
    let (ray, surface, primitive) = unsafe {
        let arguments = &*arguments;
        let surface = &*arguments.geometry_user_ptr.cast::<UserSurface>();
        (&mut *arguments.ray.cast::<RtcRay>(), surface, arguments.prim_id)
    };
    if surface.first_hit(primitive, ray).is_some() {
        ray.tfar = f32::NEG_INFINITY;
    }
}
