//! The C interface of Open Image Denoise as far as used (`oidn.h`, version 2): function table, device and filter.
//!
//! This file contains the `unsafe` code of the crate. Its safe interface is a [`Job`] of slices, whose sizes
//! [`Device::run`] checks.

#![expect(unsafe_code, reason = "calls a loaded library")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use super::error::DenoiseError;

/// `OIDN_DEVICE_TYPE_CPU`.
const DEVICE_TYPE_CPU: c_int = 1;
/// `OIDN_FORMAT_FLOAT3`.
const FORMAT_FLOAT3: c_int = 3;
/// `OIDN_QUALITY_FAST`.
pub(super) const QUALITY_FAST: c_int = 4;
/// `OIDN_QUALITY_HIGH`.
pub(super) const QUALITY_HIGH: c_int = 6;

/// The oldest version with these functions, as the property `version` counts: 2.0.0.
const MIN_VERSION: c_int = 20000;

type OidnDevice = *mut c_void;
type OidnFilter = *mut c_void;
type OidnMonitor = extern "C" fn(*mut c_void, f64) -> bool;

/// Returns whether the result of a filter is still wanted; called from any thread.
pub(super) type Wanted = Box<dyn Fn() -> bool + Send + Sync>;

/// `OIDNProgressMonitorFunction`: returns whether the filter continues.
extern "C" fn goes_on(wanted: *mut c_void, _done: f64) -> bool {
    // SAFETY: `Device::run` passes the address of a `Wanted` that outlives the filter.
    let wanted = unsafe { &*wanted.cast_const().cast::<Wanted>() };
    wanted()
}

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of the library.
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            /// The library is an Open Image Denoise 2 and stays open for as long as the functions are called.
            unsafe fn load(library: &libloading::Library) -> Result<Functions, libloading::Error> {
                // SAFETY: the signatures are those of the header, which the caller vouches for.
                unsafe { Ok(Functions { $($name: *library.get($symbol)?,)* }) }
            }
        }
    };
}

functions! {
    new_device = c"oidnNewDevice": fn(c_int) -> OidnDevice;
    release_device = c"oidnReleaseDevice": fn(OidnDevice);
    set_device_bool = c"oidnSetDeviceBool": fn(OidnDevice, *const c_char, bool);
    set_device_int = c"oidnSetDeviceInt": fn(OidnDevice, *const c_char, c_int);
    device_int = c"oidnGetDeviceInt": fn(OidnDevice, *const c_char) -> c_int;
    device_error = c"oidnGetDeviceError": fn(OidnDevice, *mut *const c_char) -> c_int;
    commit_device = c"oidnCommitDevice": fn(OidnDevice);
    new_filter = c"oidnNewFilter": fn(OidnDevice, *const c_char) -> OidnFilter;
    release_filter = c"oidnReleaseFilter": fn(OidnFilter);
    set_image = c"oidnSetSharedFilterImage": fn(OidnFilter, *const c_char, *mut c_void, c_int, usize, usize, usize, usize, usize);
    set_filter_bool = c"oidnSetFilterBool": fn(OidnFilter, *const c_char, bool);
    set_filter_int = c"oidnSetFilterInt": fn(OidnFilter, *const c_char, c_int);
    set_monitor = c"oidnSetFilterProgressMonitorFunction": fn(OidnFilter, OidnMonitor, *mut c_void);
    commit_filter = c"oidnCommitFilter": fn(OidnFilter);
    execute_filter = c"oidnExecuteFilter": fn(OidnFilter);
}

/// The opened library. Never closed: its threads may outlive any one device.
pub(super) struct Library {
    functions: Functions,
    pub(super) path: PathBuf,
    _handle: libloading::Library,
}

impl Library {
    /// Opens a library.
    pub(super) fn open(path: &Path) -> Result<Library, String> {
        // The message of the loader is in the source error.
        let words = |error: libloading::Error| {
            let cause = std::error::Error::source(&error);
            cause.map_or_else(|| error.to_string(), ToString::to_string)
        };
        // SAFETY: loading runs the initialisation of the library and of TBB, which has no preconditions.
        let handle = unsafe { load(path) }.map_err(words)?;
        // SAFETY: only files named as version 2 are tried; `handle` is kept with the functions and never closed.
        let functions = unsafe { Functions::load(&handle) }.map_err(words)?;
        Ok(Library { functions, path: path.to_path_buf(), _handle: handle })
    }
}

#[cfg(not(windows))]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: as the caller says.
    unsafe { libloading::Library::new(path) }
}

/// Windows searches for dependencies in the folder of the program by default; this flag selects the folder of the
/// library.
#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    let flags = if path.is_absolute() { LOAD_WITH_ALTERED_SEARCH_PATH } else { 0 };
    // SAFETY: as the caller says.
    unsafe { Library::load_with_flags(path, flags).map(Into::into) }
}

