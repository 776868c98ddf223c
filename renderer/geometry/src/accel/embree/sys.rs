//! Hand-written bindings of Embree's C interface, as far as used (`rtcore_*.h`, version 4.4).
//!
//! Names are those of the header without the prefix. Libraries with other build options differ in three details, which
//! the structures below support:
//! - more instance levels lengthen `instID` and `instPrimID` at the end of `RTCHit`: there is space for sixteen;
//! - without instance arrays (and before 4.3) `instPrimID` is missing: [`instance_field`](super::instance_field) finds
//!   its position;
//! - "minimum width" adds a factor to the query arguments, which end with space for it.

#![expect(unsafe_code, reason = "the C interface: names functions of a loaded library")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use glam::Vec4;

/// `RTCDevice`.
pub(super) type RtcDevice = *mut c_void;
/// `RTCScene`.
pub(super) type RtcScene = *mut c_void;
/// `RTCGeometry`.
pub(super) type RtcGeometry = *mut c_void;

/// `RTC_INVALID_GEOMETRY_ID`.
pub(super) const INVALID_ID: u32 = u32::MAX;

/// `RTC_DEVICE_PROPERTY_VERSION`.
pub(super) const DEVICE_PROPERTY_VERSION: c_int = 0;
/// `RTC_DEVICE_PROPERTY_RAY_MASK_SUPPORTED`.
pub(super) const DEVICE_PROPERTY_RAY_MASK: c_int = 64;

/// `RTC_GEOMETRY_TYPE_TRIANGLE`.
pub(super) const GEOMETRY_TYPE_TRIANGLE: c_int = 0;
/// `RTC_GEOMETRY_TYPE_USER`.
pub(super) const GEOMETRY_TYPE_USER: c_int = 120;
/// `RTC_GEOMETRY_TYPE_INSTANCE`.
pub(super) const GEOMETRY_TYPE_INSTANCE: c_int = 121;
/// `RTC_GEOMETRY_TYPE_INSTANCE_ARRAY`, since 4.3.
pub(super) const GEOMETRY_TYPE_INSTANCE_ARRAY: c_int = 122;

/// `RTC_BUFFER_TYPE_INDEX`.
pub(super) const BUFFER_TYPE_INDEX: c_int = 0;
/// `RTC_BUFFER_TYPE_VERTEX`.
pub(super) const BUFFER_TYPE_VERTEX: c_int = 1;
/// `RTC_BUFFER_TYPE_TRANSFORM`.
pub(super) const BUFFER_TYPE_TRANSFORM: c_int = 23;

/// `RTC_FORMAT_UINT3`.
pub(super) const FORMAT_UINT3: c_int = 0x5003;
/// `RTC_FORMAT_FLOAT3`.
pub(super) const FORMAT_FLOAT3: c_int = 0x9003;
/// `RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR`.
pub(super) const FORMAT_FLOAT3X4_COLUMN_MAJOR: c_int = 0x9234;

/// `RTC_BUILD_QUALITY_LOW`.
pub(super) const BUILD_QUALITY_LOW: c_int = 0;
/// `RTC_BUILD_QUALITY_MEDIUM`.
pub(super) const BUILD_QUALITY_MEDIUM: c_int = 1;
/// `RTC_BUILD_QUALITY_HIGH`.
pub(super) const BUILD_QUALITY_HIGH: c_int = 2;

/// `RTC_SCENE_FLAG_ROBUST`.
pub(super) const SCENE_FLAG_ROBUST: c_int = 1 << 2;
/// `RTC_SCENE_FLAG_FILTER_FUNCTION_IN_ARGUMENTS`.
pub(super) const SCENE_FLAG_FILTER_IN_ARGUMENTS: c_int = 1 << 3;

/// `RTC_RAY_QUERY_FLAG_INVOKE_ARGUMENT_FILTER`.
pub(super) const QUERY_FLAG_INVOKE_ARGUMENT_FILTER: c_int = 1 << 1;
/// `RTC_FEATURE_FLAG_ALL`.
pub(super) const FEATURE_FLAG_ALL: c_uint = u32::MAX;

/// `RTCRay`. Embree loads the first two fields as vectors: fields written in parts would defeat store forwarding and
/// stall each query.
#[repr(C, align(16))]
pub(super) struct RtcRay {
    /// `org` and `tnear`.
    pub(super) org_tnear: Vec4,
    /// `dir` and `time`.
    pub(super) dir_time: Vec4,
    /// The far end; the distance of the hit afterwards, or -∞ after an occlusion query that found something.
    pub(super) tfar: f32,
    pub(super) mask: c_uint,
    pub(super) id: c_uint,
    pub(super) flags: c_uint,
}

