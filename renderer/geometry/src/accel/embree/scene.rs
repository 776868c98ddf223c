//! Embree scenes: builder with triangles, instances and user geometry, and the committed scene with its queries.

#![expect(unsafe_code, reason = "calls Embree")]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};

use super::device::Device;
use super::instances::InstanceArray;
use super::sys::{self, INVALID_ID, RtcBounds, RtcGeometry, RtcHit, RtcRay, RtcRayHit, RtcScene};
use super::user_geometry::{self, UserSurface};
use crate::accel::error::AccelError;
use crate::accel::mask::ALL;
use crate::accel::quality::BuildQuality;
use crate::{Hit, Placement, ShapeId, TracedTriangles};
use renderer_base::math::{Bounds, Ray};

/// A scene under construction.
pub(in crate::accel) struct SceneBuilder {
    scene: CommittedScene,
    /// `RTCBuildQuality`.
    quality: i32,
}

/// A scene that answers queries, from any thread.
pub(in crate::accel) struct CommittedScene {
    pub(super) handle: RtcScene,
    intersect1: unsafe extern "C" fn(RtcScene, *mut RtcRayHit, *const c_void),
    occluded1: unsafe extern "C" fn(RtcScene, *mut RtcRay, *const c_void),
    /// Surfaces to which Embree's user geometry points.
    surfaces: Vec<Arc<UserSurface>>,
    /// Meshes whose buffers the scene reads in place.
    triangles: Vec<TracedTriangles>,
    /// Instance arrays; their geometries have consecutive ids from `first_array` on.
    arrays: Vec<InstanceArray>,
    first_array: u32,
    /// Index of the field of a hit that stores the instance within an array.
    instance_field: usize,
    /// Id of the instance whose geometries have the ids of their shapes; [`INVALID_ID`] without one.
    fixed_part: u32,
    /// Instanced scenes. Embree counts references to scenes, but not to their user surfaces.
    instanced: Vec<Arc<CommittedScene>>,
    /// Dropped last.
    device: Arc<Device>,
}

// SAFETY: handles may be used from any thread, and a committed scene is immutable; user surfaces are plain data.
unsafe impl Send for CommittedScene {}
// SAFETY: as above.
unsafe impl Sync for CommittedScene {}

impl SceneBuilder {
    /// An empty scene.
    pub(in crate::accel) fn new(device: &Arc<Device>, quality: BuildQuality) -> SceneBuilder {
        let functions = device.functions;
        let quality = match quality {
            BuildQuality::Low => sys::BUILD_QUALITY_LOW,
            BuildQuality::Medium => sys::BUILD_QUALITY_MEDIUM,
            BuildQuality::High => sys::BUILD_QUALITY_HIGH,
        };
        // SAFETY: the device is valid; a failure leaves null, which Embree reports on every later use.
        let handle = unsafe {
            let handle = (functions.new_scene)(device.handle);
            // Without the flag, rays slip between triangles that share an edge.
            let flags = sys::SCENE_FLAG_ROBUST | sys::SCENE_FLAG_FILTER_IN_ARGUMENTS;
            (functions.set_scene_flags)(handle, flags);
            (functions.set_scene_quality)(handle, quality);
            handle
        };
        SceneBuilder {
            quality,
            scene: CommittedScene {
                handle,
                intersect1: functions.intersect1,
                occluded1: functions.occluded1,
                surfaces: Vec::new(),
                triangles: Vec::new(),
                arrays: Vec::new(),
                first_array: u32::MAX,
                instance_field: 0,
                fixed_part: INVALID_ID,
                instanced: Vec::new(),
                device: device.clone(),
            },
        }
    }

    /// Enables instance arrays, whose geometries get consecutive ids from `first`. `hit_field` is the index of the
    /// field of a hit that stores the instance within an array.
    pub(in crate::accel) fn with_arrays(mut self, first: u32, hit_field: usize) -> SceneBuilder {
        self.scene.first_array = first;
        self.scene.instance_field = hit_field;
        self
    }

    /// Adds instances of a scene as one geometry with the id `id`. The device must support instance arrays
    /// ([`instance_field`](super::instance_field)).
    pub(in crate::accel) fn instances(
        &mut self,
        id: u32,
        mask: u32,
        scene: &Arc<CommittedScene>,
        mut array: InstanceArray,
    ) {
        array.fit();
        let geometry = self.new_geometry(sys::GEOMETRY_TYPE_INSTANCE_ARRAY);
        let functions = self.scene.device.functions;
        let (kind, format) = (sys::BUFFER_TYPE_TRANSFORM, sys::FORMAT_FLOAT3X4_COLUMN_MAJOR);
        let (data, stride) = (array.transforms().as_ptr().cast(), size_of::<[f32; 12]>());
        // SAFETY: both handles are of this device, or null, which is reported. The transforms are neither moved nor changed
        // while `array` is there, which is as long as the scene.
        unsafe {
            (functions.set_instanced_scene)(geometry, scene.handle);
            (functions.set_shared_buffer)(
                geometry,
                kind,
                0,
                format,
                data,
                0,
                stride,
                array.transforms().len(),
            );
        }
        self.attach(geometry, id, mask);
        self.scene.instanced.push(scene.clone());
        self.scene.arrays.push(array);
    }

