//! An Embree device with its error messages and memory counter.

#![expect(unsafe_code, reason = "calls Embree")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::library::library;
use super::sys::{self, Functions, RtcDevice};
use crate::accel::AccelError;

/// Oldest supported version, as `RTC_VERSION`.
const MIN_VERSION: isize = 40000;

/// Reference-counted device; scenes hold a reference.
pub(in crate::accel) struct Device {
    pub(super) handle: RtcDevice,
    pub(super) functions: &'static Functions,
    /// Target of Embree's callbacks; in an `Arc` so that its address is stable.
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Messages of the errors since the last check.
    errors: Mutex<Vec<String>>,
    /// Bytes that Embree has allocated and not freed.
    bytes: AtomicIsize,
}

// SAFETY: Embree's devices may be used from any thread; the state synchronises itself.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// A device that builds with `threads` threads (0: one per core).
    pub(in crate::accel) fn new(threads: usize) -> Result<Arc<Device>, AccelError> {
        let library = library()?;
        let functions = &library.functions;
        let unsuitable =
            |reason: String| AccelError::Unsuitable { path: library.path.display().to_string(), reason };
        // One instruction set on all processors, so that a ray through a common edge of two triangles hits the same one
        // on each machine. Wider instructions would save one or two per cent.
        let config = CString::new(format!("threads={threads},set_affinity=0,max_isa=avx2"))
            .expect("the text has no NUL in it");

        // SAFETY: the configuration is a NUL-terminated string.
        let handle = unsafe { (functions.new_device)(config.as_ptr()) };
        if handle.is_null() {
            // SAFETY: a null device queries the error of its creation.
            let code = unsafe { (functions.device_error)(ptr::null_mut()) };
            return Err(unsuitable(error_name(code).into()));
        }
        let device = Device { handle, functions, state: Arc::default() };
        let user = Arc::as_ptr(&device.state).cast_mut().cast::<c_void>();
        // SAFETY: the state outlives the device, and both callbacks cast it to its type.
        unsafe {
            (functions.set_error_function)(handle, Some(on_error), user);
            (functions.set_memory_function)(handle, Some(on_memory), user);
        }
        match device.property(sys::DEVICE_PROPERTY_VERSION) {
            version if version < MIN_VERSION => {
                Err(unsuitable(format!("its version is {version}, {MIN_VERSION} is needed")))
            }
            _ if device.property(sys::DEVICE_PROPERTY_RAY_MASK) == 0 => {
                Err(unsuitable("it was built without ray masks".into()))
            }
            _ => Ok(Arc::new(device)),
        }
    }

    /// Returns the error that Embree has reported since the last call.
    pub(super) fn check(&self) -> Result<(), AccelError> {
        let errors = std::mem::take(&mut *self.state.errors.lock().unwrap_or_else(PoisonError::into_inner));
        match errors.into_iter().next() {
            Some(reason) => Err(AccelError::Build { reason }),
            None => Ok(()),
        }
    }

    /// Bytes of memory that all of its scenes hold.
    pub(super) fn memory(&self) -> usize {
        self.state.bytes.load(Ordering::Relaxed).max(0) as usize
    }

    fn property(&self, property: c_int) -> isize {
        // SAFETY: the device is valid.
        unsafe { (self.functions.device_property)(self.handle, property) }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the handle is owned. Callbacks are removed first, since Embree may keep the device alive; scenes hold
        // an `Arc` of this device and are released before it.
        unsafe {
            (self.functions.set_memory_function)(self.handle, None, ptr::null_mut());
            (self.functions.set_error_function)(self.handle, None, ptr::null_mut());
            (self.functions.release_device)(self.handle);
        }
    }
}

/// Records an error message.
unsafe extern "C" fn on_error(user: *mut c_void, code: c_int, message: *const c_char) {
    // SAFETY: `user` is the device's state, which outlives the device.
    let state = unsafe { &*user.cast::<State>() };
    let mut text = error_name(code).to_owned();
    if !message.is_null() {
        // SAFETY: Embree hands over a NUL-terminated string.
        let message = unsafe { CStr::from_ptr(message) };
        text = format!("{text}: {}", message.to_string_lossy());
    }
    state.errors.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

/// Counts allocated bytes; never cancels.
unsafe extern "C" fn on_memory(user: *mut c_void, bytes: isize, _post: bool) -> bool {
    // SAFETY: `user` is the device's state, which outlives the device.
    let state = unsafe { &*user.cast::<State>() };
    state.bytes.fetch_add(bytes, Ordering::Relaxed);
    true
}

/// `RTCError` in words.
fn error_name(code: c_int) -> &'static str {
    match code {
        0 => "no error",
        2 => "invalid argument",
        3 => "invalid operation",
        4 => "out of memory",
        5 => "this processor is not supported",
        6 => "cancelled",
        _ => "unknown error",
    }
}