/// `RTCHit`, with room for more levels of instances than are used.
#[repr(C, align(16))]
pub(super) struct RtcHit {
    pub(super) ng: [f32; 3],
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) prim_id: c_uint,
    pub(super) geom_id: c_uint,
    /// `instID[0]`.
    pub(super) inst_id: c_uint,
    /// The rest of `instID[]`, then `instPrimID[]`.
    pub(super) reserve: [MaybeUninit<c_uint>; 32],
}

impl RtcHit {
    /// No hit yet.
    pub(super) const NONE: RtcHit = RtcHit {
        ng: [0.0; 3],
        u: 0.0,
        v: 0.0,
        prim_id: INVALID_ID,
        geom_id: INVALID_ID,
        inst_id: INVALID_ID,
        reserve: [MaybeUninit::uninit(); 32],
    };
}

/// `RTCRayHit`.
#[repr(C, align(16))]
pub(super) struct RtcRayHit {
    pub(super) ray: RtcRay,
    pub(super) hit: RtcHit,
}

/// `RTCBounds`.
#[repr(C, align(16))]
pub(super) struct RtcBounds {
    pub(super) lower: [f32; 4],
    pub(super) upper: [f32; 4],
}

/// `RTCBoundsFunctionArguments`.
#[repr(C)]
pub(super) struct BoundsArguments {
    pub(super) geometry_user_ptr: *mut c_void,
    pub(super) prim_id: c_uint,
    pub(super) time_step: c_uint,
    pub(super) bounds: *mut RtcBounds,
}

/// `RTCIntersectFunctionNArguments`.
#[repr(C)]
pub(super) struct IntersectArguments {
    pub(super) valid: *mut c_int,
    pub(super) geometry_user_ptr: *mut c_void,
    pub(super) prim_id: c_uint,
    pub(super) context: *mut c_void,
    /// An `RTCRayHit` when `n` is 1.
    pub(super) ray_hit: *mut c_void,
    pub(super) n: c_uint,
    pub(super) geom_id: c_uint,
}

/// `RTCOccludedFunctionNArguments`.
#[repr(C)]
pub(super) struct OccludedArguments {
    pub(super) valid: *mut c_int,
    pub(super) geometry_user_ptr: *mut c_void,
    pub(super) prim_id: c_uint,
    pub(super) context: *mut c_void,
    /// An `RTCRay` when `n` is 1.
    pub(super) ray: *mut c_void,
    pub(super) n: c_uint,
    pub(super) geom_id: c_uint,
}

/// `RTCFilterFunctionNArguments`.
#[repr(C)]
pub(super) struct FilterArguments {
    pub(super) valid: *mut c_int,
    pub(super) geometry_user_ptr: *mut c_void,
    pub(super) context: *mut c_void,
    /// An `RTCRay` when `n` is 1.
    pub(super) ray: *mut c_void,
    /// An `RTCHit` when `n` is 1.
    pub(super) hit: *mut c_void,
    pub(super) n: c_uint,
}

/// `RTCIntersectArguments`, with room for the factor of "minimum width".
#[repr(C)]
pub(super) struct QueryArguments {
    pub(super) flags: c_int,
    pub(super) feature_mask: c_uint,
    pub(super) context: *mut c_void,
    pub(super) filter: Option<FilterFunction>,
    pub(super) intersect: Option<IntersectFunction>,
    pub(super) reserve: [u32; 4],
}

/// `RTCErrorFunction`.
pub(super) type ErrorFunction = unsafe extern "C" fn(*mut c_void, c_int, *const c_char);
/// `RTCMemoryMonitorFunction`.
pub(super) type MemoryFunction = unsafe extern "C" fn(*mut c_void, isize, bool) -> bool;
/// `RTCBoundsFunction`.
pub(super) type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
/// `RTCIntersectFunctionN`.
pub(super) type IntersectFunction = unsafe extern "C" fn(*const IntersectArguments);
/// `RTCFilterFunctionN`.
pub(super) type FilterFunction = unsafe extern "C" fn(*const FilterArguments);
/// `RTCOccludedFunctionN`.
pub(super) type OccludedFunction = unsafe extern "C" fn(*const OccludedArguments);