    /// Adds triangles, whose buffers Embree reads in place. An index out of range is an error.
    pub(in crate::accel) fn triangles(
        &mut self,
        id: u32,
        mask: u32,
        triangles: TracedTriangles,
    ) -> Result<(), AccelError> {
        let indices = triangles.indices();
        // Embree does not check indices, and the mesh may not be validated.
        if let Some(index) = triangles.index_out_of_range() {
            let vertices = triangles.positions().count;
            let reason = format!("a triangle of shape {id} uses vertex {index} of {vertices}");
            return Err(AccelError::Build { reason });
        }
        let geometry = self.new_geometry(sys::GEOMETRY_TYPE_TRIANGLE);
        let functions = self.scene.device.functions;
        let set = functions.set_shared_buffer;
        let stride = size_of::<[u32; 3]>();
        // SAFETY: the geometry is of this device, or null, which is reported. The buffers are `count` items of these
        // formats and strides, and 16 bytes can be read from each position on, as Embree asks. They are neither moved nor
        // changed while `triangles` is there, which is as long as the scene.
        unsafe {
            let steps = triangles.steps();
            if steps.len() > 1 {
                (functions.set_time_step_count)(geometry, steps.len() as u32);
            }
            for (step, positions) in (0u32..).zip(steps) {
                let (data, count) = (positions.first.cast(), positions.count);
                set(
                    geometry,
                    sys::BUFFER_TYPE_VERTEX,
                    step,
                    sys::FORMAT_FLOAT3,
                    data,
                    0,
                    positions.stride,
                    count,
                );
            }
            let (data, count) = (indices.as_ptr().cast(), indices.len());
            set(geometry, sys::BUFFER_TYPE_INDEX, 0, sys::FORMAT_UINT3, data, 0, stride, count);
            if self.quality == sys::BUILD_QUALITY_LOW {
                (functions.set_geometry_quality)(geometry, self.quality);
            }
        }
        self.scene.triangles.push(triangles);
        self.attach(geometry, id, mask);
        Ok(())
    }

    /// Adds an instance of a scene; the keys of a moving placement become time steps.
    pub(in crate::accel) fn instance(
        &mut self,
        id: u32,
        mask: u32,
        scene: &Arc<CommittedScene>,
        placement: &Placement,
    ) {
        let geometry = self.new_geometry(sys::GEOMETRY_TYPE_INSTANCE);
        let functions = self.scene.device.functions;
        // SAFETY: both handles are of this device; the matrices are read before the calls return. A placement has no
        // more keys than Embree has time steps.
        unsafe {
            (functions.set_instanced_scene)(geometry, scene.handle);
            if placement.is_moving() {
                (functions.set_time_step_count)(geometry, placement.keys().len() as u32);
            }
            for (step, key) in (0u32..).zip(placement.keys()) {
                let columns = key.to_cols_array();
                let format = sys::FORMAT_FLOAT3X4_COLUMN_MAJOR;
                (functions.set_transform)(geometry, step, format, columns.as_ptr().cast());
            }
        }
        self.attach(geometry, id, mask);
        self.scene.instanced.push(scene.clone());
    }

    /// Adds a scene as it is, whose geometries have the ids of their shapes.
    pub(in crate::accel) fn fixed_part(&mut self, id: u32, scene: &Arc<CommittedScene>) {
        self.instance(id, ALL, scene, &Placement::from(Affine3A::IDENTITY));
        self.scene.fixed_part = id;
    }

    /// Adds a surface that Kiln intersects.
    pub(in crate::accel) fn surface(&mut self, id: u32, mask: u32, surface: UserSurface) {
        let geometry = self.new_geometry(sys::GEOMETRY_TYPE_USER);
        let surface = Arc::new(surface);
        let user = Arc::as_ptr(&surface).cast_mut().cast::<c_void>();
        let functions = self.scene.device.functions;
        // SAFETY: the surface outlives the scene, and the callbacks cast it to its type.
        unsafe {
            (functions.set_primitive_count)(geometry, surface.primitive_count());
            if surface.time_steps() > 1 {
                (functions.set_time_step_count)(geometry, surface.time_steps());
            }
            (functions.set_user_data)(geometry, user);
            (functions.set_bounds_function)(geometry, Some(user_geometry::bounds), ptr::null_mut());
            (functions.set_intersect_function)(geometry, Some(user_geometry::intersect));
            (functions.set_occluded_function)(geometry, Some(user_geometry::occluded));
        }
        self.attach(geometry, id, mask);
        self.scene.surfaces.push(surface);
    }