/// A CPU device.
pub(super) struct Device {
    library: &'static Library,
    handle: OidnDevice,
    /// Cancels filters whose results are not wanted any more.
    pub(super) wanted: Option<Wanted>,
}

/// A filter with its images, all `height × width × 3`, and its parameters.
pub(super) struct Job<'a> {
    /// Type of the filter.
    pub(super) kind: &'static CStr,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Input images by name.
    pub(super) inputs: &'a [(&'static CStr, &'a [f32])],
    /// Parameters that are set to `true`.
    pub(super) flags: &'a [&'static CStr],
    pub(super) quality: c_int,
}

impl Device {
    /// A device that filters with `threads` threads (0: one per core).
    pub(super) fn new(library: &'static Library, threads: usize) -> Result<Device, DenoiseError> {
        let unusable = |reason: String| DenoiseError::Unusable { path: library.path.clone(), reason };
        // SAFETY: any type may be asked for.
        let handle = unsafe { (library.functions.new_device)(DEVICE_TYPE_CPU) };
        let device = Device { library, handle, wanted: None };
        if handle.is_null() {
            return Err(unusable(device.error().unwrap_or("it has no CPU device".into())));
        }
        let threads = c_int::try_from(threads).unwrap_or(0);
        // SAFETY: the device is valid, and the names are NUL-terminated.
        let version = unsafe {
            (library.functions.set_device_int)(handle, c"numThreads".as_ptr(), threads);
            (library.functions.set_device_bool)(handle, c"setAffinity".as_ptr(), false);
            (library.functions.commit_device)(handle);
            (library.functions.device_int)(handle, c"version".as_ptr())
        };
        match device.error() {
            Some(reason) => Err(unusable(reason)),
            None if version < MIN_VERSION => {
                Err(unusable(format!("its version is {version}, {MIN_VERSION} is needed")))
            }
            None => Ok(device),
        }
    }

    /// Runs a filter; the output is `height × width × 3`.
    pub(super) fn run(&self, job: &Job<'_>) -> Result<Vec<f32>, DenoiseError> {
        let mut output = vec![0.0; job.width * job.height * 3];
        let inputs = job.inputs.iter();
        assert!(
            inputs.clone().all(|(_, values)| values.len() == output.len()),
            "an image of another size"
        );
        let functions = &self.library.functions;
        // SAFETY: the device is valid, and the name is NUL-terminated.
        let filter = unsafe { (functions.new_filter)(self.handle, job.kind.as_ptr()) };
        if filter.is_null() {
            return Err(self.failure());
        }
        let images = inputs
            .map(|(name, values)| (*name, values.as_ptr().cast_mut().cast::<c_void>()))
            .chain([(c"output", output.as_mut_ptr().cast())]);
        for (name, values) in images {
            // SAFETY: the filter is valid; the image has `height × width` pixels of three floats without gaps, as checked
            // above, and outlives the filter, which writes to the output alone.
            unsafe {
                (functions.set_image)(
                    filter,
                    name.as_ptr(),
                    values,
                    FORMAT_FLOAT3,
                    job.width,
                    job.height,
                    0,
                    0,
                    0,
                );
            }
        }
        for name in job.flags {
            // SAFETY: the filter is valid, and the name is NUL-terminated.
            unsafe { (functions.set_filter_bool)(filter, name.as_ptr(), true) };
        }
        if let Some(wanted) = &self.wanted {
            let wanted = ptr::from_ref(wanted).cast_mut().cast::<c_void>();
            // SAFETY: the filter is valid, and `wanted` is borrowed until it is released.
            unsafe { (functions.set_monitor)(filter, goes_on, wanted) };
        }
        // SAFETY: the filter is valid, the name is NUL-terminated, and the images live until the end of this function;
        // the filter is released once and not used any more.
        unsafe {
            (functions.set_filter_int)(filter, c"quality".as_ptr(), job.quality);
            (functions.commit_filter)(filter);
            (functions.execute_filter)(filter);
            (functions.release_filter)(filter);
        }
        match self.error() {
            Some(reason) => Err(DenoiseError::Library(reason)),
            None => Ok(output),
        }
    }

    fn failure(&self) -> DenoiseError {
        DenoiseError::Library(self.error().unwrap_or("it gives no reason".into()))
    }

    /// The first error since the last call; without a device, the error of creating one.
    fn error(&self) -> Option<String> {
        let mut message = ptr::null();
        // SAFETY: a null device asks for the error of making one.
        let code = unsafe { (self.library.functions.device_error)(self.handle, &raw mut message) };
        if code == 0 {
            return None;
        }
        if message.is_null() {
            return Some(format!("error {code}"));
        }
        // SAFETY: the message is NUL-terminated and valid until the next error.
        let message = unsafe { CStr::from_ptr(message) };
        Some(message.to_string_lossy().into_owned())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle is ours to release, and no filter is left.
            unsafe { (self.library.functions.release_device)(self.handle) };
        }
    }
}