// The layout of the header with one level of instances: RTCHit is 48 bytes there, the rest is the reserve.
const _: () = {
    assert!(size_of::<RtcRay>() == 48 && align_of::<RtcRay>() == 16);
    assert!(std::mem::offset_of!(RtcRay, dir_time) == 16 && std::mem::offset_of!(RtcRay, tfar) == 32);
    assert!(std::mem::offset_of!(RtcRayHit, hit) == 48 && size_of::<RtcHit>() >= 48);
    assert!(std::mem::offset_of!(RtcHit, geom_id) == 24 && std::mem::offset_of!(RtcHit, inst_id) == 28);
    assert!(size_of::<RtcBounds>() == 32);
    assert!(size_of::<BoundsArguments>() == 24);
    assert!(size_of::<FilterArguments>() == 48 && std::mem::offset_of!(QueryArguments, filter) == 16);
    assert!(size_of::<IntersectArguments>() == 48 && size_of::<OccludedArguments>() == 48);
};

/// Declares [`Functions`] and its loader from the C signatures.
macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of a loaded library.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks every function up in `library`.
            ///
            /// # Safety
            /// `library` has to be Embree 4, and has to stay loaded for as long as the functions are called.
            pub(super) unsafe fn load(library: &libloading::Library) -> Result<Functions, libloading::Error> {
                // SAFETY: the signatures are those of Embree 4's header, which the caller vouches for.
                unsafe { Ok(Functions { $($name: *library.get($symbol)?,)* }) }
            }
        }
    };
}

functions! {
    new_device = c"rtcNewDevice": fn(*const c_char) -> RtcDevice;
    release_device = c"rtcReleaseDevice": fn(RtcDevice);
    device_property = c"rtcGetDeviceProperty": fn(RtcDevice, c_int) -> isize;
    device_error = c"rtcGetDeviceError": fn(RtcDevice) -> c_int;
    set_error_function = c"rtcSetDeviceErrorFunction": fn(RtcDevice, Option<ErrorFunction>, *mut c_void);
    set_memory_function = c"rtcSetDeviceMemoryMonitorFunction": fn(RtcDevice, Option<MemoryFunction>, *mut c_void);

    new_scene = c"rtcNewScene": fn(RtcDevice) -> RtcScene;
    release_scene = c"rtcReleaseScene": fn(RtcScene);
    set_scene_flags = c"rtcSetSceneFlags": fn(RtcScene, c_int);
    set_scene_quality = c"rtcSetSceneBuildQuality": fn(RtcScene, c_int);
    attach_geometry = c"rtcAttachGeometryByID": fn(RtcScene, RtcGeometry, c_uint);
    commit_scene = c"rtcCommitScene": fn(RtcScene);
    scene_bounds = c"rtcGetSceneBounds": fn(RtcScene, *mut RtcBounds);

    new_geometry = c"rtcNewGeometry": fn(RtcDevice, c_int) -> RtcGeometry;
    release_geometry = c"rtcReleaseGeometry": fn(RtcGeometry);
    commit_geometry = c"rtcCommitGeometry": fn(RtcGeometry);
    set_geometry_mask = c"rtcSetGeometryMask": fn(RtcGeometry, c_uint);
    set_shared_buffer = c"rtcSetSharedGeometryBuffer": fn(RtcGeometry, c_int, c_uint, c_int, *const c_void, usize, usize, usize);
    set_geometry_quality = c"rtcSetGeometryBuildQuality": fn(RtcGeometry, c_int);
    set_instanced_scene = c"rtcSetGeometryInstancedScene": fn(RtcGeometry, RtcScene);
    set_time_step_count = c"rtcSetGeometryTimeStepCount": fn(RtcGeometry, c_uint);
    set_transform = c"rtcSetGeometryTransform": fn(RtcGeometry, c_uint, c_int, *const c_void);
    set_user_data = c"rtcSetGeometryUserData": fn(RtcGeometry, *mut c_void);
    set_primitive_count = c"rtcSetGeometryUserPrimitiveCount": fn(RtcGeometry, c_uint);
    set_bounds_function = c"rtcSetGeometryBoundsFunction": fn(RtcGeometry, Option<BoundsFunction>, *mut c_void);
    set_intersect_function = c"rtcSetGeometryIntersectFunction": fn(RtcGeometry, Option<IntersectFunction>);
    set_occluded_function = c"rtcSetGeometryOccludedFunction": fn(RtcGeometry, Option<OccludedFunction>);

    intersect1 = c"rtcIntersect1": fn(RtcScene, *mut RtcRayHit, *const c_void);
    occluded1 = c"rtcOccluded1": fn(RtcScene, *mut RtcRay, *const c_void);
}