    /// Builds the scene.
    pub(in crate::accel) fn commit(self) -> Result<CommittedScene, AccelError> {
        // SAFETY: the scene is valid, and there is no other reference to it.
        unsafe { (self.scene.device.functions.commit_scene)(self.scene.handle) };
        self.scene.device.check()?;
        Ok(self.scene)
    }

    fn new_geometry(&self, kind: i32) -> RtcGeometry {
        let device = &self.scene.device;
        // SAFETY: the device is valid; a failure leaves null, which Embree reports on every later use.
        unsafe { (device.functions.new_geometry)(device.handle, kind) }
    }

    /// Commits `geometry` and attaches it to the scene.
    fn attach(&mut self, geometry: RtcGeometry, id: u32, mask: u32) {
        let functions = self.scene.device.functions;
        // SAFETY: handles are of this device (or null, which is reported); the scene keeps a reference of its own.
        unsafe {
            (functions.set_geometry_mask)(geometry, mask);
            (functions.commit_geometry)(geometry);
            (functions.attach_geometry)(self.scene.handle, geometry, id);
            (functions.release_geometry)(geometry);
        }
    }
}

impl CommittedScene {
    /// The nearest hit.
    #[inline]
    pub(in crate::accel) fn intersect(&self, ray: &Ray, mask: u32) -> Option<Hit> {
        let mut query = RtcRayHit { ray: rtc_ray(ray, mask), hit: RtcHit::NONE };
        // SAFETY: the scene is committed; the query is aligned and has room for all that any build of Embree 4 writes.
        unsafe { (self.intersect1)(self.handle, &raw mut query, ptr::null()) };
        let hit = &query.hit;
        (hit.geom_id != INVALID_ID).then(|| Hit {
            t: query.ray.tfar,
            // SAFETY: the hit is Embree's.
            shape: ShapeId(unsafe { self.shape_of_hit(hit.geom_id, hit.inst_id, &raw const hit.reserve) }),
            primitive: hit.prim_id,
            barycentric: Vec2::new(hit.u, hit.v),
        })
    }

    /// The shape of a hit on a geometry, or on one of an instance.
    ///
    /// # Safety
    /// `reserve` belongs to a hit of Embree's on that geometry, which may be shorter than [`RtcHit`].
    #[inline]
    pub(super) unsafe fn shape_of_hit(
        &self,
        geometry: u32,
        instance: u32,
        reserve: *const [MaybeUninit<u32>; 32],
    ) -> u32 {
        if instance == INVALID_ID || instance == self.fixed_part {
            return geometry;
        }
        if instance < self.first_array {
            return instance;
        }
        // SAFETY: Embree's hit stores the index in the array there.
        let index = unsafe { reserve.cast::<u32>().add(self.instance_field).read() };
        self.arrays[(instance - self.first_array) as usize].shape(index)
    }

    /// A closest-hit query with arguments.
    ///
    /// # Safety
    /// `arguments` points to [`QueryArguments`](sys::QueryArguments) that suit the scene.
    pub(super) unsafe fn intersect_with(&self, query: *mut RtcRayHit, arguments: *const c_void) {
        // SAFETY: the scene is committed; the rest is the caller's.
        unsafe { (self.intersect1)(self.handle, query, arguments) };
    }

    /// Returns whether there is any hit.
    #[inline]
    pub(in crate::accel) fn occluded(&self, ray: &Ray, mask: u32) -> bool {
        let mut query = rtc_ray(ray, mask);
        // SAFETY: the scene is committed; the ray is aligned.
        unsafe { (self.occluded1)(self.handle, &raw mut query, ptr::null()) };
        query.tfar == f32::NEG_INFINITY
    }

    /// Bounding box of the scene.
    pub(in crate::accel) fn bounds(&self) -> Bounds {
        let mut bounds = RtcBounds { lower: [f32::INFINITY; 4], upper: [f32::NEG_INFINITY; 4] };
        // SAFETY: the scene is committed; the bounds are aligned.
        unsafe { (self.device.functions.scene_bounds)(self.handle, &raw mut bounds) };
        let [min, max] = [bounds.lower, bounds.upper].map(|[x, y, z, _]| Vec3::new(x, y, z));
        Bounds { min, max }
    }

    /// Memory of all scenes of the device [bytes].
    pub(in crate::accel) fn memory(&self) -> usize {
        self.device.memory()
    }
}

impl Drop for CommittedScene {
    fn drop(&mut self) {
        // SAFETY: the handle is ours to release.
        unsafe { (self.device.functions.release_scene)(self.handle) };
    }
}

/// Converts a ray to `RTCRay`.
#[inline]
pub(super) fn rtc_ray(ray: &Ray, mask: u32) -> RtcRay {
    RtcRay {
        org_tnear: ray.origin.extend(ray.t_min),
        dir_time: ray.direction.extend(ray.time),
        tfar: ray.t_max,
        mask,
        id: 0,
        flags: 0,
    }
}
